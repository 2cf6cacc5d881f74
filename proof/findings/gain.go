package findings

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
)

// Gained returns the fraction of its time that a program saves by a change, with its 95% interval: Student's t on the
// logarithms of the ratios of each pair. The times are positive and were measured in turn, at least two of each side.
func Gained(before, after []float64) (gain, low, high float64) {
	ratios := make([]float64, min(len(before), len(after)))
	for n := range ratios {
		ratios[n] = math.Log(after[n] / before[n])
	}
	mean, least, most := stat.MeanInterval(ratios, 0.95)
	return 1 - math.Exp(mean), 1 - math.Exp(most), 1 - math.Exp(least)
}

// tolerance is the largest relative error of an estimated gain.
const tolerance = 0.3

// Kept reports whether an estimated gain is within 30% of the real gain, or within the interval of the real gain.
func Kept(estimate, gain, low, high float64) bool {
	return estimate >= math.Min(low, (1-tolerance)*gain) && estimate <= math.Max(high, (1+tolerance)*gain)
}
