package explain

import (
	"math"

	"github.com/brewput/brewput/evidence"
)

// Thresholds for code that takes most of the CPU time.
const (
	hotShare    = 0.3 // fraction of the goroutines' CPU time in or below one avoidable call
	searchShare = 0.3 // fraction of the goroutines' CPU time in one search loop
)

// avoidable lists functions, by prefixes, whose result can often be kept, or for which something cheaper exists.
var avoidable = []struct {
	function, fix string
	keep          bool // the result can be kept
}{
	{"regexp.Compile", "Compile the pattern once, outside the loop.", true},
	{"regexp.MustCompile", "Compile the pattern once, outside the loop.", true},
	{"regexp.MatchString", "Compile the pattern once, and call its MatchString.", true},
	{"text/template.(*Template).Parse", "Parse the template once.", true},
	{"html/template.(*Template).Parse", "Parse the template once.", true},
	{"time.LoadLocation", "Load the location once.", true},
	{"runtime.concatstring", "Use a strings.Builder: + copies the whole string each time.", false},
	{"fmt.Sprintf", "Format less: use strconv.AppendInt, or a struct as a map key.", false},
	{"fmt.Sprint", "Format less: use strconv.AppendInt, or a struct as a map key.", false},
	{"fmt.Fscan", "Read words with a bufio.Scanner, and parse them with strconv.", false},
	{"fmt.Sscan", "Split the text with strings.Cut or Fields, and parse it with strconv.", false},
	{"reflect.DeepEqual", "Compare the fields, or use slices.Equal or maps.Equal.", false},
	{"encoding/binary.Read", "Read the bytes, and decode each field by the methods of a ByteOrder.", false},
	{"encoding/binary.Write", "Append each field by the methods of an AppendByteOrder.", false},
	{"slices.Clone", "Copy into a buffer of the caller, or do not copy.", false},
	{"bytes.Clone", "Copy into a buffer of the caller, or do not copy.", false},
	{"runtime.growslice", "Allocate the slice with its final capacity.", false},
}

// hotFunction finds an avoidable call that takes much of the CPU time, or else a value that is encoded again, or else a
// linear search. Any other function of the program's own is its work.
func hotFunction(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}

	for _, call := range avoidable {
		groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			if !containsAny(w.stack, call.function) || containsAny(w.stack, "runtime.doInit", "log.",
				"encoding/binary.ReadUvarint", "encoding/binary.ReadVarint") {
				return evidence.Frame{}, false
			}
			return a.prog.ownFrame(w.stack)
		})
		if len(groups) == 0 || groups[0].share < hotShare {
			continue
		}
		g := groups[0]

		f := a.newFinding(HotFunction, "Calls of %s take %s of the CPU time.", shortName(call.function),
			percent(g.share))
		a.locateCalls(&f, g, 0.4)
		f.Fix = call.fix
		f.Alternative = "Each call does work that its cheaper form would do, too."
		f.Experiment = "Leave it out in a throwaway run (wrong results): time should drop."
		if call.keep {
			f.Alternative = "Each call has other arguments, so no result can be reused."
			f.Experiment = "Keep the result of the first call: the time should fall by its share."
		}
		f.Confidence = High
		return []Finding{f}
	}

	if found := a.encodedAgain(); found != nil {
		return found
	}
	return a.linearSearch()
}

// locateCalls adds the line of calls that are a share of the goroutines' CPU time, and the gain without them, of which
// the low end is a fraction of what the share surely is.
func (a *analysis) locateCalls(f *Finding, g group, low float64) {
	f.Level = ProfileLevel
	f.Where = []string{a.prog.position(g.at)}
	f.Share = g.share
	saved := g.share * a.activeFraction()
	f.Gain = newGain(0.85*saved, low*math.Max(0, saved-a.shareHalfWidth(g.share)), saved)
	f.citef("%s of the goroutines' CPU time is below %s", percent(g.share), a.quote(g.at))
}
