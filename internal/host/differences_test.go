package host

import (
	"slices"
	"testing"
)

func TestDifferences(t *testing.T) {
	a := Environment{Machine: Machine{CPUs: 2}, Build: Build{GoVersion: "go1.26", VCSRevision: new("abc")}, GOGC: "100",
		GOMAXPROCS: 2}
	b := a
	if a.MachineDifferences(b) != nil || a.ProgramDifferences(b) != nil {
		t.Error("the same differs")
	}
	b.CPUs, b.VCSRevision, b.GOGC, b.GODEBUG, b.GOMAXPROCS = 4, nil, "off", new("madvdontneed=1"), 4
	if got, want := a.MachineDifferences(b), []Difference{{"cpus", "2", "4"}}; !slices.Equal(got, want) {
		t.Errorf("machine: %v, want %v", got, want)
	}
	want := []Difference{{"vcs_revision", `"abc"`, "unknown"}, {"godebug", "unknown", `"madvdontneed=1"`},
		{"gogc", `"100"`, `"off"`}}
	if got := a.ProgramDifferences(b); !slices.Equal(got, want) {
		t.Errorf("program: %v, want %v", got, want)
	}
}
