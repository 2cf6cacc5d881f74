package compare

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/brewput/brewput/internal/stat"
)

// A bound of what any test can find that is at most so often wrong as the target asks: 5 % where noise is normal, and 6
// % where one design has an exponential tail, whichever of the two it is. By the Neyman-Pearson lemma for several
// hypotheses (Lehmann and Romano, section 3.6), for any l0, l1 >= 0 no test with these rates finds more of an
// alternative than
//
//	0.05 l0 + 0.06 l1 + E max(0, 1 - l0 normal/alternative - l1 tail/alternative)
//
// with the densities of the sample, and E over the alternative. The target is of noise of any scale and of differences
// of either sign, so that by the theorem of Hunt and Stein (section 8.5 there) it suffices to look at tests that depend
// on neither: the densities are integrated over the scale s with ds/s, and averaged over the sign. l0 and l1 are those
// that make the bound small on one set of samples, and the bound is of another set, so that it holds whatever they are.
const (
	falseNormal = 0.05
	falseTail   = 0.06
)

// weights are the densities of a sample relative to that of the mixture of three from which it was drawn.
type weights struct{ alternative, normal, tail float64 }

// bound compares two rates: how often any test with the target's error rates can find what Student's t finds four
// times in five, and how often Student's t finds it with as many blocks fewer as the target allows. It also
// requires a permutation test to agree, as in [table.price].
func (o *table) bound() {
	all := []struct {
		blocks    int
		effect    float64 // in standard deviations; grows with the root of the number of blocks
		allowed   float64
		reachable bool
	}{{10, 3.150, 1.05, false}, {15, 3.013, 1.20, true}, {20, 2.954, 1.20, true}}
	tuned, held := make([][]weights, len(all)), make([][]weights, len(all))
	got := experiment(13, len(all), func(i int, r *rand.Rand, c tally) {
		n, effect := all[i].blocks, all[i].effect/math.Sqrt(float64(all[i].blocks))
		for kind := range 3 {
			tuned[i] = append(tuned[i], weightsOf(drawn(r, kind, n, effect), effect))
			held[i] = append(held[i], weightsOf(drawn(r, kind, n, effect), effect))
		}
		less := float64(n) / all[i].allowed
		whole := int(less)
		for range studentSamples {
			xs := drawn(r, 0, n, effect)
			count := func(n int, weight float64, name string) {
				if plain, _ := stat.ComparePairedUnordered(xs[:n], ratioConfidence); plain.P() <= falseNormal {
					c[name] += weight / studentSamples
					agrees := float64(boolToInt(plain.Permutation() <= falseNormal))
					c[name+", agreed"] += weight / studentSamples * agrees
				}
			}
			count(n, 1, "Student's")
			count(whole, float64(whole+1)-less, "allowed")
			count(whole+1, less-float64(whole), "allowed")
		}
	})
	o.line("\nUpper bound for all tests of the ratios with at most 5 in 100 false differences for normal noise, " +
		"and 6 in 100 for an\nexponential tail of one design:\n")
	o.head("blocks", "found by Student's t", "allowed more blocks", "found by Student's t with as many fewer blocks",
		"same, if a permutation must agree", "found by any such test, at most", "standard error",
		"least false differences with a tail, to find as much as if a permutation must agree")
	for i, s := range all {
		least := got[i].share("allowed, agreed")
		l0, l1 := multipliers(tuned[i])
		most, se := foundAtMost(held[i], l0, l1)
		most, se = 100*most, 100*se
		wrong := "reachable"
		if most < least {
			wrong = fmt.Sprintf("%.1f%%", 100*falseTail+(least-most)/l1)
		}
		o.line("| %d | %.1f%% | %.0f%% | %.1f%% | %.1f%% | %.1f%% | %.1f | %s |", s.blocks,
			got[i].share("Student's"), 100*(s.allowed-1),
			got[i].share("allowed"), least, most, se, wrong)
		if *tries >= dataSets && s.reachable != (most > least+2*se) ||
			!s.reachable && most > least+2*se+3*sampling(least) {
			o.t.Errorf("%d blocks: at most %.2f, standard error %.2f; allowed %.2f", s.blocks, most, se, least)
		}
	}
}

