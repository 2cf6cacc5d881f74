package explain

import (
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for connections that a client of package net/http does not reuse.
const (
	dialsLeast = 100 // requests that open a connection
	dialsMost  = 0.5 // fraction of those that wait for a connection
	dialShare  = 0.1 // fraction of the time that connections take
)

// connecting are functions of clients that open and close connections, and acceptors are those of servers.
var (
	connecting = []string{"net/http.(*Transport).dialConn", "net/http.(*Transport).startDialConnForLocked",
		"net/http.(*persistConn).close"}
	acceptors = []string{"net.(*TCPListener).Accept", "net.(*netFD).accept", "net.(*conn).Close",
		"net/http.(*Server).newConn", "net/http.(*conn).close", "net/http.newBufio"}
)

// dialAgain finds requests of package net/http that wait for new connections. The transport keeps a connection only
// if the body of its reply was read to the end, and no more than MaxIdleConnsPerHost of them, 2 by default.
func dialAgain(a *analysis) []Finding {
	if a.trace == nil {
		return nil
	}
	var worst *evidence.Wait
	dials, waits, most, waited := int64(0), int64(0), int64(0), 0.0
	var classes []int // of the goroutines that wait
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if at, own := a.prog.ownFrame(w.Stack); !own || !a.prog.mayBeOwn(at) || w.Op != evidence.OpSelect ||
			!containsAny(w.Stack, connectionPools[0]) {
			continue
		}
		opened := int64(0)
		for _, k := range w.Wakers {
			if containsAny(k.Stack, "net/http.(*Transport).dialConnFor") {
				opened += k.Count
			}
		}
		dials, waits = dials+opened, waits+w.Count
		waited += float64(w.Waited) * float64(opened) / math.Max(1, float64(w.Count))
		classes = append(classes, w.Classes...)
		if worst == nil || opened > most {
			worst, most = w, opened
		}
	}
	peak := a.peakOf(classes)
	if dials < dialsLeast || dials < 2*peak || // the first connection of each is new
		float64(dials) < dialsMost*float64(waits) {
		return nil
	}

	// Either the clients wait for the connections, or both sides compute for them.
	lost := math.Min(waited/float64(max(1, peak))/float64(a.trace.Duration), a.demandShare(0))
	cost := a.connectionCost(dials)
	saved := math.Min(1, math.Max(lost, cost*a.activeFraction()))
	if saved < dialShare {
		return nil
	}

	f := a.newFinding(LibraryLimit, "%d HTTP requests open a new connection each: that takes %s of the time.", dials,
		percent(saved))
	f.local = true
	f.Confidence = Low // the trace does not show the hosts
	f.Where = a.prog.positions(worst.Stack)
	f.Share = saved
	f.citef("requests waited %d times for a connection, and %d times a new one was opened", waits, dials)
	f.citef("they waited for %s of their time; opening and closing takes %s of the CPU time", percent(lost),
		percent(cost))
	if at, ok := a.prog.ownFrame(worst.Stack); ok {
		f.citef("most were sent at %s", a.quote(at))
	}
	f.Gain = newGain(0.9*saved, 0.4*saved, math.Max(1.2*saved, lost+cost))
	f.Alternative = "Each goes to another host, or the server closes its connections."
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

// connectionCost returns the fraction of the CPU time that opens and closes so many connections, on both sides if the
// server is in the same program.
func (a *analysis) connectionCost(dials int64) (cost float64) {
	functions := connecting
	if slices.ContainsFunc(a.trace.Classes, func(c evidence.Class) bool { // the server is in the same program
		return c.Start.Function == "net/http.(*conn).serve" && c.Count >= dials/2 && c.Count <= 2*dials
	}) {
		functions = slices.Concat(connecting, acceptors)
	}
	if a.hasSamples() {
		for _, w := range a.cpu.list {
			if containsAny(w.stack, functions...) {
				cost += w.weight / a.cpu.total
			}
		}
	}
	return cost
}
