// Command predictions tests the predictions of virtual time on this machine: every design of coffee on 1 and 2 CPUs,
// with 1 to 12 workers and jitter of 0 to 2 ms, and five other structures, first predicted and then measured: make
// twin. It exits 1 if a target is missed, 3 if the machine is too noisy to tell, 4 if something failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
)

// Exit codes.
const (
	exitMissed    = 1
	exitUsage     = 2
	exitUndecided = 3
	exitFailed    = 4
)

func main() {
	trial.Main(coffee.Workload(), shapes(), aa.Yardstick())
	dir := flag.String("real", "", "measure the predictions of real code with the brewput of -command, in runs in "+
		"this directory that it goes on with, and score them")
	limit := flag.Duration("for", 8*time.Minute, "with -real: how long; give 0 to score what is stored")
	command := flag.String("command", "bin/brewput", "with -real: the brewput that measures")
	cost := flag.String("cost", "", "what the scheduler takes in virtual time, as in sim --cost; without it what "+
		"brewput calibrate found, else typical costs")
	blocks := flag.Int("blocks", 5, "how often each point is measured")
	duration := flag.Duration("duration", 800*time.Millisecond, "measured time of a trial")
	every := flag.Int("every", 1, "only one of so many points of each grid, for a quick look")
	seed := flag.Uint64("seed", 1, "seed of the order of trials and of all draws")
	flag.Parse()
	if flag.NArg() > 0 || *blocks < 2 || *duration <= 0 || *every < 1 {
		fmt.Fprintln(os.Stderr, "twin: give -blocks 2 or more, a positive -duration, -every 1 or more, "+
			"and no other argument")
		os.Exit(exitUsage)
	}
	if *dir != "" {
		os.Exit(realCode(*dir, *command, *limit))
	}
	if *cost == "" {
		*cost = costsHere()
	}
	if _, err := sim.ParseCosts(*cost); err != nil {
		fmt.Fprintln(os.Stderr, "twin: -cost:", err)
		os.Exit(exitUsage)
	}
	if n := runtime.NumCPU(); n < 2 {
		fmt.Fprintln(os.Stderr, "twin: the grid has 2 CPUs, and this machine has", n)
		os.Exit(exitUsage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	burn, err := calibrate.ForSweep("", "twin") // not stored: nobody would use it again
	if err != nil {
		fail(err)
	}
	c := &campaign{out: os.Stdout, progress: os.Stderr, cost: *cost, blocks: *blocks, warmup: 100 * time.Millisecond,
		duration: *duration, seed: *seed,
		burn: burn.Rate, calm: calm{ratio: calibrate.BurnRatio, live: trial.Runner{TimeLimit: time.Minute}.Run},
		every: *every}
	code, err := c.run(ctx)
	if err != nil {
		fail(err)
	}
	os.Exit(code)
}

// realCode measures and scores predictions of real code, and returns the exit code: undecided while pieces are left.
func realCode(dir, command string, limit time.Duration) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := &realCampaign{progress: os.Stderr, dir: dir, command: []string{command}, limit: limit}
	left, err := c.measure(ctx)
	if err != nil {
		fail(err)
	}
	list, err := readStored(dir)
	if err != nil {
		fail(err)
	}
	s := writeScores(os.Stdout, list)
	switch {
	case left > 0:
		fmt.Printf("%d of %d pieces are not complete; repeat the command to go on\n", left, len(pieces()))
		return exitUndecided
	case !s.kept():
		fmt.Println("The target is missed.")
		return exitMissed
	}
	fmt.Println("The target is kept.")
	return 0
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "twin:", err)
	os.Exit(exitFailed)
}

// costsHere are those of this machine, or typical ones.
func costsHere() string {
	here := host.Read()
	_, c, err := costs.Load(calibrate.CacheDir(), here.Fingerprint, here.GoVersion)
	if err != nil {
		fmt.Fprintf(os.Stderr, "twin: typical costs: %v\n", err)
		return sim.Typical().String()
	}
	return c.String()
}
