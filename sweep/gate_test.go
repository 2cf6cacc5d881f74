package sweep

import (
	"slices"
	"testing"
	"time"
)

// TestWithinBudget: the time that is left is used, up to a last analysis between the planned ones.
func TestWithinBudget(t *testing.T) {
	const s = time.Second
	planned := []int{30, 40, 60, 80}
	for _, c := range []struct {
		about                 string
		each, elapsed, budget time.Duration
		want                  []int
		short                 bool
	}{
		{"all of the next fit", s, 20 * s, 40 * s, planned, false},
		{"exactly, without a reserve", s, 20 * s, 30 * s, []int{29}, true},
		{"seven more", 2 * s, 40 * s, 55 * s, []int{27}, true},
		{"none", 2 * s, 40 * s, 42 * s, nil, true},
		{"the budget is over", 2 * s, 41 * s, 40 * s, nil, true},
		{"without a budget", 2 * s, 40 * s, 0, planned, false},
	} {
		if got, short := withinBudget(20, planned, c.each, c.elapsed, c.budget); !slices.Equal(got, c.want) ||
			short != c.short {
			t.Errorf("%s: analyses after %v, short %v; want %v, %v", c.about, got, short, c.want, c.short)
		}
	}
	if got, short := withinBudget(80, nil, s, s, 40*s); got != nil || short {
		t.Errorf("after the last: %v, %v", got, short)
	}
}
