package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/sweep"
)

// TestShortBudget checks that a budget that ends before the first interim analysis is reported with one that suffices.
func TestShortBudget(t *testing.T) {
	h := &sweep.Header{Rule: &sweep.BudgetRule{Budget: sweep.Duration(time.Minute), InterimBlocks: []int{10, 15}}}
	const want = "; this is enough for about 9 of the 10 blocks before the first interim analysis, so nothing can be " +
		"decided: give --budget 1m10s or more"
	if got := budgetIntent(h, sweep.Estimate{Block: 6400 * time.Millisecond}); !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
	if got := budgetIntent(h, sweep.Estimate{Block: 6 * time.Second}); strings.Contains(got, "--budget") {
		t.Errorf("got %q", got)
	}
}
