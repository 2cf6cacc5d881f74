// Command regressions tests whether brewput gate decides correctly about seeded changes: make gates. It runs the built
// command in a repository with changes (none, 3% and 10% slower, one more allocation, functions in another order), many
// times each, on an idle machine and under intermittent load, and counts the decisions. A later call continues.
//
//	go build -buildvcs=false -o brewput ./cmd/brewput
//	go run ./proof/regressions -program ./brewput -record gates.ndjson
//
// With -sequential it compares a program with itself under that load instead: all runs of one side first, as go test
// does, and in blocks: make gusts.
//
// It exits with 1 if the counts show that gate is right less often than promised, or if it reports another order of
// functions as a regression, with 3 if runs are left, and with 4 if something failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/tools/repository"
)

func main() {
	var c campaign
	flag.StringVar(&c.program, "program", "", "the `PATH` of brewput")
	flag.IntVar(&c.runs, "n", 8, "runs of each change")
	flag.StringVar(&c.record, "record", "", "`FILE` of the runs so far")
	limit := flag.Duration("for", 0, "a `TIME` after which no run begins (default: until all are done)")
	sequential := flag.Bool("sequential", false, "compare a program with itself under intermittent load, "+
		"one side after the other and in blocks")
	flag.Parse()
	if c.program == "" || c.runs < 1 || c.record == "" && !*sequential || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "gates: give -program, -record, and -n above 0; see -help")
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := c.start(ctx, *limit, *sequential)
	if err != nil {
		fmt.Fprintln(os.Stderr, "gates:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// campaign runs gate on every kind of change.
type campaign struct {
	program string // the built brewput
	record  string // file of the outcomes
	runs    int    // of each kind
	repo    string // working directory of the built brewput
	piece   record.Piece
	spent   time.Duration // CPU time of brewput and all that it started
}

// start makes the repository and runs the campaign in it. It returns the exit code.
func (c *campaign) start(ctx context.Context, limit time.Duration, sequential bool) (code int, err error) {
	if c.program, err = filepath.Abs(c.program); err != nil {
		return 0, err
	}

	dir, err := os.MkdirTemp("", "gates")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	c.repo, c.piece = dir, record.NewPiece(limit)
	if err := repository.Make(ctx, dir, base); err != nil {
		return 0, err
	}

	if sequential {
		return c.sequential(ctx)
	}
	return c.gates(ctx)
}

// gates makes the runs that are not recorded. The kinds take turns, so that changes of the machine affect all alike. It
// prints the counts, judges them once no run is left, and returns the exit code.
func (c *campaign) gates(ctx context.Context) (code int, err error) {
	sum, err := record.Hash(c.program)
	if err != nil {
		return 0, err
	}
	done, err := record.Read(c.record, fromProgram(sum))
	if err != nil {
		return 0, err
	}

	for n := range c.runs {
		for _, k := range kinds {
			if count(done, k.name) > n || c.piece.Over() {
				continue
			}
			o, err := c.one(ctx, k, n+1)
			if errors.Is(err, context.Canceled) {
				return 0, errors.New("interrupted; the runs so far are in " + c.record)
			}
			if err != nil {
				return 0, err
			}
			o.Program = sum
			if err := record.Append(c.record, o); err != nil {
				return 0, err
			}
			done = append(done, o)
			fmt.Fprintf(os.Stderr, "%-34s exit %d, cost %.4f [%.4f, %.4f], %d blocks, %.1f s, others %.2f CPUs\n",
				k.name, o.Exit, o.Cost, o.Low, o.High, o.Blocks, o.Seconds, o.Others)
		}
	}

	t, left := tally(done), 0
	for _, r := range t {
		left += max(0, c.runs-r.n) // runs not begun, and disturbed ones
	}
	fmt.Print(t.text())
	record.Remaining(os.Stdout, left, "runs")
	switch {
	case left > 0:
		return record.ExitUndecided, nil
	case t.broken():
		return record.ExitBroken, nil
	}
	return 0, nil
}
