package stat

import "math"

// Student's t needs normal values, or a large number of them. If only one design has a tail of slow blocks, the
// ratios are skewed. Samples that happen to miss the tail have a mean too far from it and a standard deviation that
// is too small. Student's t then finds false differences on the side away from the tail. So from [minTailValues]
// blocks on the interval of a comparison extends farther on the side of a tail.
//
// A single outlier is no tail, although it makes a sample skewed. So the skewness is computed without the extreme
// value on its side. As with autocorrelation, an interval is never narrowed, so the levels of interim analyses
// hold.

const (
	minTailValues = 15   // with 10 values any test loses too much power; see the manual
	tailSkewness  = 0.4  // least skewness of a tail, without the extreme value
	tailFactor    = 1.15 // factor of the half-interval on the side of the tail
)

// skewness returns the third central moment divided by the power 3/2 of the second; 0 without variation.
func skewness(xs []float64) float64 {
	mean, squares, cubes, size := Mean(xs), 0.0, 0.0, 0.0
	for _, x := range xs {
		d := x - mean
		squares += d * d
		cubes += d * d * d
		size += x * x
	}
	if !(squares > 1e-24*size) { // rounding errors are no variation
		return 0
	}
	return cubes / squares * math.Sqrt(float64(len(xs))/squares)
}

// TailSkewness returns the skewness of a sample without the extreme value on its skewed side, if it has a tail;
// otherwise 0. It is positive if the tail points up.
func TailSkewness(xs []float64) float64 {
	side := skewness(xs)
	if len(xs) < minTailValues || side == 0 {
		return 0
	}

	far := 0
	for i, x := range xs {
		if (x-xs[far])*side > 0 {
			far = i
		}
	}

	rest := make([]float64, 0, len(xs)-1)
	rest = append(append(rest, xs[:far]...), xs[far+1:]...)
	if g := skewness(rest); g*side > 0 && math.Abs(g) > tailSkewness {
		return g
	}
	return 0
}

// Tail returns the [TailSkewness] of a paired comparison's logarithms; 0 if unpaired.
func (c Comparison) Tail() float64 { return c.tail }

// tailFactors returns the factors of the half-intervals below and above the ratio.
func (c Comparison) tailFactors() (below, above float64) {
	switch {
	case c.tail < 0:
		return tailFactor, 1
	case c.tail > 0:
		return 1, tailFactor
	}
	return 1, 1
}

// marginRoom returns the distance of the logarithm of the ratio from the margin, divided by the factor of the
// half-interval on that side. It is the smaller one of both sides, and negative outside the margin.
func (c Comparison) marginRoom(margin float64) float64 {
	below, above := c.tailFactors()
	log, limit := math.Log(c.Ratio), math.Log(1+margin)
	return min((log+limit)/below, (limit-log)/above)
}
