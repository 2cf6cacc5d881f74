package findings

import (
	"math"

	"github.com/brewput/brewput/internal/stat"
)

// Gained is the fraction of its time that a program saves by a change, of times that were measured in turn, with its 95
// % interval: by Student's t on the logarithms of the ratios of each pair. Times are positive, two of each side or
// more.
func Gained(before, after []float64) (gain, low, high float64) {
	ratios := make([]float64, min(len(before), len(after)))
	for n := range ratios {
		ratios[n] = math.Log(after[n] / before[n])
	}
	mean, least, most := stat.MeanInterval(ratios, 0.95)
	return 1 - math.Exp(mean), 1 - math.Exp(most), 1 - math.Exp(least)
}

// kept is how far a promise may be from what the change gives, as a part of that.
const kept = 0.3

// Kept reports whether an estimated gain is within 30 % of what the change gave, or of an end of its interval.
func Kept(estimate, gain, low, high float64) bool {
	return estimate >= math.Min(low, (1-kept)*gain) && estimate <= math.Max(high, (1+kept)*gain)
}
