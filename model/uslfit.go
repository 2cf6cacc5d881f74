package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrUndetermined means that the measurements do not determine the coefficients of a law.
var ErrUndetermined = errors.New("the measurements do not determine the coefficients")

// Fit is a law fitted to measurements.
type Fit struct {
	USL
	// Standard errors of the coefficients. NaN means that the coefficient is at its bound 0, and the other errors are
	// those of a law without it.
	LambdaError, SigmaError, KappaError float64
	R2                                  float64 // share of the variance explained, at most 1; NaN if there is none
	Freedom                             int     // measurements less coefficients above 0
}

// Peak returns the peak of the fitted law. ok is false if the measurements do not show one: Kappa or 1 - Sigma is
// less than twice its standard error away from 0.
func (f Fit) Peak() (n float64, ok bool) {
	n, ok = f.USL.Peak()
	certain := f.Kappa >= 2*f.KappaError && (math.IsNaN(f.SigmaError) || math.Abs(1-f.Sigma) >= 2*f.SigmaError)
	return n, ok && certain
}

// FitUSL fits the law to throughputs (1/s, positive) measured with ns workers or CPUs (1 or more). It minimizes the
// squared deviations of the throughputs with Lambda > 0, Sigma >= 0 and Kappa >= 0. Standard errors are those of the
// law linearized at the fit (Seber and Wild, Nonlinear Regression, 1989, 2.1). They assume that deviations are
// independent and equally large at all ns. It returns ErrUndetermined for fewer than four measurements or fewer than
// three different ns: three coefficients always pass through three points, which shows nothing.
func FitUSL(ns []int, throughputs []float64) (Fit, error) {
	if len(ns) != len(throughputs) {
		return Fit{}, fmt.Errorf("model: %d numbers of workers and %d throughputs", len(ns), len(throughputs))
	}
	for i, n := range ns {
		if err := within(fmt.Sprintf("workers of measurement %d", i), n, 1, most); err != nil {
			return Fit{}, err
		}
		if err := positive(fmt.Sprintf("throughput of measurement %d", i), throughputs[i]); err != nil {
			return Fit{}, err
		}
	}
	different := slices.Compact(slices.Sorted(slices.Values(ns)))
	if len(ns) < 4 || len(different) < 3 {
		return Fit{}, fmt.Errorf("model: %d measurements of %d different numbers of workers, but there must "+
			"be four of three: %w",
			len(ns), len(different), ErrUndetermined)
	}
	c := newCurve(ns, throughputs)
	best, least := []float64(nil), math.Inf(1)
	for face := range 4 { // with and without Sigma, with and without Kappa: the optimum is inside one of these
		theta := c.descend(c.start(face), face)
		if squares, ok := c.squares(theta); ok && squares < least && slices.Min(theta) >= 0 && theta[0] > 0 {
			best, least = theta, squares
		}
	}
	if best == nil {
		return Fit{}, fmt.Errorf("model: no law passes near the measurements: %w", ErrUndetermined)
	}
	return c.fit(best, least)
}

// curve is the measurements, scaled so that all numbers are near 1. The law is fitted as throughput = n / (a + b
// (n-1) + c n (n-1)), where theta is a, b and c.
type curve struct {
	n, x  []float64
	basis [3][]float64 // 1/n, (n-1)/n, n-1, each divided by its scale
	scale [3]float64
	unit  float64 // of x, 1/s
}

func newCurve(ns []int, throughputs []float64) curve {
	c := curve{unit: slices.Max(throughputs)}
	for i, n := range ns {
		k := float64(n)
		c.n = append(c.n, k)
		c.x = append(c.x, throughputs[i]/c.unit)
		for j, v := range [3]float64{1 / k, (k - 1) / k, k - 1} {
			c.basis[j] = append(c.basis[j], v)
			c.scale[j] = max(c.scale[j], v)
		}
	}
	for j, column := range c.basis {
		for i := range column {
			column[i] /= c.scale[j]
		}
	}
	return c
}

// inverse returns 1/throughput of the law at measurement i.
func (c curve) inverse(theta []float64, i int) (y float64) {
	for j, column := range c.basis {
		y += theta[j] * column[i]
	}
	return y
}

