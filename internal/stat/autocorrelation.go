package stat

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Student's t needs values that are independent of each other. Blocks follow each other in time, and what slows one
// design may last for several of them: neighbours then resemble each other, and the mean of n blocks is worth that of
// fewer. So the interval of a comparison is widened where the order of its blocks shows that.
//
// Widening alone does not suffice for few blocks: r, the lag-1 correlation, is far from certain and too small on
// average. Three things together hold the rates that the manual shows, at a price that it shows too:
//
//   - The interval is widened only where r is too large for chance, so that independent blocks pay for few false
//     alarms; their share, [orderLevel], is as large as the price allows.
//   - r is corrected for its bias.
//   - Student's t has the degrees of freedom of the effective number of blocks, and not those of all.
//
// An interval is never narrowed. So whatever a rule at fixed levels rejects, Student's t of independent blocks rejects
// too, and the chance of a false rejection at any of several interim analyses stays at most what they may spend.

// Order is what the order of a sample's values says of its mean.
type OrderTest struct {
	Lag1        float64 // correlation of neighbours, as it is; NaN below 3 values, or where they do not vary
	Correlation float64 // the same, corrected for its bias; 0 below 3 values, or where they do not vary
	Dependent   bool    // it is too large for chance: the standard error is widened
	Widened     float64 // the factor of the standard error of the mean: 1 where not Dependent, and above it where it is
}

// The levels of the test for order, by the number of values: at few blocks a false alarm costs much, and finds little.
const (
	fewValues   = 10 // at most so many: fewLevel; from manyValues on: manyLevel; linear in between
	fewLevel    = 0.01
	manyValues  = 20
	manyLevel   = 0.18
	largestCorr = 0.85 // the correlation is taken to be at most this: the standard error is widened by at most 3.5
)

// minDegrees is the least number of degrees of freedom that a small effective number of blocks leaves Student's t:
// the intervals of fewer would be so wide that they say nothing.
const minDegrees = 3

// orderLevel is the share of independent samples of n values whose order is called dependent.
func orderLevel(n int) float64 {
	share := float64(min(max(n, fewValues), manyValues)-fewValues) / (manyValues - fewValues)
	return fewLevel + share*(manyLevel-fewLevel)
}

// TestOrder tests the order of a sample. Its lag-1 correlation r has the mean -1/n and the variance
// (n-2)^2 / (n^2 (n-1)) where values are independent and normal (Moran: Some theorems on time series II, Biometrika 35,
// 1948), and is then nearly normal. Where it is above the quantile of [orderLevel], the values are taken for a
// first-order autoregression. Its r is too small by (1+4r)/n (Kendall: Note on bias in the estimation of
// autocorrelation; Marriott and Pope: Bias in the estimation of autocorrelations, both Biometrika 41, 1954). The mean
// of n values then has the variance of that of n (1-r)/(1+r) independent ones (Bayley and Hammersley: The "effective"
// number of independent observations in an autocorrelated time series, Supplement to the Journal of the Royal
// Statistical Society 8(2), 1946).
func TestOrder(xs []float64) OrderTest {
	r, ok := lag1(xs)
	if !ok {
		return OrderTest{Lag1: math.NaN(), Widened: 1}
	}
	n := float64(len(xs))
	corrected := max(-1, r+(1+4*r)/n)
	o := OrderTest{Lag1: r, Correlation: min(corrected, 1), Widened: 1}
	if r <= Lag1Bound(len(xs), 1-orderLevel(len(xs))) {
		return o
	}
	rho := min(corrected, largestCorr)
	o.Dependent, o.Widened = true, math.Sqrt((1+rho)/(1-rho))
	return o
}

// Lag1Bound is the p-quantile of the lag-1 correlation of n >= 3 independent normal values, by the normal distribution
// with its mean and variance; see [TestOrder].
func Lag1Bound(n int, p float64) float64 {
	x := float64(n)
	return -1/x + distuv.UnitNormal.Quantile(p)*(x-2)/(x*math.Sqrt(x-1))
}

// lagOne is the lag-1 correlation of a sample about its mean; ok is false below 3 values, or where they do not vary.
func lag1(xs []float64) (r float64, ok bool) {
	mean, squares, products, size := Mean(xs), 0.0, 0.0, 0.0
	for i, x := range xs {
		squares += (x - mean) * (x - mean)
		size += x * x
		if i > 0 {
			products += (x - mean) * (xs[i-1] - mean)
		}
	}
	if len(xs) < 3 || !(squares > 1e-24*size) { // what rounding leaves is no variation
		return 0, false
	}
	return products / squares, true
}

// orderTestCost is the factor of the detectable ratio's logarithm by which the test for order lowers the power of n
// independent blocks, and from minTailValues on that for a tail, as simulated at levels of 5 % and 1 %: 1 % at 10 blocks,
// 12 % at 20, 6 % at 40.
func orderTestCost(n float64) float64 {
	fades := min(1, 20/max(n, 1))
	price := 1 + 0.115*min(max((n-9.5)/6.5, 0), fades)
	if n >= minTailValues {
		price += 0.01 * fades
	}
	return price
}
