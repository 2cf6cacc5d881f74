package gobench

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestNotCompared: what is not measured in both revisions, and why. A benchmark that panics in one of them, or whose
// function does, is not one that this revision lacks.
func TestNotCompared(t *testing.T) {
	both, base, head := []string{Base, Head}, []string{Base}, []string{Head}
	x := Experiment{
		BaseCommit: "1",
		Benchmarks: []Benchmark{{Name: "Fine", Revs: both}, {Name: "Panics", Revs: base}, {Name: "Group/a", Revs: both},
			{Name: "Group/b", Revs: base},
			{Name: "Groups", Revs: base}, {Name: "Mended", Revs: head}, {Name: "New", Revs: head},
			{Name: "Rests", Revs: base}, {Name: "Quiet/a", Revs: base}},
		Broken: []result.Broken{{Rev: Base, Name: "Mended", Error: "m"}, {Rev: Base, Name: "Sour", Error: "s"},
			{Rev: Base, Name: "Half", Error: "h"},
			{Rev: Head, Name: "Panics", Error: "p"}, {Rev: Head, Name: "Group", Error: "g"},
			{Rev: Head, Name: "Sour", Error: "s2"}, {Rev: Head, Name: "Half/a", Error: "h2"}},
		Skipped: []result.Skipped{{Rev: Base, Name: "Always", Reason: "never"},
			{Rev: Head, Name: "Rests", Reason: "not today"}, {Rev: Head, Name: "Always", Reason: "never"},
			{Rev: Head, Name: "Quiet"}},
	}
	want := [][3]string{{"Panics", result.HeadFails, "p"}, {"Group", result.HeadFails, "g"},
		{"Sour", result.BothFail, "s2"}, {"Half/a", result.BothFail, "h2"},
		{"Mended", result.BaseFails, "m"}, {"Half", result.BaseFails, "h"}, {"Always", result.BothSkip, "never"},
		{"Rests", result.HeadSkips, "not today"},
		{"Quiet", result.HeadSkips, ""}, {"Groups", result.Removed, ""}, {"New", result.Added, ""}}
	var got [][3]string
	for _, n := range x.NotCompared() {
		got = append(got, [3]string{n.Design, n.Reason, n.Said})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// TestHeadBreaks: what the base could measure and the head breaks is the head's failure, whatever else of the same
// function goes wrong in both.
func TestHeadBreaks(t *testing.T) {
	for _, broken := range [][]result.Broken{
		{{Rev: Base, Name: "Group", Error: "z"}, {Rev: Head, Name: "Group/a", Error: "a"}}, // z is mended, a broken
		{{Rev: Base, Name: "Group", Error: "z"}, {Rev: Head, Name: "Group", Error: "a"}},   // it panics before a now
	} {
		x := Experiment{BaseCommit: "1", Benchmarks: []Benchmark{{Name: "Group/a", Revs: []string{Base}}},
			Broken: broken}
		if got := x.NotCompared()[0]; got != (result.NotJudged{Design: broken[1].Name, Reason: result.HeadFails,
			Said: "a"}) {
			t.Errorf("%v: %v", broken, got)
		}
	}
}
