package doctor

import (
	"fmt"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// Noise is the result of comparing a design with itself.
type Noise struct {
	CPUs      int
	Blocks    int
	HalfWidth result.Value // of the 95% interval of the ratio, as a ratio: 0.01 is 1%
	Differs   bool         // the verdict was a difference, although there is none
	Missing   string       // why there is no half-width
}

// judgeNoise makes the check of the noise floor. It also returns the floor: the largest half-width, unknown if
// one of them is.
func judgeNoise(noise []Noise) (Check, result.Value) {
	floor := result.Value(0)
	var parts, missing []string
	differs := false
	for _, n := range noise {
		differs = differs || n.Differs
		if n.Missing != "" || !n.HalfWidth.Known() {
			missing = append(missing, fmt.Sprintf("at %s: %s", result.Count(n.CPUs, "CPU"), n.Missing))
			continue
		}
		floor = max(floor, n.HalfWidth)
		parts = append(parts, fmt.Sprintf("±%s at %s", decimal.Percent(float64(n.HalfWidth), 2),
			result.Count(n.CPUs, "CPU")))
	}
	if len(missing) > 0 {
		return Check{Name: "noise", Status: Unknown, Evidence: strings.Join(append(parts, missing...), "; "),
			Claim: "it is unknown how small a difference this machine can show",
			Fix:   "give doctor more time; or read the intervals of a run"}, result.Unavailable
	}
	c := number("noise", grade(float64(floor), usualMargin/2, 0.1), float64(floor), "ratio",
		fmt.Sprintf("%s, in %s", flat(parts), result.Count(noise[0].Blocks, "A/A block")))
	if differs && c.Status == Good {
		c.Status = Caution
	}
	claim := fmt.Sprintf("differences above %s can be judged, smaller ones cannot", twice(float64(floor)))
	if differs {
		claim = fmt.Sprintf("a design differed from itself, by chance in 1 of %d examinations: repeat this",
			20/len(noise))
	}
	return c.claim(claim, "fix the other checks first; or measure four times the blocks, which halves the noise"), floor
}
