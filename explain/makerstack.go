package explain

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// isRelated reports whether a stack may be of work on values that the program makes: the program calls one of the
// related functions, as an operation on a channel with a timer, or only the runtime does, as in the scheduler.
// Libraries call them for values of their own, as deadlines and sleeps have timers, unless they only pass the call on.
func (m maker) isRelated(p program, stack []evidence.Frame) bool {
	i := outermost(stack, m.related...)
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

// starts reports whether a stack is of the function that starts goroutines, and not of one of its package that does
// the work in its place, as net.(*sysDialer).dialSerial does for a host with one address.
func (m maker) starts(stack []evidence.Frame) bool {
	i := slices.IndexFunc(stack, func(f evidence.Frame) bool { return m.starter != "" && f.Function == m.starter })
	return i == 0 || i > 0 && packagePath(stack[i-1].Function) != packagePath(m.starter)
}

// isStarted reports whether a stack is of a goroutine that this function starts.
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

// dialsItself reports whether the program opens a connection for itself, and not as the function of a client that keeps
// connections.
func dialsItself(stack []evidence.Frame) bool {
	return !containsAny(stack, "net/http.(*Transport)", "database/sql.(*DB)")
}

// opensConnection reports whether package database/sql opens a connection to the database.
func opensConnection(stack []evidence.Frame) bool {
	driver := slices.IndexFunc(stack, func(f evidence.Frame) bool {
		return strings.HasSuffix(f.Function, ".Connect") || strings.HasSuffix(f.Function, ".Open")
	})
	return driver >= 0 && containsAny(stack[driver+1:], "database/sql.(*DB).conn")
}
