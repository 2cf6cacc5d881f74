// Package parse reads dates in one of several formats (B. Bengfort's journal of Go experiments). The question was
// whether a labelled continue is slower than a helper function that returns.
//
// A date in the i-th format costs i-1 failed attempts and a success: n(c + f(i-1)) for n dates, where c is the time of
// a success and f that of a failure. The designs continue and helper make the same calls in the same order, so they can
// differ only by a jump. The design cached first tries the format of the previous date, and fails only when the format
// changes. All designs have one goroutine, so CPUs have no effect.
package parse

import (
	"fmt"
	"math"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload parse.
func Workload() *workload.Workload {
	uses := []string{"dates", "run", "formats"}
	return &workload.Workload{
		Name: "parse",
		Doc:  "Parse dates that are in one of several formats.",
		Factors: []plan.Factor{
			{Name: "dates", Doc: "how many", Kind: plan.Int, Default: "300000", Min: 1, Max: 100_000_000, Input: true},
			{Name: "run", Doc: "consecutive dates of one format, as in one file", Kind: plan.Int,
				Default: "100", Min: 1, Max: 100_000_000, Input: true},
			{Name: "formats", Doc: "number of formats", Kind: plan.Int, Default: "8", Min: 1, Max: 8,
				Input: true},
		},
		Quick: map[string]string{"dates": "200000"},
		Designs: []workload.Design{
			{Name: "continue", Doc: "nested loops, with a labelled continue when a format matches", Uses: uses,
				Job: newContinue},
			{Name: "helper", Doc: "a function that returns when a format matches", Uses: uses, Job: newHelper,
				Formula: same()},
			{Name: "cached", Doc: "the helper, trying the format that matched last first", Uses: uses,
				Job: newCached, Formula: fewer()},
			{Name: "known", Doc: "the format of each date is known: no attempt fails", Uses: uses, Job: newKnown,
				Expect: workload.Bound},
		},
	}
}

// same predicts the time of continue, because helper makes the same calls.
func same() *workload.Formula {
	return &workload.Formula{
		Text: "the time of continue", Source: "the same calls of time.Parse in the same order",
		Seconds: func(p plan.Point, m workload.Measured) float64 { return m.Wall("continue", p) },
	}
}

// fewer counts the failed attempts of cached, each of which takes as long as one of continue.
func fewer() *workload.Formula {
	return &workload.Formula{
		Text:   "T(known) + F(cached) (T(continue) - T(known)) / F(continue): T is the time, F the failed attempts",
		Source: "operations counted, each at its measured cost (Knuth, The Art of Computer Programming 1, 1.3.3)",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			all, ok := m.Metric("continue", "vain", p)
			few, also := m.Metric("cached", "vain", p)
			if !ok || !also || all == 0 {
				return math.NaN()
			}
			base := m.Wall("known", p)
			return base + few*(m.Wall("continue", p)-base)/all
		},
	}
}

// tally is the number of dates that were read, and the sum of their days since 1970.
type tally struct{ read, days int64 }

func (t *tally) add(d time.Time) {
	t.read++
	t.days += d.Unix() / (24 * 60 * 60)
}

// job returns the job of a design. vain computes the number of failed attempts from the formats of the dates.
func job(p plan.Point, run func(*input) tally, vain func(*input) int) workload.Job {
	in, got := newInput(p.Int("dates"), p.Int("run"), p.Int("formats")), tally{}
	return workload.Job{
		Items: int64(len(in.dates)),
		Run: func(e env.Env) error {
			w := e.Begin()
			got = run(in)
			w.End()
			return nil
		},
		Check: func() (workload.Answer, error) {
			if got != in.want {
				return nil, fmt.Errorf("%d dates with the sum %d of their days instead of %d with %d", got.read,
					got.days, in.want.read, in.want.days)
			}
			return workload.Answer{"dates": got.read, "days": got.days}, nil
		},
		Metrics: func() map[string]float64 { return map[string]float64{"vain": float64(vain(in))} },
	}
}

// inVain returns the number of failed attempts if formats are tried in order.
func inVain(in *input) (n int) {
	for _, f := range in.formatOf {
		n += f // a date without a format fails as if it had one more
	}
	return n
}
