package cli

import (
	"context"
	"testing"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// TestSimulatorLeavesOut: trials that were begun ahead of a case that came to the limit are ended, and those of others
// go on.
func TestSimulatorLeavesOut(t *testing.T) {
	m := aheadOf(func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Design == "slow" && spec.Block > 0 {
			<-ctx.Done()
			return trial.Outcome{}, ctx.Err()
		}
		return trial.Outcome{Limited: spec.Design == "slow", Trial: result.Trial{Design: spec.Design}}, nil
	})
	m.slots = make(chan struct{}, 2)
	spec := func(design string, block int) trial.Spec { return trial.Spec{Design: design, Block: block} }
	m.Ahead([]trial.Spec{spec("slow", 0), spec("slow", 1), spec("slow", 2), spec("fast", 0), spec("slow", 3)})
	for _, s := range []trial.Spec{spec("slow", 0), spec("fast", 0)} {
		if o, err := m.Run(t.Context(), s); err != nil || o.Trial.Design != s.Design {
			t.Errorf("%s: %+v, %v", s.Design, o.Trial, err)
		}
	}
	if len(m.ahead) > 0 || len(m.next) > 0 {
		t.Errorf("%d trials are left, and %d are still to begin", len(m.ahead), len(m.next))
	}
}
