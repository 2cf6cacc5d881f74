package stat

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Levels are the nominal two-sided levels of t tests at looks at the given numbers of blocks, ascending
// and at least 3 apart, of which the last is the most there may be: rejecting at the first look whose
// p-value is at most its level has, at each look, spent what the spending function allows. alpha is
// between 1e-6 and 0.9; the levels are within 0.1 % of exact from 1e-4 on, and within 1 % below.
//
// The usual levels are those of a Brownian motion (Armitage, McPherson and Rowe, Journal of the Royal
// Statistical Society A 132(2), 1969). Student's t of few blocks crosses them more often: 5.2 % instead
// of 5 % with looks from 10 blocks on, 0.76 % instead of 0.71 %. These are exact for normal
// logarithms. Their directions are uniform on the sphere, and t is a function of the cosine c between the
// n logarithms and equal ones. r more logarithms, with a cosine d of their own and the share sin^2 a of
// the squares, make it
//
//	c' = sqrt(n/(n+r)) cos(a) c + sqrt(r/(n+r)) sin(a) d
//
// where c, a and d are independent: cos^2 a is beta distributed (n/2, r/2), and the density of a cosine in
// r dimensions is in proportion to (1 - d^2)^((r-3)/2). So the c of the looks are a Markov chain, and the
// density of those that have not crossed is integrated look by look.
func NominalLevels(spend Spending, alpha float64, blocks []int) []float64 {
	levels := make([]float64, len(blocks))
	most := blocks[len(blocks)-1]
	ts := shares(blocks, most)
	levels[0] = spend(alpha, ts[0])
	var x, w []float64 // cosines that have not crossed, those above 0; the others mirror them
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

// The numbers of points of the Gauss-Legendre rules.
const (
	cosines = 32
	angles  = 40
)

// cosineDensity is the density of the cosine between a uniform direction in n dimensions and a fixed one.
func cosineDensity(c float64, n int) float64 {
	if c <= -1 || c >= 1 {
		return 0
	}
	return math.Exp(float64(n-3)/2*math.Log1p(-c*c) - mathext.Lbeta(float64(n-1)/2, 0.5))
}

// cosineTail is the chance that this cosine is at least c.
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

// step is the way from one look to the next.
type transition struct {
	n, added int
	old, new []float64 // factors of the cosines of the old and the new logarithms, at each angle
	weight   []float64 // of the angles; their sum is 1
}

func newTransition(before, n int) *transition {
	r := n - before
	s := &transition{n: n, added: r}
	// The angle is near the one of equal shares, 1/sqrt(2n) off in standard deviation.
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

// density is that of the next cosine at c >= 0, from cosines at +-x with the weights w.
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

// lost is the chance that the next cosine is at least c in size, from cosines at +-x with the weights w.
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

// level is the level at which the quota is lost in this step. It is at least the quota, which others
// have not used up, and at most all that is spent so far.
func (s *transition) level(quota, spent float64, x, w []float64) float64 {
	// The logarithm of what is lost is nearly a straight line in that of the level: the Illinois method.
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
