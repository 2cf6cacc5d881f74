package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// makingLines are the program's own lines that make values.
type makingLines struct {
	maker
	prog program
	list []*making
	by   map[evidence.Frame]*making
}

// of returns the line that a sample is of, and the index of the function that it calls there; nil if there is none.
func (l *makingLines) of(stack []evidence.Frame) (x *making, callee int) {
	at, callee, ok := l.callOf(l.prog, stack)
	if !ok || l.only != nil && !l.only(stack) {
		return nil, 0
	}
	if l.by[at] == nil {
		name, _, _ := strings.Cut(shortName(stack[callee].Function), ".func")
		l.by[at] = &making{at: at, callee: name, sites: map[string]*allocatedSite{}}
		l.list = append(l.list, l.by[at])
	}
	return l.by[at], callee
}

// addTime adds the CPU time of calls to the lines, that of goroutines which the calls start, and that of related work.
// The related work is at most as much as the rest: more of it belongs to values of libraries. It includes the work of
// the other end if the program ends by itself. A server may accept the connections of others.
func (l *makingLines) addTime(p *profile, ends bool) {
	related, accepting, closing, all := 0.0, 0.0, 0.0, 0.0
	var started making // by these lines and by libraries
	for i := range p.list {
		w := &p.list[i]
		share := w.weight / p.total
		x, _ := l.of(w.stack)
		if x == nil && l.isStarted(w.stack) {
			x = &started
		}
		if w.category == GarbageCollector { // it counts as garbage
			continue
		}
		if l.starts(w.stack) {
			started.starting += share
			if x != nil {
				x.starting += share
			}
		}
		switch {
		case x != nil:
			x.cpu += share
			if w.category == Allocation {
				x.allocation += share
			}
		case l.isCalled(l.prog, w.stack, l.related):
			related += share
		case l.isCalled(l.prog, w.stack, l.accepting):
			accepting += share
		case l.isCalled(l.prog, w.stack, l.closing):
			closing += share
		}
	}

	if ends {
		related += accepting + closing
	} else { // some may close what the program accepted
		related += math.Max(0, closing-accepting)
	}

	for _, x := range l.list {
		if x.starting > 0 { // else nothing shows that the line starts some
			x.part = x.starting / started.starting
			// The sum for two lines is larger than the half-width of both together.
			x.unsure = started.cpu * binomialHalfWidth(x.part, int64(started.starting*float64(p.samples)))
			x.cpu += started.cpu * x.part
			x.allocation += started.allocation * x.part
		}
		all += x.cpu
	}
	for _, x := range l.list {
		factor := 1 + math.Min(related, all)/math.Max(all, 1e-9)
		x.cpu, x.unsure = x.cpu*factor, x.unsure*factor
	}
}

// ends reports whether the program is known to end by itself: one that does not runs on all CPUs only.
func (a *analysis) ends() bool { return a.oneCPU != nil || a.run != nil && a.run.Operations > 0 }

// isCalled reports whether a stack may be of work on values that the program makes: the program calls one of some
// functions, as an operation on a channel with a timer, or only the runtime does, as in the scheduler. Libraries call
// them for values of their own, as deadlines and sleeps have timers, unless they only pass the call on.
func (m maker) isCalled(p program, stack []evidence.Frame, functions []string) bool {
	i := outermost(stack, functions...)
	if i < 0 {
		return false
	}
	library := false
	for _, f := range stack[i+1:] {
		switch pkg := packagePath(f.Function); {
		case pkg == "runtime":
		case strings.HasPrefix(f.Function, "net.(*Resolver)"): // it has connections of its own
			return false
		case pkg == "io" || slices.Contains(m.relays, pkg):
			library = true
		default:
			return p.isOwn(f)
		}
	}
	return !library
}

// starts reports whether the starter itself calls another package, but not to grow the stack. Without goroutines, it
// calls a function of its own package instead: net.(*sysDialer).dialSerial dials in the same goroutine.
func (m maker) starts(stack []evidence.Frame) bool {
	if m.starter == "" {
		return false
	}
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return f.Function == m.starter })
	return i > 0 && packagePath(stack[i-1].Function) != packagePath(m.starter) &&
		!hasAnyPrefix(stack[i-1].Function, "runtime.morestack", "runtime.newstack")
}

// isStarted reports whether a stack is of a goroutine that the starter starts.
func (m maker) isStarted(stack []evidence.Frame) bool {
	return m.starter != "" && containsAny(stack, m.starter+".func")
}

// callOf returns the program's own line that makes a value, and the index of the function that it calls there.
func (m maker) callOf(p program, stack []evidence.Frame) (at evidence.Frame, callee int, ok bool) {
	if m.call != nil {
		return m.call(p, stack)
	}
	at, ok = p.caller(stack, m.functions...)
	return at, outermost(stack[:max(0, len(stack)-1)], m.functions...), ok
}

// makesAnew reports whether a stack is below no method that makes something at its first call only, or in that call.
func makesAnew(stack []evidence.Frame) bool {
	return !containsAny(stack, "compress/gzip.(*Writer)", "compress/zlib.(*Writer)", "strings.(*Replacer)") ||
		containsAny(stack, "compress/flate.NewWriter", "strings.(*Replacer).build")
}

// dialsItself reports whether the program opens a connection for itself, and not as the function of one of the clients
// that keep connections and that many programs have.
func dialsItself(stack []evidence.Frame) bool {
	return !containsAny(stack, "net/http.(*Transport)", "database/sql.(*DB)", "golang.org/x/net/http2.(*Transport)",
		"google.golang.org/grpc/internal/transport.", "github.com/redis/go-redis/", "github.com/go-redis/redis/",
		"github.com/gomodule/redigo/redis.(*Pool)", "github.com/jackc/puddle", "go.mongodb.org/mongo-driver/",
		"github.com/valyala/fasthttp.(*HostClient)", "github.com/segmentio/kafka-go.(*connGroup)")
}

// opensConnection reports whether package database/sql opens a connection to the database.
func opensConnection(stack []evidence.Frame) bool {
	driver := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		return strings.HasSuffix(f.Function, ".Connect") || strings.HasSuffix(f.Function, ".Open")
	})
	return driver >= 0 && containsAny(stack[driver+1:], "database/sql.(*DB).conn")
}
