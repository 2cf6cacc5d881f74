package explain

import (
	"cmp"
	"go/ast"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for values that a library makes.
const (
	makerShare = 0.1  // fraction of the time that making them at one or two lines takes, with the collector's for them
	poolMisses = 0.3  // fraction of all bytes that a pool makes anew
	madeValues = 1000 // number of objects that the heap profile counts
)

// maker is a set of functions of the standard library that make a value for each call, which is often avoidable.
type maker struct {
	what        string                            // that they make
	functions   []string                          // prefixes
	only        func(stack []evidence.Frame) bool // which of their samples count; nil for all
	runtime     []string                          // functions of the runtime for these values, whoever calls them
	costly      Name                              // the finding if the cost is mostly not allocation
	fix         string
	alternative string
}

// makers lists them. The runtime keeps the timers of channels that goroutines wait for in a heap (runtime/time.go).
var makers = []maker{
	{what: "a timer", functions: []string{"time.After", "time.NewTimer", "time.Tick", "time.NewTicker"},
		runtime: []string{"runtime.(*timer", "runtime.blockTimerChan", "runtime.unblockTimerChan"},
		costly:  LibraryLimit, fix: "Make one timer before the loop, and Reset it.",
		alternative: "Many of these timers run at the same time."},
	{what: "a context", functions: []string{"context.WithCancel", "context.WithTimeout", "context.WithDeadline"},
		costly: LibraryLimit, fix: "Make one context for a request, not for each item of it.",
		alternative: "Each call needs a deadline of its own, or can be cancelled alone."},
	{what: "a connection", functions: []string{"database/sql.(*"}, only: opensConnection,
		costly: LibraryLimit, fix: "Keep connections: SetMaxIdleConns with the number that are in use.",
		alternative: "Each is opened once and costs much, or their lifetime is set so."},
	{what: poolValue, functions: []string{poolGet}, only: missesPool,
		costly: EscapePerOp, fix: "Put each value back when it is no longer used.",
		alternative: "The values are in use at the same time, or kept."},
	{what: "a table", functions: []string{"hash/crc32.MakeTable", "hash/crc64.MakeTable", "strings.NewReplacer",
		"encoding/base64.NewEncoding", "encoding/base32.NewEncoding"},
		costly: HotFunction, fix: "Make it once, outside the loop: it may be used concurrently.",
		alternative: "Each call has another table."},
	{what: "a buffer", functions: []string{"bufio.NewWriter", "bufio.NewReader", "compress/flate.NewWriter",
		"compress/gzip.NewWriter", "compress/zlib.NewWriter"},
		costly: HotFunction, fix: "Keep it and Reset it, in the loop or by a sync.Pool.",
		alternative: "They are in use at the same time."},
}

// poolGet makes poolValue if the [sync.Pool] is empty.
const (
	poolGet   = "sync.(*Pool).Get"
	poolValue = "a value"
)

// making is what the values of a maker cost at one line. Shares are fractions of all CPU time, and of all bytes.
type making struct {
	at                     evidence.Frame
	sample                 []evidence.Frame
	cpu, allocation, bytes float64
	objects                float64 // number of those that the heap profile counts
}

// cost returns the fraction of all CPU time for the values and for the collection of their garbage, of which collected
// is what all garbage takes.
func (m *making) cost(collected float64) float64 { return math.Min(1, m.cpu+m.garbage(collected)) }

// garbage is the part of cost for the collector, as for other values that are allocated.
func (m *making) garbage(collected float64) float64 { return 0.8 * collected * m.bytes }

// madeByLibrary finds lines that let a library make a value for each of many calls.
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

// findMaker returns the finding for a maker whose values cost enough at one line, or at two.
func (a *analysis) findMaker(m maker) (Finding, bool) {
	collected, _ := a.gcCPUShare()
	lines := a.making(m, collected)
	switch {
	case len(lines) == 0:
		return Finding{}, false
	case len(lines) > 1 && lines[1].cost(collected) >= lines[0].cost(collected)/4:
		lines = lines[:2]
	default:
		lines = lines[:1]
	}
	var all making
	for _, x := range lines {
		all.cpu += x.cpu
		all.allocation += x.allocation
		all.bytes += x.bytes
		all.objects += x.objects
	}
	saved := all.cost(collected) * a.activeFraction()
	_, counted := a.allocations("alloc_objects/count")
	if saved < makerShare || counted > 0 && all.objects < madeValues || m.what == poolValue && all.bytes < poolMisses {
		return Finding{}, false
	}

	name := EscapePerOp
	if all.allocation+all.garbage(collected) < all.cost(collected)/2 {
		name = m.costly
	}
	f := a.newFinding(name, "Each call of %s makes %s: it takes %s of the CPU time.", m.called(lines[0].sample), m.what,
		percent(all.cost(collected)))
	if m.what == poolValue {
		f.Claim = "Get often finds its sync.Pool empty: what it makes anew is " + percent(all.bytes) + " of all bytes."
		if a.neverPuts(lines[0].at) {
			f.Claim = "No Put was seen: Get often finds its sync.Pool empty, and makes a new value."
		}
	}
	f.Level = ProfileLevel
	f.local = true
	f.Share = all.cost(collected)
	for _, x := range lines {
		f.Where = append(f.Where, a.prog.position(x.at))
		f.citef("calls of %s are at %s", m.called(x.sample), a.quote(x.at))
	}
	f.citef("below them, and in the runtime for them, is %s of the CPU time, a part of which allocates (%s)",
		percent(all.cpu), percent(all.allocation))
	f.citef("they allocate %s of all bytes; garbage collection takes %s of all CPU time", percent(all.bytes),
		percent(collected))
	f.Gain = newGain(0.9*saved, 0.5*saved, 1.1*saved)
	f.Alternative = m.alternative
	f.Fix = m.fix
	f.Experiment = "Make one value before the loop: the time should fall by its share."
	return f, true
}

// making returns what the values of a maker cost at each line of the program that calls it, the largest cost first.
func (a *analysis) making(m maker, collected float64) (lines []*making) {
	by := map[evidence.Frame]*making{}
	line := func(stack []evidence.Frame) *making {
		at, ok := a.callingLine(m, stack)
		if !ok {
			return nil
		}
		if by[at] == nil {
			by[at] = &making{at: at, sample: stack}
			lines = append(lines, by[at])
		}
		return by[at]
	}

	runtime, all := 0.0, 0.0
	for i := range a.cpu.list {
		w := &a.cpu.list[i]
		share := w.weight / a.cpu.total
		x := line(w.stack)
		switch {
		case x == nil && containsAny(w.stack, m.runtime...):
			runtime += share
		case x == nil || w.category == GarbageCollector: // it counts as garbage
		default:
			x.cpu += share
			all += share
			if w.category == Allocation {
				x.allocation += share
			}
		}
	}
	for _, x := range lines {
		x.cpu *= 1 + math.Min(runtime, all)/math.Max(all, 1e-9) // the rest is for values that a library made
	}

	for _, what := range []string{"alloc_space/bytes", "alloc_objects/count"} {
		samples, total := a.allocations(what)
		for _, w := range samples {
			x := line(w.stack)
			switch {
			case x == nil:
			case what == "alloc_space/bytes":
				x.bytes += w.weight / math.Max(total, 1)
			default:
				x.objects += w.weight
			}
		}
	}

	slices.SortFunc(lines, func(x, y *making) int {
		return cmp.Or(cmp.Compare(y.cost(collected), x.cost(collected)), cmp.Compare(x.at.File, y.at.File),
			cmp.Compare(x.at.Line, y.at.Line), cmp.Compare(x.at.Function, y.at.Function))
	})
	return lines
}

// callingLine returns the program's own line that calls a function of the maker.
func (a *analysis) callingLine(m maker, stack []evidence.Frame) (evidence.Frame, bool) {
	if m.only != nil && !m.only(stack) {
		return evidence.Frame{}, false
	}
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

// opensConnection reports whether package database/sql opens a connection to the database.
func opensConnection(stack []evidence.Frame) bool {
	driver := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		return strings.HasSuffix(f.Function, ".Connect") || strings.HasSuffix(f.Function, ".Open")
	})
	return driver >= 0 && containsAny(stack[driver+1:], "database/sql.(*DB).conn")
}

// neverPuts reports whether the sources and samples of the package that calls Get of a pool show no call of a method
// Put. The sources are those of the functions in the CPU profile.
func (a *analysis) neverPuts(get evidence.Frame) bool {
	files := map[string]bool{get.File: true}
	for i := range a.cpu.list {
		for _, f := range a.cpu.list[i].stack {
			if a.prog.isOwn(f) && path.Dir(f.File) == path.Dir(get.File) {
				files[f.File] = true
			}
		}
		if put := (maker{functions: []string{"sync.(*Pool).Put"}}); put.called(a.cpu.list[i].stack) != "" {
			return false
		}
	}
	puts := false
	for file := range files {
		f := a.prog.parsedFile(file)
		if f == nil {
			return false
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if c, ok := n.(*ast.CallExpr); ok {
				puts = puts || calleeName(c) == "Put"
			}
			return true
		})
	}
	return !puts
}
