package parse

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newHelper calls a function for each date, which returns at the first format that fits. It makes the same attempts as
// continue.
func newHelper(_ env.Env, p plan.Point) (workload.Job, error) {
	return job(p, helped, inVain), nil
}

func helped(in *input) (t tally) {
	for _, text := range in.dates {
		if d, ok := parse(in.formats, text); ok {
			t.add(d)
		}
	}
	return t
}

// parse reads a date in the first format that fits. The bool is false if none does.
func parse(formats []string, text string) (time.Time, bool) {
	for _, format := range formats {
		d, err := time.Parse(format, text)
		if err == nil {
			return d, true
		}
	}
	return time.Time{}, false
}
