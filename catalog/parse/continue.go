package parse

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newContinue has two nested loops, and a labelled continue when a format fits. The failed attempts before each success
// limit it.
func newContinue(_ env.Env, p plan.Point) (workload.Job, error) {
	return job(p, labelled, inVain), nil
}

func labelled(in *input) (t tally) {
dates:
	for _, text := range in.dates {
		for _, format := range in.formats {
			d, err := time.Parse(format, text)
			if err == nil {
				t.add(d)
				continue dates
			}
		}
	}
	return t
}
