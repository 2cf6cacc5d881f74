package report

import (
	"cmp"
	"slices"

	"github.com/brewput/brewput/compare"
)

// byChange returns the verdicts in the order of the rows of a table: the largest change first.
func byChange(verdicts []compare.Verdict) []compare.Verdict {
	verdicts = slices.Clone(verdicts)
	slices.SortStableFunc(verdicts, func(a, b compare.Verdict) int {
		return cmp.Compare(compare.ChangeOf(b), compare.ChangeOf(a))
	})
	return verdicts
}

// equal reports whether both sides have the same counts, which do not vary.
func equal(v compare.Verdict) bool { return v.Exact && v.Ratio == 1 }

// omitEqual deletes the rows of verdicts that are exactly equal from the columns of a group's table, and returns how
// many they are. A single one stays, because a note takes as much space.
func omitEqual(columns []column, g compare.MetricGroup) int {
	n := 0
	for _, v := range g.Verdicts {
		if equal(v) {
			n++
		}
	}
	if n < 2 {
		return 0
	}
	for i, v := range slices.Backward(byChange(g.Verdicts)) {
		if equal(v) {
			for c := range columns {
				columns[c].cells = slices.Delete(columns[c].cells, i, i+1)
			}
		}
	}
	return n
}

// nameColumns returns the columns that name the rows of verdicts.
func nameColumns(verdicts []compare.Verdict) []column {
	f := frame{}
	for _, v := range verdicts {
		f.rows = append(f.rows, compare.Row{Workload: v.Workload, World: v.World, Design: v.A, Point: v.Point})
	}
	f.describe()
	columns := f.benchmarkColumns()
	if !severalPackages(verdicts) {
		return columns
	}
	pkg := column{head: "package", left: true}
	for _, r := range f.rows {
		pkg.add(r.Workload, plain)
	}
	return slices.Insert(columns, 0, pkg)
}

// severalPackages reports whether the verdicts are of several packages, as those of a file may be.
func severalPackages(verdicts []compare.Verdict) bool {
	return slices.ContainsFunc(verdicts, func(v compare.Verdict) bool { return v.Workload != verdicts[0].Workload })
}
