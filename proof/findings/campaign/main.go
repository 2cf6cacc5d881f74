// Command campaign judges explain by the corpus: make verdicts. With -label it measures what the fix of every sick
// program gains, which is what makes it one; otherwise it collects the evidence of every program, once, lets explain
// answer from all of it and from what is there without a trace, and scores the answers. It exits 4 if something failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/proof/findings/corpus"
)

func main() {
	var o options
	flag.BoolVar(&o.label, "label", false, "measure the gain of every fix, and store it in "+
		"proof/findings/corpus/labels.json")
	flag.BoolVar(&o.score, "score", false, "collect nothing: answer and score from the evidence that is there")
	flag.BoolVar(&o.heldOut, "held-out", false, "show single programs of the families that are held "+
		"out from tuning, too")
	flag.StringVar(&o.dir, "dir", "bin/verdicts", "directory of evidence, answers and scores")
	flag.StringVar(&o.families, "families", "", "only these, separated by commas: to score those apart that are new")
	flag.IntVar(&o.runs, "runs", 6, "pairs of runs for a label")
	flag.IntVar(&o.n, "n", 0, "only so many programs, drawn by the seed (0: all)")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of the draw")
	flag.IntVar(&o.points, "points", 3, "parameter points of the sick programs of each family; of the others it is one")
	flag.DurationVar(&o.limit, "for", 24*time.Hour, "begin nothing more after this time; a later call goes on")
	flag.Parse()
	if flag.NArg() > 0 || o.runs < 2 || o.limit <= 0 || o.n < 0 || o.points < 1 || o.label && o.families != "" {
		fmt.Fprintln(os.Stderr, "campaign: give -runs 2 or more, -points 1 or more, a positive -for, -n 0 or more, "+
			"no -families with -label, and no other argument")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := campaign(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "campaign:", err)
		os.Exit(4)
	}
}

type options struct {
	label, score, heldOut bool
	dir, families         string
	runs, n, points       int
	seed                  uint64
	limit                 time.Duration
}

const labelFile = "proof/findings/corpus/labels.json"

func campaign(ctx context.Context, o options) error {
	families, err := corpus.Families()
	if err != nil {
		return err
	}
	if o.families != "" {
		if families, err = only(families, strings.Split(o.families, ",")); err != nil {
			return err
		}
	}
	var cases []corpus.Case
	for _, f := range families {
		for _, c := range f.Cases() {
			if o.label || c.Point == 0 || c.Form == corpus.Sick && c.Point < o.points {
				cases = append(cases, c)
			}
		}
	}
	if o.n > 0 && !o.label {
		cases = some(cases, o.n, o.seed)
	}
	deadline := time.Now().Add(o.limit)
	left := 0
	switch {
	case o.label:
		left, err = label(ctx, cases, labelFile, o.runs, deadline, os.Stdout)
	case !o.score:
		left, err = collectAll(ctx, o.dir, cases, deadline, os.Stdout)
	}
	if err != nil {
		return err
	}
	if left > 0 {
		fmt.Println(left, "left")
	}
	if o.label || left > 0 {
		return nil
	}
	return conclude(o.dir, cases, o.heldOut, os.Stdout)
}

// only are the families of these names.
func only(families []*corpus.Family, names []string) ([]*corpus.Family, error) {
	for _, n := range names {
		if !slices.ContainsFunc(families, func(f *corpus.Family) bool { return f.Name == n }) {
			return nil, fmt.Errorf("-families: there is no family %q", n)
		}
	}
	return slices.DeleteFunc(families, func(f *corpus.Family) bool { return !slices.Contains(names, f.Name) }), nil
}
