package explain

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// Evidence that contradicts itself is left out with a note, and no finding uses it.
func TestImpossibleEvidence(t *testing.T) {
	types := []string{"samples/count", "cpu/nanoseconds"}
	stack := []evidence.Frame{{Function: "main.work", File: "main.go", Line: 3}, {Function: "main.main"},
		{Function: "runtime.main"}}
	profile := func(d time.Duration, values ...int64) evidence.Profile {
		p := evidence.Profile{Kind: evidence.CPU, Types: types, Duration: d}
		for _, v := range values {
			p.Samples = append(p.Samples, evidence.Sample{Stack: stack, Values: []int64{1000, v}})
		}
		return p
	}
	heap := func(allocated, used int64) evidence.Profile {
		return evidence.Profile{Kind: evidence.Heap, Duration: time.Second,
			Types:   []string{"alloc_space/bytes", "inuse_space/bytes"},
			Samples: []evidence.Sample{{Stack: stack, Values: []int64{allocated, used}}}}
	}
	for name, c := range map[string]struct {
		e    evidence.Evidence
		note string // "" for evidence that stays
	}{
		"30 minutes of CPU time in a microsecond": {
			evidence.Evidence{Profiles: []evidence.Profile{profile(time.Microsecond, 1800e9)}},
			"CPU time"},
		"three CPUs of two": {evidence.Evidence{Trace: &evidence.Trace{Duration: time.Second, CPUs: 2},
			Profiles: []evidence.Profile{profile(time.Second, 3e9)}}, "2 CPUs"},
		"ten CPUs of two": {evidence.Evidence{Runs: []evidence.Run{{CPUs: 2, MachineCPUs: 2, Wall: time.Second}},
			Profiles: []evidence.Profile{profile(time.Second, 1e10)}}, "2 CPUs"},
		"a profile of no time": {evidence.Evidence{Profiles: []evidence.Profile{profile(0, 9e8)}},
			"the cpu profile is left out: it does not say how long it lasted"},
		"a profile of 292 years": {evidence.Evidence{Profiles: []evidence.Profile{profile(math.MaxInt64, 9e8)}},
			"the cpu profile is left out: it lasts 2562047h47m16.854775807s, and none is taken for more than a year"},
		"a trace of 292 years": {evidence.Evidence{Trace: &evidence.Trace{Duration: math.MaxInt64, CPUs: 2,
			Running: time.Second}}, "the trace is left out: it lasts 2562047h"},
		"a profile of no time beside a run": {evidence.Evidence{Runs: []evidence.Run{{CPUs: 2, MachineCPUs: 2,
			Wall: time.Second}},
			Profiles: []evidence.Profile{profile(0, 9e8)}}, ""},
		"below 0": {evidence.Evidence{Profiles: []evidence.Profile{profile(time.Second, -6e8)}},
			"below 0"},
		"a negative duration": {evidence.Evidence{Profiles: []evidence.Profile{profile(-time.Second, 1e9)}}, "lasts"},
		"more than can be counted": {evidence.Evidence{Profiles: []evidence.Profile{profile(0, math.MaxInt64,
			math.MaxInt64)}}, "add up"},
		"a trace of three CPUs of two": {evidence.Evidence{Trace: &evidence.Trace{Duration: time.Second, CPUs: 2,
			Running: 3 * time.Second}}, "the trace is left out"},
		"a trace below 0": {evidence.Evidence{Trace: &evidence.Trace{Duration: time.Second, CPUs: 2,
			Running: -1}}, "below 0"},
		"a busy CPU": {evidence.Evidence{Profiles: []evidence.Profile{profile(time.Second, 1e9)}}, ""},
		"two busy CPUs, and a little": {evidence.Evidence{Runs: []evidence.Run{{CPUs: 2, MachineCPUs: 2,
			Wall: time.Second}},
			Profiles: []evidence.Profile{profile(time.Second, 2.1e9)}}, ""},
		"a heap that shrinks": {evidence.Evidence{Profiles: []evidence.Profile{heap(4096, -4096)}}, ""},
		"allocations below 0": {evidence.Evidence{Profiles: []evidence.Profile{heap(-4096, 0)}},
			"the heap profile is left out"},
	} {
		r := explainWith(nil, &c.e)
		notes := strings.Join(r.Notes, "\n")
		if left := strings.Contains(notes, "left out"); left != (c.note != "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: notes %q, want %q", name, notes, c.note)
		}
		if c.note == "" {
			continue
		}
		if len(c.e.Runs) == 0 && (len(r.CPUTime.Entries) > 0 || r.Findings[0].Name != TooLittleEvidence) {
			t.Errorf("%s: %+v %+v", name, r.CPUTime, r.Findings)
		}
		for _, x := range r.CPUTime.Entries {
			if x.Share < 0 || x.Share > 1 {
				t.Errorf("%s: %s has %v of the time", name, x.Name, x.Share)
			}
		}
	}
}
