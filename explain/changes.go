package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Change is one difference between two programs, or between a program before and after a change.
type Change struct {
	Kind string `json:"kind"` // always "change"
	Rank int    `json:"rank"`

	// what differs: "wall time", a part of the CPU-time breakdown such as "user code", "function main.f", "finding
	// coarse-lock"
	Name string `json:"what"`

	// unit of Before and After: "seconds" of a run, or "" for a finding, which is present (1) or absent (0)
	Unit        string   `json:"unit"`
	Before      float64  `json:"before"`
	After       float64  `json:"after"`
	Significant bool     `json:"clear"` // larger than the measurement error; see [Changes]
	Where       []string `json:"where"`
}

// wallTime is the name of the change of the wall time.
const wallTime = "wall time"

// Changes compares two programs. It returns the change of the wall time first, then up to 12 changes of the CPU-time
// breakdown and of the CPU time of functions, and then the findings that only one of the two programs has, both in
// its report and by the kinds of evidence that both programs have. The changes of CPU times are sorted by significance
// and size. Like [Explain], it leaves out evidence that contradicts itself.
func Changes(before, after *evidence.Evidence) []Change {
	before, _ = dropImplausible(before)
	after, _ = dropImplausible(after)
	a, b := newAnalysis(before), newAnalysis(after)
	list := functionChanges(a, b)
	list = append(list, cpuTimeChanges(a.cpuTime(), b.cpuTime())...)
	slices.SortStableFunc(list, func(x, y Change) int {
		return cmp.Or(compareBool(y.Significant, x.Significant),
			cmp.Compare(math.Abs(y.After-y.Before), math.Abs(x.After-x.Before)), cmp.Compare(x.Name, y.Name))
	})

	const most = 12
	list = list[:min(len(list), most)]
	if a.wall > 0 && b.wall > 0 {
		wall := Change{Name: wallTime, Unit: "seconds", Before: a.wall, After: b.wall}
		wall.Significant = a.run != nil && b.run != nil && !a.isLoaded() && !b.isLoaded() && differ(a.run, b.run)
		list = slices.Insert(list, 0, wall)
	}

	list = append(list, findingChanges(a, b)...)
	for i := range list {
		list[i].Kind, list[i].Rank = "change", i+1
		if list[i].Where == nil {
			list[i].Where = []string{}
		}
	}

	return list
}

// fewRunsGap is the least difference of two sets of runs that is clear if one has only three, as a fraction of the
// shorter time. Runs end once three of them agree that well (settledRange of package collect), so that three may agree
// by chance.
const fewRunsGap = 0.03

