package explain

import (
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
)

// awaiting are the operations in which goroutines wait for a reply. A goroutine that sends waits for room.
var awaiting = []evidence.Op{evidence.OpReceive, evidence.OpSelect, evidence.OpCond, evidence.OpWaitGroup,
	evidence.OpSleep, evidence.OpNetwork}

// replies returns the longest wait of the goroutines of a class for replies, or nil if there are fewer replies than one
// for two goroutines. A reply comes from a timer, the network or a goroutine that serves many, such as one that commits
// a batch of them. If fewer goroutines did more each, they would wait once for each element, and perhaps fill no batch.
func (a *analysis) replies(c *evidence.Class) (longest *evidence.Wait) {
	count := 0.0
	for i := range a.trace.Waits {
		w := &a.trace.Waits[i]
		if !slices.Contains(awaiting, w.Op) || !a.isIn(c, w.Classes...) {
			continue
		}
		here := int64(0)
		for _, k := range w.Wakers {
			if a.isReply(c, w.Op, k) {
				here += k.Count
			}
		}
		if here > 0 && (longest == nil || w.Waited > longest.Waited) {
			longest = w
		}
		count += float64(here) * float64(c.Count) / float64(a.countOf(w.Classes)) // several classes may wait there
	}
	if count < float64(c.Count)/2 {
		return nil
	}
	return longest
}

// isReply reports whether a goroutine of a class that waits gets a reply from a waker. What starts it, what it starts
// itself, and goroutines that do the same, such as those that give back a permit, send none.
func (a *analysis) isReply(c *evidence.Class, op evidence.Op, by evidence.Waker) bool {
	if by.Class < 0 {
		return true // a timer or the network
	}
	other := &a.trace.Classes[by.Class]
	own := other.Count >= c.Count*3/4 && startsAs(other.Created) == c.Start.Function
	return !own && other.Start.Function != c.Start.Function && startsAs(by.Stack) != startsAs(c.Created) &&
		(op != evidence.OpSelect || containsAny(by.Stack, "runtime.chansend", "runtime.closechan")) // not room to send
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
