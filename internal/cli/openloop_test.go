package cli

import (
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestLateTrialsExit checks that some late trials are no failure, but a case with only late trials is.
func TestLateTrialsExit(t *testing.T) {
	at := func(cpus int, invalid bool) result.Trial {
		t := result.Trial{Kind: result.KindTrial, Design: "a", Status: result.OK, Expected: true,
			Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})}
		if invalid {
			t.Status, t.Invalid = result.Failed, true
		}
		return t
	}
	if code := exitCode([]result.Trial{at(1, true), at(1, false), at(2, false)}); code != exitOK {
		t.Errorf("one late trial of two: exit %d", code)
	}
	if code := exitCode([]result.Trial{at(1, false), at(2, true), at(2, true)}); code != exitFailed {
		t.Errorf("two late trials of two: exit %d", code)
	}
}
