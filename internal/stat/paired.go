package stat

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// MinBlocks is the fewest blocks whose permutation p-value can be at most alpha: 2/2^n <= alpha.
func MinBlocks(alpha float64) int { return int(math.Ceil(math.Log2(2 / alpha))) }

// exactLimit is the largest number of blocks whose sign flips are all tried.
const exactLimit = 16

// flips is the number of random sign flips beyond it. The p-value then has a standard error of at
// most 0.0035, and 0.0015 near 0.05.
const flips = 20_000

// SignFlip is the two-sided p-value of the hypothesis that the logarithms are symmetric about 0: the
// share of the assignments of "a" and "b" within each block whose mean is at least as far from 0 as the
// one observed (Fisher, The Design of Experiments, 1935, section 21). Up to 16 blocks all 2^n are tried;
// beyond it a fixed sequence of 20,000, the observed one counted with them.
func SignFlip(logs []float64) float64 {
	n := len(logs)
	observed, size, zeros := 0.0, 0.0, 0
	for _, x := range logs {
		observed += x
		size += math.Abs(x)
		if x == 0 {
			zeros++
		}
	}
	bound := math.Abs(observed) - 1e-12*size // a tie must not be lost to rounding
	if bound > 0 && math.Abs(observed) == size {
		return math.Ldexp(2, zeros-n) // all of one sign: nothing but that and its opposite is as far
	}
	if n <= exactLimit {
		return exactFlips(logs, bound)
	}
	tables := signedSums(logs)
	hits, state := 1, uint64(n)
	for range flips {
		sum := 0.0
		var signs uint64
		for i := range tables {
			if i%8 == 0 {
				signs, state = splitMix(state)
			}
			sum += tables[i][signs&0xff]
			signs >>= 8
		}
		if math.Abs(sum) >= bound {
			hits++
		}
	}
	return float64(hits) / (flips + 1)
}

// signedSums has, for every eight of the logs, their sum under each of the 256 assignments of signs; a bit
// that is set is a minus. One look into a table does the work of eight branches that nobody can foresee.
func signedSums(logs []float64) [][256]float64 {
	tables := make([][256]float64, (len(logs)+7)/8)
	for k := range tables {
		eight := logs[8*k : min(8*k+8, len(logs))]
		for signs := range tables[k] {
			for i, x := range eight {
				if signs>>i&1 != 0 {
					x = -x
				}
				tables[k][signs] += x
			}
		}
	}
	return tables
}

// exactFlips walks the sign assignments in Gray code order, one flip at a time; but half of them, since the
// others are their opposites.
func exactFlips(logs []float64, bound float64) float64 {
	n := len(logs)
	signs := make([]float64, n)
	sum := 0.0
	for i, x := range logs {
		signs[i] = 1
		sum += x
	}
	hits, total := 0, 1<<(n-1)
	for k := 1; ; k++ {
		if math.Abs(sum) >= bound {
			hits++
		}
		if k == total {
			return float64(hits) / float64(total)
		}
		i := bits.TrailingZeros(uint(k))
		signs[i] = -signs[i]
		sum += 2 * signs[i] * logs[i]
	}
}

// next is SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
func splitMix(state uint64) (value, after uint64) {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31, state
}

// Holm adjusts p-values for the number of hypotheses tested (Holm, Scandinavian Journal of Statistics
// 6(2), 1979): rejecting those whose adjusted value is at most alpha keeps the chance of any false
// rejection at alpha.
func Holm(ps []float64) []float64 {
	return stepDown(ps, func(rejected int) float64 { return float64(len(ps) - rejected) })
}

// HolmWithEquivalence is Holm for m comparisons that may also be called equivalent, each by [Comparison.Outside] at
// alpha/m: it keeps the chance of any false claim of either kind at alpha. Where m0 of the designs
// compared are the same, only the other m-m0 can falsely be called equivalent, each with a chance of at
// most alpha/2m; and the first false difference comes after m-m0 rejections at most. So the threshold
// after r rejections is Holm's, alpha/(m-r), of what these leave: alpha (1 - r/2m) / (m-r).
func HolmWithEquivalence(ps []float64) []float64 {
	m := float64(len(ps))
	return stepDown(ps, func(rejected int) float64 {
		r := float64(rejected)
		return (m - r) / (1 - r/2/m)
	})
}

// stepDown multiplies each p-value, from the least on, by the factor after so many rejections.
func stepDown(ps []float64, factor func(rejected int) float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	adjusted := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, ps[i]*factor(rank)))
		adjusted[i] = least
	}
	return adjusted
}
