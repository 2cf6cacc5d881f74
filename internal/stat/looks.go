package stat

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"
)

// Spending is a spending function: how much of alpha, the chance of a false rejection, may be used up
// when the share t of all the data that may ever come is there, 0 < t <= 1 (Lan and DeMets: Discrete
// sequential boundaries for clinical trials, Biometrika 70(3), 1983). It rises in t to alpha at 1.
type Spending func(alpha, t float64) float64

// Square spends alpha t^2 (Kim and DeMets: Design and analysis of group sequential tests based on the
// type I error spending rate function, Biometrika 74(1), 1987, with rho = 2).
func Square(alpha, t float64) float64 { return alpha * t * t }

// Levels are the nominal two-sided levels of tests at looks when the shares ts of the data are there,
// ascending: rejecting at the first look whose p-value is at most its level has, at each look, spent what
// the spending function allows. The sums of the data up to the looks are those of a Brownian motion; the
// chance of a first crossing is integrated look by look (Armitage, McPherson and Rowe: Repeated
// significance tests on accumulating data, Journal of the Royal Statistical Society A 132(2), 1969;
// Jennison and Turnbull: Group Sequential Methods, 2000, section 19.2).
//
// Student's t has no Brownian motion behind it; a p-value of t compared with these levels is the
// significance level approach of Jennison and Turnbull, section 3.8. Simulations in package compare show
// that it keeps alpha from 10 blocks on.
func Levels(spend Spending, alpha float64, ts []float64) []float64 {
	levels := make([]float64, len(ts))
	levels[0] = spend(alpha, ts[0])
	// w are the quadrature weights times the density of the sum x of those that have not crossed yet.
	var x, w []float64
	for k := range ts {
		if k > 0 {
			step := math.Sqrt(ts[k] - ts[k-1])
			quota := spend(alpha, ts[k]) - spend(alpha, ts[k-1])
			levels[k] = levelFor(quota, math.Sqrt(ts[k]), step, x, w)
		}
		if k == len(ts)-1 {
			break
		}
		edge := bound(levels[k]) * math.Sqrt(ts[k])
		n := nodes(edge, math.Sqrt(ts[k+1]-ts[k]))
		nx, nw := make([]float64, n), make([]float64, n)
		quad.Legendre{}.FixedLocations(nx, nw, -edge, edge)
		for i := range nx {
			if k == 0 {
				nw[i] *= normal(nx[i], math.Sqrt(ts[0]))
				continue
			}
			step := math.Sqrt(ts[k] - ts[k-1])
			density := 0.0
			for j := range x {
				density += w[j] * normal(nx[i]-x[j], step)
			}
			nw[i] *= density
		}
		x, w = nx, nw
	}
	return levels
}

// nodes is the number of points of a Gauss-Legendre rule between -edge and edge that integrates a normal
// density of the deviation sigma with an error below 1e-9: near the middle they lie pi edge / n apart, and
// the error falls as exp(-2 (pi sigma / distance)^2).
func nodes(edge, sigma float64) int { return 24 + int(4*edge/sigma) }

// levelFor is the level at which the quota of those at x is lost in one step: their chance to leave
// -c scale .. c scale, c being the level's bound.
func levelFor(quota, scale, step float64, x, w []float64) float64 {
	lost := func(c float64) float64 {
		sum := 0.0
		for i := range x {
			sum += w[i] * (tail((c*scale-x[i])/step) + tail((c*scale+x[i])/step))
		}
		return sum
	}
	low, high := 0.0, 40.0
	for range 60 {
		if mid := (low + high) / 2; lost(mid) > quota {
			low = mid
		} else {
			high = mid
		}
	}
	return 2 * tail(high)
}

// tail is the chance that a standard normal is above z.
func tail(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }

// bound is the z beyond which, on both sides, a standard normal is with the chance p.
func bound(p float64) float64 { return -distuv.UnitNormal.Quantile(p / 2) }

func normal(x, sigma float64) float64 {
	z := x / sigma
	return math.Exp(-z*z/2) / (sigma * math.Sqrt(2*math.Pi))
}

// Looks are the looks of a group-sequential test for all alphas at once.
type Looks struct {
	Shares []float64 // of all the data that may ever come, ascending, at most 1
	spend  Spending
	alphas []float64   // logarithms, ascending
	levels [][]float64 // logarithms of the levels, by look and alpha
}

// The alphas of the table: beyond the least, the looks cross apart from each other, so that levels are in
// proportion to alpha; beyond the largest nothing is ever rejected.
const (
	leastAlpha   = 1e-12
	largestAlpha = 0.99
	alphaStep    = 1.4 // from one alpha of the table to the next
)

// NewLooks prepares looks; it takes some tens of milliseconds.
func NewLooks(spend Spending, shares []float64) *Looks {
	l := &Looks{Shares: shares, spend: spend, levels: make([][]float64, len(shares))}
	for alpha := leastAlpha; ; alpha = min(alpha*alphaStep, largestAlpha) {
		l.alphas = append(l.alphas, math.Log(alpha))
		for k, level := range Levels(spend, alpha, shares) {
			l.levels[k] = append(l.levels[k], math.Log(level))
		}
		if alpha == largestAlpha {
			return l
		}
	}
}

// Level is the nominal level of look k where alpha is what all looks may spend. Between the alphas of the
// table its logarithm is a straight line: 0.1 % off at most where alpha is at most 0.2, 1 % beyond.
func (l *Looks) Level(alpha float64, k int) float64 {
	return math.Exp(interpolate(l.alphas, l.levels[k], math.Log(alpha)))
}

// Spent is the part of alpha that is spent at look k.
func (l *Looks) Spent(alpha float64, k int) float64 { return l.spend(alpha, l.Shares[k]) }

// P is the p-value over the looks so far, of which ps are the p-values: the least alpha at which one of
// them would have rejected (Liu and Anderson: On adaptive extensions of group sequential trials for
// clinical investigations, Journal of the American Statistical Association 103(484), 2008). Under the
// hypothesis it is at most x with a chance of at most x, also when the test stops before its last look.
func (l *Looks) P(ps []float64) float64 {
	least := 1.0
	for k, p := range ps {
		if p <= 0 {
			return 0
		}
		if p = math.Log(p); p <= l.levels[k][len(l.alphas)-1] {
			least = min(least, math.Exp(interpolate(l.levels[k], l.alphas, p)))
		}
	}
	return least
}

// interpolate is the value at x of the straight lines through the points; xs ascend. Below the first point
// the slope is 1.
func interpolate(xs, ys []float64, x float64) float64 {
	i := sort.SearchFloat64s(xs, x)
	switch {
	case i == 0:
		return ys[0] + x - xs[0]
	case i == len(xs):
		return ys[i-1]
	}
	return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
}
