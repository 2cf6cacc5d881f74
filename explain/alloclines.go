package explain

import (
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// escapesAtSeveral finds the three lines whose allocations take most time together, if there is no gc-pressure.
func (a *analysis) escapesAtSeveral(groups []group, objects float64) []Finding {
	if a.cpu == nil || a.cpu.samples < minSamples || len(gcRules(a)) > 0 {
		return nil
	}

	f := a.newFinding(EscapePerOp, "")
	_, bytes := a.allocations("alloc_space/bytes")
	cost, garbage := 0.0, 0.0
	for _, c := range a.cpu.groupBy(a.allocatingLine) {
		if c.share < lineCost || len(f.Where) == 3 {
			break
		}
		i := slices.IndexFunc(groups, func(g group) bool {
			return g.at.Function == c.at.Function && g.at.Line == c.at.Line
		})
		if i < 0 || !a.madeThere(groups[i]) || !a.allocatesItself(c.sample) || a.keepsAt(groups[i]) {
			continue
		}
		f.Where = append(f.Where, a.prog.position(c.at))
		f.citef("%s of %.0f objects are allocated at %s, for %s of the goroutines' CPU time", percent(groups[i].share),
			objects, a.quote(c.at), percent(c.share))
		f.Share, cost = f.Share+groups[i].share, cost+c.share
		garbage += a.allocatedAt("alloc_space/bytes", groups[i].at) / math.Max(bytes, 1)
	}
	collected, _ := a.gcCPUShare()
	garbage *= 0.8 * collected * a.activeFraction()
	saved := cost*a.activeFraction() + garbage
	if saved < linesSaved || len(f.Where) == 0 {
		return nil
	}

	f.Claim = fmt.Sprintf("Allocating at %d lines takes %s of the goroutines' CPU time.", len(f.Where), percent(cost))
	if len(f.Where) == 1 {
		f.Claim = fmt.Sprintf("Allocating at one line takes %s of the goroutines' CPU time.", percent(cost))
	}
	f.Level = ProfileLevel
	f.savesCPU, f.garbage = true, 0.8*garbage
	f.citef("garbage collection takes %s of all CPU time", percent(collected))
	f.Gain = newGain(0.8*saved, 0.3*saved, saved)
	f.Alternative = "The values outlive the operation, and must be on the heap."
	f.Fix = "Reuse values if nothing keeps them afterwards, or make fewer."
	f.Experiment = "Run a benchmark with -benchmem: allocs/op should drop."
	return []Finding{f}
}

// allocatingLine returns the program's own line of a sample that allocates, but not for a go statement.
func (a *analysis) allocatingLine(w *weightedSample) (evidence.Frame, bool) {
	if w.category != Allocation || w.allocatesGoroutine() {
		return evidence.Frame{}, false
	}
	return a.prog.ownFrame(w.stack)
}
