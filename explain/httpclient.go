package explain

import (
	"math"
	"slices"
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

// Thresholds for connections that a client of package net/http does not reuse.
const (
	dialsLeast       = 100 // requests that open a connection
	dialShareOfWaits = 0.5 // fraction of the waits for a connection that open one
	dialShare        = 0.1 // fraction of the time that connections take
)

// clientConnections are functions of clients that open and close connections, and serverConnections are those of
// servers besides acceptsConnections.
var (
	clientConnections = []string{"net/http.(*Transport).dialConn", "net/http.(*Transport).startDialConnForLocked",
		"net/http.(*persistConn).close"}
	serverConnections = []string{"net.(*conn).Close", "net/http.(*Server).newConn", "net/http.(*conn).close",
		"net/http.newBufio"}
)

// httpDials returns how many waits for a connection of package net/http ended with a new one.
func httpDials(w *evidence.Wait) (n int64) {
	for _, k := range w.Wakers {
		if containsAny(k.Stack, "net/http.(*Transport).dialConnFor") {
			n += k.Count
		}
	}
	return n
}

// newConnections finds requests of package net/http that wait for new connections. The transport keeps a connection
// only if the body of its reply was read to the end, and no more than MaxIdleConnsPerHost of them, 2 by default.
func newConnections(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}
	var worst *evidence.Wait
	dials, waits, most, waited := int64(0), int64(0), int64(0), 0.0
	var classes []int // of the goroutines that wait
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if at, own := a.prog.ownFrame(w.Stack); !own || !a.prog.mayBeOwn(at) || w.Op != evidence.OpSelect ||
			!containsAny(w.Stack, httpConnection) {
			continue
		}
		opened := httpDials(w)
		dials, waits = dials+opened, waits+w.Count
		waited += float64(w.Waited) * float64(opened) / math.Max(1, float64(w.Count))
		classes = append(classes, w.Classes...)
		if worst == nil || opened > most {
			worst, most = w, opened
		}
	}
	peak := a.peakOf(classes)
	if dials < dialsLeast || dials < 2*peak || // the first connection of each is new
		float64(dials) < dialShareOfWaits*float64(waits) {
		return nil
	}

	// Either the clients wait for the connections, or both sides compute for them.
	lost := math.Min(waited/float64(max(1, peak))/float64(a.trace.Duration), a.demandShare(0))
	cost := a.connectionCost(dials)
	saved := math.Min(1, math.Max(lost, cost*a.activeFraction()))
	if saved < dialShare {
		return nil
	}

	f := a.newFinding(LibraryLimit, "%d HTTP requests each open a new connection, which takes %s of the time.", dials,
		percent(saved))
	f.local = true
	f.Confidence = Low // the trace does not show the hosts
	f.Where = a.prog.positions(worst.Stack)
	f.Share = saved
	f.citef("requests waited for a connection %d times; %d new ones were opened", waits, dials)
	f.citef("all CPUs are idle for up to %s of the time while they wait; opening and closing takes %s of the CPU time",
		percent(lost), percent(cost))
	if at, ok := a.prog.ownFrame(worst.Stack); ok {
		f.citef("most were sent at %s", a.quote(at))
	}
	f.Gain = newGain(0.9*saved, 0.4*saved, math.Max(1.2*saved, lost+cost))
	f.Alternative = "Each request goes to another host, or the server closes its connections."
	f.Fix = "Read bodies to the end, use one Client, raise MaxIdleConnsPerHost."
	f.Experiment = "Count connections with httptrace.GotConnInfo: Reused should be true."
	return []Finding{f}
}

// peakOf returns how many goroutines of some classes existed at a time, as far as the peaks of the classes tell.
func (a *analysis) peakOf(classes []int) (n int64) {
	slices.Sort(classes)
	for _, i := range slices.Compact(classes) {
		n += int64(a.trace.Classes[i].Peak)
	}
	return n
}

// countOf returns how many goroutines of some classes existed.
func (a *analysis) countOf(classes []int) (n int64) {
	for _, i := range classes {
		n += a.trace.Classes[i].Count
	}
	return n
}

// connectionCost returns the fraction of the CPU time that opens and closes so many connections, on both sides if the
// server is in the same program.
func (a *analysis) connectionCost(dials int64) float64 {
	if !a.hasSamples() {
		return 0
	}
	served := slices.ContainsFunc(a.trace.Classes, func(c evidence.Class) bool {
		return c.Start.Function == "net/http.(*conn).serve" && c.Count >= dials/2 && c.Count <= 2*dials
	})
	return a.cpu.shareOf(func(w *weightedSample) bool {
		return containsAny(w.stack, clientConnections...) ||
			served && (acceptsConnections(w.stack) || containsAny(w.stack, serverConnections...))
	})
}
