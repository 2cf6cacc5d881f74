package stat

import "math"

// exactLabels is the largest number of relabellings that are all tried: 8 blocks and 8 are 12,870.
const exactLabels = 20_000

// choose is the binomial coefficient n over k.
func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// leastLabelP is the least p-value of [LabelPermutation] with that many blocks of a and b.
func minLabelP(a, b int) float64 { return min(1, 2/binomial(a+b, a)) }

// LabelPermutation is the two-sided p-value of the hypothesis that the blocks of a and of b are of one kind: the
// share of the ways to call len(a) of them all "a" whose means are at least as far apart as those
// observed (Pitman, Significance tests which may be applied to samples from any populations, Supplement
// to the Journal of the Royal Statistical Society 4(1), 1937). Up to 20,000 ways all are tried; beyond
// it a fixed sequence of 20,000, the observed one counted with them.
func LabelPermutation(a, b []float64) float64 {
	all := append(append(make([]float64, 0, len(a)+len(b)), a...), b...)
	// The distance of the means follows from the sum of a alone once the total is 0.
	mean, observed, size := Mean(all), 0.0, 0.0
	for i := range all {
		all[i] -= mean
		size += math.Abs(all[i])
		if i < len(a) {
			observed += all[i]
		}
	}
	bound := math.Abs(observed) - 1e-12*size // a tie must not be lost to rounding
	if ways := binomial(len(all), len(a)); ways <= exactLabels {
		return float64(countLabellings(all, len(a), 0, bound)) / ways
	}
	hits, state := 1, uint64(len(all))
	for range flips {
		sum := 0.0
		for i := range a { // the first len(a) of a shuffle
			var j int
			j, state = randomIndex(len(all)-i, state)
			all[i], all[i+j] = all[i+j], all[i]
			sum += all[i]
		}
		if math.Abs(sum) >= bound {
			hits++
		}
	}
	return float64(hits) / (flips + 1)
}

// labellings counts the ways to add n of xs to sum that come to bound or more, of either sign.
func countLabellings(xs []float64, n int, sum, bound float64) int {
	if n == 0 {
		if math.Abs(sum) >= bound {
			return 1
		}
		return 0
	}
	count := countLabellings(xs[1:], n-1, sum+xs[0], bound)
	if len(xs) > n {
		count += countLabellings(xs[1:], n, sum, bound)
	}
	return count
}

// pick is a number in [0, n) of the sequence of [next]. It favours some by less than 2^-32.
func randomIndex(n int, state uint64) (i int, after uint64) {
	v, after := splitMix(state)
	return int((v >> 32) * uint64(n) >> 32), after
}
