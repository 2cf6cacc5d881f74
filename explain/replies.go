package explain

import (
	"go/ast"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// awaiting are the operations in which goroutines wait for a reply. A goroutine that sends waits for room.
var awaiting = []evidence.Op{evidence.OpReceive, evidence.OpSelect, evidence.OpCond, evidence.OpWaitGroup,
	evidence.OpSleep, evidence.OpNetwork}

// replies returns the wait of the goroutines of a class that takes them longest for replies, or nil if there are fewer
// replies than one for two goroutines. A reply comes from a timer, the network or a goroutine that serves many, such as
// one that commits a batch of them. If fewer goroutines did more each, they would wait once for each element, and
// perhaps fill no batch.
func (a *analysis) replies(c *evidence.Class) (longest *evidence.Wait) {
	count, most := 0.0, -1.0
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if !slices.Contains(awaiting, w.Op) || !a.isIn(c, w.Classes...) {
			continue
		}
		here := int64(0)
		for _, k := range w.Wakers {
			if a.isReply(c, w, k) {
				here += k.Count
			}
		}
		own := float64(here) * float64(c.Count) / float64(a.countOf(w.Classes)) // several classes may wait there
		if waited := float64(w.Waited) * own / math.Max(1, float64(w.Count)); here > 0 && waited > most {
			longest, most = w, waited
		}
		count += own
	}
	if count < float64(c.Count)/2 {
		return nil
	}
	return longest
}

// servedEach is the smallest number of goroutines for each one that serves them.
const servedEach = 10

// isReply reports whether a goroutine of a class that waits gets a reply from a waker. What starts it, and goroutines
// that do the same, such as those that give back a permit, send none. One that it never asked sends it work.
func (a *analysis) isReply(c *evidence.Class, w *evidence.Wait, by evidence.Waker) bool {
	if by.Class < 0 {
		return len(by.Stack) == 0 // a timer or the network
	}
	other := &a.trace.Classes[by.Class]
	return servedEach*other.Count <= c.Count && other.Start.Function != c.Start.Function &&
		startsAs(by.Stack) != startsAs(c.Created) && a.asks(c, other) &&
		a.receives(w, by)
}

// receives reports whether a goroutine that waits gets something from a waker, and not only room to send, in a select.
// If the waker is in a select itself, the trace does not show which of the two sends.
func (a *analysis) receives(w *evidence.Wait, by evidence.Waker) bool {
	return mayReceive(w, by) &&
		(w.Op != evidence.OpSelect || !containsAny(by.Stack, "runtime.selectgo") || !a.maySend(w.Stack))
}

// mayReceive is receives, as far as the trace alone shows.
func mayReceive(w *evidence.Wait, by evidence.Waker) bool {
	return w.Op != evidence.OpSelect || !containsAny(by.Stack, "runtime.chanrecv", "runtime.selectnbrecv")
}

// maySend reports whether a select statement in a stack has a case that sends, as far as the source shows.
func (a *analysis) maySend(stack []evidence.Frame) bool {
	return slices.ContainsFunc(stack, func(f evidence.Frame) bool {
		return a.prog.isOwn(f) && a.hasCase(f, func(c ast.Stmt) bool { _, sends := c.(*ast.SendStmt); return sends })
	})
}

// taking are the operations in which goroutines wait for requests: not for room to send, a lock, or the end of a group.
var taking = []evidence.Op{evidence.OpReceive, evidence.OpSelect, evidence.OpCond}

// asks reports whether goroutines of a class start those of another, wake them when they wait for requests, or wait for
// room to send to them.
func (a *analysis) asks(c, other *evidence.Class) bool {
	wakes := func(w *evidence.Wait, start string) bool {
		return slices.ContainsFunc(w.Wakers, func(k evidence.Waker) bool {
			return k.Class >= 0 && a.trace.Classes[k.Class].Start.Function == start && mayReceive(w, k)
		})
	}
	return startsAs(other.Created) == c.Start.Function ||
		slices.ContainsFunc(a.trace.Waits, func(w evidence.Wait) bool {
			return slices.Contains(taking, w.Op) && a.isIn(other, w.Classes...) && wakes(&w, c.Start.Function) ||
				w.Op == evidence.OpSend && a.isIn(c, w.Classes...) && wakes(&w, other.Start.Function)
		})
}

// startsAs returns the start function of the goroutine of a stack. The runs of a benchmark count as one.
func startsAs(stack []evidence.Frame) string {
	f := startFunction(stack)
	if strings.HasPrefix(f, "testing.(*B).") {
		return "testing.(*B)"
	}
	return f
}

// citeReplies adds where goroutines wait for replies, and for how long.
func (a *analysis) citeReplies(f *Finding, w *evidence.Wait) {
	mean := formatDuration(w.Waited / time.Duration(max(1, w.Waits.Count)))
	if at, ok := a.prog.ownFrame(w.Stack); ok {
		f.citef("but they wait %s on average at %s", mean, a.quote(at))
		return
	}
	f.citef("but they wait %s on average (%s)", mean, w.Reason)
}
