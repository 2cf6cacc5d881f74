package compare

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
)

// TestFurtherAtPoints checks that sentences about several points do not mix them.
func TestFurtherAtPoints(t *testing.T) {
	at := func(workers int) Verdict {
		return Verdict{A: "b", B: "a", Metric: "latency_p99_ns", Verdict: Worse, Ratio: 2,
			Point: plan.NewPoint(plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})}
	}
	got := furtherText([]Verdict{at(1), at(8)})
	if want := []string{"b compared with a at workers=1: p99 +100% (worse).",
		"b compared with a at workers=8: p99 +100% (worse)."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	got = furtherText([]Verdict{at(8)})
	if want := []string{"b compared with a: p99 +100% (worse)."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
