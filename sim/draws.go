package sim

import "math/bits"

// draws is a stream of random numbers. The n-th number is a function of n and the initial key only.
type draws struct{ key uint64 }

const golden = 0x9e3779b97f4a7c15

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014), a bijection of 64 bits.
func mix(z uint64) uint64 {
	z += golden
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// next returns a uniform 64-bit number.
func (d *draws) next() uint64 {
	d.key += golden
	return mix(d.key)
}

// below returns a uniform number in [0, n), n > 0, with a bias of at most n/2^64.
func (d *draws) below(n uint64) uint64 {
	hi, _ := bits.Mul64(d.next(), n)
	return hi
}

// Cost is the duration of something in nanoseconds, either fixed or drawn from a distribution. The zero Cost is no
// time.
type Cost struct {
	fixed     int64
	quantiles []int64
	at        []int64 // probability of each quantile in millionths; nil if they are evenly spaced
}

// Ns returns a fixed cost of n nanoseconds; a negative n counts as 0.
func Ns(n int64) Cost { return Cost{fixed: max(0, n)} }

// Quantiles returns a cost that is drawn from a piecewise linear quantile function through q. The values are evenly
// spaced in probability, the first at 0 and the last at 1. They must ascend from 0 or more, or Quantiles panics. One
// value is a fixed cost.
func Quantiles(q ...int64) Cost {
	for i, v := range q {
		if v < 0 || i > 0 && v < q[i-1] {
			panic("sim: quantiles of a cost must ascend from 0 or more")
		}
	}
	switch len(q) {
	case 0:
		return Cost{}
	case 1:
		return Ns(q[0])
	}
	return Cost{quantiles: append([]int64(nil), q...)}
}

// none reports whether the cost is always 0.
func (c *Cost) none() bool { return c.fixed == 0 && c.quantiles == nil }

// draw returns one duration. A fixed cost uses no random number.
func (c *Cost) draw(d *draws) int64 {
	if c.quantiles == nil {
		return c.fixed
	}
	x := d.next()
	if c.at != nil {
		return c.quantile(x)
	}
	i, frac := bits.Mul64(x, uint64(len(c.quantiles)-1))
	low, high := c.quantiles[i], c.quantiles[i+1]
	part, _ := bits.Mul64(frac, uint64(high-low))
	return low + int64(part)
}
