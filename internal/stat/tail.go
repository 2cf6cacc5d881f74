package stat

import "math"

// Student's t needs values that are normal, or so many that their mean is. If one design alone has a tail of slow
// blocks, the ratios are skewed. Blocks that happened to miss the tail then have a mean too far from it and a standard
// deviation that is too small, and Student's t finds false differences on the side away from the tail. So from
// [minTailValues] blocks on the interval of a comparison reaches farther to the side of a tail.
//
// A single outlier is no tail, and also makes a sample skewed. So the skewness is that of the values without the
// farthest one on its side. As with the order of the blocks, an interval is never narrowed, and levels of interim
// analyses hold.

const (
	minTailValues = 15   // values: with 10, no test can do without a large loss of power; see the manual
	tailSkewness  = 0.4  // without the farthest value, from which on there is a tail
	tailFactor    = 1.15 // of the part of the interval on the side of the tail
)

// skewness is the third central moment by the power 3/2 of the second; 0 if the values do not vary.
func skewness(xs []float64) float64 {
	mean, squares, cubes, size := Mean(xs), 0.0, 0.0, 0.0
	for _, x := range xs {
		d := x - mean
		squares += d * d
		cubes += d * d * d
		size += x * x
	}
	if !(squares > 1e-24*size) { // what rounding leaves is no variation
		return 0
	}
	return cubes / squares * math.Sqrt(float64(len(xs))/squares)
}

// TailSkewness is the skewness of a sample without its farthest value on the side to which it is skewed, if that makes a
// tail: above 0 if the tail points up, below 0 if it points down, and 0 if there is none.
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

// Tail is what [TailSkewness] says of a paired comparison's logarithms; 0 of an unpaired one.
func (c Comparison) Tail() float64 { return c.tail }

// reach are the factors of the parts of the interval below and above the ratio.
func (c Comparison) tailFactors() (below, above float64) {
	switch {
	case c.tail < 0:
		return tailFactor, 1
	case c.tail > 0:
		return 1, tailFactor
	}
	return 1, 1
}

// room is how far the logarithm of the ratio lies inside the margin, in units of the interval's part on that side: of
// the two sides, the one with less room. Below 0 it is outside.
func (c Comparison) marginRoom(margin float64) float64 {
	below, above := c.tailFactors()
	log, limit := math.Log(c.Ratio), math.Log(1+margin)
	return min((log+limit)/below, (limit-log)/above)
}
