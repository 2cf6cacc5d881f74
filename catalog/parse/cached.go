package parse

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newCached first tries the last format that fitted. If formats come in runs, most attempts succeed. If the format
// changes with each date, it makes one more failed attempt than the others.
func newCached(_ env.Env, p plan.Point) (workload.Job, error) {
	return job(p, cached, vainCached), nil
}

func cached(in *input) (t tally) {
	last := 0
	for _, text := range in.dates {
		d, format := parseFrom(in.formats, last, text)
		if format >= 0 {
			t.add(d)
			last = format
		}
	}
	return t
}

// parseFrom reads a date and returns the number of its format, or -1 if none fits. It tries the format first first.
func parseFrom(formats []string, first int, text string) (time.Time, int) {
	if d, err := time.Parse(formats[first], text); err == nil {
		return d, first
	}
	for i, format := range formats {
		if i == first {
			continue
		}
		if d, err := time.Parse(format, text); err == nil {
			return d, i
		}
	}
	return time.Time{}, -1
}

// vainCached returns the number of failed attempts of cached.
func vainCached(in *input) (n int) {
	last := 0
	for _, f := range in.formatOf {
		switch {
		case f == last:
			continue
		case f < last:
			n += f + 1
		default: // the last format was tried first, and is not tried again
			n += f
		}
		if f < len(in.formats) {
			last = f
		}
	}
	return n
}
