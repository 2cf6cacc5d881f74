// Command faults kills the servers of brewput-extra while clients use them: those of the workload messenger in make
// messages, and those of peers, which it also partitions, in make peers-live. Each trial runs in a process of its own,
// and its check compares the logs of both sides. The command stores the outcome of each trial, and a later call
// continues. It exits with 1 if a check failed or there were too few faults, with 3 if trials are left, and with 4 if
// something failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/brewput/brewput/extra/messenger"
	"github.com/brewput/brewput/extra/peers"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/interrupt"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

func main() {
	remote.Main(messenger.Server(), peers.Server())
	trial.Main(messenger.Workload(), peers.Workload())
	name := flag.String("workload", "messenger", "`NAME`: messenger or peers")
	faults := flag.Int("faults", 100, "kills of the server in a trial of messenger; kills, partitions and their ends "+
		"in one of peers")
	file := flag.String("record", "", "`FILE` of the outcomes so far (default bin/NAME.ndjson)")
	limit := flag.Duration("for", 0, "a `TIME` after which no trial begins (default: until all are done)")
	flag.Parse()
	subjects := map[string]func(int) subject{"messenger": messages, "peers": identities}
	if subjects[*name] == nil || *faults < 1 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "faults: give -workload messenger or peers, -faults N, and no other argument")
		os.Exit(record.ExitUsage)
	}
	if *file == "" {
		*file = "bin/" + *name + ".ndjson"
	}

	ctx, stop := signal.NotifyContext(context.Background(), interrupt.Signals()...)
	defer stop()
	c := campaign{subject: subjects[*name](*faults), stdout: os.Stdout, record: *file}
	code, err := c.run(ctx, record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(os.Stderr, "faults:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// campaign is a trial of each cell of a subject.
type campaign struct {
	subject
	stdout io.Writer
	record string // file of the outcomes
}

// entry is the outcome of a trial, a line of the record.
type entry struct {
	Program string             `json:"program"` // SHA-256 of this program
	Cell    cell               `json:"cell"`
	Counts  map[string]float64 `json:"counts,omitempty"`
	Error   string             `json:"error,omitempty"` // of the check
}

// run makes the trials that are not in the record, prints all, and returns the exit code.
func (c *campaign) run(ctx context.Context, piece record.Piece) (code int, err error) {
	program, err := record.Self()
	if err != nil {
		return 0, err
	}
	done := map[cell]entry{}
	for _, x := range c.cells {
		done[x] = entry{}
	}
	entries, err := record.Read(c.record, func(e entry) error {
		if _, known := done[e.Cell]; e.Program != program || !known {
			return errors.New("a trial by another build, or with another number of faults: remove the file")
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		done[e.Cell] = e
	}

	left, err := record.Continue(ctx, c.record, piece, c.cells,
		func(x cell) bool { return done[x].Program != "" },
		func(x cell) error {
			e := entry{Program: program, Cell: x}
			if err := c.measure(ctx, &e); err != nil {
				return fmt.Errorf("%s %s: %w", x.Design, x.Settings, err)
			}
			done[x] = e
			return record.Append(c.record, e)
		})
	if err != nil {
		return 0, err
	}
	if c.print(done) {
		code = record.ExitBroken
	}
	return record.Exit(c.stdout, code, left, "trials"), nil
}

// measure makes a trial.
func (c *campaign) measure(ctx context.Context, e *entry) error {
	d, ok := c.workload.Find(e.Cell.Design)
	if !ok {
		return fmt.Errorf("workload %s has no such design", c.workload.Name)
	}
	choices := map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(runtime.GOMAXPROCS(0))}}}
	for _, setting := range strings.Fields(e.Cell.Settings) {
		name, text, _ := strings.Cut(setting, "=")
		f, ok := c.workload.Factor(name)
		if !ok {
			return fmt.Errorf("workload %s has no factor %s", c.workload.Name, name)
		}
		choice, err := f.Parse(text, nil)
		if err != nil {
			return err
		}
		choices[name] = choice
	}
	points, err := plan.Points(c.workload.AllFactors(), choices)
	if err != nil {
		return err
	}
	o, err := trial.Runner{TimeLimit: 8 * time.Minute}.Run(ctx, trial.Spec{Workload: c.workload.Name, Design: d.Name,
		Point: points[0].Only(c.workload.FactorsOf(d)), Seed: 1, BurnRate: 1})
	if err != nil {
		return err
	}
	switch {
	case o.Trial.Good():
		e.Counts = map[string]float64{}
		for _, name := range c.columns {
			e.Counts[name] = float64(o.Trial.Metrics.Get(name))
		}
		return nil
	case o.Trial.Status == result.Wrong: // which has no metrics
		e.Error = o.Trial.Error
		return nil
	}
	return fmt.Errorf("%s %s\n%s", o.Trial.Status, o.Trial.Error, o.Failure)
}

// print writes a row for each trial, and reports whether a check failed or there were too few faults.
func (c *campaign) print(done map[cell]entry) (broken bool) {
	w := tabwriter.NewWriter(c.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "design\t%s\t%s\tresult\n", c.about, strings.Join(c.columns, "\t"))
	for _, x := range c.cells {
		e := done[x]
		if e.Program == "" {
			continue
		}
		found := c.nothing
		for _, least := range c.least {
			if e.Counts[least.name] < float64(least.n) {
				found = fmt.Sprintf("too few %s: at least %d are wanted", least.name, least.n)
				broken = true
			}
		}
		if c.sound != nil && e.Error == "" {
			if problem := c.sound(e.Counts); problem != "" {
				found, broken = problem, true
			}
		}
		if e.Error != "" {
			found, broken = e.Error, true
		}
		fmt.Fprintf(w, "%s\t%s", x.Design, x.Variant)
		for _, name := range c.columns {
			fmt.Fprintf(w, "\t%.0f", e.Counts[name])
		}
		fmt.Fprintf(w, "\t%s\n", found)
	}
	w.Flush()
	return broken
}
