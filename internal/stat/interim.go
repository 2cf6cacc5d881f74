package stat

import (
	"math"

	"gonum.org/v1/gonum/interp"
	"gonum.org/v1/gonum/mathext"
)

// Spending is a spending function: how much of alpha, the chance of a false rejection, may be used up
// when the share t of all the data that may ever come is there, 0 < t <= 1 (Lan and DeMets: Discrete
// sequential boundaries for clinical trials, Biometrika 70(3), 1983). It rises in t to alpha at 1.
type Spending func(alpha, t float64) float64

// Square spends alpha t^2 (Kim and DeMets: Design and analysis of group sequential tests based on the
// type I error spending rate function, Biometrika 74(1), 1987, with rho = 2).
func SquareSpending(alpha, t float64) float64 { return alpha * t * t }

// Linear spends alpha t (the same with rho = 1): more of it early, and less at the last look.
func LinearSpending(alpha, t float64) float64 { return alpha * t }

// Looks are the looks of a group-sequential t test, for all alphas at once.
type InterimAnalyses struct {
	spend  Spending
	shares []float64 // of all the data that may ever come, ascending, at most 1
	// The levels of each look as functions of alpha and back, in logarithms; nil where the looks are
	// taken one by one.
	level, alpha []interp.FritschButland
	ends         [][2]float64 // the least and the largest level of each
}

// The table's alphas. Below the least, looks hardly cross together, and their levels are those of looks
// apart; beyond the largest nothing is ever rejected.
const (
	minAlpha = 1e-6
	maxAlpha = 0.9
	alphas   = 16
)

// NewInterimAnalyses prepares looks at the given numbers of blocks, of which the last is the most there may be.
// See [Levels], whose limits hold. It takes some tenths of a second.
func NewInterimAnalyses(spend Spending, blocks []int) *InterimAnalyses {
	l := &InterimAnalyses{spend: spend, shares: shares(blocks, blocks[len(blocks)-1])}
	table := make([][]float64, len(blocks))
	var at []float64
	for i := range alphas {
		at = append(at, math.Log(minAlpha)+float64(i)/(alphas-1)*math.Log(maxAlpha/minAlpha))
		for k, level := range NominalLevels(spend, math.Exp(at[i]), blocks) {
			table[k] = append(table[k], math.Log(level))
		}
	}
	l.level, l.alpha = make([]interp.FritschButland, len(blocks)), make([]interp.FritschButland, len(blocks))
	for k, levels := range table {
		if err := errorsOf(l.level[k].Fit(at, levels), l.alpha[k].Fit(levels, at)); err != nil {
			panic(err) // levels that do not rise with alpha: Levels is wrong
		}
		l.ends = append(l.ends, [2]float64{levels[0], levels[alphas-1]})
	}
	return l
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// NewSeparateAnalyses are looks at any numbers of blocks, of which most can ever come. Each has what is spent
// between it and the one before it as its level, which by Bonferroni's inequality is enough whatever the
// looks have in common, and more than enough where they share most of their blocks.
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

// quota is what is spent of alpha at look k.
func (l *InterimAnalyses) quota(alpha float64, k int) float64 {
	if k == 0 {
		return l.spend(alpha, l.shares[0])
	}
	return l.spend(alpha, l.shares[k]) - l.spend(alpha, l.shares[k-1])
}

// Spent is the part of alpha that is spent up to look k.
func (l *InterimAnalyses) Spent(alpha float64, k int) float64 { return l.spend(alpha, l.shares[k]) }

// Level is the nominal level of look k where alpha is what all looks may spend.
func (l *InterimAnalyses) Level(alpha float64, k int) float64 {
	if l.level == nil || alpha < minAlpha {
		return l.quota(alpha, k)
	}
	return math.Exp(l.level[k].Predict(math.Log(math.Min(alpha, maxAlpha))))
}

// P is the least alpha at which look k rejects when its p-value is p; it is 1 where that is above
// maxAlpha. The least over the looks so far is a p-value (Liu and Anderson: On adaptive extensions of
// group sequential trials for clinical investigations, Journal of the American Statistical Association
// 103(484), 2008): under the hypothesis it is at most x with a chance of at most x, also when the test stops
// before its last look.
func (l *InterimAnalyses) P(p float64, k int) float64 {
	x := math.Log(p)
	switch {
	case p <= 0:
		return 0
	case l.level == nil:
		return math.Min(1, p/l.quota(1, k))
	case x < l.ends[k][0]:
		return math.Min(minAlpha, p/l.quota(1, k))
	case x <= l.ends[k][1]:
		return math.Exp(l.alpha[k].Predict(x))
	}
	return 1
}

// levelOf is the two-sided level of the t test of n blocks that rejects where the cosine between the
// blocks' logarithms and equal ones is at least c in size; c^2 = t^2 / (n-1 + t^2).
func levelOf(c float64, n int) float64 {
	return mathext.RegIncBeta(float64(n-1)/2, 0.5, 1-c*c)
}

// cosineOf is that cosine for a level.
func cosineOf(level float64, n int) float64 {
	return math.Sqrt(1 - mathext.InvRegIncBeta(float64(n-1)/2, 0.5, level))
}
