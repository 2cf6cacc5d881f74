package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Spending is an alpha-spending function: how much of alpha, the probability of a false rejection, may be spent
// when a fraction t of the maximum data is available, 0 < t <= 1 (Lan and DeMets: Discrete sequential boundaries
// for clinical trials, Biometrika 70(3), 1983). It increases in t, to alpha at 1.
type Spending func(alpha, t float64) float64

// SquareSpending spends alpha t^2 (Kim and DeMets: Design and analysis of group sequential tests based on the type
// I error spending rate function, Biometrika 74(1), 1987, with rho = 2).
func SquareSpending(alpha, t float64) float64 { return alpha * t * t }

// LinearSpending spends alpha t (the same with rho = 1): more early, and less at the last analysis.
func LinearSpending(alpha, t float64) float64 { return alpha * t }

// InterimAnalyses are the interim analyses of a group-sequential t test, for any alpha.
type InterimAnalyses struct {
	spend  Spending
	shares []float64 // fractions of the maximum data, ascending, at most 1
	// The level of each analysis as a function of alpha, and its inverse, both in logarithms; nil for separate
	// analyses.
	level, alpha []curve
}

// The range of alpha in the table. Below it, analyses hardly ever reject together, and their levels are those of
// separate analyses. Above it nothing is ever rejected.
const (
	minAlpha = 1e-6
	maxAlpha = 0.9
	alphas   = 16
)

// NewInterimAnalyses prepares analyses at the given numbers of blocks; the last is the maximum. The limits of
// [nominalLevels] apply. It takes a few tenths of a second.
func NewInterimAnalyses(spend Spending, blocks []int) *InterimAnalyses {
	l := &InterimAnalyses{spend: spend, shares: shares(blocks, blocks[len(blocks)-1])}
	table := make([][]float64, len(blocks))
	var at []float64
	for i := range alphas {
		at = append(at, math.Log(minAlpha)+float64(i)/(alphas-1)*math.Log(maxAlpha/minAlpha))
		for k, level := range nominalLevels(spend, math.Exp(at[i]), blocks) {
			table[k] = append(table[k], math.Log(level))
		}
	}

	for _, levels := range table { // they increase with alpha
		l.level, l.alpha = append(l.level, newCurve(at, levels)), append(l.alpha, newCurve(levels, at))
	}
	return l
}

// NewSeparateAnalyses returns analyses at any numbers of blocks, of at most most. The level of each is what may be
// spent between it and the one before. By Bonferroni's inequality this holds whatever the dependence. It is
// conservative, because analyses share most of their blocks.
func NewSeparateAnalyses(spend Spending, blocks []int, most int) *InterimAnalyses {
	return &InterimAnalyses{spend: spend, shares: shares(blocks, most)}
}

func shares(blocks []int, most int) []float64 {
	var ts []float64
	for _, n := range blocks {
		ts = append(ts, float64(n)/float64(most))
	}
	return ts
}

// quota returns the part of alpha that is spent at analysis k alone.
func (a *InterimAnalyses) quota(alpha float64, k int) float64 {
	if k == 0 {
		return a.spend(alpha, a.shares[0])
	}
	return a.spend(alpha, a.shares[k]) - a.spend(alpha, a.shares[k-1])
}

// Spent returns the part of alpha that is spent up to analysis k.
func (a *InterimAnalyses) Spent(alpha float64, k int) float64 { return a.spend(alpha, a.shares[k]) }

// Level returns the nominal level of analysis k if all analyses together may spend alpha.
func (a *InterimAnalyses) Level(alpha float64, k int) float64 {
	if a.level == nil || alpha < minAlpha {
		return a.quota(alpha, k)
	}
	return math.Exp(a.level[k].at(math.Log(min(alpha, maxAlpha))))
}

// P returns the smallest alpha at which analysis k rejects with the p-value p; 1 above maxAlpha. The minimum over
// the analyses so far is a p-value, even if the test stops before its last analysis (Liu and Anderson: On adaptive
// extensions of group sequential trials for clinical investigations, Journal of the American Statistical
// Association 103(484), 2008).
func (a *InterimAnalyses) P(p float64, k int) float64 {
	x := math.Log(p)
	switch {
	case p <= 0:
		return 0
	case a.level == nil:
		return math.Min(1, p/a.quota(1, k))
	case x < a.alpha[k].x[0]:
		return math.Min(minAlpha, p/a.quota(1, k))
	case x <= a.alpha[k].x[alphas-1]:
		return math.Exp(a.alpha[k].at(x))
	}
	return 1
}

// levelOf returns the two-sided level of the t test of n blocks that rejects if the absolute cosine between the
// blocks' logarithms and a constant vector is at least c; c^2 = t^2 / (n-1 + t^2).
func levelOf(c float64, n int) float64 {
	return mathext.RegIncBeta(float64(n-1)/2, 0.5, 1-c*c)
}

// cosineOf is the inverse of levelOf.
func cosineOf(level float64, n int) float64 {
	return math.Sqrt(1 - mathext.InvRegIncBeta(float64(n-1)/2, 0.5, level))
}
