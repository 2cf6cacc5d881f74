// Command gains compares the gains that brewput explain estimates with those that the changes then give: make gains. It
// runs the built command. Each pair is a design with a known problem and the same job without the problem. The command
// explains the first, measures both alternately, and prints the estimated and the measured gain. A later call continues
// from the record. It exits with 4 if something failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/proof/findings"
	"github.com/brewput/brewput/proof/record"
)

// pair is a design with a known problem, and the same job without it.
type pair struct {
	finding  explain.Name
	workload string
	sick     []string // the design, then flags of its factors
	fixed    []string
}

// pairs cover the classic examples of Go's profilers, and workloads that were made to show one problem each.
var pairs = []pair{
	{"unbuffered-io", "words", list("one-byte --size 300000"), list("buffered --size 300000")},
	{"escape-per-op", "words", list("buffered --size 20000000"), list("reused --size 20000000")},
	{"single-threaded", "mandelbrot", list("sequential --file none"), list("pool --file none")},
	{"goroutine-too-fine", "mandelbrot", list("pixel --file none"), list("pool --file none")},
	{"coarse-lock", "coffee", list("locking --workers 6"), list("finelocking --workers 6")},
	{"unbuffered-lockstep", "coffee", list("linearpipe --workers 6 --jitter 2ms --buffer 0"),
		list("linearpipe --workers 6 --jitter 2ms --buffer 10")},
	{"chan-handoff", "lines", list("channel --buffer 25"), list("batch --buffer 25")},
	{"work-inflation", "sum", list("shared-line"), list("padded")},
}

// list splits words.
func list(s string) []string { return strings.Fields(s) }

func main() {
	var c campaign
	flag.StringVar(&c.program, "program", "bin/brewput", "the `PATH` of brewput, built from this tree")
	flag.StringVar(&c.record, "record", "bin/gains.ndjson", "`FILE` of the runs so far")
	flag.IntVar(&c.count, "count", 6, "trials of each side")
	only := flag.String("only", "", "only pairs whose finding or workload contains this `WORD`")
	limit := flag.Duration("for", 0, "a `TIME` after which no run begins (default: until all are done)")
	flag.Parse()
	if c.count < 2 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "gains: give -count 2 or more, and no other argument")
		os.Exit(record.ExitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := c.run(ctx, *only, record.NewPiece(*limit)); err != nil {
		fmt.Fprintln(os.Stderr, "gains:", err)
		os.Exit(record.ExitFailed)
	}
}

// campaign compares estimated and real gains of all pairs.
type campaign struct {
	program, record string
	count           int

	sum  string // SHA-256 of the program
	done []entry
}

// run measures the pairs and prints a row for each. A pair that fails does not stop the others.
func (c *campaign) run(ctx context.Context, only string, piece record.Piece) (err error) {
	if c.sum, err = record.Hash(c.program); err != nil {
		return err
	}
	if c.done, err = record.Read(c.record, c.fits); err != nil {
		return err
	}
	fmt.Printf("%-20s %-11s %-24s %-24s %-13s %s\n", "change", "workload", "estimated", "measured", "estimate is",
		"first finding")
	failed, left := 0, 0
	for _, p := range pairs {
		if !strings.Contains(string(p.finding)+" "+p.workload, only) {
			continue
		}
		n, err := c.measure(ctx, p, piece)
		if left += n; n > 0 {
			continue
		}
		row := ""
		if err == nil {
			row, err = c.compare(p)
		}
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("interrupted; the runs so far are in %s", c.record)
		case err != nil:
			fmt.Fprintf(os.Stderr, "gains: %s: %v\n", p.finding, err)
			failed++
			continue
		}
		fmt.Println(row)
	}
	record.Remaining(os.Stdout, left, "runs")
	if failed > 0 {
		return fmt.Errorf("%d pairs failed", failed)
	}
	return nil
}

// compare returns the row of a pair.
func (c *campaign) compare(p pair) (string, error) {
	var sides [2][]float64
	var first explain.Name
	estimated, word := "-", "missing"
	var gain *explain.Gain
	for _, e := range c.done {
		if e.Finding != p.finding {
			continue
		}
		for _, l := range e.Lines {
			if l.Kind == "finding" && l.Rank == 1 {
				first = l.Finding
			}
			if l.Kind == "finding" && l.Finding == p.finding && l.Gain != nil {
				gain = l.Gain
			}
		}
		if e.Side == sick || e.Side == fixed {
			times, err := e.times()
			if err != nil {
				return "", err
			}
			sides[e.Side] = append(sides[e.Side], times...)
		}
	}
	real, low, high := findings.Gained(sides[sick], sides[fixed])
	if gain != nil {
		estimated, word = span(gain.Estimate, gain.Low, gain.High), "far off"
		if findings.Kept(gain.Estimate, real, low, high) {
			word = "right"
		}
	}
	return fmt.Sprintf("%-20s %-11s %-24s %-24s %-13s %s", p.finding, p.workload, estimated, span(real, low, high),
		word, first), nil
}

// span formats a fraction with its interval.
func span(x, low, high float64) string {
	return fmt.Sprintf("%.0f%% [%.0f%%, %.0f%%]", 100*x, 100*low, 100*high)
}
