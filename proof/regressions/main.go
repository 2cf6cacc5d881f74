// Command regressions tests whether the decisions of brewput gate are right: make gates. It makes a repository with
// seeded changes (none, 3 % and 10 % slower, one allocation more, functions in another order), lets gate judge each of
// them many times, on an idle machine and under a load that comes and goes, and counts its decisions. It continues
// where it was stopped.
//
//	go build -buildvcs=false -o brewput ./cmd/brewput
//	go run ./proof/regressions -program ./brewput -record gates.ndjson
//
// With -sequential it shows instead what that load makes of a comparison of a program with itself: all of one side
// first, as go test does it, and in blocks.
//
// It exits 1 if the counts show that gate is right less often than it should be, or calls another order of functions a
// regression; 4 if something failed.
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

	"github.com/brewput/brewput/internal/repository"
	"github.com/brewput/brewput/proof/record"
)

func main() {
	var c campaign
	flag.StringVar(&c.program, "program", "", "the `PATH` of brewput")
	flag.IntVar(&c.runs, "n", 8, "runs of each kind")
	flag.StringVar(&c.record, "record", "", "`FILE` of the runs so far")
	piece := flag.Duration("for", 0, "a `TIME` after which no run begins (default: until all are done)")
	sequential := flag.Bool("sequential", false, "compare a program with itself under a load that comes and goes, "+
		"one side after the other and in blocks")
	flag.Parse()
	if c.program == "" || c.runs < 1 || c.record == "" && !*sequential || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "gates: give -program, -record, and -n above 0; see -help")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	broken, err := c.start(ctx, *piece, *sequential)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "gates:", err)
		os.Exit(4)
	case broken:
		os.Exit(1)
	}
}

// campaign is what is run.
type campaign struct {
	program string
	record  string
	runs    int
	repo    string
	began   time.Time
	piece   time.Duration
	spent   time.Duration // CPU time of brewput and all that it started
}

// start makes the repository and runs the campaign in it; broken says that a promise was found not to hold.
func (c *campaign) start(ctx context.Context, piece time.Duration, sequential bool) (broken bool, err error) {
	if c.program, err = filepath.Abs(c.program); err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "gates")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	c.repo, c.began, c.piece = dir, time.Now(), piece
	if err := repository.Make(ctx, dir, base); err != nil {
		return false, err
	}
	if sequential {
		return c.sequential(ctx)
	}
	return c.gates(ctx)
}

// gates runs what is not yet recorded, the kinds in turn, so that what the machine does falls on all of them alike.
func (c *campaign) gates(ctx context.Context) (broken bool, err error) {
	sum, err := record.Hash(c.program)
	if err != nil {
		return false, err
	}
	done, err := record.Read(c.record, of(sum))
	if err != nil {
		return false, err
	}
	left := 0
	for n := range c.runs {
		for _, k := range kinds {
			if count(done, k.name) > n {
				continue
			}
			if c.piece > 0 && time.Since(c.began) > c.piece {
				left++
				continue
			}
			o, err := c.one(ctx, k, n+1)
			if errors.Is(err, context.Canceled) {
				return false, errors.New("interrupted; what was measured is in " + c.record)
			}
			if err != nil {
				return false, err
			}
			o.Program = sum
			if err := record.Append(c.record, o); err != nil {
				return false, err
			}
			done = append(done, o)
			fmt.Fprintf(os.Stderr, "%-34s exit %d, cost %.4f [%.4f, %.4f], %d blocks, %.1f s, others %.2f CPUs\n",
				k.name, o.Exit, o.Cost, o.Low, o.High, o.Blocks, o.Seconds, o.Others)
		}
	}
	t := tally(done)
	fmt.Print(t.text())
	if left > 0 {
		fmt.Printf("\n%d runs are left: do it again.\n", left)
	}
	return t.broken(), nil
}
