package stat

import "math"

// curve is a monotone piecewise cubic through points: between two points it is as monotone as they are (Fritsch and
// Butland: A method for constructing local monotone piecewise cubic interpolants, SIAM Journal on Scientific and
// Statistical Computing 5(2), 1984).
type curve struct{ x, y, slope []float64 }

// newCurve returns the curve through at least 3 points with increasing x.
func newCurve(x, y []float64) curve {
	last := len(x) - 1
	width, rise := make([]float64, last), make([]float64, last)
	for i := range last {
		if width[i] = x[i+1] - x[i]; !(width[i] > 0) {
			panic("stat: the x of a curve must increase")
		}
		rise[i] = (y[i+1] - y[i]) / width[i]
	}
	slope := make([]float64, last+1)
	for i := 1; i < last; i++ {
		if before, after := rise[i-1], rise[i]; before*after > 0 { // otherwise an extremum
			a, b := width[i-1]+2*width[i], 2*width[i-1]+width[i]
			slope[i] = (a + b) / (a/before + b/after)
		}
	}
	slope[0] = edgeSlope(width[0], width[1], rise[0], rise[1])
	slope[last] = edgeSlope(width[last-1], width[last-2], rise[last-1], rise[last-2])
	return curve{x, y, slope}
}

// edgeSlope returns the slope at the first point of a curve by the parabola through three points, limited so that the
// curve is monotone. The first interval has the given width and rise, and the second the others.
func edgeSlope(width, nextWidth, rise, nextRise float64) float64 {
	slope := ((2*width+nextWidth)*rise - width*nextRise) / (width + nextWidth)
	switch {
	case slope*rise <= 0:
		return 0
	case rise*nextRise <= 0 && math.Abs(slope) > 3*math.Abs(rise):
		return 3 * rise
	}
	return slope
}

// at returns the value at x. Outside the points it is that of the nearest.
func (c curve) at(x float64) float64 {
	last := len(c.x) - 1
	switch {
	case x <= c.x[0]:
		return c.y[0]
	case x >= c.x[last]:
		return c.y[last]
	}
	i := 0
	for x >= c.x[i+1] {
		i++
	}
	width := c.x[i+1] - c.x[i]
	t := (x - c.x[i]) / width
	u := 1 - t
	return u*u*(1+2*t)*c.y[i] + t*t*(1+2*u)*c.y[i+1] + t*u*width*(u*c.slope[i]-t*c.slope[i+1])
}
