package stat

import (
	"math"
	"slices"
	"sort"
)

// RankEstimate is a rank-based estimate of a comparison: the location of the middle blocks. Outliers shift a mean
// and widen its interval, but hardly affect ranks.
type RankEstimate struct {
	Ratio     float64 // the Hodges-Lehmann estimate of a / b; NaN if there is none
	Low, High float64 // its interval; NaN if even the widest lacks the confidence
}

// exactRanks is the largest number of blocks of each group for which the rank distribution is exact.
const exactRanks = 50

// Rank returns the Hodges-Lehmann estimate with its interval of the given confidence (Hodges and Lehmann: Estimates
// of location based on rank tests, Annals of Mathematical Statistics 34(2), 1963).
//
// For paired blocks it is the median of the Walsh averages (x_i + x_j) / 2, i <= j, and the interval follows
// Wilcoxon's signed-rank distribution. For two groups it is the median of the differences a_i - b_j, and the
// interval follows the distribution of Mann and Whitney (Hollander, Wolfe and Chicken: Nonparametric Statistical
// Methods, 3rd edition, 2014, sections 3.2, 3.3, 4.2 and 4.3).
//
// The distribution is exact up to 50 blocks, and normal beyond. Ties make the interval conservative. If
// autocorrelation widens Student's interval, this one is widened about its estimate by the same factor.
func (c Comparison) Rank(confidence float64) RankEstimate {
	list, chance := shiftsOf(c.groups)
	middle, nan := list.median(), math.NaN()
	r := RankEstimate{math.Exp(middle), nan, nan}
	// k is the number of shifts left out at each end. The statistic is below k with at most half of the error
	// probability.
	k := sort.Search(list.n/2, func(k int) bool { return chance(k) > (1-confidence)/2 })
	if k == 0 {
		return r
	}
	wider := c.Widened(confidence)
	r.Low = math.Exp(middle + wider*(list.at(k-1)-middle))
	r.High = math.Exp(middle + wider*(list.at(list.n-k)-middle))
	return r
}

// shifts are the averages or differences of all pairs of values, in ascending order. They are never listed: two
// groups of 10,000 values have 100 million.
type shifts struct {
	n     int
	count func(x float64) int // number of shifts that are at most x
}

// rankTail returns the probability that a rank statistic is at most k, for k below its mean.
type rankTail func(k int) float64

// shiftsOf returns the shifts of one or two groups, and the distribution of their rank statistic.
func shiftsOf(groups []group) (shifts, rankTail) {
	xs := slices.Sorted(slices.Values(groups[0].logs))
	if len(groups) == 1 {
		return walsh(xs), signedRankTail(len(xs))
	}
	ys := slices.Sorted(slices.Values(groups[1].logs))
	return differencesOf(xs, ys), mannWhitneyTail(len(xs), len(ys))
}

// walsh returns the averages of all pairs of values, including each value with itself. xs is ascending.
func walsh(xs []float64) shifts {
	n := len(xs)
	return shifts{n * (n + 1) / 2, func(most float64) int {
		count, j := 0, n
		for i, x := range xs {
			for j > i && (x+xs[j-1])/2 > most { // rounding is monotonic
				j--
			}
			if j <= i {
				break
			}
			count += j - i
		}
		return count
	}}
}

// differencesOf returns the differences x - y of all pairs. Both arguments are ascending.
func differencesOf(xs, ys []float64) shifts {
	return shifts{len(xs) * len(ys), func(most float64) int {
		count, j := 0, 0
		for _, x := range xs {
			for j < len(ys) && x-ys[j] > most {
				j++
			}
			count += len(ys) - j
		}
		return count
	}}
}

// at returns the shift with k shifts below it: the smallest float that more than k shifts do not exceed. It bisects
// over all floats in at most 64 steps.
func (s shifts) at(k int) float64 {
	low, high := floatIndex(math.Inf(-1)), floatIndex(math.Inf(1))
	for low < high {
		middle := low + int64(uint64(high-low)/2)
		if s.count(indexFloat(middle)) > k {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return indexFloat(low) + 0 // not -0
}

func (s shifts) median() float64 {
	if s.n == 0 {
		return math.NaN()
	}
	a := s.at((s.n - 1) / 2)
	if s.n%2 == 1 {
		return a
	}
	return Quantile([]float64{a, s.at(s.n / 2)}, 0.5)
}

// floatIndex numbers the floats in ascending order; indexFloat is its inverse.
func floatIndex(x float64) int64 {
	bits := int64(math.Float64bits(x))
	return bits ^ (bits >> 63 & math.MaxInt64)
}

func indexFloat(i int64) float64 { return math.Float64frombits(uint64(i ^ (i >> 63 & math.MaxInt64))) }

// signedRankTail returns the distribution of Wilcoxon's signed-rank statistic of n values.
func signedRankTail(n int) rankTail {
	most := n * (n + 1) / 2
	if n > exactRanks {
		return normalTail(float64(most)/2, math.Sqrt(float64(n*(n+1)*(2*n+1))/24))
	}

	chance := make([]float64, most+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ { // each rank is part of the sum with probability 1/2
		for sum := most; sum >= 0; sum-- {
			chance[sum] /= 2
			if sum >= rank {
				chance[sum] += chance[sum-rank] / 2
			}
		}
	}
	return cumulative(chance[:most/2+1])
}

// mannWhitneyTail returns the distribution of Mann and Whitney's statistic of groups of a and b values. The largest
// value belongs either to the first group and exceeds all of the second, or to the second and exceeds none (Mann
// and Whitney: On a test of whether one of two random variables is stochastically larger than the other, Annals of
// Mathematical Statistics 18(1), 1947).
func mannWhitneyTail(a, b int) rankTail {
	if max(a, b) > exactRanks {
		return normalTail(float64(a*b)/2, math.Sqrt(float64(a*b*(a+b+1))/12))
	}

	size := a*b/2 + 1
	rows := make([][]float64, b+1) // for i values of the first group, by the size of the second
	for j := range rows {
		rows[j] = make([]float64, size)
		rows[j][0] = 1
	}

	for i := 1; i <= a; i++ {
		for j := 1; j <= b; j++ { // rows[j] still holds i-1; rows[0] is constant
			first := float64(i) / float64(i+j)
			next := make([]float64, size)
			for u := range next {
				next[u] = (1 - first) * rows[j-1][u]
				if u >= j {
					next[u] += first * rows[j][u-j]
				}
			}
			rows[j] = next
		}
	}
	return cumulative(rows[b])
}

// normalTail returns the distribution of an integer statistic with this mean and standard deviation, with a
// continuity correction.
func normalTail(mean, deviation float64) rankTail {
	return func(k int) float64 { return normalCDF((float64(k) + 0.5 - mean) / deviation) }
}

func cumulative(chances []float64) rankTail {
	for k := 1; k < len(chances); k++ {
		chances[k] += chances[k-1]
	}
	return func(k int) float64 { return chances[k] }
}
