package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Student's t needs independent values. Blocks follow each other in time, and a disturbance that slows one design
// may last for several of them. Neighbouring blocks are then correlated, and their mean is less certain than that
// of independent blocks. So the interval of a comparison is widened if the order of its blocks shows such a
// correlation.
//
// Widening alone is not enough for few blocks, because the lag-1 correlation r is uncertain and biased downwards.
// Three measures together hold the error rates that the manual shows, at a cost in power that it shows too:
//
//   - The interval is widened only if r is significant, so that independent blocks rarely cause false alarms. Their
//     rate, [orderLevel], is as high as the loss of power permits.
//   - r is corrected for its bias.
//   - Student's t has the degrees of freedom of the effective number of blocks.
//
// An interval is never narrowed. Whatever this rule rejects at fixed levels, Student's t of independent blocks
// rejects too. Therefore the probability of a false rejection at any of several interim analyses stays within what
// they may spend.

// OrderTest is the result of testing the order of a sample's values for autocorrelation.
type OrderTest struct {
	Lag1        float64 // lag-1 correlation; NaN below 3 values or without variation
	Correlation float64 // the same, corrected for bias; 0 below 3 values or without variation
	Dependent   bool    // the correlation is significant
	Widened     float64 // factor of the standard error of the mean: 1, or above 1 if Dependent
}

// Significance levels of the test, by the number of values. With few blocks a false alarm costs much and the test
// detects little.
const (
	fewValues   = 10 // up to here fewLevel, from manyValues on manyLevel, linear in between
	fewLevel    = 0.01
	manyValues  = 20
	manyLevel   = 0.18
	largestCorr = 0.85 // upper limit of the correlation; the factor is then at most 3.5
)

// minDegrees is the least number of degrees of freedom for a small effective number of blocks. With fewer,
// intervals would be uselessly wide.
const minDegrees = 3

// orderLevel returns the significance level of the test for n values.
func orderLevel(n int) float64 {
	share := float64(min(max(n, fewValues), manyValues)-fewValues) / (manyValues - fewValues)
	return fewLevel + share*(manyLevel-fewLevel)
}

// TestOrder tests a sample for positive lag-1 autocorrelation.
//
// For independent normal values, r has the mean -1/n and the variance (n-2)^2 / (n^2 (n-1)), and is nearly normal
// (Moran: Some theorems on time series II, Biometrika 35, 1948). Above the quantile of [orderLevel], the values are
// modelled as a first-order autoregression. r is then too small by (1+4r)/n (Kendall: Note on bias in the
// estimation of autocorrelation; Marriott and Pope: Bias in the estimation of autocorrelations, both Biometrika 41,
// 1954). The mean of n values has the variance of a mean of n (1-r)/(1+r) independent ones (Bayley and Hammersley:
// The "effective" number of independent observations in an autocorrelated time series, Supplement to the Journal of
// the Royal Statistical Society 8(2), 1946).
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

// Lag1Bound returns the p-quantile of the lag-1 correlation of n >= 3 independent normal values, in the normal
// approximation; see [TestOrder].
func Lag1Bound(n int, p float64) float64 {
	x := float64(n)
	return -1/x + mathext.NormalQuantile(p)*(x-2)/(x*math.Sqrt(x-1))
}

// lag1 returns the lag-1 correlation of a sample about its mean. ok is false below 3 values or without variation.
func lag1(xs []float64) (r float64, ok bool) {
	mean, squares, products, size := Mean(xs), 0.0, 0.0, 0.0
	for i, x := range xs {
		squares += (x - mean) * (x - mean)
		size += x * x
		if i > 0 {
			products += (x - mean) * (xs[i-1] - mean)
		}
	}
	if len(xs) < 3 || !(squares > 1e-24*size) { // rounding errors are no variation
		return 0, false
	}
	return products / squares, true
}

// orderTestCost returns how much the order test, and from minTailValues on also the tail correction, increase the
// logarithm of the detectable ratio of n independent blocks. The factors are from simulations at levels of 5% and
// 1%: 1% at 10 blocks, 12% at 20, 6% at 40.
func orderTestCost(n float64) float64 {
	fades := min(1, 20/max(n, 1))
	price := 1 + 0.115*min(max((n-9.5)/6.5, 0), fades)
	if n >= minTailValues {
		price += 0.01 * fades
	}
	return price
}
