// Package stat has the statistics of samples: means, medians with exact intervals, quantiles. It is
// pure. A sample that has no answer (none of its kind, or a NaN in it) gets NaN, never 0.
package stat

import (
	"math"
	"math/big"
	"slices"
)

// Mean is the arithmetic mean.
func Mean(xs []float64) float64 {
	sum := 0.0
	for _, x := range xs {
		sum += x
	}
	return sum / float64(len(xs)) // 0/0 is NaN
}

// GeoMean is the geometric mean, the mean of ratios. It is NaN unless all xs are above 0.
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

// Median is the middle value, or the mean of the two middle ones. It leaves xs as it is.
func Median(xs []float64) float64 {
	sorted, ok := ascending(xs)
	if !ok {
		return math.NaN()
	}
	return Quantile(sorted, 0.5)
}

// Quantile is the q-quantile of an ascending sample, 0 <= q <= 1: linear between the order statistics
// around 1 + (n-1)q (definition 7 of Hyndman and Fan: Sample quantiles in statistical packages, The
// American Statistician 50(4), 1996). It is NaN for an empty sample or a q outside.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 || !(q >= 0 && q <= 1) {
		return math.NaN()
	}
	place := q * float64(len(sorted)-1)
	i := int(place)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	a, b, t := sorted[i], sorted[i+1], place-float64(i)
	if t == 0 || a == b { // neither 0 times infinity nor a rounded mean of equals
		return a
	}
	return a*(1-t) + b*t
}

// MeanInterval is the mean with Student's t interval of the given confidence (0.95), for independent values
// that are normal, or so many that their mean is. The ends are NaN below two values.
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

// MedianInterval is the median with an interval that holds the median of the distribution with at
// least the given confidence (0.95), whatever continuous distribution it is; of a discrete one,
// with more. The ends are the order statistics r and n+1-r with the largest r that has the confidence,
// as the number of values below the median is binomial with p = 1/2 (David and Nagaraja: Order
// Statistics, 3rd edition, 2003, section 7.1). ok is false, and low and high are NaN, where even the
// extremes do not have it: with fewer than 6 values at 95 %.
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

// medianRank is the largest r <= n/2 for which the order statistics r and n+1-r of n values hold the
// median with the confidence, or 0. The interval misses with probability 2 P(B <= r-1), B binomial
// (n, 1/2). Both tails are whole numbers over 2^n, so the comparison is exact.
func medianRank(n int, confidence float64) int {
	if !(confidence > 0 && confidence < 1) {
		return 0
	}
	// most is the largest count of the 2^n outcomes that one tail may hold.
	limit := new(big.Rat).SetFloat64((1 - confidence) / 2)
	limit.Mul(limit, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n))))
	most := new(big.Int).Quo(limit.Num(), limit.Denom())

	tail := new(big.Int)        // outcomes with fewer than r values below the median
	choose := big.NewInt(1)     // n over r-1
	for r := 1; r <= n/2; r++ { // invariant: rank r-1 is good enough, or r = 1
		if tail.Add(tail, choose); tail.Cmp(most) > 0 {
			return r - 1
		}
		choose.Mul(choose, big.NewInt(int64(n-r+1)))
		choose.Quo(choose, big.NewInt(int64(r)))
	}
	return n / 2
}

// ascending is a sorted copy; ok is false where it is empty or holds a NaN.
func ascending(xs []float64) (sorted []float64, ok bool) {
	sorted = slices.Clone(xs)
	slices.Sort(sorted) // NaNs come first
	return sorted, len(sorted) > 0 && !math.IsNaN(sorted[0])
}