// squares returns the sum of the squared deviations. ok is false if the law has a pole among the measurements.
func (c curve) squares(theta []float64) (sum float64, ok bool) {
	for i, x := range c.x {
		y := c.inverse(theta, i)
		if !(y > 0) {
			return 0, false
		}
		sum += (x - 1/y) * (x - 1/y)
	}
	return sum, true
}

// columns are the coefficients that a face leaves free: 1 is b, 2 is c; a is always free.
func columns(face int) []int {
	free := []int{0}
	for j := 1; j <= 2; j++ {
		if face&j != 0 {
			free = append(free, j)
		}
	}
	return free
}

// start fits the inverse throughput, which is linear in theta, weighted by the effect of its deviations on the
// throughput. Coefficients below 0 start at 0.
func (c curve) start(face int) []float64 {
	free := columns(face)
	rows, right := make([][]float64, len(c.x)), make([]float64, len(c.x))
	for i, x := range c.x {
		right[i] = x
		for _, j := range free {
			rows[i] = append(rows[i], x*x*c.basis[j][i])
		}
	}
	theta := []float64{1, 0, 0}
	if solution, ok := leastSquares(rows, right, 0); ok {
		for k, j := range free {
			theta[j] = max(0, solution[k])
		}
	}
	return theta
}

// descend is the least-squares fit by Levenberg-Marquardt steps.
func (c curve) descend(theta []float64, face int) []float64 {
	free, damping := columns(face), 1e-3
	squares, ok := c.squares(theta)
	if !ok {
		theta = []float64{1, 0, 0}
		squares, _ = c.squares(theta)
	}
	for range 500 {
		rows, right := make([][]float64, len(c.x)), make([]float64, len(c.x))
		for i, x := range c.x {
			y := c.inverse(theta, i)
			right[i] = x - 1/y
			for _, j := range free {
				rows[i] = append(rows[i], -c.basis[j][i]/(y*y))
			}
		}
		step, ok := leastSquares(rows, right, damping)
		next, size := slices.Clone(theta), 0.0
		for k, j := range free {
			if ok {
				next[j] += step[k]
				size = max(size, math.Abs(step[k]))
			}
		}
		if after, fine := c.squares(next); ok && fine && after <= squares {
			theta, squares, damping = next, after, damping/10
			if size < 1e-12*slices.Max(theta) {
				break
			}
		} else if damping *= 10; damping > 1e15 {
			break
		}
	}
	return theta
}

// fit returns the law at theta with its errors.
func (c curve) fit(theta []float64, squares float64) (Fit, error) {
	a, b, k := theta[0]/c.scale[0], theta[1]/c.scale[1], theta[2]/c.scale[2]
	law := USL{Lambda: 1 / a, Sigma: b / a, Kappa: k / a}
	free := []int{0}
	for j := 1; j <= 2; j++ {
		if theta[j] > 0 {
			free = append(free, j)
		}
	}
	all, rows := make([][]float64, len(c.x)), make([][]float64, len(c.x))
	for i, n := range c.n {
		below := 1 + law.Sigma*(n-1) + law.Kappa*n*(n-1)
		x := law.Lambda * n / below
		all[i] = []float64{x / law.Lambda, -x * (n - 1) / below, -x * n * (n - 1) / below}
		for _, j := range free {
			rows[i] = append(rows[i], all[i][j])
		}
	}
	if _, ok := inverseDiagonal(all, 0); !ok {
		return Fit{}, fmt.Errorf("model: the numbers of workers are too much alike: %w", ErrUndetermined)
	}
	f := Fit{USL: law, R2: math.NaN(), Freedom: len(c.x) - len(free)}
	errs := [3]float64{math.NaN(), math.NaN(), math.NaN()}
	for at, j := range free {
		variance, _ := inverseDiagonal(rows, at) // of some of columns that are all independent
		errs[j] = math.Sqrt(squares / float64(f.Freedom) * variance)
	}
	f.LambdaError, f.SigmaError, f.KappaError = errs[0]*c.unit, errs[1], errs[2]
	f.Lambda *= c.unit
	mean, total := 0.0, 0.0
	for _, x := range c.x {
		mean += x / float64(len(c.x))
	}
	for _, x := range c.x {
		total += (x - mean) * (x - mean)
	}
	if total > 0 {
		f.R2 = 1 - squares/total
	}
	return f, nil
}
