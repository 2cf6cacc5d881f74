package explain

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// twoFunctions is a run whose CPU profile has some samples in f and in g.
func twoFunctions(f, g int64, wall time.Duration) *evidence.Evidence {
	sample := func(name string, line int, n int64) evidence.Sample {
		return evidence.Sample{Values: []int64{n, n * 1e7},
			Stack: []evidence.Frame{{Function: "main." + name, File: "/m/main.go", Line: line},
				{Function: "main.main", File: "/m/main.go", Line: 1},
				{Function: "runtime.main", File: "/go/src/runtime/proc.go", Line: 1}}}
	}
	return &evidence.Evidence{
		Program: evidence.Program{Name: "p", Dir: "/m", Module: "example.com/m"},
		Runs: []evidence.Run{{CPUs: 1, MachineCPUs: 1, Count: 3, Wall: wall, WallLow: wall - time.Millisecond,
			WallHigh: wall + time.Millisecond, User: time.Duration(f+g) * 10 * time.Millisecond}},
		Profiles: []evidence.Profile{{Kind: evidence.CPU, Types: []string{"samples/count", "cpu/nanoseconds"},
			Duration: wall,
			Samples: []evidence.Sample{
				sample("f", 10, f), sample("g", 20, g),
			}}},
	}
}

// Changes are sorted by size, and those within the measurement error are not significant.
func TestChanges(t *testing.T) {
	list := Changes(twoFunctions(100, 300, 4*time.Second), twoFunctions(110, 100, 2100*time.Millisecond))
	find := func(what string) Change {
		i := slices.IndexFunc(list, func(c Change) bool { return c.Name == what })
		if i < 0 {
			t.Fatalf("nothing of %s: %+v", what, list)
		}
		return list[i]
	}
	if w := list[0]; w.Name != "wall time" || w.Before != 4 || w.After != 2.1 || !w.Significant || w.Rank != 1 ||
		w.Kind != "change" {
		t.Errorf("first %+v", w)
	}
	g, f := find("function main.g"), find("function main.f")
	if !g.Significant || g.Before < 2.99 || g.Before > 3.01 || g.After < 0.99 || g.After > 1.01 ||
		!slices.Equal(g.Where, []string{"main.go:20"}) {
		t.Errorf("%+v", g)
	}
	if f.Significant || f.Rank < g.Rank {
		t.Errorf("10 samples more of 100 are no change: %+v", f)
	}
	brief := twoFunctions(100, 300, 50*time.Millisecond) // too short to predict a gain
	for _, c := range append(Changes(brief, twoFunctions(100, 300, 4*time.Second)),
		Changes(twoFunctions(100, 300, 4*time.Second), brief)...) {
		if c.Name == "finding too-few-samples" {
			t.Error("a lack of evidence is listed as a change")
		}
	}
	same := twoFunctions(100, 300, 4*time.Second)
	for _, c := range Changes(same, same) {
		if c.Significant || c.Before != c.After {
			t.Errorf("nothing changed, but %+v", c)
		}
	}
}

// A profile with more CPU time than its CPUs had shows no change.
func TestChangesOfImplausibleEvidence(t *testing.T) {
	good, bad := twoFunctions(100, 300, 4*time.Second), twoFunctions(100, 300, 4*time.Second)
	for i := range bad.Profiles[0].Samples {
		bad.Profiles[0].Samples[i].Values[1] *= 1000
	}
	if notes := explainWith(nil, bad).Notes; len(notes) != 1 {
		t.Fatalf("Explain keeps the profile: %q", notes)
	}
	for _, list := range [][]Change{Changes(good, bad), Changes(bad, good)} {
		for _, c := range list {
			if c.Unit == "seconds" && c.Name != wallTime {
				t.Errorf("from a profile that is left out: %+v", c)
			}
		}
	}
}

