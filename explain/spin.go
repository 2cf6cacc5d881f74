package explain

import (
	"go/ast"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for polling loops.
const (
	spinShare  = 0.1    // fraction of the goroutines' CPU time
	readyShare = 0.3    // fraction of the CPU time of non-blocking channel operations, in those that find it ready
	yieldRate  = 2000.0 // calls of runtime.Gosched a second
)

// pollCall matches source text that reads a value which another goroutine or the clock changes.
var pollCall = regexp.MustCompile(
	`\.Load\(\)|atomic\.Load|CompareAndSwap|runtime\.Gosched\(|TryLock\(|time\.(Now|Since)\(`)

// atomics are prefixes of functions that are one machine instruction.
var atomics = []string{"sync/atomic.", "internal/runtime/atomic."}

// isPolling reports whether a sample is in a loop that polls for an event.
func (a *analysis) isPolling(w *weightedSample) bool {
	if len(w.stack) == 0 {
		return false
	}
	if containsAny(w.stack, "runtime.Gosched", "runtime.gosched_m", "runtime.goschedImpl", "sync.(*Mutex).TryLock") {
		return a.triesInVain(w.stack)
	}
	if containsAny(w.stack, "runtime.selectnb") {
		at, ok := a.prog.ownFrame(w.stack)
		return !ok || !a.findsReady(at) && a.triesInVain(w.stack)
	}
	if i := slices.IndexFunc(w.stack, func(f evidence.Frame) bool {
		return f.Function == "runtime.selectgo"
	}); i >= 0 {
		return i+1 < len(w.stack) && a.prog.mayBeOwn(w.stack[i+1]) && a.hasDefault(w.stack[i+1]) &&
			a.triesInVain(w.stack)
	}
	if leaf := w.stack[0].Function; hasAnyPrefix(leaf, atomics...) {
		// The runtime and package sync use the same functions when they start and wake goroutines.
		by := slices.IndexFunc(w.stack, func(f evidence.Frame) bool { return !hasAnyPrefix(f.Function, atomics...) })
		if by >= 0 && a.prog.mayBeOwn(w.stack[by]) {
			if !strings.Contains(leaf, "Load") && !strings.Contains(leaf, "CompareAndSwap") {
				return false
			}
			_, polls := a.polls(w.stack, true)
			return polls
		}
	}
	if _, polls := a.polls(w.stack, false); polls {
		return true
	}
	if !a.prog.isOwn(w.stack[0]) {
		return false
	}

	line := a.prog.sourceLine(w.stack[0])
	return a.prog.parsedFile(w.stack[0].File) == nil && strings.HasPrefix(line, "for ") && pollCall.MatchString(line) ||
		strings.Contains(line, "runtime.Gosched()") && a.triesInVain(w.stack)
}

// triesInVain reports whether a loop around an attempt, or around a call of runtime.Gosched, does nothing else if it
// fails, as far as the source shows.
func (a *analysis) triesInVain(stack []evidence.Frame) bool {
	first := slices.IndexFunc(stack, a.prog.isOutsideStandard)
	if first < 0 || !a.prog.mayBeOwn(stack[first]) {
		return true
	}
	_, polls := a.polls(stack, true)
	return polls
}

// findsReady reports whether non-blocking channel operations of a statement spend much of their time on a channel that
// is ready, so that they make progress. Most of those that are not ready return before they take the lock of the
// channel; the channel of a timer takes the lock of the timer to find out.
func (a *analysis) findsReady(at evidence.Frame) bool {
	if a.readyOps == nil {
		a.readyOps = map[evidence.Frame]bool{}
		locked, all := map[evidence.Frame]float64{}, map[evidence.Frame]float64{}
		for i := range a.cpu.list {
			w := &a.cpu.list[i]
			if own, ok := a.prog.ownFrame(w.stack); ok && containsAny(w.stack, "runtime.selectnb") {
				all[own] += w.weight
				if !containsAny(w.stack, "runtime.(*timer)") && containsAny(w.stack, "runtime.lock", "runtime.unlock",
					"runtime.send", "runtime.recv", "runtime.typedmemmove") {
					locked[own] += w.weight
				}
			}
		}
		for own, weight := range all {
			a.readyOps[own] = locked[own] > readyShare*weight
		}
	}
	return a.readyOps[at]
}

// hasDefault reports whether the select statement at a position has a default case, as far as the source shows.
func (a *analysis) hasDefault(at evidence.Frame) bool {
	return a.hasCase(at, func(c ast.Stmt) bool { return c == nil })
}

// hasCase reports whether the select statement at a position has a certain case, as far as the source shows. The
// default case is nil.
func (a *analysis) hasCase(at evidence.Frame, is func(ast.Stmt) bool) (has bool) {
	f := a.prog.parsedFile(at.File)
	if f == nil {
		return false
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectStmt); ok && a.prog.line(s.Pos()) == at.Line {
			has = slices.ContainsFunc(s.Body.List, func(c ast.Stmt) bool { return is(c.(*ast.CommClause).Comm) })
		}
		return true
	})
	return has
}

