package stat

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// tQuantile is the p-quantile of Student's t with df degrees of freedom.
func tQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// Paired is the comparison of two designs by the blocks that both were measured in.
type Paired struct {
	N        int     // blocks
	Ratio    float64 // geometric mean of the blocks' ratios a/b
	Low      float64 // interval of the ratio: Student's t on the logarithms
	High     float64
	residual float64 // standard deviation of the logarithms
	logs     []float64
}

// P is the two-sided p-value of Student's t for the hypothesis that the ratio is 1. It is 0 where the
// blocks' ratios are all the same and not 1.
func (p Paired) P() float64 {
	mean := math.Log(p.Ratio)
	switch {
	case mean == 0:
		return 1
	case p.residual == 0:
		return 0
	}
	t := math.Abs(mean) / p.residual * math.Sqrt(float64(p.N))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(p.N - 1)}.Survival(t)
}

// Outside is twice the larger p-value of the two one-sided t tests for the hypothesis that the ratio is
// outside 1/(1+margin) .. 1+margin (Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15(6),
// 1987), at most 1. It is at most x exactly where the interval of confidence 1-x lies within the margin.
func (p Paired) Outside(margin float64) float64 {
	room := math.Log(1+margin) - math.Abs(math.Log(p.Ratio))
	switch {
	case room <= 0:
		return 1
	case p.residual == 0:
		return 0
	}
	t := room / p.residual * math.Sqrt(float64(p.N))
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(p.N - 1)}.Survival(t)
}

// Permutation is the two-sided p-value of the same hypothesis by [SignFlip], which assumes symmetry
// only. With n blocks it is at least 2 / 2^n.
func (p Paired) Permutation() float64 { return SignFlip(p.logs) }

// Pair compares logs, the logarithms of the ratios a/b of each block, at the given confidence of the
// interval. ok is false below 2 blocks, where there is no spread to judge by. floor is the standard
// deviation that the resolution of the measurement alone gives a logarithm: blocks that agree better
// do so by rounding, and the residual is at least that.
//
// A block is one stretch of time on one machine, so what slowed both designs cancels in its ratio.
func Pair(logs []float64, floor, confidence float64) (p Paired, ok bool) {
	if p, ok = PairOnly(logs, floor); ok {
		p.Low, p.High = p.Interval(confidence)
	}
	return p, ok
}

// PairOnly is Pair without the interval, which takes longer than all the rest.
func PairOnly(logs []float64, floor float64) (p Paired, ok bool) {
	n := len(logs)
	if n < 2 {
		return Paired{N: n}, false
	}
	mean := Mean(logs)
	var squares float64
	for _, x := range logs {
		squares += (x - mean) * (x - mean)
	}
	s := max(math.Sqrt(squares/float64(n-1)), floor)
	return Paired{N: n, Ratio: math.Exp(mean), residual: s, logs: logs}, true
}

// Interval is the interval of the ratio at another confidence.
func (p Paired) Interval(confidence float64) (low, high float64) {
	half := tQuantile(0.5+confidence/2, float64(p.N-1)) * p.residual / math.Sqrt(float64(p.N))
	return p.Ratio * math.Exp(-half), p.Ratio * math.Exp(half)
}

// LeastBlocks is the fewest blocks whose permutation p-value can be at most alpha: 2/2^n <= alpha.
func LeastBlocks(alpha float64) int { return int(math.Ceil(math.Log2(2 / alpha))) }

// Detectable is the least ratio above 1 that a comparison of n blocks with this residual finds with
// power 0.8 when it is one of m at familywise error alpha:
//
//	exp((t(1-alpha/2m) + t(0.8)) s / sqrt(n))
//
// with quantiles of Student's t on n-1 degrees of freedom.
func (p Paired) Detectable(m int, alpha float64) float64 { return p.detectableWith(p.N, m, alpha) }

func (p Paired) detectableWith(n, m int, alpha float64) float64 {
	df := float64(n - 1)
	return math.Exp((tQuantile(1-alpha/2/float64(m), df) + tQuantile(0.8, df)) * p.residual / math.Sqrt(float64(n)))
}

// BlocksWithin is the number of blocks at which the interval of the ratio, at that confidence, would lie
// within 1/(1+margin) and 1+margin if the ratio stays the one seen; at most limit.
func (p Paired) BlocksWithin(margin, confidence float64, limit int) int {
	room := math.Log(1+margin) - math.Abs(math.Log(p.Ratio))
	least := LeastBlocks(1 - confidence)
	return least + sort.Search(limit-least, func(i int) bool {
		n := float64(least + i)
		return tQuantile(0.5+confidence/2, n-1)*p.residual/math.Sqrt(n) <= room
	})
}

// Blocks is the number of blocks at which a ratio becomes detectable, at most limit.
func (p Paired) Blocks(ratio float64, m int, alpha float64, limit int) int {
	target := math.Exp(math.Abs(math.Log(ratio)))
	// The detectable ratio falls with every block.
	least := LeastBlocks(alpha)
	return least + sort.Search(limit-least, func(i int) bool { return p.detectableWith(least+i, m, alpha) <= target })
}

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
	observed, size := 0.0, 0.0
	for _, x := range logs {
		observed += x
		size += math.Abs(x)
	}
	bound := math.Abs(observed) - 1e-12*size // a tie must not be lost to rounding
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
				signs, state = next(state)
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
func next(state uint64) (value, after uint64) {
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

// HolmBeside is Holm for m comparisons that may also be called equivalent, each by [Paired.Outside] at
// alpha/m: it keeps the chance of any false claim of either kind at alpha. Where m0 of the designs
// compared are the same, only the other m-m0 can falsely be called equivalent, each with a chance of at
// most alpha/2m; and the first false difference comes after m-m0 rejections at most. So the threshold
// after r rejections is Holm's, alpha/(m-r), of what these leave: alpha (1 - r/2m) / (m-r).
func HolmBeside(ps []float64) []float64 {
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
