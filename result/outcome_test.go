package result_test

import (
	"slices"
	"testing"

	"github.com/brewput/brewput/result"
)

// TestOutcomeOf checks that the worst trial decides, that a declared failure does not count, and that a case without a
// valid trial is a failure.
func TestOutcomeOf(t *testing.T) {
	trial := func(status result.Status, expected, invalid bool) result.Trial {
		return result.Trial{Kind: result.KindTrial, Design: "a", Status: status, Expected: expected, Invalid: invalid}
	}
	ok := trial(result.OK, true, false)
	for _, c := range []struct {
		name   string
		trials []result.Trial
		want   result.Outcome
	}{
		{"all is well", []result.Trial{ok}, result.Sound},
		{"a declared wrong answer", []result.Trial{trial(result.Wrong, true, false)}, result.Sound},
		{"a wrong answer", []result.Trial{ok, trial(result.Wrong, false, false)}, result.SomeWrong},
		{"a violation", []result.Trial{ok, trial(result.Violated, false, false)}, result.SomeWrong},
		{"a crash outweighs it", []result.Trial{trial(result.Wrong, false, false), trial(result.Failed, false, false)},
			result.SomeFailed},
		{"one invalid trial of two", []result.Trial{ok, trial(result.OK, true, true)}, result.Sound},
		{"no valid trial", []result.Trial{trial(result.OK, true, true)}, result.SomeFailed},
	} {
		if got := result.OutcomeOf(c.trials); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	invalid := []result.Trial{trial(result.OK, true, true)}
	if got := result.NeverValid(invalid); !slices.Equal(got, []string{"a " + invalid[0].Point.String()}) {
		t.Errorf("never valid: %q", got)
	}
}
