package gobench

import (
	"slices"
	"testing"
)

// TestAlone: what is not measured in both revisions, and why. A benchmark that panics in one of them, or whose function
// does, is not one that this revision lacks.
func TestAlone(t *testing.T) {
	both, base, head := []string{Base, Head}, []string{Base}, []string{Head}
	x := Experiment{
		BaseCommit: "1",
		Benchmarks: []Benchmark{{Name: "Fine", Revs: both}, {Name: "Panics", Revs: base}, {Name: "Group/a", Revs: both}, {Name: "Group/b", Revs: base},
			{Name: "Groups", Revs: base}, {Name: "Mended", Revs: head}, {Name: "New", Revs: head}, {Name: "Rests", Revs: base}},
		Broken: []Broken{{Rev: Base, Name: "Mended", Error: "m"}, {Rev: Base, Name: "Sour", Error: "s"}, {Rev: Base, Name: "Half", Error: "h"},
			{Rev: Head, Name: "Panics", Error: "p"}, {Rev: Head, Name: "Group", Error: "g"}, {Rev: Head, Name: "Sour", Error: "s2"}, {Rev: Head, Name: "Half/a", Error: "h2"}},
		Skipped: []Skipped{{"Rests", "not today"}},
	}
	want := []Alone{{"Mended", BaseFails, "m"}, {"Sour", BothFail, "s"}, {"Half", BaseFails, "h"}, {"Panics", HeadFails, "p"}, {"Group", HeadFails, "g"},
		{"Half/a", BothFail, "h2"}, {"Rests", Skips, "not today"}, {"Groups", Removed, ""}, {"New", Added, ""}}
	if got := x.Alone(); !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}
