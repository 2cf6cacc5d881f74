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

// TestFurtherOfDesigns checks that the answer on two designs has all verdicts, unless there are too many, and that on
// levels of one design only differences.
func TestFurtherOfDesigns(t *testing.T) {
	at := func(b string, workers int, metric, verdict string) Verdict {
		return Verdict{A: "b", B: b, Metric: metric, Verdict: verdict, Ratio: 1.5,
			Point: plan.NewPoint(plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})}
	}
	equal := at("a", 1, "throughput_per_s", Equivalent)
	equal.Exact, equal.Ratio = true, 1
	many := []Verdict{at("a", 0, "latency_p50_ns", Better)}
	for workers := range 4 {
		many = append(many, at("a", workers, "latency_p99_ns", Undecided))
	}
	for _, c := range []struct {
		verdicts []Verdict
		want     string
	}{
		{[]Verdict{at("a", 1, "latency_p50_ns", Equivalent), at("a", 1, "latency_p99_ns", Undecided),
			at("a", 1, "error_share", Worse), equal},
			"b compared with a: p50 equivalent, p99 undecided, share of failed requests +50.0% (worse)."},
		{[]Verdict{at("b", 1, "latency_p50_ns", Better), at("b", 1, "latency_p99_ns", Undecided)},
			"b compared with b at workers=1: p50 +50.0% (better)."},
		{many, "b compared with a at workers=0: p50 +50.0% (better)."},
	} {
		if got := furtherText(c.verdicts); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
