package stat

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// nominalLevels returns the nominal two-sided levels of t tests at interim analyses. blocks are the numbers of
// blocks, ascending and at least 3 apart; the last is the maximum. Rejecting at the first analysis whose p-value is
// at most its level spends at each analysis what spend allows. alpha is between 1e-6 and 0.9. The relative error of
// the levels is 0.1% from 1e-4 on, and 1% below.
//
// The usual levels are those of a Brownian motion (Armitage, McPherson and Rowe, Journal of the Royal Statistical
// Society A 132(2), 1969). Student's t of few blocks exceeds them more often: 5.2% instead of 5% with analyses from
// 10 blocks on, and 0.76% instead of 0.71%. The levels here are exact for normal logarithms.
//
// The direction of the vector of n logarithms is uniform on the sphere, and t is a function of the cosine c between
// it and a constant vector. Adding r logarithms, with a cosine d of their own and the fraction sin^2 a of the sum
// of squares, gives
//
//	c' = sqrt(n/(n+r)) cos(a) c + sqrt(r/(n+r)) sin(a) d
//
// where c, a and d are independent. cos^2 a has the beta distribution (n/2, r/2), and the density of a cosine in r
// dimensions is proportional to (1 - d^2)^((r-3)/2). Hence the cosines of the analyses form a Markov chain, and the
// density of those not yet rejected is integrated analysis by analysis.
func nominalLevels(spend Spending, alpha float64, blocks []int) []float64 {
	levels := make([]float64, len(blocks))
	most := blocks[len(blocks)-1]
	ts := shares(blocks, most)
	levels[0] = spend(alpha, ts[0])
	var x, w []float64 // positive cosines not yet rejected; the negative ones mirror them
	var step *transition
	for k, n := range blocks {
		if k > 0 {
			step = newTransition(blocks[k-1], n)
			levels[k] = step.level(spend(alpha, ts[k])-spend(alpha, ts[k-1]), spend(alpha, ts[k]), x, w)
		}
		if k == len(blocks)-1 {
			break
		}
		edge := cosineOf(levels[k], n)
		nx, nw := make([]float64, cosines), make([]float64, cosines)
		quad.Legendre{}.FixedLocations(nx, nw, 0, edge)
		for i := range nx {
			if k == 0 {
				nw[i] *= cosineDensity(nx[i], n)
			} else {
				nw[i] *= step.density(nx[i], x, w)
			}
		}
		x, w = nx, nw
	}
	return levels
}

// Numbers of points of the Gauss-Legendre rules.
const (
	cosines = 32
	angles  = 40
)

// cosineDensity returns the density of the cosine between a uniform direction in n dimensions and a fixed one.
func cosineDensity(c float64, n int) float64 {
	if c <= -1 || c >= 1 {
		return 0
	}
	return math.Exp(float64(n-3)/2*math.Log1p(-c*c) - mathext.Lbeta(float64(n-1)/2, 0.5))
}

// cosineTail returns the probability that this cosine is at least c.
func cosineTail(c float64, n int) float64 {
	switch {
	case c >= 1:
		return 0
	case c <= -1:
		return 1
	case c < 0:
		return 1 - levelOf(c, n)/2
	}
	return levelOf(c, n) / 2
}

// transition is the step of the Markov chain from one analysis to the next.
type transition struct {
	n, added int
	old, new []float64 // factors of the cosines of old and new logarithms, at each angle
	weight   []float64 // weights of the angles, which add up to 1
}

func newTransition(before, n int) *transition {
	r := n - before
	s := &transition{n: n, added: r}
	// The angle is concentrated around that of equal fractions, with a standard deviation of 1/sqrt(2n).
	middle, reach := math.Atan2(math.Sqrt(float64(r)), math.Sqrt(float64(before))), 8/math.Sqrt(2*float64(n))
	x, w := make([]float64, angles), make([]float64, angles)
	quad.Legendre{}.FixedLocations(x, w, math.Max(0, middle-reach), math.Min(math.Pi/2, middle+reach))
	sum := 0.0
	for i, a := range x {
		relative := float64(before-1)*math.Log(math.Cos(a)/math.Cos(middle)) +
			float64(r-1)*math.Log(math.Sin(a)/math.Sin(middle))
		w[i] *= math.Exp(relative)
		sum += w[i]
		s.old = append(s.old, math.Sqrt(float64(before)/float64(n))*math.Cos(a))
		s.new = append(s.new, math.Sqrt(float64(r)/float64(n))*math.Sin(a))
	}

	for i := range w {
		w[i] /= sum
	}

	s.weight = w
	return s
}

// density returns the density of the next cosine at c >= 0, from cosines at +-x with the weights w.
func (s *transition) density(c float64, x, w []float64) float64 {
	sum := 0.0
	for i, share := range s.weight {
		for j := range x {
			sum += share * w[j] / s.new[i] * (cosineDensity((c-s.old[i]*x[j])/s.new[i], s.added) +
				cosineDensity((c+s.old[i]*x[j])/s.new[i], s.added))
		}
	}
	return sum
}

// crossing returns the probability that the absolute value of the next cosine is at least c, from cosines at +-x
// with the weights w.
func (s *transition) crossing(c float64, x, w []float64) float64 {
	sum := 0.0
	for i, share := range s.weight {
		for j := range x {
			sum += 2 * share * w[j] * (cosineTail((c-s.old[i]*x[j])/s.new[i], s.added) +
				cosineTail((c+s.old[i]*x[j])/s.new[i], s.added))
		}
	}
	return sum
}

// level returns the level at which this step rejects with the probability quota. It is between quota, as earlier
// analyses have rejected too, and everything spent so far.
func (s *transition) level(quota, spent float64, x, w []float64) float64 {
	// log(probability) is nearly linear in log(level), so the Illinois method converges fast.
	f := func(level float64) float64 {
		return math.Log(s.crossing(cosineOf(math.Exp(level), s.n), x, w) / quota)
	}
	low, high := math.Log(quota), math.Log(spent)
	fl, fh := f(low), f(high)
	for range 30 {
		if high-low < 1e-9 || fl == fh {
			break
		}
		mid := (low*fh - high*fl) / (fh - fl)
		fm := f(mid)
		if math.Abs(fm) < 1e-6 {
			return math.Exp(mid)
		}
		if fm < 0 {
			low, fl, fh = mid, fm, fh/2
		} else {
			high, fh, fl = mid, fm, fl/2
		}
	}
	return math.Exp((low + high) / 2)
}
