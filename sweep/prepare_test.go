package sweep

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestPrepare checks that the preparation of an execution is not charged to the budget, that its error ends the
// execution with the stored trials, and that a complete sweep is not prepared.
func TestPrepare(t *testing.T) {
	const budget = 1000 * trialTime
	run := func(prepare time.Duration) string {
		store := &memory{}
		s, c := budgeted(store, usualInterims(), budget, 0.3)
		s.Prepare = func(context.Context) error { c.now = c.now.Add(prepare); return nil }
		trials, err := s.Execute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(blocksOf(trials), ", ")
	}
	if a, b := run(0), run(budget); a != b {
		t.Errorf("%s, after a long preparation %s", a, b)
	}

	s := testSweep(&memory{}, succeed)
	trials, err := s.Execute(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("no milk")
	again := testSweep(&memory{}, succeed)
	again.Done, again.Prepare = trials[:2], func(context.Context) error { return failed }
	if got, err := again.Execute(t.Context()); err != failed || len(got) != 2 {
		t.Errorf("%d trials, %v", len(got), err)
	}
	again.Complete = true
	if _, err := again.Execute(t.Context()); err == failed {
		t.Error("a complete sweep is prepared")
	}
}
