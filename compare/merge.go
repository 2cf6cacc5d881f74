package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Run is one side of a comparison: a stored run, or several merged ones.
type Run struct {
	Name   string // its directory; of several runs, all of them, separated by commas
	Rows   []Row
	Trials []result.Trial
	starts []int // of several runs: the first block of each; see [MergeRuns]
}

// MergeRuns merges several runs of one side. It numbers their blocks consecutively.
func MergeRuns(runs []Run, cases []plan.Case) Run {
	if len(runs) == 1 {
		return runs[0]
	}

	var names []string
	var side Run
	next := 0
	for _, r := range runs {
		names, side.starts = append(names, r.Name), append(side.starts, next)
		after := next
		for _, t := range r.Trials {
			t.Block += next
			after = max(after, t.Block+1)
			side.Trials = append(side.Trials, t)
		}
		next = after
	}

	side.Name, side.Rows = strings.Join(names, ","), Rows(side.Trials, cases)
	return side
}

// UniqueCases returns the distinct cases of all lists, in order of appearance.
func UniqueCases(lists ...[]plan.Case) (cases []plan.Case) {
	seen := map[[2]string]bool{}
	for _, c := range slices.Concat(lists...) {
		if id := [2]string{c.Design, c.Point.String()}; !seen[id] {
			seen[id], cases = true, append(cases, c)
		}
	}
	return cases
}

// CaseNames lists rows by design: "locking (cpus 1; cpus 2), pipe (cpus 1, buffer 4)".
func CaseNames(rows []Row) string {
	var designs []string
	at := map[string][]string{}
	for _, r := range rows {
		if _, ok := at[r.Design]; !ok {
			designs = append(designs, r.Design)
		}
		var point []string
		for _, s := range r.Point.Settings() {
			point = append(point, s.Factor+" "+s.Level.String())
		}
		at[r.Design] = append(at[r.Design], strings.Join(point, ", "))
	}

	for i, d := range designs {
		designs[i] = d + " (" + strings.Join(at[d], "; ") + ")"
	}
	return strings.Join(designs, ", ")
}

// Differences is a list of settings in which two runs differ.
type Differences []result.Difference

// Add compares the values of a setting in the newer run, a, and the older run, b. It reports whether they differ.
func (d *Differences) Add(name string, a, b any) bool {
	x, y := fmt.Sprint(a), fmt.Sprint(b)
	if x != y {
		*d = append(*d, result.Difference{Name: name, A: x, B: y})
	}
	return x != y
}

// NonReplicateText returns the text of the warning about a run that differs from the first run of its side; "" if
// there are no differences.
func NonReplicateText(first string, differences []result.Difference) string {
	var all []string
	for _, d := range differences {
		all = append(all, fmt.Sprintf("%s is %s in %s and %s here", d.Name, d.B, first, d.A))
	}
	if all == nil {
		return ""
	}
	return fmt.Sprintf("this run is not a replicate of %s, on the same side: %s; measure all runs of a side with "+
		"one program and the same settings", first, strings.Join(all, ", "))
}
