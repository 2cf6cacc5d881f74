package sweep

import (
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// SplitCases divides cases into those that are measured and those that are predicted; a case that can be measured here
// is both. Without predict nothing is predicted. With oversubscribe, cases with more CPUs than this machine has are
// measured and not predicted.
func SplitCases(w *workload.Workload, cases []plan.Case, predict, oversubscribe bool) (measured,
	predicted []plan.Case) {
	for _, c := range cases {
		here := c.Point.Int("cpus") <= runtime.NumCPU()
		if here || oversubscribe {
			measured = append(measured, c)
		}
		if d, _ := w.Find(c.Design); predict && d.Worlds != workload.LiveOnly && (here || !oversubscribe) {
			predicted = append(predicted, c)
		}
	}
	return measured, predicted
}

// longestLoad returns the longest time that the load of a stream lasts unless it hangs. An open loop continues after
// its window until the requests of the window are served, for at most the window's length. n is the number of
// operations, which counts only if the load is limited.
func longestLoad(w *workload.Workload, cases []plan.Case, warmup, duration time.Duration, n int64) time.Duration {
	if w.Limited && n > 0 {
		warmup, duration = 0, 0
		for _, c := range cases {
			if c.Point.Has("rate") {
				duration = max(duration, limitedWindow(n, c.Point.Float("rate")))
			}
		}
	}
	if haveOpenLoop(cases) {
		duration *= 2
	}
	return warmup + duration
}

// haveOpenLoop reports whether one of some cases is an open loop.
func haveOpenLoop(cases []plan.Case) bool {
	return slices.ContainsFunc(cases, func(c plan.Case) bool { return workload.OpenLoop(c.Point) })
}

// limitedWindow returns the window of a limited load: the time in which the operations arrive at a rate a second.
func limitedWindow(operations int64, rate float64) time.Duration {
	return time.Duration(min(float64(operations)/rate*1e9, 1<<60))
}

// DefaultTimeLimit returns the time limit of trials if none is given. It is generous, because it only has to end
// trials that hang. n is the number of operations, 0 for a duration.
func DefaultTimeLimit(w *workload.Workload, cases []plan.Case, warmup, duration time.Duration, n int64) time.Duration {
	limit := longestLoad(w, cases, warmup, duration, n) + 30*time.Second
	if n > 0 && !w.Limited { // operations, however long they take
		limit = 10 * time.Minute
	}
	remote := time.Duration(0) // to start and stop a server, and for requests before and after the load
	for _, c := range cases {
		switch d, _ := w.Find(c.Design); {
		case d.Job != nil:
			limit = max(limit, 10*time.Minute)
		case d.Remote:
			remote = 3 * time.Minute
		}
	}
	return limit + remote
}

// CheckVirtual refuses, by a [*plan.Refusal], cases that have no virtual world.
func CheckVirtual(w *workload.Workload, cases []plan.Case) error {
	var live, both []string
	for _, c := range cases {
		of := &both
		if d, _ := w.Find(c.Design); d.Worlds == workload.LiveOnly {
			of = &live
		}
		if !slices.Contains(*of, c.Design) {
			*of = append(*of, c.Design)
		}
		if n := c.Point.Int("cpus"); n > sim.MaxCPUs {
			return plan.Refuse("cpus", n, "the simulation has at most %d CPUs", sim.MaxCPUs).Suggest("give fewer")
		}
	}
	switch {
	case len(live) == 0:
		return nil
	case !slices.ContainsFunc(w.Designs, func(d workload.Design) bool { return d.Worlds != workload.LiveOnly }):
		return plan.Refuse("", nil, "no design of %s can be simulated: they need a real machine",
			w.Name).Suggest("measure them with run %s", w.Name)
	}
	why := "it needs a real machine"
	if d, _ := w.Find(live[0]); d.Program != nil {
		why = "it runs in " + d.Program.File + ", and only the code of this program can be simulated"
	}
	r := plan.Refuse("", nil, "%s/%s cannot be simulated: %s", w.Name, live[0], why)
	if len(both) > 0 {
		return r.Suggest("leave it out, with {designs} %s", strings.Join(both, ","))
	}
	return r.Suggest("select others with {designs}")
}
