package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestCompareHeaders: a difference of one of several runs of a side names the run, and that it is no replicate.
func TestCompareHeaders(t *testing.T) {
	run := func(name, gogc string, burn float64) *StoredRun {
		h := Header{Workload: "coffee", World: result.Live, Environment: result.Environment{GOGC: gogc}}
		h.Burn.Rate = burn
		return &StoredRun{Run: compare.Run{Name: name}, Header: h}
	}
	for _, c := range []struct {
		older, newer []*StoredRun
		differences  []result.Difference
		warnings     []string // run: a part of the text
	}{
		{[]*StoredRun{run("a", "100", 1), run("b", "100", 1)}, []*StoredRun{run("c", "100", 1)}, nil, nil},
		{[]*StoredRun{run("a", "100", 1)}, []*StoredRun{run("c", "50", 1)},
			[]result.Difference{{Name: "gogc", A: "50", B: "100"}}, nil},
		{[]*StoredRun{run("a", "100", 1), run("b", "100", 1)}, []*StoredRun{run("c", "50", 1), run("d", "50", 1)},
			[]result.Difference{{Name: "gogc", A: "50", B: "100"}}, nil},
		{[]*StoredRun{run("a", "100", 1), run("b", "off", 1)}, []*StoredRun{run("c", "100", 1)},
			[]result.Difference{{Name: "gogc (b)", A: "100", B: "off"}},
			[]string{"b: this run is not a replicate of a, on the same side: gogc is 100 in a and off here"}},
		{[]*StoredRun{run("a", "100", 1)}, []*StoredRun{run("c", "100", 1), run("d", "off", 1)},
			[]result.Difference{{Name: "gogc (d)", A: "off", B: "100"}},
			[]string{"d: this run is not a replicate of c, on the same side: gogc is 100 in c and off here"}},
		{[]*StoredRun{run("a", "100", 1), run("b", "100", 0.5)}, []*StoredRun{run("c", "100", 1)},
			[]result.Difference{{Name: "burn_rate_per_ns (b)", A: "1", B: "0.5"}},
			[]string{"b: 100.0% more work in the new run"}},
	} {
		differences, warnings, err := CompareHeaders(c.older, c.newer)
		if err != nil || !slices.Equal(differences, c.differences) || len(warnings) != len(c.warnings) {
			t.Errorf("differences %+v, warnings %+v, %v; want %+v, %q", differences, warnings, err, c.differences,
				c.warnings)
			continue
		}
		for i, want := range c.warnings {
			if run, text, _ := strings.Cut(want, ": "); warnings[i].Run != run ||
				!strings.Contains(warnings[i].Text, text) {
				t.Errorf("%s: %s; want %s", warnings[i].Run, warnings[i].Text, want)
			}
		}
	}
	other := run("x", "100", 1)
	other.Header.Workload = "tea"
	if _, _, err := CompareHeaders([]*StoredRun{run("a", "100", 1), other},
		[]*StoredRun{run("c", "100", 1)}); err == nil ||
		!strings.Contains(err.Error(), "x and c cannot be compared") {
		t.Error(err)
	}
}
