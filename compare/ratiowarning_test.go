package compare

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestRatioWarning: a phase that slows one design shows in the ratios; a machine that changes for both does not.
func TestRatioWarning(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 0))
	base := func(n int) []float64 { return machine{noise: 0.005, wander: 0.05}.sweep(r, n, []float64{0})[0] }
	shifted := func(logs []float64, of func(b int) float64) []float64 {
		list := make([]float64, len(logs))
		for b := range logs {
			list[b] = logs[b] + of(b) + 0.005*r.NormFloat64()
		}
		return list
	}
	calm := func(int) float64 { return 0.01 }
	phase := func(b int) float64 { return 0.06 * float64(b/8%2) }
	for name, c := range map[string]struct {
		of   func(int) float64
		want bool
	}{"common": {calm, false}, "one design": {phase, true}} {
		x := base(30)
		rows, trials := sweepOf([]string{"a", "b"}, [][]float64{x, shifted(x, c.of)})
		list := DefaultCriteria("", nil).RatioWarnings(rows, trials)
		if (len(list) == 1) != c.want {
			t.Fatalf("%s: %+v", name, list)
		}
		if c.want && (list[0].Warning != WarnRatios ||
			!strings.Contains(list[0].Text, "in 1 of 1 comparisons, most in b and a (correlation 0.") ||
			!(list[0].P <= 0.005)) {
			t.Errorf("%+v", list[0])
		}
		for i := range trials {
			trials[i].World = result.Virtual
		}
		if list := DefaultCriteria("", nil).RatioWarnings(rows, trials); list != nil {
			t.Errorf("%s, virtual: %+v", name, list)
		}
	}
}

// TestRatioWarningsAreRare: five equal designs on a machine that changes for all.
func TestRatioWarningsAreRare(t *testing.T) {
	r := rand.New(rand.NewPCG(42, 0))
	found := 0
	for range 400 {
		rows, trials := sweepOf(names(5), machine{noise: 0.02, wander: 0.05}.sweep(r, 12, make([]float64, 5)))
		found += len(DefaultCriteria("d0", nil).RatioWarnings(rows, trials))
	}
	if found > 8 {
		t.Errorf("%d of 400 clean runs have a warning", found)
	}
}
