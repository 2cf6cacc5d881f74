// Command campaign measures how often lab.Explain finds the known problem of a program: make verdicts. It explains
// every program of the corpus once and stores the evidence; a later call continues. It scores the findings from all
// evidence (level B), those without the trace (level A), and those of naive rivals. With -label it instead measures
// what the fix of every sick program gains: make verdicts-labels. With -again it explains each program several times,
// and scores how often the answers agree: make verdicts-again. It exits with 1 if a target is missed, with 3 if
// programs are left or too few to decide, and with 4 if something failed.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/proof/findings/corpus"
	"github.com/brewput/brewput/proof/record"
)

func main() {
	var o options
	flag.BoolVar(&o.label, "label", false, "measure the gain of every fix, and store it in "+
		"proof/findings/corpus/labels.json")
	flag.BoolVar(&o.score, "score", false, "collect nothing: score the stored evidence")
	flag.BoolVar(&o.heldOut, "held-out", false, "also list the single programs of the families "+
		"on which no rule was tuned")
	flag.StringVar(&o.dir, "dir", "bin/verdicts", "directory of evidence, answers and scores")
	flag.StringVar(&o.families, "families", "", "only these families, separated by commas")
	flag.BoolVar(&o.sick, "sick", false, "only the programs with a problem, for the ranges of gains")
	flag.StringVar(&o.ranges, "ranges", "", "store the calibrated ranges of gains in this `FILE` of package explain")
	flag.IntVar(&o.runs, "runs", 6, "pairs of runs for a label")
	flag.IntVar(&o.again, "again", 0, "explain each program so many times, and score how often the answers agree")
	flag.IntVar(&o.n, "n", 0, "only this number of programs, drawn by the seed (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the draw")
	flag.IntVar(&o.points, "points", 3, "parameter points of the sick programs of each family; the others have one")
	flag.DurationVar(&o.limit, "for", 0, "a `TIME` after which no program begins (default: until all are done)")
	flag.Parse()
	if err := o.validate(flag.NArg()); err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(record.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := campaign(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// options are the flags of the command.
type options struct {
	label, score, heldOut, sick bool
	dir, families, ranges       string
	runs, n, points, again      int
	seed                        uint64
	limit                       time.Duration
}

// validate returns what is wrong with the flags, followed by a number of other arguments.
func (o *options) validate(others int) error {
	if others > 0 || o.runs < 2 || o.n < 0 || o.points < 1 || o.label && o.families != "" {
		return errors.New("give -runs 2 or more, -points 1 or more, -n 0 or more, no -families with -label, and no " +
			"other argument")
	}
	if o.again < 0 || o.again == 1 || o.again > 0 && (o.label || o.score || o.ranges != "") {
		return errors.New("give -again 2 or more, without -label, -score and -ranges")
	}
	if o.ranges != "" && (o.n > 0 || o.families != "" || o.label) {
		return errors.New("-ranges needs all families: give no -n, -families or -label")
	}
	if o.score && !o.label {
		_, err := os.ReadDir(o.dir)
		return err
	}
	return nil
}

// labelFile is the file of labels, seen from the root of the repository.
const labelFile = "proof/findings/corpus/labels.json"

// campaign measures labels, or collects evidence and scores the findings. It returns the exit code.
func campaign(ctx context.Context, o options) (code int, err error) {
	for _, path := range []*string{&o.dir, &o.ranges} { // collect changes the working directory
		if *path == "" {
			continue
		}
		if *path, err = filepath.Abs(*path); err != nil {
			return 0, err
		}
	}
	families, err := corpus.Families()
	if err != nil {
		return 0, err
	}
	if o.families != "" {
		if families, err = only(families, strings.Split(o.families, ",")); err != nil {
			return 0, err
		}
	}
	var cases []corpus.Case
	for _, f := range families {
		for _, c := range f.Cases() {
			if o.label || c.Point == 0 && !o.sick || c.Form == corpus.Sick && c.Point < o.points {
				cases = append(cases, c)
			}
		}
	}
	if o.n > 0 && !o.label {
		cases = some(cases, o.n, o.seed)
	}

	piece := record.NewPiece(o.limit)
	if o.again > 0 {
		return again(ctx, o, cases, piece, os.Stdout)
	}
	left, failures := 0, 0
	switch {
	case o.label:
		left, err = label(ctx, cases, labelFile, o.runs, piece, os.Stdout)
	case !o.score:
		left, failures, err = collectAll(ctx, o.dir, cases, piece, os.Stdout)
	}
	if err != nil {
		return 0, err
	}
	record.Remaining(os.Stdout, left, "programs")
	switch {
	case left > 0:
		code = record.ExitUndecided
	case !o.label:
		code, err = conclude(o, cases, os.Stdout)
	}
	return code, cmp.Or(err, failed(failures))
}

// only returns the families of these names.
func only(families []*corpus.Family, names []string) ([]*corpus.Family, error) {
	for _, n := range names {
		if !slices.ContainsFunc(families, func(f *corpus.Family) bool { return f.Name == n }) {
			return nil, fmt.Errorf("-families: there is no family %q", n)
		}
	}
	return slices.DeleteFunc(families, func(f *corpus.Family) bool { return !slices.Contains(names, f.Name) }), nil
}