// A finding is not gone or new if the other program lacks the evidence for it.
func TestFindingChanges(t *testing.T) {
	loaded, untraced := wideCase(), wideCase()
	loaded.evidence.Runs[0].OtherCPUs = 1
	untraced.evidence.Trace = nil
	for _, x := range cases {
		if x.name != LoadImbalance && x.name != StageLimited {
			continue
		}
		unprofiled, several := wideCase(), wideCase()
		unprofiled.evidence.Profiles, several.evidence.Program.MultipleBenchmarks = nil, true
		for _, c := range []struct {
			name  string
			other *testCase
			shown bool
		}{
			{"idle", wideCase(), true}, {"loaded", loaded, x.name == StageLimited}, {"no trace", untraced, false},
			{"no CPU profile", unprofiled, true}, // the finding does not need it
			{"several benchmarks", several, x.name == StageLimited},
		} {
			example := x.example()
			if len(example.evidence.Profiles) == 0 {
				example.cpu(159, "main.f:5", "main.worker:3")
			}
			with, other := &example.evidence, &c.other.evidence
			for _, list := range [][]Change{Changes(with, other), Changes(other, with)} {
				got := slices.ContainsFunc(list, func(d Change) bool { return d.Name == "finding "+string(x.name) })
				if got != c.shown {
					t.Errorf("%s, other program %s: shown %v, want %v", x.name, c.name, got, c.shown)
				}
			}
		}
	}
}

// A finding of a CPU profile is not gone or new if the other program has none.
func TestFindingChangesOfProfile(t *testing.T) {
	hot, unprofiled, sparse := wideCase(), wideCase(), wideCase()
	hot.evidence.Profiles, unprofiled.evidence.Profiles, sparse.evidence.Profiles = nil, nil, nil
	sparse.cpu(minSamples-1, "main.f:5", "main.worker:3")
	hot.cpu(150, "runtime.growslice", "main.add", "main.f:5", "main.worker:3")
	hot.cpu(48, "main.f:9", "main.worker:3")
	hot.named(t, HotFunction)
	for _, c := range []struct {
		name  string
		other *testCase
		shown bool
	}{
		{"with a profile", wideCase(), true}, {"without", unprofiled, false}, {"with too few samples", sparse, false},
	} {
		for _, list := range [][]Change{Changes(&hot.evidence, &c.other.evidence),
			Changes(&c.other.evidence, &hot.evidence)} {
			got := slices.ContainsFunc(list, func(d Change) bool { return d.Name == "finding "+string(HotFunction) })
			if got != c.shown {
				t.Errorf("other program %s: shown %v, want %v", c.name, got, c.shown)
			}
		}
	}
}

// A finding that needs some runs or some profile is not gone or new if the other program lacks them.
func TestFindingChangesOfKinds(t *testing.T) {
	build := func(change func(*evidence.Evidence)) *evidence.Evidence {
		c := wideCase()
		change(&c.evidence)
		return &c.evidence
	}
	onOne := func(used time.Duration) func(*evidence.Evidence) {
		return func(e *evidence.Evidence) {
			e.Runs[0].User = 1980 * time.Millisecond
			e.Runs = append(e.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 3, Wall: used, User: used})
		}
	}
	delayed := func(delay time.Duration) func(*evidence.Evidence) {
		return func(e *evidence.Evidence) {
			e.Runs[0].User, e.Trace = second, nil
			e.Profiles = append(e.Profiles, evidence.Profile{Kind: evidence.Mutex,
				Types: []string{"contentions/count", "delay/nanoseconds"}, Duration: second,
				Samples: []evidence.Sample{{Stack: frames("sync.(*Mutex).Unlock", "main.f:5", "main.worker:3"),
					Values: []int64{10, int64(delay)}}}})
		}
	}
	throttled := func(e *evidence.Evidence) { e.Runs[0].Throttled = second / 2 }
	noRuns := func(e *evidence.Evidence) { e.Runs = nil }
	same := func(*evidence.Evidence) {}
	for _, c := range []struct {
		name       Name
		own, other func(*evidence.Evidence)
		shown      bool
	}{
		{WorkInflation, onOne(second), onOne(1980 * time.Millisecond), true},
		{WorkInflation, onOne(second), same, false},
		{WorkInflation, onOne(second), noRuns, false},
		{OSOversubscription, throttled, same, true},
		{OSOversubscription, throttled, noRuns, false},
		{CoarseLock, delayed(2 * second), delayed(0), true},
		{CoarseLock, delayed(2 * second), same, false},
	} {
		own, other := build(c.own), build(c.other)
		if !slices.ContainsFunc(explainWith(nil, own).Findings, func(f Finding) bool { return f.Name == c.name }) {
			t.Fatalf("no %s: %+v", c.name, explainWith(nil, own).Findings)
		}
		for _, list := range [][]Change{Changes(own, other), Changes(other, own)} {
			got := slices.ContainsFunc(list, func(d Change) bool { return d.Name == "finding "+string(c.name) })
			if got != c.shown {
				t.Errorf("%s: shown %v, want %v: %+v", c.name, got, c.shown, list)
			}
		}
	}
}