// differ reports whether two sets of runs have different wall times: their ranges do not overlap. By chance that
// happens in 3% of two sets of 4 runs. With 3 runs it is 10%, so that the gap must then exceed both ranges, and
// fewRunsGap.
func differ(a, b *evidence.Run) bool {
	gap := max(b.WallLow-a.WallHigh, a.WallLow-b.WallHigh)
	switch n := min(a.Count, b.Count); {
	case n < 3 || gap <= 0:
		return false
	case n == 3:
		return gap > max(a.WallHigh-a.WallLow, b.WallHigh-b.WallLow) &&
			gap.Seconds() > fewRunsGap*min(a.Wall, b.Wall).Seconds()
	}
	return true
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// functionTime is the CPU time of one function in seconds of a run, with its standard error.
type functionTime struct {
	seconds, err float64
	at           evidence.Frame
}

// functionTimes returns the CPU time that the program's own functions used, themselves or in libraries that they
// called.
func (a *analysis) functionTimes() map[string]functionTime {
	out := map[string]functionTime{}
	if a.cpu == nil || a.cpu.samples == 0 {
		return out
	}

	for i := range a.cpu.list {
		w := &a.cpu.list[i]
		f, ok := a.prog.ownFrame(w.stack)
		if !ok {
			continue
		}
		x := out[f.Function]
		x.seconds += w.weight / a.cpu.total * a.used
		x.at = f
		out[f.Function] = x
	}

	each := a.used / float64(a.cpu.samples) // CPU time that one sample stands for
	for name, x := range out {
		x.err = math.Sqrt(math.Max(x.seconds/each, 1)) * each
		out[name] = x
	}

	return out
}

// functionChanges returns the changes of the CPU time of functions. Both programs need a CPU profile.
func functionChanges(a, b *analysis) (list []Change) {
	before, after := a.functionTimes(), b.functionTimes()
	if len(before) == 0 || len(after) == 0 {
		return nil
	}

	names := map[string]bool{}
	for n := range before {
		names[n] = true
	}

	for n := range after {
		names[n] = true
	}

	// A function that occurs in one profile only has at least the error of one sample in the other.
	least := math.Max(a.used/float64(a.cpu.samples), b.used/float64(b.cpu.samples))
	for n := range names {
		x, y := before[n], after[n]
		at, p := y.at, b.prog
		if at.Function == "" {
			at, p = x.at, a.prog
		}
		list = append(list, Change{
			Name: "function " + shortName(n), Unit: "seconds", Before: x.seconds, After: y.seconds,
			Significant: math.Abs(x.seconds-y.seconds) > 2*math.Hypot(math.Max(x.err, least), math.Max(y.err, least)),
			Where:       []string{p.position(at)},
		})
	}

	return list
}

// cpuTimeChanges returns the changes of the entries of two breakdowns. Without a CPU profile, user code includes most
// other entries, so breakdowns from different sources are not compared. A change is significant if it exceeds 5% of the
// longer wall time. Idle time is unknown if the number of CPUs is.
func cpuTimeChanges(a, b CPUTime) (list []Change) {
	if a.Source != b.Source {
		return nil
	}

	seconds := func(entries []Entry, name string) float64 { // an entry that is missing is zero
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.Name == name })
		if i < 0 {
			return 0
		}
		return entries[i].Time.Seconds()
	}

	seen := map[string]bool{}
	for _, e := range slices.Concat(a.Entries, b.Entries) {
		if seen[e.Name] || e.Name == Idle && (a.CPUs == 0 || b.CPUs == 0) {
			continue
		}
		seen[e.Name] = true
		x, y := seconds(a.Entries, e.Name), seconds(b.Entries, e.Name)
		list = append(list, Change{Name: e.Name, Unit: "seconds", Before: x, After: y,
			Significant: math.Abs(x-y) > 0.05*math.Max(a.Wall.Seconds(), b.Wall.Seconds())})
	}

	return list
}

// findingChanges returns the findings that only one of two programs has, both in its report and by the kinds of
// evidence that both programs have. On a loaded machine it leaves out those that other processes can cause.
func findingChanges(a, b *analysis) (list []Change) {
	loaded := a.isLoaded() || b.isLoaded()
	add := func(found, own, others []Finding, before, after float64) {
		for _, f := range found {
			same := func(g Finding) bool { return g.Name == f.Name }
			if slices.ContainsFunc(own, same) && !slices.ContainsFunc(others, same) && !f.lacksEvidence() &&
				!(loaded && traits[f.Name].allCPUs) {
				list = append(list, Change{Name: fmt.Sprintf("finding %s", f.Name), Before: before, After: after,
					Significant: true, Where: f.Where})
			}
		}
	}

	before, after := a.sharedWith(b).report().Findings, b.sharedWith(a).report().Findings
	allBefore, allAfter := a.report().Findings, b.report().Findings
	add(before, allBefore, slices.Concat(after, allAfter), 1, 0)
	add(after, allAfter, slices.Concat(before, allBefore), 0, 1)
	return list
}

// sharedWith returns the analysis of the kinds of evidence that another program has too. A trace or a CPU profile that
// is too small for findings does not count.
func (a *analysis) sharedWith(b *analysis) *analysis {
	e := *a.e
	e.Program.MultipleBenchmarks = e.Program.MultipleBenchmarks || b.e.Program.MultipleBenchmarks
	if !a.hasLongTrace() || !b.hasLongTrace() {
		e.Trace = nil
	}
	e.Profiles = slices.DeleteFunc(slices.Clone(e.Profiles), func(p evidence.Profile) bool {
		return p.Kind == evidence.CPU && (!a.hasSamples() || !b.hasSamples()) ||
			!slices.ContainsFunc(b.e.Profiles, func(q evidence.Profile) bool { return q.Kind == p.Kind })
	})
	e.Runs = slices.DeleteFunc(slices.Clone(e.Runs), func(r evidence.Run) bool {
		return b.run == nil || b.oneCPU == nil && a.oneCPU != nil && r.CPUs == a.oneCPU.CPUs
	})
	return newAnalysis(&e)
}

// lacksEvidence reports whether a finding is about the evidence, or the lack of findings, and not about the program.
func (f *Finding) lacksEvidence() bool {
	return f.Name == None || f.Name == TooLittleEvidence || f.Name == TooFewSamples
}
