package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BinomialTail returns the probability of k or more successes in n trials with success probability p. This is the
// exact one-sided p-value of a proportion of at most p. It is the regularized incomplete beta function I_p(k,
// n-k+1) (Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, 26.5.24), which avoids sums of tiny
// terms. It is NaN for p outside 0..1 or n below 0.
func BinomialTail(k, n int, p float64) float64 {
	switch {
	case n < 0 || !(p >= 0 && p <= 1):
		return math.NaN()
	case k <= 0:
		return 1
	case k > n:
		return 0
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}

// WilsonInterval returns the 95% score interval of a proportion with k successes in n trials (Wilson: Probable
// inference, the law of succession, and statistical inference, Journal of the American Statistical Association
// 22(158), 1927); 0 to 1 if n is 0.
func WilsonInterval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (middle-half)/(1+z*z/m)), min(1, (middle+half)/(1+z*z/m))
}
