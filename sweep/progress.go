package sweep

import (
	"time"

	"github.com/brewput/brewput/plan"
)

// estimate foresees how long the rest of a sweep takes: what each case took before, else its guess.
type progress struct {
	perTrial    []time.Duration // by case; 0 means unknown
	done, total int
}

// overhead is what a trial takes beyond its window: a process, two burn probes, storing it.
const trialOverhead = 45 * time.Millisecond

// guess is the time that one trial of a design takes before any was run; 0 where nobody knows.
func (s *Sweep) expectedTime(design string) time.Duration {
	d, _ := s.Workload.Find(design)
	set := s.Header.Settings
	if d.Job != nil || set.Operations > 0 {
		return 0
	}
	return time.Duration(set.Warmup) + time.Duration(set.Duration) + trialOverhead // an overloaded open loop takes longer
}

func (s *Sweep) newProgress(done int) *progress {
	e := &progress{perTrial: make([]time.Duration, len(s.Plan.Cases)), done: done, total: s.TotalTrials()}
	for i, c := range s.Plan.Cases {
		e.perTrial[i] = s.expectedTime(c.Design)
	}
	return e
}

func (e *progress) add(step plan.Step, d time.Duration) {
	e.done++
	e.perTrial[step.Case] = d
}

// event describes the state before a step.
func (e *progress) event(p plan.Plan, step plan.Step) Event {
	return Event{Step: step, Case: p.Cases[step.Case], Done: e.done, Total: e.total, TimeLeft: e.left()}
}

// left is the time that is left. Cases of which nothing is known count as the mean of the others; 0 where nothing is
// known of any.
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
