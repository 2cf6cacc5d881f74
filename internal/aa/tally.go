package aa

import (
	"context"
	"fmt"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// What the harness promises, and when a campaign no longer believes it.
const (
	promised = 0.05 // the share of false verdicts is at most this
	rejectAt = 0.01 // chance of finding a harness that keeps its promise guilty
)

// Tally counts the verdicts of comparisons of designs with themselves.
type Tally struct {
	Faster, Slower        int // false verdicts
	Equivalent, Undecided int
	Apart                 int // a p-value of at most 5 %, whatever the verdict: equivalent designs may have it
	Widened               int // intervals that the order of the blocks widens
	widths                []float64
	lags                  []float64 // lag-1 correlations of the ratios
	above, below          int       // of these, beyond what independent blocks exceed in 5 % on either side
}

// Add counts one verdict.
func (t *Tally) Add(v compare.Verdict) {
	switch v.Verdict {
	case compare.Faster:
		t.Faster++
	case compare.Slower:
		t.Slower++
	case compare.Equivalent:
		t.Equivalent++
	default:
		t.Undecided++
	}
	if float64(v.P) <= promised {
		t.Apart++
	}
	t.widths = append(t.widths, float64(HalfWidth(v)))
	if v.Widened > 1 {
		t.Widened++
	}
	if r := float64(v.Lag1); v.Lag1.Known() && v.N >= 3 {
		t.lags = append(t.lags, r)
		if r > stat.Lag1Bound(v.N, 0.95) {
			t.above++
		}
		if r < stat.Lag1Bound(v.N, 0.05) {
			t.below++
		}
	}
}

// Lags describe the lag-1 correlations of the ratios of neighbouring blocks.
type Lags struct {
	N                   int
	Mean, Low, Mid, Top float64 // the mean; the quantiles 0.1, 0.5 and 0.9
	Above, Below        float64 // shares beyond what independent blocks exceed in 5 % on either side
}

// Lags are those of the verdicts so far; N is 0, and the rest NaN, where none has any.
func (t *Tally) Lags() Lags {
	sorted := slices.Sorted(slices.Values(t.lags))
	n := float64(len(sorted))
	return Lags{len(sorted), stat.Mean(sorted), stat.Quantile(sorted, 0.1), stat.Quantile(sorted, 0.5),
		stat.Quantile(sorted, 0.9),
		float64(t.above) / n, float64(t.below) / n}
}

// N is the number of comparisons.
func (t *Tally) N() int { return t.Faster + t.Slower + t.Equivalent + t.Undecided }

// False is the number of false verdicts: a difference between a design and itself.
func (t *Tally) False() int { return t.Faster + t.Slower }

// P is the chance of so many false verdicts or more if each comparison has one with a chance of 5 %: an
// exact one-sided binomial test.
func (t *Tally) P() float64 { return stat.BinomialTail(t.False(), t.N(), promised) }

// Broken reports whether the harness gives more false verdicts than it promises, by a test at 1 %.
func (t *Tally) Broken() bool { return t.P() <= rejectAt }

// HalfWidth is the median of the half-widths of the intervals; unavailable where there is none.
func (t *Tally) HalfWidth() result.Value { return result.Value(stat.Median(t.widths)) }

// Case is a design at a point.
type Case struct {
	Workload *workload.Workload
	Design   string
	Point    plan.Point
}

// String is "coffee/locking (cpus 2, ...)".
func (c Case) String() string { return fmt.Sprintf("%s/%s (%s)", c.Workload.Name, c.Design, c.Point) }

// Cases are the designs of a workload at all points of the levels, which are written as on the command
// line. Factors without a level have their default.
func Cases(w *workload.Workload, designs []string, levels map[string]string) ([]Case, error) {
	choices := map[string]plan.Choice{}
	var earlier []string
	for _, f := range w.AllFactors() {
		if expr, ok := levels[f.Name]; ok {
			c, err := f.Parse(expr, earlier)
			if err != nil {
				return nil, err
			}
			choices[f.Name] = c
		}
		earlier = append(earlier, f.Name)
	}
	points, err := plan.Points(w.AllFactors(), choices)
	if err != nil {
		return nil, err
	}
	factorsOf := func(design string) []string {
		d, _ := w.Find(design)
		return w.FactorsOf(d)
	}
	var cases []Case
	for _, c := range plan.Cases(designs, factorsOf, points) {
		cases = append(cases, Case{w, c.Design, c.Point})
	}
	return cases, nil
}

// Campaign compares n times, the cases in turn. Each comparison is as like says but for its case and its
// seed. each is told every verdict.
func Campaign(ctx context.Context, like Comparison, cases []Case, n int, each func(Case, compare.Verdict)) error {
	for i := range n {
		c := cases[i%len(cases)]
		one := like
		one.Workload, one.Design, one.Point = c.Workload, c.Design, c.Point
		one.Seed += uint64(i)
		v, err := one.Compare(ctx)
		if err != nil {
			return fmt.Errorf("comparison %d of %d: %w", i+1, n, err)
		}
		each(c, v)
	}
	return nil
}

// Names are the distinct names of the cases, in their order.
func Names(cases []Case) []string {
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.String()) {
			names = append(names, c.String())
		}
	}
	return names
}
