package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Change is something that differs between two programs, or between a program before and after a change.
type Change struct {
	Kind string `json:"kind"` // "change"
	Rank int    `json:"rank"`
	// "wall time", "user code" and other lines of the ledger, "function main.f", "finding coarse-lock"
	Name string `json:"what"`
	// of both: "seconds" of a run; "objects"; "" for a finding, which is there (1) or not (0)
	Unit        string   `json:"unit"`
	Before      float64  `json:"before"`
	After       float64  `json:"after"`
	Significant bool     `json:"clear"` // it is more than chance: see Changes
	Where       []string `json:"where"`
}

// Changes are what differs, by how much: first the wall time, then what took the CPUs' time and the functions that did,
// by seconds of a run, then findings that came or went. The time of a function is of its share of a CPU profile; a
// difference is clear beyond twice its standard error, that of counts (Poisson), and of the wall time where the ranges
// of the runs do not meet.
func Changes(before, after *evidence.Evidence) []Change {
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
		wall := Change{Name: "wall time", Unit: "seconds", Before: a.wall, After: b.wall}
		if a.run != nil && b.run != nil {
			wall.Significant = a.run.WallHigh < b.run.WallLow || b.run.WallHigh < a.run.WallLow
		}
		list = slices.Insert(list, 0, wall)
	}

	list = append(list, findingChanges(Explain(before).Findings, Explain(after).Findings)...)
	for i := range list {
		list[i].Kind, list[i].Rank = "change", i+1
		if list[i].Where == nil {
			list[i].Where = []string{}
		}
	}

	return list
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// spentIn is the CPU time of one function, in seconds of a run, with its standard error.
type functionTime struct {
	seconds, err float64
	at           evidence.Frame
}

// functions are the program's own functions with the CPU time below them.
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

	each := a.used / float64(a.cpu.samples) // that one sample stands for
	for name, x := range out {
		x.err = math.Sqrt(math.Max(x.seconds/each, 1)) * each
		out[name] = x
	}

	return out
}

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

	// A function that is in one of them only has the error of one sample there.
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

func cpuTimeChanges(a, b CPUTime) (list []Change) {
	for _, x := range b.Entries {
		i := slices.IndexFunc(a.Entries, func(y Entry) bool { return y.Name == x.Name })
		if i < 0 {
			continue
		}
		y := a.Entries[i]
		d := math.Abs(x.Time.Seconds() - y.Time.Seconds())
		list = append(list, Change{Name: x.Name, Unit: "seconds", Before: y.Time.Seconds(), After: x.Time.Seconds(),
			Significant: d > 0.05*math.Max(a.Wall.Seconds(), b.Wall.Seconds())})
	}

	return list
}

// findingChanges are the findings that are in one of two reports only.
func findingChanges(a, b []Finding) (list []Change) {
	in := func(f Finding, list []Finding) bool {
		return slices.ContainsFunc(list, func(g Finding) bool { return g.Name == f.Name })
	}

	for _, f := range a {
		if !in(f, b) && f.Name != None && f.Name != TooLittleEvidence {
			list = append(list, Change{Name: fmt.Sprintf("finding %s", f.Name), Before: 1, Significant: true, Where: f.Where})
		}
	}

	for _, f := range b {
		if !in(f, a) && f.Name != None && f.Name != TooLittleEvidence {
			list = append(list, Change{Name: fmt.Sprintf("finding %s", f.Name), After: 1, Significant: true, Where: f.Where})
		}
	}

	return list
}
