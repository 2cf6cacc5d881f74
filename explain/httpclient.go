package explain

import (
	"math"
	"time"

	"github.com/brewput/brewput/evidence"
)

// httpClient are functions of clients of package net/http that wait for their connections, by prefixes.
var httpClient = []string{"net/http.(*persistConn)", "net/http.(*http2ClientConn)", "net/http.(*http2clientStream)",
	"net/http/internal/http2.(*ClientConn)", "net/http/internal/http2.(*clientStream)"}

// httpTurns finds a client of package net/http that waits for each reply of a server in the same program, so that
// several CPUs are no faster than one. The client waits on channels, which goroutines of its connection serve.
func httpTurns(a *analysis) []Finding {
	if a.trace == nil || !a.accepts() {
		return nil
	}
	client, count, waited := -1, int64(0), time.Duration(0)
	var worst *evidence.Wait
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if _, own := a.prog.ownFrame(w.Stack); !own || len(w.Classes) == 0 || w.Op != evidence.OpSelect ||
			!containsAny(w.Stack, httpClient...) {
			continue
		}
		if client >= 0 && client != w.Classes[0] {
			return nil // several clients
		}
		client = w.Classes[0]
		count += w.Count
		waited += w.Waited
		if worst == nil || w.Count > worst.Count {
			worst = w
		}
	}
	if client < 0 || a.rate(count) < turnsRate {
		return nil
	}
	c := &a.trace.Classes[client]
	if c.Peak > 1 || paced(c, waited) || !a.stalls() { // which applies other rules, so it comes last
		return nil
	}

	f := a.newFinding(StopAndWait, "%s waits for each reply over HTTP before the next request.",
		capitalize(a.className(c)))
	f.Where = a.prog.positions(worst.Stack)
	f.Share = a.unusedCPU()
	f.citef("%.0f waits a second for replies, of a server in the same program", a.rate(count))
	f.citef("it takes %s on %d CPUs and %s on one, and %s of the CPU time is unused", formatDuration(a.run.Wall),
		a.run.CPUs, formatDuration(a.oneCPU.Wall), percent(a.unusedCPU()))
	most := 1 - math.Min(1, math.Max(a.used/(a.cpus*a.wall), a.busiestMember()))
	f.Gain = newGain(0.8*most, 0.2*most, most)
	f.Alternative = "Each request needs the reply to the one before."
	f.Fix = "Send several requests at a time, with a bound, or ask for more in one."
	f.Experiment = "Send from two goroutines: both sides should work at the same time."
	return []Finding{f}
}
