package sweep

import (
	"strings"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
)

// SchedulerCosts are the costs of Go's scheduler that a simulation charges.
type SchedulerCosts struct {
	Text     string   // see sim.ParseCosts
	From     string   // "given", CostsTypical, or CostsCalibrated and a time
	Warnings []string // reasons to doubt them
}

// WhyTypical begins the warning of a header whose costs are typical. The reason follows. The warning that the page of
// the run prints has it too.
const WhyTypical = "the scheduler's costs are typical ones: "

// TypicalReason returns the reason in the warnings of a header, in parentheses after a space; "" if there is none.
func TypicalReason(warnings []string) string {
	for _, w := range warnings {
		if why, ok := strings.CutPrefix(w, WhyTypical); ok {
			return " (" + why + ")"
		}
	}
	return ""
}

// CostsHere returns the given costs, or else the calibrated costs of the machine here, or else typical costs, with a
// warning. Errors are a [*plan.Refusal].
func CostsHere(given string, here result.Environment) (SchedulerCosts, error) {
	if given != "" {
		c, err := sim.ParseCosts(given)
		if err != nil {
			return SchedulerCosts{}, plan.Refuse("cost", given, "%w", err)
		}
		return SchedulerCosts{c.String(), "given", []string{}}, nil
	}

	cal, c, err := costs.Load(calibrate.CacheDir(), here.Fingerprint, here.GoVersion)
	if err != nil {
		text := sim.Typical().String()
		return SchedulerCosts{text, CostsTypical, []string{WhyTypical + err.Error()}}, nil
	}
	return SchedulerCosts{c.String(), CostsCalibrated + cal.Measured.UTC().Format(time.RFC3339),
		append([]string{}, cal.Warnings...)}, nil
}
