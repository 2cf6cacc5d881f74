package collect

import (
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestMoreWork checks which factor gives a workload more work, and that its level is permitted.
func TestMoreWork(t *testing.T) {
	w := &workload.Workload{
		Factors: []plan.Factor{{Name: "goroutines", Kind: plan.Int}, {Name: "ratio", Kind: plan.Float},
			{Name: "absent", Kind: plan.Int}, {Name: "calls", Kind: plan.Int, Max: 1000}},
		Quick: map[string]string{"goroutines": "8,32", "ratio": "1", "absent": "1", "calls": "10"},
	}
	p := plan.Point{}.With("goroutines", plan.IntLevel(16)).With("ratio", plan.FloatLevel(2))
	for calls, want := range map[int]string{100: "--calls 1000", 101: "", 9: ""} {
		if got := moreWork(w, p.With("calls", plan.IntLevel(calls)))(10); got != want {
			t.Errorf("%d calls: %q, want %q", calls, got, want)
		}
	}
	if got := moreWork(w, p)(10); got != "" {
		t.Errorf("without calls: %q", got)
	}
}
