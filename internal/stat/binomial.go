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
