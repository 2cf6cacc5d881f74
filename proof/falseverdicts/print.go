package main

import (
	"fmt"
	"io"
)

// print writes the counts of each case and of all, and what they mean. broken reports too many false verdicts.
func (c *campaign) print(done []entry) (broken bool) {
	var names []string
	tallies, sum := map[string]*tally{}, &tally{}
	for _, e := range done {
		if tallies[e.Case] == nil {
			names = append(names, e.Case)
			tallies[e.Case] = &tally{}
		}
		tallies[e.Case].add(e)
		sum.add(e)
	}
	if sum.n() == 0 {
		return false
	}

	const row = "%-68s %5v %7v %7v %11v %10v %9v %11s\n"
	fmt.Fprintf(c.stdout, row, "design compared with itself", "n", "faster", "slower", "equivalent", "undecided",
		"p <= 5%", "half-width")
	line := func(name string, t *tally) {
		fmt.Fprintf(c.stdout, row, name, t.n(), t.faster, t.slower, t.equivalent, t.undecided, t.significant,
			fmt.Sprintf("%.2f%%", 100*t.halfWidth()))
	}
	for _, name := range names {
		line(name, tallies[name])
	}
	line("all", sum)

	conclusion := "no sign of more than 5% false verdicts"
	if sum.broken() {
		conclusion = "more than 5% of verdicts are false"
	}
	fmt.Fprintf(c.stdout, "\n%d of %d verdicts are false (%.1f%%). If 5%% were false on average, at least this many "+
		"would occur with probability %.3g: %s.\n", sum.falseVerdicts(), sum.n(),
		100*float64(sum.falseVerdicts())/float64(sum.n()), sum.p(), conclusion)
	fmt.Fprintf(c.stdout, "%d have a p-value of at most 5%%, including equivalent ones: a bias too small for a false "+
		"verdict would show here.\n", sum.significant)
	printCorrelation(c.stdout, sum, c.options.Count)
	return sum.broken()
}

// printCorrelation writes how strongly the ratios of neighbouring blocks correlate.
func printCorrelation(w io.Writer, t *tally, blocks int) {
	x := t.correlation()
	if x.n == 0 {
		return
	}
	fmt.Fprintf(w, "Lag-1 correlation of the ratios of %d comparisons: mean %.2f (%.2f if blocks are independent), "+
		"10%% below %.2f, median %.2f, 10%% above %.2f.\n", x.n, x.mean, -1/float64(blocks), x.low, x.median, x.high)
	fmt.Fprintf(w, "%.1f%% exceed the bound that independent blocks exceed in 5%%, and %.1f%% are below the other "+
		"bound; the order of the blocks widens %d of %d intervals.\n", 100*x.shareAbove, 100*x.shareBelow, t.widened,
		t.n())
}