// studentSamples is the number of samples for Student's t for each one of the densities.
const studentSamples = 3

// drawn returns a sample of the alternative (0), of normal noise (1), or of a tail (2) of either design.
func drawn(r *rand.Rand, kind, n int, effect float64) []float64 {
	xs, side := make([]float64, n), float64(2*r.IntN(2)-1)
	if kind == 2 {
		xs = exponential(0.02)(r, n)
	}
	for i := range xs {
		switch kind {
		case 0:
			xs[i] = side*effect + r.NormFloat64()
		case 1:
			xs[i] = r.NormFloat64()
		case 2:
			xs[i] *= side
		}
	}
	return xs
}

// weightsOf integrates the densities of a sample over the scale, from a fifth of its root mean square to 13 times
// that.
func weightsOf(xs []float64, effect float64) weights {
	n, sum, squares := float64(len(xs)), 0.0, 0.0
	for _, x := range xs {
		sum += x
		squares += x * x
	}
	var logs [3][]float64 // of the integrands
	for step := -1.6; step < 2.6; step += 0.06 {
		scale := math.Sqrt(squares/n) * math.Exp(step)
		normal := -n*math.Log(scale) - squares/2/scale/scale - n/2*math.Log(2*math.Pi)
		shift, loss := effect*sum/scale, n*effect*effect/2
		right, left := -n*math.Log(scale), -n*math.Log(scale)
		for _, x := range xs {
			right += logTail(x / scale)
			left += logTail(-x / scale)
		}
		logs[0] = append(logs[0], normal+shift-loss, normal-shift-loss)
		logs[1] = append(logs[1], normal, normal)
		logs[2] = append(logs[2], right, left)
	}
	largest := math.Inf(-1)
	for i := range logs {
		for _, x := range logs[i] {
			largest = max(largest, x)
		}
	}
	var sums [3]float64
	for i := range logs {
		for _, x := range logs[i] {
			sums[i] += math.Exp(x - largest)
		}
	}
	mixture := (sums[0] + sums[1] + sums[2]) / 3
	return weights{sums[0] / mixture, sums[1] / mixture, sums[2] / mixture}
}

// logTail returns the logarithm of the density of the sum of an exponential value less 1 and a normal one of a
// quarter of its standard deviation, as in [exponential].
func logTail(x float64) float64 {
	const normal = 0.25
	z := (x+1)/normal - normal
	below := math.Log(math.Erfc(-z/math.Sqrt2) / 2)
	if z < -30 {
		below = -z*z/2 - math.Log(-z*math.Sqrt(2*math.Pi))
	}
	return -(x + 1) + normal*normal/2 + below
}

// foundAtMost returns the bound for these multipliers, and its standard error. Every third sample is of the same
// kind.
func foundAtMost(all []weights, l0, l1 float64) (most, se float64) {
	var sum, squares [3]float64
	for i, w := range all {
		gain := max(0, w.alternative-l0*w.normal-l1*w.tail)
		sum[i%3] += gain
		squares[i%3] += gain * gain
	}
	n, variance := float64(len(all)/3), 0.0
	for kind := range sum {
		mean := sum[kind] / n
		most += mean / 3
		variance += (squares[kind]/n - mean*mean) / n / 9
	}
	return most + falseNormal*l0 + falseTail*l1, math.Sqrt(variance)
}

// multipliers minimize the bound, which is convex in both.
func multipliers(all []weights) (l0, l1 float64) {
	within := func(l1 float64) float64 {
		return leastAt(func(l0 float64) float64 { most, _ := foundAtMost(all, l0, l1); return most })
	}
	l1 = leastAt(func(l1 float64) float64 { most, _ := foundAtMost(all, within(l1), l1); return most })
	return within(l1), l1
}

// leastAt returns the minimum of a convex function between 0 and 12, by ternary search.
func leastAt(f func(float64) float64) float64 {
	low, high := 0.0, 12.0
	for high-low > 0.02 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if f(a) < f(b) {
			high = b
		} else {
			low = a
		}
	}
	return (low + high) / 2
}
