package sweep

import (
	"context"
	"time"

	"github.com/brewput/brewput/timeline"
)

// Timelines simulates the first trial of every case again, for at most span after the warm-up, and returns the
// timelines in the order of the cases. It is nil for a case whose measurement did not begin. The sweep must be one in
// virtual time; it is not changed.
func (s *Sweep) Timelines(ctx context.Context, span time.Duration) ([]*timeline.Timeline, error) {
	again, err := New(s.Workload, s.Header)
	if err != nil {
		return nil, err
	}
	specs := s.firstBlock()
	for i := range specs {
		specs[i].Timeline = span
		if specs[i].Operations == 0 {
			specs[i].Duration = min(specs[i].Duration, span)
		}
	}
	again.Ahead(specs)

	byCase := map[string]*timeline.Timeline{}
	for _, spec := range specs {
		outcome, err := again.Run(ctx, spec)
		if err != nil {
			return nil, err
		}
		byCase[caseOf(spec)] = outcome.Timeline
	}

	var all []*timeline.Timeline
	for _, c := range s.Header.Cases {
		t := byCase[caseName(c)]
		if t != nil {
			t.Title = caseName(c)
		}
		all = append(all, t)
	}
	return all, nil
}
