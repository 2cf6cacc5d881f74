package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for values that a library makes.
const (
	makerShare = 0.1 // fraction of the CPU time that making them takes, with their share of the collector
	poolMisses = 0.3 // fraction of all bytes that a pool makes anew
	poolValues = 1000
)

// maker is a set of functions of the standard library that make a value for each call, which is often avoidable.
type maker struct {
	what      string   // that they make
	functions []string // prefixes
	runtime   []string // functions of the runtime that work for these values, whoever calls them
	fix       string
}

// makers lists them. The runtime keeps the timers of channels that goroutines wait for in a heap (runtime/time.go).
var makers = []maker{
	{"a timer", []string{"time.After", "time.NewTimer", "time.Tick", "time.NewTicker"},
		[]string{"runtime.(*timer", "runtime.blockTimerChan", "runtime.unblockTimerChan"},
		"Make one timer before the loop, and Reset it."},
	{"a context", []string{"context.With"}, nil,
		"Make one context for many calls, outside the loop."},
	{poolValue, []string{poolGet}, nil, "Put each value back when it is no longer used."},
}

// poolGet makes poolValue if the [sync.Pool] is empty.
const (
	poolGet   = "sync.(*Pool).Get"
	poolValue = "a value"
)

// making is what the values of a maker cost. Shares are fractions of all CPU time, and of all bytes.
type making struct {
	cpu, allocation, bytes float64
	values                 float64 // number of those that the heap profile counts
	lines                  []group // the program's own, the largest first
}

// madeByLibrary finds values that a library makes for each of many calls.
func madeByLibrary(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}
	var found []Finding
	for _, m := range makers {
		if f, ok := a.findMaker(m); ok {
			found = append(found, f)
		}
	}
	return found
}

// findMaker returns the finding for a maker whose values cost enough.
func (a *analysis) findMaker(m maker) (Finding, bool) {
	c := a.making(m)
	collected, _ := a.gcCPUShare()
	garbage := collected * c.bytes * 0.8 // as for other values that are allocated
	saved := (c.cpu + garbage) * a.activeFraction()
	idlePool := m.what == poolValue && (c.bytes < poolMisses || c.values < poolValues)
	if len(c.lines) == 0 || saved < makerShare || idlePool {
		return Finding{}, false
	}

	name := EscapePerOp
	if c.allocation+garbage < (c.cpu+garbage)/2 {
		name = LibraryLimit
	}
	called := m.called(c.lines[0].sample)
	f := a.newFinding(name, "Each call of %s makes %s: it takes %s of the CPU time.", called, m.what,
		percent(math.Min(1, c.cpu+garbage)))
	if m.what == poolValue {
		f.Claim = "No Put seen: the pool is empty, so that most calls of Get make a new value."
		if a.returnsValues() {
			f.Claim = "Too few values are put back, so that most calls of Get make a new one."
		}
	}
	f.Level = ProfileLevel
	f.Share = math.Min(1, c.cpu+garbage)
	for i, g := range c.lines[:min(2, len(c.lines))] {
		if i > 0 && g.share < c.lines[0].share/4 {
			break
		}
		f.Where = append(f.Where, a.prog.position(g.at))
		f.citef("calls of %s are at %s", m.called(g.sample), a.quote(g.at))
	}
	f.citef("below them, and in the runtime for them, is %s of the CPU time, a part of which allocates (%s)",
		percent(c.cpu), percent(c.allocation))
	f.citef("they allocate %s of all bytes; garbage collection takes %s of all CPU time", percent(c.bytes),
		percent(collected))
	f.Gain = newGain(0.9*saved, 0.5*saved, 1.1*saved)
	f.Confidence = High
	f.Alternative = "Each call needs a value of its own, because they are used at the same time."
	f.Fix = m.fix
	f.Experiment = "Make one value before the loop: the time should fall by its share."
	return f, true
}

// making returns what the values of a maker cost, and where the program calls it.
func (a *analysis) making(m maker) (c making) {
	runtime := 0.0
	lines := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
		at, ok := a.callingLine(m, w.stack)
		share := w.weight / a.cpu.total
		if m.what == poolValue && !missesPool(w.stack) {
			return at, false
		}
		switch {
		case ok && w.category == GarbageCollector: // it counts as garbage
		case !ok && containsAny(w.stack, m.runtime...):
			runtime += share
		case ok && w.category == Allocation:
			c.allocation += share
			fallthrough
		case ok:
			c.cpu += share
		}
		return at, ok
	})
	c.cpu += math.Min(runtime, c.cpu) // the others are of values that a library made

	line := func(stack []evidence.Frame) (evidence.Frame, bool) { return a.callingLine(m, stack) }
	spaces, _ := a.allocationsBy("alloc_space/bytes", line)
	for _, g := range spaces {
		c.bytes += g.share
	}

	counts, total := a.allocationsBy("alloc_objects/count", line)
	for _, g := range counts {
		c.values += g.share * total
	}

	// The heap profile shows best where values are made: the CPU profile has few samples, and those of cancelling, too.
	c.lines = lines
	if c.bytes > 0 {
		c.lines = spaces
	}
	return c
}

// callingLine returns the program's own line that calls a function of the maker.
func (a *analysis) callingLine(m maker, stack []evidence.Frame) (evidence.Frame, bool) {
	for i := len(stack) - 2; i >= 0; i-- {
		if hasAnyPrefix(stack[i].Function, m.functions...) {
			k := i + 1
			for k < len(stack)-1 && hasAnyPrefix(stack[k].Function, "runtime.") { // runtime.deferreturn
				k++
			}
			if !a.prog.isOwn(stack[k]) {
				return evidence.Frame{}, false // a library calls it
			}
			return a.prog.statement(stack, k), true
		}
	}
	return evidence.Frame{}, false
}

// called returns the short name of the function of the maker that the program calls, without closures in it.
func (m maker) called(stack []evidence.Frame) string {
	name := ""
	for _, f := range stack { // the outermost
		if hasAnyPrefix(f.Function, m.functions...) {
			name = f.Function
		}
	}
	name, _, _ = strings.Cut(shortName(name), ".func")
	return name
}

// missesPool reports whether Get of a pool calls New: something outside of sync and the runtime runs below it.
func missesPool(stack []evidence.Frame) bool {
	for _, f := range stack {
		if hasAnyPrefix(f.Function, poolGet) {
			return false
		}
		if !hasAnyPrefix(f.Function, "sync.", "internal/", "runtime.") {
			return true
		}
	}
	return false
}

// returnsValues reports whether the program puts values into a pool.
func (a *analysis) returnsValues() bool {
	put := maker{functions: []string{"sync.(*Pool).Put"}}
	return slices.ContainsFunc(a.cpu.list, func(w weightedSample) bool {
		_, ok := a.callingLine(put, w.stack)
		return ok
	})
}
