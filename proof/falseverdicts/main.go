// Command falseverdicts tests whether lab.Measure reports a difference between a design and itself in at most 5% of
// comparisons: make aa. Each comparison is a separate run of two designs that are the same code. The command stores
// every verdict, and a later call continues. It exits with 1 if more verdicts are false than 5%, with 3 if comparisons
// are left, and with 4 if something failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/catalog/null"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/aatest"
	"github.com/brewput/brewput/proof/record"
)

func main() {
	lab.Main(aatest.Double(null.Workload()), aatest.Double(coffee.Workload()))
	c := campaign{stdout: os.Stdout, stderr: os.Stderr, cases: cases()}
	c.options = lab.DesignOptions{Duration: 100 * time.Millisecond, Warmup: 20 * time.Millisecond}
	flag.IntVar(&c.n, "n", 200, "comparisons")
	flag.Uint64Var(&c.seed, "seed", 1, "seed of the order of trials and of all draws")
	flag.IntVar(&c.options.Count, "blocks", 10, "blocks of each comparison; more blocks give a better estimate of the "+
		"correlation of neighbouring blocks")
	flag.StringVar(&c.record, "record", "bin/aa.ndjson", "`FILE` of the verdicts so far")
	limit := flag.Duration("for", 0, "a `TIME` after which no comparison begins (default: until all are done)")
	flag.Parse()
	if c.n < 1 || c.options.Count < leastBlocks || flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "aa: give -n 1 or more, -blocks %d or more, and no other argument\n", leastBlocks)
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := c.run(ctx, record.NewPiece(*limit))
	if err != nil {
		fmt.Fprintln(os.Stderr, "aa:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// leastBlocks is the number of blocks that a verdict needs.
const leastBlocks = 6

// overhead is the time of a trial beyond its window: a new process and two probes of the clock.
const overhead = 10 * time.Millisecond

// campaign is a number of comparisons, which take the cases in turn.
type campaign struct {
	stdout, stderr io.Writer
	cases          []testCase
	n              int
	options        lab.DesignOptions // of each comparison, without its case and its seed
	seed           uint64            // of the first comparison; the others follow
	record         string            // file of the verdicts
}

// run measures the comparisons that are not in the record, prints the counts of all, and returns the exit code.
func (c *campaign) run(ctx context.Context, piece record.Piece) (code int, err error) {
	began := time.Now()
	settings := settings{Seed: c.seed, Blocks: c.options.Count}
	if settings.Program, err = record.Self(); err != nil {
		return 0, err
	}
	done, err := record.Read(c.record, settings.fits)
	if err != nil {
		return 0, err
	}
	done = done[:min(len(done), c.n)]
	c.announce(c.n - len(done))

	left := 0
	for i := len(done); i < c.n && left == 0; i++ {
		if piece.Over() {
			left = c.n - i
			continue
		}
		e, err := c.compare(ctx, c.cases[i%len(c.cases)], c.seed+uint64(i))
		if err == nil {
			e.settings = settings
			err = record.Append(c.record, e)
		}
		switch {
		case ctx.Err() != nil:
			return 0, fmt.Errorf("interrupted; the verdicts so far are in %s", c.record)
		case err != nil:
			return 0, fmt.Errorf("comparison %d of %d: %w", i+1, c.n, err)
		}
		if done = append(done, e); e.falseVerdict() {
			fmt.Fprintf(c.stderr, "%d/%d  %s is %s than itself: %.4f (%.4f to %.4f), p %.3f\n", i+1, c.n, e.Case,
				e.Verdict, e.Ratio, e.Low, e.High, e.P)
		}
	}

	switch broken := c.print(done); {
	case left > 0: // a partial record is tested once, when it is complete
		code = record.ExitUndecided
	case broken:
		code = record.ExitBroken
	}
	fmt.Fprintf(c.stdout, "It took %v.\n", time.Since(began).Round(time.Second))
	record.Remaining(c.stdout, left, "comparisons")
	return code, nil
}

// announce prints what will be measured. Each block has four trials: both arms, plain and instrumented.
func (c *campaign) announce(n int) {
	fmt.Fprintf(c.stderr, "%d comparisons of a design with itself, %d blocks each, %v a trial: about %v\n", n,
		c.options.Count, c.options.Duration,
		(time.Duration(n*c.options.Count*4) * (c.options.Warmup + c.options.Duration + overhead)).Round(time.Second))
}

// compare measures the two arms of a case in a run of their own, which is removed afterwards.
func (c *campaign) compare(ctx context.Context, x testCase, seed uint64) (entry, error) {
	dir, err := os.MkdirTemp("", "brewput-aa-")
	if err != nil {
		return entry{}, err
	}
	defer os.RemoveAll(dir)
	o := lab.MeasureOptions{DesignOptions: c.options, NoPredictions: true}
	o.Designs, o.Levels, o.Seed, o.Output = aatest.Arms(x.design), x.levels, &seed, filepath.Join(dir, "run")
	run, err := lab.Measure(ctx, aatest.Double(x.workload), o)
	if err != nil {
		return entry{}, err
	}
	v, err := aatest.Verdict(run)
	if err != nil {
		return entry{}, err
	}
	return newEntry(x.name(run), v), nil
}

// cases are the load loop alone and real designs, on one CPU and on all.
func cases() []testCase {
	cpus := []string{"1"}
	if n := runtime.GOMAXPROCS(0); n > 1 {
		cpus = append(cpus, fmt.Sprint(n))
	}
	var list []testCase
	for _, design := range []string{"locking", "multi", "linearpipe"} {
		for _, n := range cpus {
			list = append(list, testCase{coffee.Workload(), design, map[string]string{"cpus": n, "stage": "100us"}})
		}
	}
	for _, design := range []string{"stream", "job"} {
		for _, n := range cpus {
			list = append(list, testCase{null.Workload(), design, map[string]string{"cpus": n}})
		}
	}
	return list
}