// An entry of the CPU-time breakdown may appear or disappear. Entries of a profile are not compared with those of a
// trace, where user code includes allocation, channels and locks.
func TestCPUTimeChanges(t *testing.T) {
	locks := CPUTime{Source: "CPU profile", Wall: second, Entries: []Entry{{Name: UserCode, Time: second / 2},
		{Name: Locks, Time: second / 2}}}
	free := CPUTime{Source: "CPU profile", Wall: second, Entries: []Entry{{Name: UserCode, Time: second / 2}}}
	full := CPUTime{Source: "CPU profile", CPUs: 1, Wall: second, Entries: free.Entries}
	idle := CPUTime{Source: "CPU profile", CPUs: 1, Wall: second, Entries: append(free.Entries,
		Entry{Name: Idle, Time: second / 2})}
	traced := CPUTime{Source: "execution trace", Wall: second, Entries: []Entry{{Name: UserCode, Time: second}}}
	for _, c := range []struct {
		name          string
		before, after CPUTime
		want          []Change
	}{
		{"gone", locks, free, []Change{{Name: UserCode, Unit: "seconds", Before: 0.5, After: 0.5},
			{Name: Locks, Unit: "seconds", Before: 0.5, Significant: true}}},
		{"new", free, locks, []Change{{Name: UserCode, Unit: "seconds", Before: 0.5, After: 0.5},
			{Name: Locks, Unit: "seconds", After: 0.5, Significant: true}}},
		{"idle", full, idle, []Change{{Name: UserCode, Unit: "seconds", Before: 0.5, After: 0.5},
			{Name: Idle, Unit: "seconds", After: 0.5, Significant: true}}},
		{"unknown CPUs", free, idle, []Change{{Name: UserCode, Unit: "seconds", Before: 0.5, After: 0.5}}},
		{"another source", locks, traced, nil},
	} {
		if got := cpuTimeChanges(c.before, c.after); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// A program that is compared with itself does not get faster: ranges of one run each always differ.
func TestDiffer(t *testing.T) {
	run := func(count int, low, high time.Duration) *evidence.Run {
		return &evidence.Run{Count: count, Wall: (low + high) / 2, WallLow: low, WallHigh: high}
	}
	for _, c := range []struct {
		name string
		a, b *evidence.Run
		want bool
	}{
		{"one run each", run(1, 300, 300), run(1, 200, 200), false},
		{"one run and many", run(10, 300, 310), run(1, 200, 200), false},
		{"three, far apart", run(3, 300, 320), run(3, 200, 210), true},
		{"three, close", run(3, 300, 320), run(3, 200, 281), false},
		{"three, apart by chance", run(3, 1020, 1022), run(3, 1000, 1001), false},
		{"three, apart by more", run(3, 1040, 1042), run(3, 1000, 1001), true},
		{"four, apart by as little", run(4, 1020, 1022), run(4, 1000, 1001), true},
		{"four", run(4, 300, 320), run(4, 200, 281), true},
		{"four, overlapping", run(4, 300, 320), run(4, 200, 300), false},
	} {
		if differ(c.a, c.b) != c.want || differ(c.b, c.a) != c.want {
			t.Errorf("%s: want %v", c.name, c.want)
		}
	}
}
