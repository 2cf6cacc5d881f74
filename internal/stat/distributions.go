package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// The distributions are written with the special functions of gonum. Its packages stat/distuv and interp would add all
// of its linear algebra to the program: 2 MB.

// tQuantile returns the p-quantile of Student's t distribution with df degrees of freedom, 0 < p < 1.
func tQuantile(p, df float64) float64 {
	u := mathext.InvRegIncBeta(df/2, 0.5, 2*min(p, 1-p))
	return math.Copysign(math.Sqrt(df*(1-u)/u), p-0.5)
}

// tSurvival returns the probability that Student's t with df degrees of freedom is larger than x: half the regularized
// incomplete beta function of df/(df+x^2) for x >= 0 (Abramowitz and Stegun: Handbook of Mathematical Functions,
// 26.7.1).
func tSurvival(x, df float64) float64 {
	tail := 0.5 * mathext.RegIncBeta(df/2, 0.5, df/(df+x*x))
	if x < 0 {
		return 1 - tail
	}
	return tail
}

// normalCDF returns the probability that a standard normal variable is at most x.
func normalCDF(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
