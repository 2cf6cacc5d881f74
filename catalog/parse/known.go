package parse

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newKnown knows the format of each date. It measures parsing without failed attempts, which is a bound.
func newKnown(_ env.Env, p plan.Point) (workload.Job, error) {
	return job(p, told, func(*input) int { return 0 }), nil
}

func told(in *input) (t tally) {
	for i, text := range in.dates {
		f := in.formatOf[i]
		if f == len(in.formats) {
			continue
		}
		if d, err := time.Parse(in.formats[f], text); err == nil {
			t.add(d)
		}
	}
	return t
}
