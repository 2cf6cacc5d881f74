// Command falseverdicts compares designs with themselves, many times, and tests whether the harness claims a difference
// more often than it promises: make aa. It exits 1 if so, 4 if a trial failed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"time"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/aa"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func main() {
	all := catalog.All()
	trial.Main(all...)
	n := flag.Int("n", 200, "comparisons")
	seed := flag.Uint64("seed", 1, "seed of the order of trials and of all draws")
	blocks := flag.Int("blocks", 10, "blocks of each comparison; more of them show better how neighbours "+
		"resemble each other")
	flag.Parse()
	if *n < 1 || *blocks < 6 || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "campaign: give -n a number above 0, -blocks one above 5, and no other argument")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	cases, err := chosen(all)
	if err != nil {
		fail(err)
	}
	burn, err := calibrate.ForSweep("", "campaign") // not stored: nobody would use it again
	if err != nil {
		fail(err)
	}
	like := aa.Comparison{Blocks: *blocks, Warmup: 20 * time.Millisecond, Duration: 100 * time.Millisecond, Seed: *seed,
		BurnRate: burn.Rate, Run: trial.Runner{TimeLimit: time.Minute}.Run}
	fmt.Fprintf(os.Stderr, "%d comparisons of a design with itself, %d blocks each, %v a trial: about %v\n",
		*n, like.Blocks, like.Duration, (time.Duration(*n*like.Blocks*2) *
			(like.Warmup + like.Duration + overhead)).Round(time.Second))
	broken, err := run(ctx, like, cases, *n, os.Stdout, os.Stderr)
	switch {
	case err != nil:
		fail(err)
	case broken:
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "campaign:", err)
	os.Exit(4)
}

// overhead is what a trial takes beyond its window: a process and two probes.
const overhead = 10 * time.Millisecond

// run is the campaign; broken says that the harness was found guilty.
func run(ctx context.Context, like aa.Comparison, cases []aa.Case, n int, stdout, stderr io.Writer) (broken bool,
	err error) {
	began := time.Now()
	tallies, sum := map[string]*aa.Tally{}, aa.Tally{}
	err = aa.Campaign(ctx, like, cases, n, func(c aa.Case, v compare.Verdict) {
		t := tallies[c.String()]
		if t == nil {
			t = &aa.Tally{}
			tallies[c.String()] = t
		}
		t.Add(v)
		sum.Add(v)
		if v.Verdict == compare.Faster || v.Verdict == compare.Slower {
			fmt.Fprintf(stderr, "%d/%d  %s is %s than itself: %.4f (%.4f to %.4f), p %.3f\n", sum.N(), n, c, v.Verdict,
				v.Ratio, v.Low, v.High, v.P)
		}
	})
	if err != nil {
		return false, err
	}
	const row = "%-68s %5v %7v %7v %11v %10v %9v %11s\n"
	fmt.Fprintf(stdout, row, "design beside itself", "n", "faster", "slower", "equivalent", "undecided", "p <= 5 %",
		"half-width")
	line := func(name string, t *aa.Tally) {
		fmt.Fprintf(stdout, row, name, t.N(), t.Faster, t.Slower, t.Equivalent, t.Undecided, t.LowP,
			fmt.Sprintf("%.2f %%", 100*float64(t.HalfWidth())))
	}
	for _, name := range aa.CaseNames(cases) {
		if t := tallies[name]; t != nil {
			line(name, t)
		}
	}
	line("all", &sum)
	words := "nothing says that the harness breaks its promise"
	if sum.Rejected() {
		words = "the harness gives more false verdicts than it promises"
	}
	fmt.Fprintf(stdout, "\n%d of %d verdicts are false (%.1f %%). If 5 %% were, so many or more would come with "+
		"probability %.3g: %s.\n",
		sum.False(), sum.N(), 100*float64(sum.False())/float64(sum.N()), sum.P(), words)
	fmt.Fprintf(stdout, "%d have a p-value of at most 5 %%, equivalent ones among them: a bias too small for a false "+
		"verdict would show there.\n", sum.LowP)
	lags(stdout, &sum, like.Blocks)
	fmt.Fprintf(stdout, "It took %v.\n", time.Since(began).Round(time.Second))
	return sum.Rejected(), nil
}

// lags says how much the ratios of neighbouring blocks resemble each other.
func lags(w io.Writer, t *aa.Tally, blocks int) {
	l := t.Lag1()
	if l.N == 0 {
		return
	}
	fmt.Fprintf(w, "Lag-1 correlation of the ratios of %d comparisons: mean %.2f (%.2f if blocks are independent), "+
		"10 %% below %.2f, median %.2f, 10 %% above %.2f.\n",
		l.N, l.Mean, -1/float64(blocks), l.Low, l.Mid, l.Top)
	fmt.Fprintf(w, "%.1f %% lie above the bound that independent blocks exceed in 5 %%, and %.1f %% below the other "+
		"one; the order of the blocks widens %d of %d intervals.\n",
		100*l.Above, 100*l.Below, t.Widened, t.N())
}

// chosen are the cases: the load loop alone and real designs, on one CPU and on all.
func chosen(all []*workload.Workload) ([]aa.Case, error) {
	cpus := "1"
	if n := runtime.GOMAXPROCS(0); n > 1 {
		cpus = fmt.Sprintf("1,%d", n)
	}
	var cases []aa.Case
	for _, w := range all {
		designs, levels := []string(nil), map[string]string{"cpus": cpus}
		switch w.Name {
		case "null":
			designs = []string{"stream", "job"}
		case "coffee":
			designs, levels["stage"] = []string{"locking", "multi", "linearpipe"}, "100us"
		}
		c, err := aa.Cases(w, designs, levels)
		if err != nil {
			return nil, err
		}
		cases = append(cases, c...)
	}
	return cases, nil
}
