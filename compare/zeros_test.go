package compare

import (
	"math"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestNoRatio: what has no ratio has a difference and a reason, at any magnitude.
func TestNoRatio(t *testing.T) {
	for _, c := range []struct {
		base, head []float64
		why        string
		difference float64
	}{
		{[]float64{0, 0}, []float64{101, 103}, ZeroDivisor, 102},
		{[]float64{0, 0.5}, []float64{101, 103}, SomeZeros, 101.75},
		{[]float64{101, 103}, []float64{0, 0}, ZeroValue, -102},
		{[]float64{3, 3}, []float64{0, 120}, SomeZeros, 57},
		{[]float64{-1, -2}, []float64{1, 2}, NegativeValue, 3},
		{[]float64{1e-320, 2e-320}, []float64{1, 2}, OutOfRange, 1.5},
		{[]float64{1e-310, 2e-310}, []float64{3e-310, 4e-310}, OutOfRange, 2e-310},
		{[]float64{1, 2}, []float64{1e308, 1e308}, OutOfRange, 1e308},
		{[]float64{1, 2}, []float64{2, 3}, "", 1},
		{[]float64{1e300, 2e300}, []float64{2e300, 3e300}, "", 1e300},
	} {
		var trials []result.Trial
		for b := range 12 {
			trials = append(trials, benchTrial("base", b, result.Metrics{"froth": result.Value(c.base[b%2])}),
				benchTrial("head", b, result.Metrics{"froth": result.Value(c.head[b%2])}))
		}
		v := levelCriteria().MetricVerdicts(levels(trials), "froth", -1)[0]
		if v.NoRatio != c.why || v.Ratio.Known() == (c.why != "") || v.Low.Known() != v.Ratio.Known() {
			t.Errorf("%v %v: %+v, want %q", c.base, c.head, v, c.why)
		}
		if c.why != "" && (v.Difference == nil || !differsBy(float64(*v.Difference), c.difference) ||
			v.Verdict == Equivalent || v.MoreBlocks != nil) {
			t.Errorf("%v %v: %+v, want a difference of %v", c.base, c.head, v, c.difference)
		}
		budget := levelCriteria()
		budget.Interims = sequential().Interims
		if v = budget.MetricVerdicts(levels(trials), "froth", -1)[0]; c.why != "" &&
			(v.MostBlocks != 0 || v.EnoughBlocks != 0) {
			t.Errorf("%v %v: blocks are predicted without a ratio: %+v", c.base, c.head, v)
		}
		interim := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1,
			InterimBlocks: GateInterimBlocks(12)})
		interim.Open(12, true, true)
		g := interim.Judge(levels(trials), "froth", -1)[0]
		if g.NoRatio != c.why || g.Cost.Known() == (c.why != "") || c.why != "" && g.Decision == Pass {
			t.Errorf("gate %v %v: %+v, want %q", c.base, c.head, g, c.why)
		}
		if _, _, _, n := levelCriteria().Geomean(levels(trials), "froth"); (n == 0) != (c.why != "") {
			t.Errorf("%v %v: the geometric mean has %d ratios", c.base, c.head, n)
		}
	}
}

// TestExactNegative: constant negative counts have a difference and a direction, but no ratio, and no gate decides
// by one.
func TestExactNegative(t *testing.T) {
	for _, c := range []struct {
		base, head float64
		direction  int
		want       string
	}{
		{-10, 20, -1, Worse}, {-10, -20, -1, Better}, {-20, -10, 1, Better}, {-10, -20, 1, Worse}, {-10, 20, 1, Better},
		{0, -10, -1, Better}, {10, -10, 1, Worse},
	} {
		var trials []result.Trial
		for b := range 12 {
			trials = append(trials, benchTrial("base", b, result.Metrics{"froth": result.Value(c.base)}),
				benchTrial("head", b, result.Metrics{"froth": result.Value(c.head)}))
		}
		v := levelCriteria().MetricVerdicts(levels(trials), "froth", c.direction)[0]
		if v.Ratio.Known() || v.Low.Known() || v.High.Known() || v.NoRatio != NegativeValue || v.Verdict != c.want ||
			v.Difference == nil || float64(*v.Difference) != c.head-c.base {
			t.Errorf("%v to %v, direction %d: %+v, want %s", c.base, c.head, c.direction, v, c.want)
		}
		interim := NewSequentialGate(Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1,
			InterimBlocks: GateInterimBlocks(12)})
		interim.Open(12, true, true)
		g := interim.Judge(levels(trials), "froth", c.direction)[0]
		if g.Decision != Undecided || g.Cost.Known() || g.NoRatio != NegativeValue {
			t.Errorf("gate %v to %v, direction %d: %+v", c.base, c.head, c.direction, g)
		}
	}
}

// TestExactLittle: a difference that is tiny relative to 1 still has a direction.
func TestExactLittle(t *testing.T) {
	var trials []result.Trial
	for b := range 12 {
		trials = append(trials, benchTrial("base", b, result.Metrics{"froth": 0}),
			benchTrial("head", b, result.Metrics{"froth": 1e-17}))
	}
	for direction, want := range map[int]string{-1: Worse, 0: Higher, 1: Better} {
		if v := levelCriteria().MetricVerdicts(levels(trials), "froth", direction)[0]; v.Verdict != want {
			t.Errorf("0 to 1e-17, direction %d: %s, want %s", direction, v.Verdict, want)
		}
	}
}

func differsBy(x, want float64) bool { return math.Abs(x-want) <= 1e-6*math.Abs(want) }
