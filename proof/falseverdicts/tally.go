package main

import (
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/aatest"
)

const (
	promised = 0.05 // largest share of false verdicts
	alpha    = 0.01 // probability of rejecting a harness that keeps its promise
)

// tally counts the verdicts of comparisons of designs with themselves.
type tally struct {
	faster, slower        int // false verdicts
	equivalent, undecided int
	significant           int // p-values of at most 5%, whatever the verdict: equivalent designs may have one
	widened               int // intervals that the order of the blocks widens
	widths                []float64
	lags                  []float64 // lag-1 correlations of the ratios
	above, below          int       // lag-1 correlations beyond the 5% bounds of independent blocks
}

// add counts one comparison.
func (t *tally) add(e entry) {
	switch e.Verdict {
	case compare.Faster:
		t.faster++
	case compare.Slower:
		t.slower++
	case compare.Equivalent:
		t.equivalent++
	default:
		t.undecided++
	}
	if float64(e.P) <= promised {
		t.significant++
	}
	t.widths = append(t.widths, aatest.HalfWidth(float64(e.Low), float64(e.High)))
	if e.Widened > 1 {
		t.widened++
	}

	if e.Lag1.Known() && e.N >= 3 {
		r := float64(e.Lag1)
		t.lags = append(t.lags, r)
		if r > stat.Lag1Bound(e.N, 0.95) {
			t.above++
		}
		if r < stat.Lag1Bound(e.N, 0.05) {
			t.below++
		}
	}
}

// n is the number of comparisons.
func (t *tally) n() int { return t.faster + t.slower + t.equivalent + t.undecided }

// falseVerdicts is the number of differences between a design and itself.
func (t *tally) falseVerdicts() int { return t.faster + t.slower }

// p is the probability of at least so many false verdicts if each comparison has one with probability 5%: an exact
// one-sided binomial test.
func (t *tally) p() float64 { return stat.BinomialTail(t.falseVerdicts(), t.n(), promised) }

// broken reports whether there are more false verdicts than promised, by a test at level 1%.
func (t *tally) broken() bool { return t.p() <= alpha }

// halfWidth is the median half-width of the intervals, and NaN without any.
func (t *tally) halfWidth() float64 { return stat.Median(slices.Clone(t.widths)) }

// correlation describes the lag-1 correlations of the ratios of neighbouring blocks.
type correlation struct {
	n                       int
	mean, low, median, high float64 // low and high are the quantiles 0.1 and 0.9
	shareAbove, shareBelow  float64 // shares beyond the 5% bounds of independent blocks
}

// correlation returns that of the comparisons so far. Without any, n is 0 and the rest is NaN.
func (t *tally) correlation() correlation {
	sorted := slices.Sorted(slices.Values(t.lags))
	n := float64(len(sorted))
	return correlation{len(sorted), stat.Mean(sorted), stat.Quantile(sorted, 0.1), stat.Quantile(sorted, 0.5),
		stat.Quantile(sorted, 0.9), float64(t.above) / n, float64(t.below) / n}
}
