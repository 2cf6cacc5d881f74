// Command predictions tests whether lab.Measure predicts throughput, latency and wall time within set errors: make twin
// and make twin-real. It measures points together with their predictions and scores the predictions.
//
// make twin measures every design of coffee on 1 and 2 CPUs, with 1 to 12 workers and jitter of 0 to 2 ms, and five
// other structures. make twin-real measures seven workloads of real code. Each consists of runs of lab.Measure that
// take at most a few minutes and are stored in one directory; a later call continues.
//
// It exits with 1 if a target is missed, with 3 if the machine is too noisy to decide or runs are left, and with 4 if
// something failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/aatest"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

func main() {
	lab.Main(workloads()...)
	c := campaign{stdout: os.Stdout, stderr: os.Stderr}
	flag.BoolVar(&c.Real, "real", false, "measure real code instead of coffee and other structures")
	flag.StringVar(&c.Cost, "cost", "", "the scheduler's costs in virtual time, as in sim --cost (default: those "+
		"measured by brewput calibrate, or typical costs)")
	flag.IntVar(&c.Blocks, "blocks", 5, "blocks of each run, except for real code")
	flag.DurationVar(&c.Duration, "duration", 800*time.Millisecond, "measured time of a trial, except for real code")
	flag.IntVar(&c.Every, "every", 1, "measure only every Nth point of each grid")
	flag.Uint64Var(&c.Seed, "seed", 1, "seed of the order of trials and of all draws")
	flag.StringVar(&c.dir, "dir", "bin/twin-runs", "`DIRECTORY` of the runs, which a later call continues")
	flag.DurationVar(&c.limit, "for", 0, "a `TIME` after which no trial begins (default: until all are done)")
	flag.BoolVar(&c.scoreOnly, "score", false, "measure nothing: score the stored runs, of any build")
	flag.Parse()
	if err := c.validate(flag.NArg()); err != nil {
		fmt.Fprintln(os.Stderr, "twin:", err)
		os.Exit(record.ExitUsage)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	code, err := c.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "twin:", err)
		code = record.ExitFailed
	}
	os.Exit(code)
}

// workloads are all that the campaign measures.
func workloads() []*workload.Workload {
	return append(catalog.All(), shapes(), aatest.Double(burner()))
}

// validate returns what is wrong with the flags, followed by a number of other arguments.
func (c *campaign) validate(others int) error {
	if others > 0 || c.Blocks < 2 || c.Duration <= 0 || c.Every < 1 {
		return errors.New("give -blocks 2 or more, a positive -duration, -every 1 or more, and no other argument")
	}
	if c.Cost != "" {
		if _, err := sim.ParseCosts(c.Cost); err != nil {
			return fmt.Errorf("-cost %s: %w", c.Cost, err)
		}
	}
	if c.scoreOnly {
		_, err := os.ReadDir(c.dir)
		return err
	}
	if n := runtime.NumCPU(); n < 2 {
		return fmt.Errorf("2 CPUs are needed, and this machine has %d", n)
	}
	return nil
}
