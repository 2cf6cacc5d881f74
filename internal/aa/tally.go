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

// The promised error rate, and the level at which a campaign rejects it.
const (
	promised = 0.05 // largest rate of false verdicts
	rejectAt = 0.01 // probability of rejecting a correct harness
)

// Tally counts the verdicts of A/A comparisons.
type Tally struct {
	Faster, Slower        int // false verdicts
	Equivalent, Undecided int
	LowP                  int // p-values of at most 5%, whatever the verdict
	Widened               int // intervals widened for autocorrelation
	widths                []float64
	lag1                  []float64 // lag-1 correlations of the ratios
	above, below          int       // of these, beyond the one-sided 5% bounds of independent blocks
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
		t.LowP++
	}

	t.widths = append(t.widths, float64(HalfWidth(v)))
	if v.Widened > 1 {
		t.Widened++
	}

	if r := float64(v.Lag1); v.Lag1.Known() && v.N >= 3 {
		t.lag1 = append(t.lag1, r)
		if r > stat.Lag1Bound(v.N, 0.95) {
			t.above++
		}
		if r < stat.Lag1Bound(v.N, 0.05) {
			t.below++
		}
	}
}

// Lag1Summary describes the lag-1 correlations of the ratios of neighbouring blocks.
type Lag1Summary struct {
	N                   int
	Mean, Low, Mid, Top float64 // mean, and quantiles 0.1, 0.5 and 0.9
	Above, Below        float64 // fractions beyond the one-sided 5% bounds of independent blocks
}

// Lag1 returns the summary of the correlations so far. Without any, N is 0 and the rest NaN.
func (t *Tally) Lag1() Lag1Summary {
	sorted := slices.Sorted(slices.Values(t.lag1))
	n := float64(len(sorted))
	return Lag1Summary{len(sorted), stat.Mean(sorted), stat.Quantile(sorted, 0.1), stat.Quantile(sorted, 0.5),
		stat.Quantile(sorted, 0.9),
		float64(t.above) / n, float64(t.below) / n}
}

// N returns the number of comparisons.
func (t *Tally) N() int { return t.Faster + t.Slower + t.Equivalent + t.Undecided }

// False returns the number of false verdicts, faster or slower.
func (t *Tally) False() int { return t.Faster + t.Slower }

// P returns the probability of at least as many false verdicts at a rate of 5%: an exact one-sided binomial test.
func (t *Tally) P() float64 { return stat.BinomialTail(t.False(), t.N(), promised) }

// Rejected reports whether the promised rate of false verdicts is rejected at a level of 1%.
func (t *Tally) Rejected() bool { return t.P() <= rejectAt }

// HalfWidth returns the median half-width of the intervals; unavailable without any.
func (t *Tally) HalfWidth() result.Value { return result.Value(stat.Median(t.widths)) }

// Case is a design at a point.
type Case struct {
	Workload *workload.Workload
	Design   string
	Point    plan.Point
}

// String returns text such as "coffee/locking (cpus 2, ...)".
func (c Case) String() string { return fmt.Sprintf("%s/%s (%s)", c.Workload.Name, c.Design, c.Point) }

// Cases returns the cases of some designs of a workload at all points of the given levels, by factor. The syntax of
// levels is that of plan.Factor.Parse. Other factors have their default.
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

// Campaign runs n comparisons, taking the cases in turn. like holds their common settings; each comparison gets its
// own seed. Campaign calls each with every verdict.
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

// CaseNames returns the distinct names of the cases, in order.
func CaseNames(cases []Case) []string {
	var names []string
	for _, c := range cases {
		if !slices.Contains(names, c.String()) {
			names = append(names, c.String())
		}
	}
	return names
}
