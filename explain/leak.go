package explain

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// leak finds goroutines that are started all the time and never end.
func leak(a *analysis) []Finding {
	if a.trace == nil {
		return a.leakByProfile()
	}

	for _, c := range a.classes() {
		spread := c.Last - c.First
		if c.Alive < 50 || c.Stuck < c.Alive/2 || c.StuckAt < 0 || c.Alive < c.Count/4 || spread < a.trace.Duration/3 {
			continue
		}
		w := a.trace.Waits[c.StuckAt]
		if !slices.Contains([]evidence.Op{evidence.OpSend, evidence.OpReceive, evidence.OpSelect, evidence.OpMutex,
			evidence.OpCond, evidence.OpWaitGroup, evidence.OpRWMutex}, w.Op) {
			continue
		}

		waits := "wait on a " + string(w.Op)
		switch w.Op {
		case evidence.OpSend, evidence.OpReceive:
			waits = "wait to " + string(w.Op)
		case evidence.OpSelect:
			waits = "wait in a select"
		}
		f := a.newFinding(GoroutineLeak, "%d goroutines of %s never end: they %s forever.", c.Stuck,
			shortName(c.Start.Function), waits)
		f.Where = a.prog.positions(w.Stack, c.Created)
		f.Share = float64(c.Alive) / float64(c.Count)
		f.citef("%d of %d started within %s are still alive at the end", c.Alive, c.Count, formatDuration(spread))
		if at, ok := a.prog.ownFrame(w.Stack); ok {
			f.citef("%d of them have waited for more than a tenth of the time at %s", c.Stuck, a.quote(at))
		}

		f.Alternative = "They serve something that lives as long as the program, and their number is bounded."
		f.Fix = "Let them end: use a context, a closed channel, or a buffer of 1."
		if strings.HasPrefix(c.Start.Function, "net/http.(*persistConn).") {
			f.Fix = "Share one http.Client: each Transport keeps its own idle connections."
		}
		f.Experiment = "Count goroutines over time: the number should stop growing."
		serves := a.accepts() && slices.Contains([]evidence.Op{evidence.OpReceive, evidence.OpSelect, evidence.OpCond},
			w.Op) // they may wait for work from connections that are open
		ends := w.Waits.Max >= a.trace.Duration/10 // others waited as long there before they went on, as in a queue
		f.Confidence = High
		if serves || ends {
			f.Confidence = Medium
		}
		return []Finding{f}
	}

	return nil
}

// leakCount is the number of goroutines at one site that is too large for a pool.
const leakCount = 100

// leakByProfile finds a leak in the goroutine profile: too many goroutines wait at one site when the program ends.
func (a *analysis) leakByProfile() []Finding {
	i := slices.IndexFunc(a.e.Profiles, func(p evidence.Profile) bool { return p.Kind == evidence.Goroutine })
	if i < 0 {
		return nil
	}

	all := &profile{user: 1}
	for _, s := range a.e.Profiles[i].Samples {
		if len(s.Values) > 0 && (containsAny(s.Stack, channelFunctions...) ||
			containsAny(s.Stack, "sync.(*Mutex)", "sync.(*Cond)", "sync.runtime_")) {
			all.list = append(all.list, weightedSample{stack: s.Stack, weight: float64(s.Values[0])})
		}
	}

	groups := all.groupBy(func(w *weightedSample) (evidence.Frame, bool) { return a.prog.ownFrame(w.stack) })
	if len(groups) == 0 || groups[0].share < leakCount {
		return nil
	}

	g := groups[0]

	f := a.newFinding(GoroutineLeak, "%.0f goroutines wait at one place when the program ends.", g.share)
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = 1
	f.citef("%s", a.quote(g.at))

	f.Alternative = "They are a worker pool that lives as long as the program."
	f.Fix = "Let them end: use a context, a closed channel, or a buffer of 1."
	f.Experiment = "Count goroutines over time: the number should stop growing."
	return []Finding{f}
}
