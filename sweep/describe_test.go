package sweep

import (
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func TestDescribe(t *testing.T) {
	run := &Header{World: result.Live, Blocks: 10, Cases: make([]plan.Case, 6), Instrumented: true,
		PredictedCases: make([]plan.Case, 8)}
	simulation := &Header{World: result.Virtual, Blocks: 4, Cases: make([]plan.Case, 6)}
	at := func(block, done, total int, left time.Duration) Event {
		return Event{Step: plan.Step{Block: block}, Done: done, Total: total, TimeLeft: left}
	}
	prediction, pilot := at(0, 3, 80, 0), at(0, 2, 5, 0)
	prediction.Predicts, pilot.Pilot = true, true
	for _, c := range []struct {
		e    Event
		h    *Header
		want string
	}{
		{at(2, 41, 120, 123*time.Second), run, "block 3 of 10, 41 of 120 trials, about 2m3s left"},
		{at(2, 41, 120, 0), run, "block 3 of 10, 41 of 120 trials"},
		{at(2, 41, 48, 40*time.Second), run, "block 3, 41 of 48 trials, about 40s left"}, // a gate or a budget
		{at(1, 7, 24, 0), simulation, "replication 2 of 4, 7 of 24 trials"},
		{prediction, run, "prediction, block 1 of 10, 3 of 80 trials"},
		{pilot, simulation, "2 of 5 trials that find the warm-up"},
		{at(0, 7, 0, 0), nil, "7 runs done"},   // of explain
		{at(0, 1, 4, 0), nil, "1 of 4 trials"}, // capacities are measured before a run begins
	} {
		if got := c.e.Describe(c.h); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
