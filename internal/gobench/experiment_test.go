package gobench

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestNotCompared checks the list of benchmarks that are not measured in both revisions, with the reasons. A
// benchmark that panics in a revision, or whose function does, is not missing there.
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
		got = append(got, [3]string{n.Design, n.Reason, n.Output})
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// TestPackageBreaks checks that a package that does not compile is one benchmark that is not judged, and that its
// benchmarks in the other revision are neither added nor removed.
func TestPackageBreaks(t *testing.T) {
	broken := func(revs ...string) (list []result.Broken) {
		for _, rev := range revs {
			list = append(list, result.Broken{Rev: rev, Name: "a" + everyOf, Error: "c"})
		}
		return list
	}
	for _, c := range []struct {
		broken []result.Broken
		revs   []string
		want   string
	}{
		{broken(Head), []string{Base}, result.HeadFails},
		{broken(Base), []string{Head}, result.BaseFails},
		{broken(Base, Head), nil, result.BothFail},
	} {
		x := Experiment{BaseCommit: "1", Broken: c.broken, Benchmarks: []Benchmark{
			{Name: "a/b.X", Package: "a/b", Revs: []string{Base, Head}}}}
		if c.revs != nil {
			x.Benchmarks = append(x.Benchmarks, Benchmark{Name: "a.X", Package: "a", Revs: c.revs})
		}
		got := x.NotCompared()
		if len(got) != 1 || got[0] != (result.NotJudged{Design: "a.*", Reason: c.want, Output: "c"}) {
			t.Errorf("%s: %v", c.want, got)
		}
	}
}

// TestPackageWithDot checks that a package that does not compile does not hide one whose name begins with its name and
// a dot.
func TestPackageWithDot(t *testing.T) {
	x := Experiment{BaseCommit: "1", Packages: []Package{{Name: "v1"}, {Name: "v1.beta"}},
		Broken: []result.Broken{{Rev: Head, Name: "v1" + everyOf, Error: "c"}},
		Benchmarks: []Benchmark{{Name: "v1.X", Package: "v1", Revs: []string{Base}},
			{Name: "v1.beta.X", Package: "v1.beta", Revs: []string{Base}}}}
	want := []result.NotJudged{{Design: "v1.*", Reason: result.HeadFails, Output: "c"},
		{Design: "v1.beta.X", Reason: result.Removed}}
	if got := x.NotCompared(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestPackageVariants checks the builds of several packages, and the benchmark's own name in a trial.
func TestPackageVariants(t *testing.T) {
	x := Experiment{BaseCommit: "1", Packages: []Package{{Name: "a", Without: []string{Base}}, {Name: "a/b"}},
		Benchmarks: []Benchmark{{Name: "a.X/y=1.5", Package: "a"}, {Name: "a/b.X", Package: "a/b"}}}
	want := []Variant{{Rev: Base, Package: "a/b"}, {Rev: Head, Package: "a"}, {Rev: Head, Package: "a/b"}}
	if got := x.variants(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for benchmark, want := range map[string][2]string{"a.X/y=1.5": {"a", "X/y=1.5"}, "a/b.X": {"a/b", "X"}} {
		if v, name := x.variant(benchmark, plan.Point{}, 0); v.Package != want[0] || name != want[1] || v.Rev != Head {
			t.Errorf("%s: %v %s", benchmark, v, name)
		}
	}
}

// TestBinaryNames checks that no two variants of an experiment share a file.
func TestBinaryNames(t *testing.T) {
	for _, x := range []Experiment{
		{Packages: []Package{{Name: "a/b"}, {Name: "a_b"}, {Name: "a%5Fb"}, {Name: "a/_b"}, {Name: "a_/b"},
			{Name: "a__b"}}},
		{PGO: []string{"a/b.pgo", "a_b.pgo", `a\b.pgo`, "a:b.pgo"}},
		{Packages: []Package{{Name: "a"}, {Name: "a-b"}}, PGO: []string{"b-c.pgo", "c.pgo"}},
	} {
		seen := map[string]Variant{}
		for _, v := range x.variants() {
			if other, ok := seen[v.file()]; ok {
				t.Errorf("%+v and %+v are both %s", other, v, v.file())
			}
			seen[v.file()] = v
		}
	}
	v := Variant{Rev: Head, Package: "internal/x-y", Go: "go1.26.0"}
	if got := v.file(); got != "head-internal_x-y-go1.26.0-0.test" {
		t.Errorf("%s: a continued run of an earlier version has another file", got)
	}
}

// TestPackageNames checks that packages are named by their path in the module, or by their import path.
func TestPackageNames(t *testing.T) {
	of := func(module string, paths ...string) (list []Target) {
		for _, p := range paths {
			list = append(list, Target{ImportPath: p, Module: module})
		}
		return list
	}
	for _, c := range []struct {
		targets []Target
		want    []string
	}{
		{of("e.com/m", "e.com/m", "e.com/m/a", "e.com/m/a/b"), []string{"m", "a", "a/b"}},
		{of("e.com/m", "e.com/m", "e.com/m/m"), []string{"e.com/m", "m"}},
		{append(of("e.com/m", "e.com/m/a"), of("e.com/n", "e.com/n/a")...), []string{"e.com/m/a", "e.com/n/a"}},
	} {
		if got := packageNames(c.targets); !slices.Equal(got, c.want) {
			t.Errorf("%v, not %v", got, c.want)
		}
	}
}

// TestHeadBreaks checks that a benchmark that the base can measure and the head cannot is a failure of the
// head, even if other parts of the same function fail in both.
func TestHeadBreaks(t *testing.T) {
	for _, broken := range [][]result.Broken{
		{{Rev: Base, Name: "Group", Error: "z"}, {Rev: Head, Name: "Group/a", Error: "a"}}, // z is fixed, a is broken
		{{Rev: Base, Name: "Group", Error: "z"}, {Rev: Head, Name: "Group", Error: "a"}},   // it now panics before a
	} {
		x := Experiment{BaseCommit: "1", Benchmarks: []Benchmark{{Name: "Group/a", Revs: []string{Base}}},
			Broken: broken}
		if got := x.NotCompared()[0]; got != (result.NotJudged{Design: broken[1].Name, Reason: result.HeadFails,
			Output: "a"}) {
			t.Errorf("%v: %v", broken, got)
		}
	}
}