// busyWait finds loops that poll instead of blocking.
func busyWait(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}

	share := 0.0
	groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		if !a.isPolling(w) {
			return evidence.Frame{}, false
		}
		share += w.weight / a.cpu.total
		return a.pollingLine(w.stack)
	})

	yields, site := a.yields()
	if a.trace != nil && site == nil {
		share -= a.runtimeYields()
	}
	// Without a count of its calls, the loop needs samples enough.
	thin := site == nil && share-a.shareHalfWidth(share) < spinShare/2
	if len(groups) == 0 && site == nil || share < spinShare || thin {
		return nil
	}

	f := a.newFinding(BusyWait, "A loop polls a condition (busy waiting): %s of the CPU time.", percent(share))
	f.Share = share
	crowd := a.oversubscription()
	f.citef("%s of the CPU time is spent polling; goroutines compete for CPUs %s of the time", percent(share),
		percent(crowd))
	for _, g := range groups[:min(2, len(groups))] {
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("%s", a.quote(g.at))
	}
	if site != nil && yields > yieldRate {
		for _, at := range a.prog.positions(site.Stack) {
			if !slices.Contains(f.Where, at) {
				f.Where = append(f.Where, at)
			}
		}
		f.citef("runtime.Gosched is called %.0f times a second", yields)
	}

	// On one CPU the loop may keep the CPU from those that it waits for.
	if cut := a.e.Unfinished; cut.Seconds() > 2*max(a.wall, a.used) {
		f.citef("on one CPU it did not end within %s; on %.0f it takes %s", formatDuration(cut), a.cpus,
			formatSeconds(a.wall))
	}

	if saved := share * crowd; saved >= minGain {
		f.Gain = newGain(0.9*saved, 0.4*saved, math.Max(saved, share))
	}

	f.Alternative = "The event comes so soon that parking would take longer."
	f.Fix = "Block instead: receive from a channel, or wait on a Cond or WaitGroup."
	f.Experiment = "Sleep 100 µs in the loop: CPU time should fall, and wall time not rise."
	if len(groups) > 0 && a.asksClock(groups[0].sample) {
		f.Fix = "Sleep for the time left, or block until another goroutine is done."
	}
	return []Finding{f}
}

// pollingLine returns the program's own line of a sample in a loop that polls: the loop, if it only asks a function.
func (a *analysis) pollingLine(stack []evidence.Frame) (evidence.Frame, bool) {
	if p, ok := a.polls(stack, false); ok && p.asked != nil {
		return p.at, true
	}
	return a.prog.ownFrame(stack)
}

// asksClock reports whether the function that a loop around a stack asks looks at the clock.
func (a *analysis) asksClock(stack []evidence.Frame) (clock bool) {
	p, ok := a.polls(stack, false)
	if !ok || p.asked == nil {
		return false
	}
	ast.Inspect(p.asked.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		clock = clock || ok && clocks.MatchString(calleeName(c))
		return !clock
	})
	return clock
}

// oversubscription returns the fraction of the time in which more goroutines than CPUs wanted to run.
func (a *analysis) oversubscription() float64 {
	if a.trace == nil {
		return 0
	}
	s := 0.0
	for n := int(a.cpus) + 1; n < len(a.trace.Demand.Time); n++ {
		s += a.demandShare(n)
	}
	return s
}

// runtimeYields returns the fraction of the CPU time that the scheduler spends on runtime.Gosched, in samples that name
// no function of the program. If no goroutine of the program yields, the runtime itself does, such as while it sweeps.
func (a *analysis) runtimeYields() float64 {
	return a.cpu.shareOf(func(w *weightedSample) bool {
		_, own := a.prog.ownFrame(w.stack)
		return !own && containsAny(w.stack, "runtime.gosched_m", "runtime.goschedImpl")
	})
}

// byRuntime reports whether the runtime itself called runtime.Gosched, as runtime.GC does after each span that it
// sweeps. Each benchmark calls runtime.GC before it begins.
func byRuntime(stack []evidence.Frame) bool {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return f.Function != "runtime.Gosched" })
	return i >= 0 && strings.HasPrefix(stack[i].Function, "runtime.") && stack[i].Function != "runtime.main"
}

// yields returns the number of calls of runtime.Gosched a second by loops that poll, and the site with most of them.
func (a *analysis) yields() (rate float64, site *evidence.Wait) {
	if a.trace == nil {
		return 0, nil
	}

	n := int64(0)
	for i := range a.trace.Waits {
		if w := &a.trace.Waits[i]; w.Op == evidence.OpYield && !byRuntime(w.Stack) && a.triesInVain(w.Stack) {
			n += w.Count
			if site == nil || w.Count > site.Count {
				site = w
			}
		}
	}

	return float64(n) / a.trace.Duration.Seconds(), site
}
