package stat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Rank is what ranks say of a comparison: where the middle of its blocks lies, whatever the largest and the smallest of
// them are. A mean is of all blocks, and outliers move it and widen its interval; ranks hardly see them.
type Rank struct {
	Ratio     float64 // the Hodges-Lehmann estimate of a / b; NaN where there is none
	Low, High float64 // its interval; NaN where even the widest has less than the confidence
}

// exactRanks is the largest number of blocks, of each group, for which the distribution of the ranks is exact.
const exactRanks = 50

// Rank is the Hodges-Lehmann estimate with its rank interval of the confidence (Hodges and Lehmann: Estimates of location
// based on rank tests, Annals of Mathematical Statistics 34(2), 1963): of paired blocks the median of the Walsh averages
// (x_i + x_j) / 2, i <= j, and their order statistics by Wilcoxon's signed-rank distribution; of two groups the median
// of the differences a_i - b_j, by that of Mann and Whitney (Hollander, Wolfe and Chicken: Nonparametric Statistical
// Methods, 3rd edition, 2014, sections 3.2, 3.3, 4.2 and 4.3). It is exact up to 50 blocks, and normal beyond. Ties make it
// wider than it need be. Where the order of the blocks widens Student's interval, this one is widened by the same factor
// about its estimate.
func (c Comparison) Rank(confidence float64) Rank {
	var shifts, tail []float64
	if len(c.groups) == 1 {
		shifts = walsh(c.groups[0].logs)
		tail = signedRankTail(len(c.groups[0].logs))
	} else {
		shifts = differencesOf(c.groups[0].logs, c.groups[1].logs)
		tail = mannWhitneyTail(len(c.groups[0].logs), len(c.groups[1].logs))
	}
	slices.Sort(shifts)
	middle, nan := Quantile(shifts, 0.5), math.NaN()
	r := Rank{math.Exp(middle), nan, nan}
	k := 0 // the shifts left out at each end: as many as the statistic may lie below with half of what is left
	for k < len(shifts)/2 && k < len(tail) && tail[k] <= (1-confidence)/2 {
		k++
	}
	if k == 0 {
		return r
	}
	wider := c.Widened(confidence)
	r.Low = math.Exp(middle + wider*(shifts[k-1]-middle))
	r.High = math.Exp(middle + wider*(shifts[len(shifts)-k]-middle))
	return r
}

// walsh are the averages of all pairs, each value with itself too.
func walsh(xs []float64) []float64 {
	list := make([]float64, 0, len(xs)*(len(xs)+1)/2)
	for i, x := range xs {
		for _, y := range xs[i:] {
			list = append(list, (x+y)/2)
		}
	}
	return list
}

func differencesOf(xs, ys []float64) []float64 {
	list := make([]float64, 0, len(xs)*len(ys))
	for _, x := range xs {
		for _, y := range ys {
			list = append(list, x-y)
		}
	}
	return list
}

// signedRankTail has at k the chance that Wilcoxon's signed-rank statistic of n values is at most k, for as many k as
// lie below its mean.
func signedRankTail(n int) []float64 {
	most := n * (n + 1) / 2
	if n > exactRanks {
		return normalTail(float64(most)/2, math.Sqrt(float64(n*(n+1)*(2*n+1))/24))
	}
	chance := make([]float64, most+1)
	chance[0] = 1
	for rank := 1; rank <= n; rank++ { // each rank is in the sum or not
		for sum := most; sum >= 0; sum-- {
			chance[sum] /= 2
			if sum >= rank {
				chance[sum] += chance[sum-rank] / 2
			}
		}
	}
	return cumulated(chance[:most/2+1])
}

// mannWhitneyTail has at k the chance that Mann and Whitney's statistic of groups of so many is at most k, for as many k
// as lie below its mean. The largest value is one of the first group, which then exceeds all of the second, or one of the
// second, which exceeds none (Mann and Whitney: On a test of whether one of two random variables is stochastically larger
// than the other, Annals of Mathematical Statistics 18(1), 1947).
func mannWhitneyTail(a, b int) []float64 {
	if max(a, b) > exactRanks {
		return normalTail(float64(a*b)/2, math.Sqrt(float64(a*b*(a+b+1))/12))
	}
	size := a*b/2 + 1
	rows := make([][]float64, b+1) // of i values of the first group, by the number of the second
	for j := range rows {
		rows[j] = make([]float64, size)
		rows[j][0] = 1
	}
	for i := 1; i <= a; i++ {
		for j := 1; j <= b; j++ { // rows[j] is still that of i-1; rows[0] stays
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
	return cumulated(rows[b])
}

// normalTail is that of a statistic of whole numbers with this mean and standard deviation, corrected for continuity.
func normalTail(mean, deviation float64) []float64 {
	tail := make([]float64, int(mean)+1)
	for k := range tail {
		tail[k] = distuv.UnitNormal.CDF((float64(k) + 0.5 - mean) / deviation)
	}
	return tail
}

func cumulated(chances []float64) []float64 {
	for k := 1; k < len(chances); k++ {
		chances[k] += chances[k-1]
	}
	return chances
}
