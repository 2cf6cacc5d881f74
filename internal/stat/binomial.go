package stat

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// BinomialTail is the probability of k or more successes in n trials that each succeed with probability
// p: the exact one-sided p-value of the hypothesis that the share is at most p. It is the regularized
// incomplete beta function I_p(k, n-k+1) (Abramowitz and Stegun, Handbook of Mathematical Functions,
// 1964, 26.5.24), so that no sum of tiny terms loses digits. It is NaN for a p outside 0..1 or an n
// below 0.
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

// Wilson is the 95 % score interval of a probability of which k of n trials were hits (Wilson: Probable inference, the
// law of succession, and statistical inference, Journal of the American Statistical Association 22(158), 1927); 0 to 1
// where n is 0.
func WilsonInterval(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054
	p, m := float64(k)/float64(n), float64(n)
	middle, half := p+z*z/(2*m), z*math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, (middle-half)/(1+z*z/m)), min(1, (middle+half)/(1+z*z/m))
}
