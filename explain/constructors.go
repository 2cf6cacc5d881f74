package explain

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// foreignConstructor matches the names of functions that make something to be used many times, such as
// NewReader, MustNew, Compile and MustCompile. foreignData matches those of them that rather make data, of which each
// call needs its own, such as NewDocumentFromReader.
var (
	foreignConstructor = regexp.MustCompile(`^(Must)?(New|Compile)([^a-z]|$)`)
	foreignData        = regexp.MustCompile(
		`From|(Document|Error|Event|Message|Node|Packet|Record|Request|Response|Result|Token)$`)
)

// constructedBytes is the least mean number of bytes for each call of a constructor of another module. Smaller results
// are usually values, such as identifiers and numbers, that every call needs anew.
const constructedBytes = 512

// constructedCalls is the least number of calls of a constructor of another module.
const constructedCalls = 100

// makesManyLarge reports whether a line makes many large values.
func (m *making) makesManyLarge() bool {
	each := m.bytesOfCall()
	return each >= constructedBytes && m.allocated/each >= constructedCalls
}

// constructor returns the program's own line that calls a constructor of another module, and the index of the
// constructor in the stack.
func (p program) constructor(stack []evidence.Frame) (at evidence.Frame, callee int, ok bool) {
	own := slices.IndexFunc(stack, p.isOwn)
	if own < 1 || !p.isForeign(stack[own-1]) {
		return at, 0, false
	}
	name := functionName(stack[own-1].Function)
	if !foreignConstructor.MatchString(name) || foreignData.MatchString(name) {
		return at, 0, false
	}
	return p.statement(stack, own), own - 1, true
}

// bytesOfCall returns the mean number of bytes that a call at the line allocates. Its statements are sorted by objects,
// and the one that holds the median byte is taken to run once for each call: loops run more often, and rare branches
// less often.
func (m *making) bytesOfCall() float64 {
	list := slices.SortedFunc(maps.Values(m.sites), func(x, y *allocatedSite) int {
		return cmp.Compare(x.objects, y.objects)
	})
	sum := 0.0
	for _, s := range list {
		if sum += s.bytes; sum >= m.allocated/2 && s.objects > 0 {
			return m.allocated / s.objects
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
		b.WriteByte(0)
		b.WriteString(strconv.Itoa(f.Line))
		b.WriteByte(0)
	}
	return b.String()
}
