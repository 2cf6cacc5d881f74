package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// TestBesideRuns: of several runs of a side, what differs in one of them is said with its name, and that it is no
// replicate.
func TestBesideRuns(t *testing.T) {
	run := func(name, gogc string, burn float64) *storedRun {
		h := sweep.Header{Workload: "coffee", World: result.Live, Environment: host.Environment{GOGC: gogc}}
		h.Burn.Rate = burn
		return &storedRun{Run: compare.Run{Name: name}, header: h}
	}
	for _, c := range []struct {
		older, newer []*storedRun
		facts        []report.Fact
		doubts       []string // run: a part of the text
	}{
		{[]*storedRun{run("a", "100", 1), run("b", "100", 1)}, []*storedRun{run("c", "100", 1)}, nil, nil},
		{[]*storedRun{run("a", "100", 1)}, []*storedRun{run("c", "50", 1)},
			[]report.Fact{{Name: "gogc", A: "50", B: "100"}}, nil},
		{[]*storedRun{run("a", "100", 1), run("b", "100", 1)}, []*storedRun{run("c", "50", 1), run("d", "50", 1)},
			[]report.Fact{{Name: "gogc", A: "50", B: "100"}}, nil},
		{[]*storedRun{run("a", "100", 1), run("b", "off", 1)}, []*storedRun{run("c", "100", 1)},
			[]report.Fact{{Name: "gogc (b)", A: "100", B: "off"}},
			[]string{"b: no replicate of a, on the same side: gogc is 100 in a and off here"}},
		{[]*storedRun{run("a", "100", 1)}, []*storedRun{run("c", "100", 1), run("d", "off", 1)},
			[]report.Fact{{Name: "gogc (d)", A: "off", B: "100"}},
			[]string{"d: no replicate of c, on the same side: gogc is 100 in c and off here"}},
		{[]*storedRun{run("a", "100", 1), run("b", "100", 0.5)}, []*storedRun{run("c", "100", 1)},
			[]report.Fact{{Name: "burn_rate_per_ns (b)", A: "1", B: "0.5"}},
			[]string{"b: 100.0 % more work in the new run"}},
	} {
		facts, doubts, err := beside(c.older, c.newer)
		if err != nil || !slices.Equal(facts, c.facts) || len(doubts) != len(c.doubts) {
			t.Errorf("facts %+v, doubts %+v, %v; want %+v, %q", facts, doubts, err, c.facts, c.doubts)
			continue
		}
		for i, want := range c.doubts {
			if run, text, _ := strings.Cut(want, ": "); doubts[i].Run != run ||
				!strings.Contains(doubts[i].Text, text) {
				t.Errorf("%s: %s; want %s", doubts[i].Run, doubts[i].Text, want)
			}
		}
	}
	other := run("x", "100", 1)
	other.header.Workload = "tea"
	if _, _, err := beside([]*storedRun{run("a", "100", 1), other}, []*storedRun{run("c", "100", 1)}); err == nil ||
		!strings.Contains(err.Error(), "x and c cannot be compared") {
		t.Error(err)
	}
}
