package explain

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for code that takes most of the CPU time.
const (
	hotShare    = 0.3 // fraction of the goroutines' CPU time in or below one avoidable call
	searchShare = 0.3 // fraction of the goroutines' CPU time in one search loop
)

// avoidableCall is a function, by a prefix, whose result can often be kept, or for which something cheaper exists.
type avoidableCall struct {
	function, fix string
	name          string   // in the claim; by default, that of the function
	keep          bool     // the result can be kept
	slow          bool     // it is slower than code that does the same; only calls by the program's own code count
	except        []string // functions, by prefixes, of which the calls are needed
	alternative   string   // another explanation, if it is so likely that confidence is low
}

// avoidable lists such functions. Of two that take as much time, the first is named.
var avoidable = []avoidableCall{
	{function: "regexp.Compile", fix: "Compile the pattern once, outside the loop.", keep: true},
	{function: "regexp.MustCompile", fix: "Compile the pattern once, outside the loop.", keep: true},
	{function: "regexp.MatchString", fix: "Compile the pattern once, and call its MatchString.", keep: true},
	{function: "text/template.(*Template).Parse", fix: "Parse the template once.", keep: true},
	{function: "html/template.(*Template).Parse", fix: "Parse the template once.", keep: true},
	{function: "time.LoadLocation", fix: "Load the location once.", keep: true},
	{function: "crypto/rand.", name: "crypto/rand", fix: "Use math/rand/v2, unless the values must be secret.",
		slow: true, except: []string{"crypto/rand.Prime"}, alternative: "The values must be secret, as keys are."},
	{function: "runtime.concatstring", fix: "Use a strings.Builder: + copies the whole string each time."},
	{function: "fmt.Sprintf", fix: "Format less: use strconv.AppendInt, or a struct as a map key."},
	{function: "fmt.Sprint", fix: "Format less: use strconv.AppendInt, or a struct as a map key."},
	{function: "fmt.Fscan", fix: "Read words with a bufio.Scanner, and parse them with strconv.", slow: true},
	{function: "fmt.Sscan", fix: "Split the text with strings.Cut or Fields, and parse it with strconv.", slow: true},
	{function: "fmt.Errorf", fix: "Return an error that formats its text only in its Error method.", slow: true},
	{function: "reflect.DeepEqual", fix: "Compare the fields, or use slices.Equal or maps.Equal.", slow: true},
	{function: "encoding/binary.Read", fix: "Read with io.ReadFull, and decode each field, as by LittleEndian.Uint32.",
		slow: true},
	{function: "encoding/binary.Write", fix: "Append each field, as by LittleEndian.AppendUint32, and write once.",
		slow: true},
	{function: "slices.Clone", fix: "Copy into a buffer of the caller, or do not copy."},
	{function: "bytes.Clone", fix: "Copy into a buffer of the caller, or do not copy."},
	{function: "runtime.growslice", fix: "Allocate the slice with its final capacity."},
}

// hotFunction finds the avoidable calls that take most of the CPU time, or else a value that is encoded again, or else
// a linear search, or else calls that are likely to be needed. Any other function of the program's own is its work.
func hotFunction(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}
	if found := a.hottestCall(false); found != nil {
		return found
	}
	if found := a.encodedAgain(); found != nil {
		return found
	}
	if found := a.linearSearch(); found != nil {
		return found
	}
	return a.hottestCall(true)
}

// hottestCall returns the finding for the avoidable calls that take most of the CPU time: of those that are likely to
// be needed, or of the others. Calls during package initialization and by package log do not count.
func (a *analysis) hottestCall(needed bool) []Finding {
	var worst group
	var of avoidableCall
	for _, call := range avoidable {
		if (call.alternative != "") != needed {
			continue
		}
		groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			switch {
			case !containsAny(w.stack, call.function) || containsAny(w.stack, "runtime.doInit", "log.") ||
				containsAny(w.stack, call.except...):
				return evidence.Frame{}, false
			case call.slow:
				return a.prog.slowCall(w.stack, call.function)
			}
			return a.prog.ownFrame(w.stack)
		})
		if len(groups) > 0 && groups[0].share >= hotShare && groups[0].share > worst.share {
			worst, of = groups[0], call
		}
	}
	if worst.share == 0 {
		return nil
	}
	return []Finding{a.avoidableCalls(of, worst)}
}

// avoidableCalls describes calls of a function at a line.
func (a *analysis) avoidableCalls(call avoidableCall, g group) Finding {
	f := a.newFinding(HotFunction, "Calls of %s take %s of the CPU time.",
		cmp.Or(call.name, shortName(call.function)), percent(g.share))
	a.locateCalls(&f, g, 0.4)
	f.Fix = call.fix
	f.Alternative = "The other way takes as long here: most of the work is needed."
	f.Experiment = "Make the change at this line only: the time should fall."
	if call.keep {
		f.Alternative = "Each call has other arguments, so no result can be reused."
		f.Experiment = "Keep the result of the first call: the time should fall."
	}
	f.Confidence = High
	if call.alternative != "" {
		f.Alternative, f.Confidence = call.alternative, Low
	}
	return f
}

// foreignCode matches the methods by which the slow calls run code that its user brings.
var foreignCode = regexp.MustCompile(`\.(Read|ReadByte|ReadRune|UnreadRune|Write|Scan)$`)

// readsMuch are functions of the standard library that read many bytes at a time, or connect, at the first of many
// short reads.
var readsMuch = []string{"bufio.(*Reader).fill", "crypto/tls.(*Conn).readRecordOrCCS",
	"crypto/tls.(*Conn).handshakeContext"}

// slowCall returns the program's own line that calls a slow function of the standard library, unless the sample is in
// what that function calls to read, write or scan, which remains without it. Without a buffer between fmt and a file
// or a connection, the reads are its own: one for each character. Package binary is slow only by reflection.
func (p program) slowCall(stack []evidence.Frame, function string) (evidence.Frame, bool) {
	at, ok := p.caller(stack, function, strings.Replace(function, "fmt.Fscan", "fmt.Scan", 1))
	if !ok {
		return evidence.Frame{}, false
	}
	called := below(stack, function)
	if slices.ContainsFunc(called, func(f evidence.Frame) bool {
		return slices.Contains(readsMuch, f.Function) || foreignCode.MatchString(f.Function) &&
			!hasAnyPrefix(f.Function, "fmt.", "strings.", "bytes.", "bufio.", "os.", "net.", "syscall.",
				"internal/poll.", "encoding/binary.", "crypto/rand.", "crypto/internal/",
				"crypto/tls.")
	}) {
		return evidence.Frame{}, false
	}
	if packagePath(function) == "encoding/binary" && !containsAny(called, "reflect.", "encoding/binary.(*encoder)",
		"encoding/binary.(*decoder)") {
		return evidence.Frame{}, false
	}
	return at, true
}

// locateCalls adds the line of calls that are a share of the goroutines' CPU time, and the gain without them, of which
// the low end is a fraction of what the share surely is.
func (a *analysis) locateCalls(f *Finding, g group, low float64) {
	f.Level = ProfileLevel
	f.savesCPU = true
	f.Where = []string{a.prog.position(g.at)}
	f.Share = g.share
	saved := g.share * a.activeFraction()
	f.Gain = newGain(0.85*saved, low*math.Max(0, saved-a.shareHalfWidth(g.share)), saved)
	f.citef("%s of the goroutines' CPU time is in such calls at %s", percent(g.share), a.quote(g.at))
}
