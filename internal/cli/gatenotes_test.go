package cli

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
)

// Under load a gate decides no metric that varies, whether it is a time or not.
func TestGateNotesUnderLoad(t *testing.T) {
	const note = "only counts that do not vary are decided"
	for decision, want := range map[string]bool{compare.Undecided: true, compare.Pass: false} {
		r := &lab.GateResult{LoadWarning: &compare.Warning{},
			Decisions: []compare.GateDecision{{Metric: "allocs_per_op", Decision: decision}}}
		if got := strings.Contains(strings.Join(gateNotes(r), "\n"), note); got != want {
			t.Errorf("%s: %q", decision, gateNotes(r))
		}
	}
}
