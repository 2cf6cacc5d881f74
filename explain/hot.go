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

// avoidable lists functions whose result can often be kept, or for which a cheaper call exists.
var avoidable = []struct{ function, fix string }{
	{"regexp.Compile", "Compile the pattern once, outside the loop."},
	{"regexp.MustCompile", "Compile the pattern once, outside the loop."},
	{"regexp.MatchString", "Compile the pattern once, and call its MatchString."},
	{"text/template.(*Template).Parse", "Parse the template once."},
	{"html/template.(*Template).Parse", "Parse the template once."},
	{"time.LoadLocation", "Load the location once."},
	{"runtime.concatstring", "Use a strings.Builder: + copies the whole string each time."},
	{"fmt.Sprintf", "Format less: use strconv.AppendInt, or a struct as a map key."},
	{"fmt.Sprint", "Format less: use strconv.AppendInt, or a struct as a map key."},
	{"slices.Clone", "Copy into a buffer of the caller, or do not copy."},
	{"bytes.Clone", "Copy into a buffer of the caller, or do not copy."},
	{"runtime.growslice", "Allocate the slice with its final capacity."},
}

// hotFunction finds an avoidable call that takes much of the CPU time, or else a value that is encoded again, or else a
// linear search. Any other function of the program's own is its work.
func hotFunction(a *analysis) []Finding {
	if !a.hasSamples() {
		return nil
	}

	for _, call := range avoidable {
		groups := a.cpu.groupBy(func(w *weightedSample) (evidence.Frame, bool) {
			if !containsAny(w.stack, call.function) || containsAny(w.stack, "runtime.doInit", "log.") {
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
		f.Alternative = "Each call has other arguments, so no result can be reused."
		f.Fix = call.fix
		f.Experiment = "Keep the result of the first call: the time should fall by its share."
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
