package sweep

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// progress estimates how long the rest of a sweep takes, from the last trial of each case or its expected time.
type progress struct {
	perTrial    []time.Duration // by case; 0 means unknown
	done, total int
}

// trialOverhead is the time of a live trial beyond its window: the process, two burn probes and storing the result.
const trialOverhead = 45 * time.Millisecond

// expectedTime returns the expected time of one trial of a case before any has run; 0 if unknown.
func (s *Sweep) expectedTime(c plan.Case) time.Duration {
	d, _ := s.Workload.Find(c.Design)
	set := s.settings(c)
	if d.Job != nil || set.Operations > 0 {
		return 0
	}
	// Overloaded open loops take longer. A preflight took the time of its server, which each trial starts.
	return time.Duration(set.Warmup) + time.Duration(set.Duration) + max(trialOverhead, s.preflightTimes[c.Design])
}

func (s *Sweep) newProgress(done int) *progress {
	e := &progress{perTrial: make([]time.Duration, len(s.Plan.Cases)), done: done, total: s.TotalTrials()}
	for i, c := range s.Plan.Cases {
		e.perTrial[i] = s.expectedTime(c)
	}
	return e
}

func (e *progress) add(step plan.Step, d time.Duration) {
	e.done++
	e.perTrial[step.Case] = d
}

// Describe says in a few words how far a run is, as in "block 3 of 10, 41 of 120 trials, about 2m0s left". h is the
// header of the run, or nil before it begins. The number of blocks is left out if it is not fixed.
func (e Event) Describe(h *Header) string {
	words := fmt.Sprintf("%d of %d trials", e.Done, e.Total)
	switch {
	case e.Total == 0:
		words = result.Count(e.Done, "run") + " done"
	case e.Pilot:
		words += " that find the warm-up"
	case h != nil:
		what, perBlock := "block", len(h.Cases)
		if h.Instrumented {
			perBlock *= 2
		}
		if e.Predicts {
			what, perBlock = "prediction, block", len(h.PredictedCases)
		} else if h.World == result.Virtual {
			what = "replication"
		}
		block := fmt.Sprintf("%s %d", what, e.Step.Block+1)
		if e.Total == h.Blocks*perBlock {
			block += fmt.Sprintf(" of %d", h.Blocks)
		}
		words = block + ", " + words
	}
	if e.TimeLeft > 0 {
		words += fmt.Sprintf(", about %v left", result.Rounded(e.TimeLeft))
	}
	return words
}

// event returns the event before a step.
func (e *progress) event(p plan.Plan, step plan.Step) Event {
	return Event{Step: step, Case: p.Cases[step.Case], Done: e.done, Total: e.total, TimeLeft: e.left()}
}

// left returns the estimated remaining time. Cases of unknown length count as the mean of the others. It is 0 if
// all are unknown.
func (e *progress) left() time.Duration {
	var sum time.Duration
	known := 0
	for _, d := range e.perTrial {
		if d > 0 {
			sum += d
			known++
		}
	}
	if known == 0 {
		return 0
	}
	return time.Duration(float64(sum) / float64(known) * float64(e.total-e.done))
}
