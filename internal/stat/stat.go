// Package stat provides statistics of samples: means, medians with exact intervals, quantiles, comparisons and
// sequential tests. It is pure. Where a sample has no answer, because it is too small or holds a NaN, the result is
// NaN and never 0.
package stat

import (
	"math"
	"math/big"
	"slices"
)

// Mean returns the arithmetic mean.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs)) // 0/0 is NaN
}

// GeoMean returns the geometric mean. It is NaN unless all xs are positive.
func GeoMean(xs []float64) float64 {
	logs := make([]float64, len(xs))
	for i, x := range xs {
		if !(x > 0) {
			return math.NaN()
		}
		logs[i] = math.Log(x)
	}
	return math.Exp(Mean(logs))
}

// Median returns the middle value, or the mean of the two middle ones. It does not change xs.
func Median(xs []float64) float64 {
	sorted, ok := ascending(xs)
	if !ok {
		return math.NaN()
	}
	return Quantile(sorted, 0.5)
}

// Quantile returns the q-quantile of an ascending sample, 0 <= q <= 1. It interpolates between the order statistics
// around 1 + (n-1)q (definition 7 of Hyndman and Fan: Sample quantiles in statistical packages, The American
// Statistician 50(4), 1996). It is NaN for an empty sample or another q.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	position := q * float64(len(sorted)-1)
	i := int(position)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	a, b, t := sorted[i], sorted[i+1], position-float64(i)
	if t == 0 || a == b { // avoids 0 times infinity, and rounding of equal values
		return a
	}
	return a*(1-t) + b*t
}

// MeanInterval returns the mean with Student's t interval of the given confidence, such as 0.95. Values must be
// independent, and normal or numerous. The interval is NaN below two values.
func MeanInterval(xs []float64, confidence float64) (mean, low, high float64) {
	mean = Mean(xs)
	ssq := 0.0
	for _, x := range xs {
		ssq += (x - mean) * (x - mean)
	}
	n := float64(len(xs))
	half := math.NaN()
	if n > 1 {
		half = tQuantile((1+confidence)/2, n-1) * math.Sqrt(ssq/(n-1)/n)
	}
	return mean, mean - half, mean + half
}

// MedianInterval returns the median with an interval that contains the distribution's median with at least the
// given confidence, such as 0.95, for any distribution. low and high are the order statistics r and n+1-r with the
// largest r that has the confidence, because the number of values below the median is binomial with p = 1/2 (David
// and Nagaraja: Order Statistics, 3rd edition, 2003, section 7.1). ok is false, and low and high are NaN, if even
// the extremes lack the confidence: below 6 values at 95%.
func MedianInterval(xs []float64, confidence float64) (median, low, high float64, ok bool) {
	nan := math.NaN()
	sorted, ok := ascending(xs)
	if !ok {
		return nan, nan, nan, false
	}
	median = Quantile(sorted, 0.5)
	r := medianRank(len(sorted), confidence)
	if r == 0 {
		return median, nan, nan, false
	}
	return median, sorted[r-1], sorted[len(sorted)-r], true
}

// medianRank returns the largest r <= n/2 for which the order statistics r and n+1-r of n values contain the median
// with the given confidence, or 0. The interval misses with probability 2 P(B <= r-1), B binomial (n, 1/2). Both
// tails are integers over 2^n, so the comparison is exact.
func medianRank(n int, confidence float64) int {
	if !(confidence > 0 && confidence < 1) {
		return 0
	}

	// most is the largest number of the 2^n outcomes that one tail may contain.
	limit := new(big.Rat).SetFloat64((1 - confidence) / 2)
	limit.Mul(limit, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n))))
	most := new(big.Int).Quo(limit.Num(), limit.Denom())

	tail := new(big.Int)        // outcomes with fewer than r values below the median
	choose := big.NewInt(1)     // n over r-1
	for r := 1; r <= n/2; r++ { // invariant: rank r-1 has the confidence, or r = 1
		if tail.Add(tail, choose); tail.Cmp(most) > 0 {
			return r - 1
		}
		choose.Mul(choose, big.NewInt(int64(n-r+1)))
		choose.Quo(choose, big.NewInt(int64(r)))
	}
	return n / 2
}

// ascending returns a sorted copy. ok is false if it is empty or contains a NaN.
func ascending(xs []float64) (sorted []float64, ok bool) {
	sorted = slices.Clone(xs)
	slices.Sort(sorted) // NaNs sort first
	return sorted, len(sorted) > 0 && !math.IsNaN(sorted[0])
}
