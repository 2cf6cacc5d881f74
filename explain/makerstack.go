package explain

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// isBeside reports whether a stack may be for values that the program makes: the program calls one of the functions
// beside the maker, as an operation on a channel with a timer, or only the runtime does, as in the scheduler. Libraries
// do so for values of their own, as deadlines and sleeps have timers, unless the maker is within them.
func (m maker) isBeside(p program, stack []evidence.Frame) bool {
	i := outermost(stack, m.beside...)
	if i < 0 {
		return false
	}
	callers := stack[i+1:]
	by := slices.IndexFunc(callers, func(f evidence.Frame) bool {
		pkg := packagePath(f.Function)
		return pkg != "runtime" && pkg != "io" && !slices.Contains(m.within, pkg)
	})
	if by >= 0 {
		return p.isOwn(callers[by])
	}
	return !slices.ContainsFunc(callers, func(f evidence.Frame) bool { return !hasAnyPrefix(f.Function, "runtime.") })
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
