package explain

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for values that a library makes.
const (
	makerShare = 0.1  // fraction of the time that making them at one or two lines takes, with the collector's for them
	madeValues = 1000 // number of objects that the heap profile counts
)

// maker is a set of functions of libraries that make a value for each call, which is often avoidable.
type maker struct {
	what        string                            // that they make
	functions   []string                          // prefixes
	only        func(stack []evidence.Frame) bool // which of their samples count; nil for all
	related     []string                          // functions that work on these values elsewhere
	relays      []string                          // packages through which the program may call these functions
	starter     string                            // library function that does part of the work in goroutines
	accepting   []string                          // functions of the other end, which may be in the program
	closing     []string                          // functions of both ends
	leastBytes  float64                           // fraction of all bytes that the values must take
	costly      Name                              // the finding if the cost is mostly not allocation
	fix         string
	alternative string
	experiment  string // if it is not to make it before the loop

	describe func(a *analysis, f *Finding, bytes float64, at evidence.Frame) // changes its words; may be nil

	// call finds the program's own line that makes a value, and the index of the function that it calls there; nil for
	// calls of the functions.
	call  func(p program, stack []evidence.Frame) (at evidence.Frame, callee int, ok bool)
	large func(x *making) bool // whether a line makes values that are worth keeping; nil if all are

	confidence Confidence // if it is not medium
}

// makers lists them. The runtime keeps the timers of channels that goroutines wait for in a heap (runtime/time.go).
var makers = []maker{
	{what: "a timer", functions: []string{"time.After", "time.NewTimer", "time.Tick", "time.NewTicker"},
		related: []string{"runtime.(*timer", "runtime.blockTimerChan", "runtime.unblockTimerChan"},
		costly:  LibraryLimit, fix: "Make one timer before the loop, and Reset it.",
		alternative: "Many of these timers run at the same time."},
	{what: "a context", functions: []string{"context.WithCancel", "context.WithTimeout", "context.WithDeadline"},
		costly: LibraryLimit, fix: "Make one context for a request, not for each item of it.",
		experiment:  "Make one context for ten items: the time should fall.",
		alternative: "Each call needs a deadline of its own, or can be cancelled alone."},
	{what: "a connection", functions: []string{"database/sql.(*"}, only: opensConnection,
		costly: LibraryLimit, fix: "Keep connections: SetMaxIdleConns with the number that are in use.",
		experiment:  "Set SetMaxIdleConns to the number in use: the time should fall.",
		alternative: "Each is opened once and costs much, or their lifetime is set so."},
	{what: "a connection", functions: []string{"net.Dial", "net.(*Dialer).Dial", "crypto/tls.Dial",
		"crypto/tls.(*Dialer).Dial"}, only: dialsItself, starter: "net.(*sysDialer).dialParallel",
		related:   []string{"crypto/tls.(*Conn).clientHandshake"},
		closing:   []string{"net.(*conn).Close", "crypto/tls.(*Conn).Close"},
		accepting: append([]string{"crypto/tls.(*Conn).serverHandshake"}, acceptFunctions...),
		relays: []string{"net", "net/textproto", "crypto/tls", "bufio", "fmt", "log", "encoding/binary",
			"encoding/gob", "encoding/json"},
		costly: LibraryLimit, fix: "Keep the connection, and send more requests over it.",
		alternative: "Each goes to another host, fails, or is closed after one request."},
	{what: "a value", functions: []string{poolGet}, only: missesPool, leastBytes: poolMisses, describe: describePool,
		costly: EscapePerOp, fix: "Put each value back when it is no longer used.",
		alternative: "The values are in use at the same time, or kept."},
	{what: "a table", functions: []string{"hash/crc32.MakeTable", "hash/crc64.MakeTable", "strings.NewReplacer",
		"strings.(*Replacer)", "encoding/base64.NewEncoding", "encoding/base32.NewEncoding"}, only: makesAnew,
		costly: HotFunction, fix: "Make it once, outside the loop: it may be used concurrently.",
		alternative: "Each call has another table."},
	{what: "a buffer", functions: []string{"bufio.NewWriter", "bufio.NewReader", "compress/flate.NewWriter",
		"compress/gzip.NewWriter", "compress/zlib.NewWriter", "compress/gzip.(*Writer)", "compress/zlib.(*Writer)"},
		only:   makesAnew,
		costly: HotFunction, fix: "Keep it and Reset it, in the loop or by a sync.Pool.",
		alternative: "They are in use at the same time."},
	{what: "a new value", call: program.constructor, large: (*making).makesManyLarge, costly: HotFunction,
		fix:         "Make it once and keep it; Reset it or use a sync.Pool if it has state.",
		alternative: "Callers keep the value, or each call needs different options.", confidence: Low},
}

// making is what the values of a maker cost at one line. Shares are fractions of all CPU time, and of all bytes.
type making struct {
	at                     evidence.Frame
	callee                 string // the short name of the function that the line calls, without closures in it
	cpu, allocation, bytes float64
	starting               float64                   // CPU time of starting goroutines
	part, unsure           float64                   // of started goroutines: its fraction; half-width of its time
	objects                float64                   // number of those that the heap profile counts
	allocated, inUse       float64                   // bytes, in all and at the end
	sites                  map[string]*allocatedSite // by the statements from the allocation up to the line
}

