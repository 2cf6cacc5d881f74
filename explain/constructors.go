package explain

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// foreignConstructor matches the names of functions that make something to be used many times, such as
// NewReader, MustNew, Compile and MustCompile.
var foreignConstructor = regexp.MustCompile(`^(Must)?(New|Compile)([^a-z]|$)`)

// constructedBytes is the least mean number of bytes for each call of a constructor of another module. Smaller results
// are rather values, such as identifiers and numbers, of which each call needs another.
const constructedBytes = 512

// constructedCalls is the least number of calls of a constructor of another module.
const constructedCalls = 100

// isConstructed reports whether a line makes many large values by a constructor of another module.
func (a *analysis) isConstructed(m *making) bool {
	each := a.bytesOfCall(m.at)
	return each >= constructedBytes && m.allocated/each >= constructedCalls
}

// constructor returns the program's own line that calls a constructor of another module, and the constructor.
func (p program) constructor(stack []evidence.Frame) (at, made evidence.Frame, ok bool) {
	own := slices.IndexFunc(stack, p.isOwn)
	if own < 1 {
		return at, made, false
	}
	made = stack[own-1]
	if p.isStandard(made) || p.mayBeOwn(made) || isHook(made) ||
		!foreignConstructor.MatchString(functionName(made.Function)) {
		return at, made, false
	}
	return p.statement(stack, own), made, true
}

// bytesOfCall returns the mean number of bytes that a constructor at a line allocates for each call. The statement
// of the constructor with the median byte counts the calls: one in a loop would count too many, and one that is seldom
// reached too few.
func (a *analysis) bytesOfCall(at evidence.Frame) float64 {
	type site struct{ bytes, objects float64 }
	sites := map[string]*site{}
	total := 0.0
	for _, what := range []string{"alloc_space/bytes", "alloc_objects/count"} {
		list, _ := a.allocations(what)
		for _, w := range list {
			line, _, ok := a.prog.constructor(w.stack)
			if !ok || line != at {
				continue
			}
			key := stackKey(w.stack)
			if sites[key] == nil {
				sites[key] = &site{}
			}
			if what == "alloc_space/bytes" {
				sites[key].bytes += w.weight
				total += w.weight
			} else {
				sites[key].objects += w.weight
			}
		}
	}
	list := make([]*site, 0, len(sites))
	for _, s := range sites {
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y *site) int { return cmp.Compare(x.objects, y.objects) })
	sum := 0.0
	for _, s := range list {
		if sum += s.bytes; sum >= total/2 && s.objects > 0 {
			return total / s.objects
		}
	}
	return 0
}

// stackKey returns the statements of a stack in one string.
func stackKey(stack []evidence.Frame) string {
	var b strings.Builder
	for _, f := range stack {
		b.WriteString(f.Function)
		b.WriteByte(0)
		b.WriteString(f.File)
		b.WriteString(strconv.Itoa(f.Line))
	}
	return b.String()
}
