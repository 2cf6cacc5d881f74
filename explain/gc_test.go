package explain

import (
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// TestReuseGain: what the collector and allocation take is saved as far as the listed lines allocate. If the values are
// still in use, only collections are saved.
func TestReuseGain(t *testing.T) {
	// A third of the CPU time is collection by workers, and a third allocates at main.f:5.
	program := func(allocates string, there, elsewhere, inUse int64) *analysis {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(100, "runtime.scanobject", "runtime.gcDrain", "runtime.gcBgMarkWorker", "runtime.systemstack")
		c.cpu(100, "runtime.mallocgc", allocates, "main.worker:3")
		c.cpu(100, "main.f:6", "main.worker:3")
		heap := evidence.Profile{Kind: evidence.Heap, Types: []string{"alloc_space/bytes", "inuse_space/bytes"},
			Samples: []evidence.Sample{{Values: []int64{there, inUse}, Stack: frames("main.f:5", "main.worker:3")}}}
		for line := range 9 { // each of them below the share of a line that is listed
			at := []string{"main.g:1", "main.g:2", "main.g:3", "main.g:4", "main.g:5", "main.g:6", "main.g:7",
				"main.g:8", "main.g:9"}[line]
			heap.Samples = append(heap.Samples, evidence.Sample{Values: []int64{elsewhere / 9, 0},
				Stack: frames(at, "main.worker:3")})
		}
		c.evidence.Profiles = append(c.evidence.Profiles, heap)
		return newAnalysis(&c.evidence)
	}
	for _, c := range []struct {
		name, allocates         string
		there, elsewhere, inUse int64
		want                    float64
		reuse                   bool
	}{
		{"all at one line", "main.f:5", 90000, 0, 0, 1./3 + 1./3, true},
		{"half of the bytes there", "main.f:5", 45000, 45000, 0, 1./6 + 1./3, true},
		{"few bytes there, which cost little", "main.g:1", 27000, 63000, 0, (1 - gcKept) / 3, false},
		{"values that are kept", "main.f:5", 90000, 0, 60000, (1 - gcKept) / 3, false},
		{"values of this line are kept", "main.f:5", 45000, 55000, 45000, (1 - gcKept) / 3, false},
	} {
		a := program(c.allocates, c.there, c.elsewhere, c.inUse)
		found := gcRules(a)
		if len(found) != 1 || math.Abs(found[0].Gain.Computed-c.want) > 0.02 {
			t.Errorf("%s: %+v, want a gain of %.3f", c.name, found[0].Gain, c.want)
		}
		if reuse := strings.HasPrefix(found[0].Fix, "Reuse"); reuse != c.reuse || found[0].Gain.High > 1.1/3+0.34 {
			t.Errorf("%s: %s %+v", c.name, found[0].Fix, found[0].Gain)
		}
	}
}
