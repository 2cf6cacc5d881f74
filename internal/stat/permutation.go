package stat

import "math"

// exactLabels is the largest number of label permutations that are all tried: 8 blocks and 8 have 12,870.
const exactLabels = 20_000

// binomial returns the binomial coefficient n over k.
func binomial(n, k int) float64 {
	c := 1.0
	for i := range k {
		c *= float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// minLabelP returns the smallest p-value of [LabelPermutation] with a and b blocks.
func minLabelP(a, b int) float64 { return min(1, 2/binomial(a+b, a)) }

// LabelPermutation returns the two-sided permutation p-value for equal distributions of a and b (Pitman,
// Significance tests which may be applied to samples from any populations, Supplement to the Journal of the Royal
// Statistical Society 4(1), 1937). It is the fraction of ways to label len(a) of all blocks "a" for which the means
// differ at least as much as observed. Up to 20,000 ways it tries all. Beyond that it tries a fixed sequence of
// 20,000, and counts the observed labels with them.
func LabelPermutation(a, b []float64) float64 {
	all := append(append(make([]float64, 0, len(a)+len(b)), a...), b...)
	// If the total is 0, the sum of a determines the difference of the means.
	mean, observed, size := Mean(all), 0.0, 0.0
	for i := range all {
		all[i] -= mean
		size += math.Abs(all[i])
		if i < len(a) {
			observed += all[i]
		}
	}

	bound := math.Abs(observed) - 1e-12*size // rounding must not lose a tie
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

// countLabellings counts the ways to add n of xs to sum with an absolute result of at least bound.
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

// randomIndex returns a number in [0, n) from [splitMix]. Its bias is below 2^-32.
func randomIndex(n int, state uint64) (i int, after uint64) {
	v, after := splitMix(state)
	return int((v >> 32) * uint64(n) >> 32), after
}
