package stat

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// MinBlocks returns the least number of paired blocks whose permutation p-value can be at most alpha: 2/2^n <=
// alpha.
func MinBlocks(alpha float64) int { return int(math.Ceil(math.Log2(2 / alpha))) }

// exactLimit is the largest number of blocks for which all sign flips are tried.
const exactLimit = 16

// flips is the number of random sign flips for more blocks. The standard error of the p-value is then at most
// 0.0035, and 0.0015 near 0.05.
const flips = 20_000

// signFlip returns the two-sided p-value of the sign-flip permutation test of logarithms that are symmetric about 0
// (Fisher, The Design of Experiments, 1935, section 21). It is the fraction of sign assignments whose mean is at
// least as far from 0 as the observed one. Up to 16 blocks it tries all 2^n. Beyond that it tries a fixed sequence
// of 20,000, and counts the observed assignment with them.
func signFlip(logs []float64) float64 {
	n := len(logs)
	observed, size, zeros := 0.0, 0.0, 0
	for _, x := range logs {
		observed += x
		size += math.Abs(x)
		if x == 0 {
			zeros++
		}
	}

	bound := math.Abs(observed) - 1e-12*size // rounding must not lose a tie
	if bound > 0 && math.Abs(observed) == size {
		return math.Ldexp(2, zeros-n) // of equal signs, only the observed assignment and its opposite are as far
	}
	if n <= exactLimit {
		return exactFlips(logs, bound)
	}

	// Each random word gives the signs of 64 logarithms, eight in each table.
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

// signedSums returns, for each group of eight logs, their sum under each of the 256 sign assignments. A set bit is
// a minus. One table access replaces eight unpredictable branches.
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

// exactFlips tries the sign assignments in Gray code order, one flip at a time. The other half are their opposites.
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

// splitMix is the SplitMix64 generator (Steele, Lea, Flood, OOPSLA 2014).
func splitMix(state uint64) (value, after uint64) {
	state += 0x9e3779b97f4a7c15
	z := state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31, state
}

// HolmWithEquivalence adjusts the p-values of m comparisons (Holm, Scandinavian Journal of Statistics 6(2), 1979) that
// may also be called equivalent, each by [Comparison.EquivalenceP] at alpha/m. Rejecting adjusted values of at most
// alpha keeps the probability of any false claim of either kind at alpha.
//
// If m0 of the compared designs are equal, only the other m-m0 can falsely be called equivalent, each with a
// probability of at most alpha/2m. The first false difference comes after at most m-m0 rejections. So the threshold
// after r rejections is Holm's, alpha/(m-r), of the remainder: alpha (1 - r/2m) / (m-r).
func HolmWithEquivalence(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	m, adjusted, least := float64(len(ps)), make([]float64, len(ps)), 0.0
	for rank, i := range order {
		rejected := float64(rank)
		least = max(least, min(1, ps[i]*((m-rejected)/(1-rejected/2/m))))
		adjusted[i] = least
	}
	return adjusted
}