// allocatedSite is what one statement below a call allocates.
type allocatedSite struct{ bytes, objects float64 }

// add adds values of a type of the heap profile, of which total is the sum.
func (m *making) add(what string, values, total float64, site string) {
	s := m.sites[site]
	if s == nil {
		s = &allocatedSite{}
		m.sites[site] = s
	}
	switch what {
	case "alloc_space/bytes":
		m.bytes += values / math.Max(total, 1)
		m.allocated += values
		s.bytes += values
	case "inuse_space/bytes":
		m.inUse += values
	default:
		m.objects += values
		s.objects += values
	}
}

// cost returns the fraction of all CPU time for the values and for the collection of their garbage, of which collected
// is what all garbage takes.
func (m *making) cost(collected float64) float64 { return math.Min(1, m.cpu+m.garbage(collected)) }

// garbage is the part of cost for the collector, as for other values that are allocated.
func (m *making) garbage(collected float64) float64 { return 0.8 * collected * m.bytes }

// sumOf returns what the values of some lines cost together.
func sumOf(lines []*making) (all making) {
	for _, x := range lines {
		all.cpu += x.cpu
		all.allocation += x.allocation
		all.unsure += x.unsure
		all.bytes += x.bytes
		all.objects += x.objects
		all.allocated += x.allocated
		all.inUse += x.inUse
	}
	return all
}

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
	case len(lines) > 1 && (m.call == nil || lines[1].callee == lines[0].callee) &&
		lines[1].cost(collected) >= lines[0].cost(collected)/4: // it is the same change
		lines = lines[:2]
	default:
		lines = lines[:1]
	}
	all := sumOf(lines)
	saved := all.cost(collected) * a.activeFraction()
	surely := (all.cost(collected) - a.shareHalfWidth(all.cpu) - all.unsure) * a.activeFraction()
	_, counted := a.allocations("alloc_objects/count")
	if saved < makerShare || surely < makerShare/2 || counted > 0 && all.objects < madeValues ||
		all.bytes < m.leastBytes {
		return Finding{}, false
	}

	name := EscapePerOp
	if all.allocation+all.garbage(collected) < all.cost(collected)/2 {
		name = m.costly
	}
	f := a.newFinding(name, "Each call of %s makes %s: that takes %s of the CPU time.",
		lines[0].callee, m.what, percent(all.cost(collected)))
	f.Level = ProfileLevel
	f.local, f.savesCPU = true, true
	f.garbage = 0.9 * all.garbage(collected) * a.activeFraction()
	f.Share = all.cost(collected)
	for _, x := range lines {
		f.Where = append(f.Where, a.prog.position(x.at))
		f.citef("calls of %s are at %s", x.callee, a.quote(x.at))
	}
	f.citef("they take %s of the CPU time, including %s for allocation", percent(all.cpu), percent(all.allocation))
	f.citef("they allocate %s of all bytes; garbage collection takes %s of all CPU time", percent(all.bytes),
		percent(collected))
	f.Gain, f.Confidence = newGain(0.9*saved, 0.5*saved, 1.1*saved), cmp.Or(m.confidence, Medium)
	if a.keeps(all.allocated, all.inUse) {
		f.citef("most of these bytes are still in use at the end, so they cannot be reused")
		f.Gain, f.Confidence = nil, Low
	}
	f.Alternative = m.alternative
	f.Fix = m.fix
	if m.describe != nil {
		m.describe(a, &f, all.bytes, lines[0].at)
	}
	f.Experiment = cmp.Or(m.experiment, "Make "+m.what+" once, before the loop: the time should fall.")
	return f, true
}

// making returns what the values of a maker cost at each line of the program that calls it, the largest cost first.
func (a *analysis) making(m maker, collected float64) []*making {
	l := &makingLines{maker: m, prog: a.prog, by: map[evidence.Frame]*making{}}
	l.addTime(a.cpu, a.ends())

	for _, what := range []string{"alloc_space/bytes", "alloc_objects/count", "inuse_space/bytes"} {
		samples, total := a.allocations(what)
		for _, w := range samples {
			x, callee := l.of(w.stack)
			switch {
			case x == nil && l.isStarted(w.stack):
				for _, x := range l.list {
					x.add(what, x.part*w.weight, total, "")
				}
			case x == nil:
			case m.large == nil: // which statements allocate does not matter
				x.add(what, w.weight, total, "")
			default:
				x.add(what, w.weight, total, stackKey(w.stack[:callee+2]))
			}
		}
	}
	if m.large != nil {
		l.list = slices.DeleteFunc(l.list, func(x *making) bool { return !m.large(x) })
	}

	slices.SortFunc(l.list, func(x, y *making) int {
		return cmp.Or(cmp.Compare(y.cost(collected), x.cost(collected)), cmp.Compare(x.at.File, y.at.File),
			cmp.Compare(x.at.Line, y.at.Line), cmp.Compare(x.at.Function, y.at.Function))
	})
	return l.list
}
