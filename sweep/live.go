package sweep

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// Live are the settings of live trials on which it depends whether a case can be measured.
type Live struct {
	Warmup, Duration time.Duration
	Operations       int64         // of a trial; 0 for Duration
	TimeLimit        time.Duration // 0 for the default
	Sample           int           // time only every n-th operation
	Oversubscribe    bool          // measure more CPUs than this machine has
	NoCapacity       bool          // measure no capacity before an open loop
	Predicts         bool          // cases with more CPUs than this machine has are predicted
	Program          string        // the name of the command, for messages
}

// CheckCases refuses, by a [*plan.Refusal], cases that can be neither measured nor predicted on this machine.
func (l Live) CheckCases(w *workload.Workload, cases []plan.Case) error {
	have := runtime.NumCPU()
	for _, c := range cases {
		if workload.OpenLoop(c.Point) {
			switch load := longestLoad(w, []plan.Case{c}, l.Warmup, l.Duration, l.Operations); {
			case l.TimeLimit > 0 && l.TimeLimit <= load:
				return plan.Refuse("time-limit", l.TimeLimit, "would end a trial whose requests are served late: it "+
					"must be longer than "+longestWords(w)+", %v", load)
			case l.Sample > 1:
				return plan.Refuse("sample", nil, "is for closed loops: an open loop times every request")
			case l.NoCapacity && c.Point.Has("load"):
				return plan.Refuse("load", nil, "is a fraction of the capacity, which {no-capacity} does not measure").
					Suggest("give {rate}, or leave out {no-capacity}")
			}
		}
		if l.NoCapacity && !workload.OpenLoop(c.Point) {
			return plan.Refuse("no-capacity", nil, "has no effect in a closed loop").
				Suggest("leave it out, or add {rate}")
		}
		n := c.Point.Int("cpus")
		d, _ := w.Find(c.Design)
		switch {
		case l.Sample > 1 && d.Remote:
			return plan.Refuse("sample", nil, "has no effect on %s/%s: every request to another process is timed",
				w.Name, d.Name).Suggest("leave it out")
		case n <= have || l.Oversubscribe:
		case !l.Predicts:
			return plan.Refuse("cpus", n, "this machine has %d CPUs", have).Suggest("simulate it with %s sim %s "+
				"{cpus} %d, or add {oversubscribe}", l.Program, w.Name, n)
		case d.Worlds == workload.LiveOnly:
			return plan.Refuse("cpus", n, "this machine has %d CPUs, and %s/%s cannot be simulated on more: leave "+
				"it out with {designs}, or add {oversubscribe}", have, w.Name, d.Name)
		case n > sim.MaxCPUs:
			return plan.Refuse("cpus", n, "this machine has %d CPUs, and the simulation has at most %d: give that "+
				"many or fewer", have, sim.MaxCPUs)
		}
	}
	return nil
}

// longestWords says what longestLoad is in an open loop.
func longestWords(w *workload.Workload) string {
	if w.Limited {
		return "twice {operations} / {rate}"
	}
	return "{warmup} and twice {duration}"
}

// CheckLimit refuses, by a [*plan.Refusal], a time limit that is not longer than a trial's window. A limit of 0 is the
// default; operations is 0 if trials have a duration.
func CheckLimit(limit, window time.Duration, operations int64) error {
	if limit > 0 && operations == 0 && limit <= window {
		return plan.Refuse("time-limit", limit, "would end every trial of a stream: it must be longer than {warmup} "+
			"and {duration} together, or in an open loop twice {duration}, %v", window)
	}
	return nil
}

// OversubscribedWarnings returns the warning of a run that measures more CPUs than this machine has, and nil for other
// runs.
func OversubscribedWarnings(cases []plan.Case) []string {
	have := runtime.NumCPU()
	if !slices.ContainsFunc(cases, func(c plan.Case) bool { return c.Point.Int("cpus") > have }) {
		return nil
	}
	return []string{fmt.Sprintf("more CPUs were requested than the %d of this machine: goroutines share them, so "+
		"times do not show the effect of more CPUs", have)}
}
