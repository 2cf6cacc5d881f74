package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// TestLimited: if the real-time limit ends a pilot or a replication of a case, no other replication runs, and all
// fail with the same reason. A pilot of another window, or a further one, does not prevent the trials.
func TestLimited(t *testing.T) {
	for _, c := range []struct {
		name      string
		pilots    bool
		transient result.Value // of a
		from      int          // the round of pilots of b that reaches the limit
		want      int          // runs of b
		pilot     bool         // the stored reason
	}{
		{"pilot", true, 0.001, 0, 1, true},
		{"pilot of a shorter run", true, 0.7, 0, 2, false}, // which needs a longer window
		{"further pilot", true, 0.001, 1, 3, false},
		{"replication", false, 0.001, 0, 1, false},
	} {
		runs := map[string]int{}
		store := &memory{}
		s := virtualSweep(store, nil)
		s.Header.Precision = &Precision{Relative: 0.5, MinReplications: 10, MaxReplications: 40}
		s.Plan.Blocks = 40
		s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			runs[spec.Design]++
			r := trial.Blank(spec)
			r.Status, r.World = result.OK, result.Virtual
			r.Metrics = result.Metrics{result.Throughput: 100, result.LatencyMean: 1e6, result.Transient: c.transient}
			limited := spec.Design == "b" && !(c.from > 0 && spec.Seed == plan.PilotSeed(0))
			if spec.Design == "b" && !limited {
				r.Metrics[result.Transient] = result.Value(0.3)
			}
			if limited {
				r.Status, r.Error = result.Failed, "too slow"
			}
			return trial.Outcome{Trial: r, Limited: limited, Failure: "stacks"}, nil
		}
		ahead := 0
		s.Ahead = func(specs []trial.Spec) {
			for _, spec := range specs {
				if spec.Design == "b" && spec.Seed != plan.PilotSeed(0) {
					ahead++
				}
				if s.limited[caseOf(spec)] != nil {
					t.Errorf("%s: a trial of a case that the limit has ended is told of ahead, and would "+
						"take the limit again", c.name)
				}
			}
		}
		if c.pilots {
			if err := s.FindWarmup(t.Context()); err != nil {
				t.Fatal(err)
			}
			ahead = 0
		}
		trials, err := s.Execute(t.Context())
		if err != nil || len(trials) != 20 || runs["b"] != c.want || c.pilot && ahead > 0 {
			t.Errorf("%s: %d trials after %v runs, %d foreseen, %v", c.name, len(trials), runs, ahead, err)
		}
		for _, r := range trials {
			want := "not run, as another replication failed: too slow"
			switch {
			case c.pilot:
				want = "not run, as the pilot of its case, with its own seed, failed: too slow"
			case r.Block == 0:
				want = "too slow"
			}
			if r.Design == "b" && (r.Status != result.Failed || r.Error != want ||
				strings.Contains(r.Failure, "failures") != (r.Block == 0) || r.Seed == "0") {
				t.Errorf("%s: replication %d: %s %q %q, seed %s", c.name, r.Block, r.Status, r.Error, r.Failure, r.Seed)
			}
		}
	}
}

// TestLimitedResumed: a resumed sweep runs no more trials of a case that reached the limit, and repeats the reason.
// With another limit it runs the rest.
func TestLimitedResumed(t *testing.T) {
	for _, c := range []struct {
		name   string
		pilots bool
		retry  int // trials before the last change of the limit
		runs   int // of b
		want   string
	}{
		{"replication", false, 0, 0, "not run, as another replication failed: too slow"},
		{"pilot", true, 0, 0, "not run, as the pilot of its case, with its own seed, failed: too slow"},
		{"another limit", false, math.MaxInt, 1, "not run, as another replication failed: still too slow"},
		{"another limit before", false, 6, 1, "not run, as another replication failed: still too slow"},
		{"reached again since", false, 4, 0, "not run, as another replication failed: too slow"},
	} {
		run := func(s *Sweep, why string) *int {
			n := new(int)
			s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
				r := trial.Blank(spec)
				r.Status, r.World = result.OK, result.Virtual
				r.Metrics = result.Metrics{result.Throughput: 100, result.LatencyMean: 1e6, result.Transient: 0.001}
				if spec.Design == "b" {
					*n++
					r.Status, r.Error = result.Failed, why
				}
				return trial.Outcome{Trial: r, Limited: spec.Design == "b"}, nil
			}
			return n
		}
		store := &memory{failAt: 7}
		s := virtualSweep(store, nil)
		s.Plan.Blocks = 6
		run(s, "too slow")
		if c.pilots {
			if err := s.FindWarmup(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Execute(t.Context()); err != errDisk {
			t.Fatal(err)
		}
		text, err := json.Marshal(store.trials)
		var stored []result.Trial
		if err := errors.Join(err, json.Unmarshal(text, &stored)); err != nil {
			t.Fatal(err)
		}

		store.failAt = 0
		next := virtualSweep(store, nil)
		next.Plan.Blocks, next.RetryLimited = 6, c.retry
		runs := run(next, "still too slow")
		next.Restore(stored, store.blocks, false)
		trials, err := next.Execute(t.Context())
		if err != nil || len(trials) != 12 || *runs != c.runs {
			t.Errorf("%s: %d trials, %d runs, %v", c.name, len(trials), *runs, err)
		}
		for _, r := range trials[8:] {
			if r.Design == "b" && (r.Error != c.want || !r.Limited) {
				t.Errorf("%s: replication %d: %q", c.name, r.Block, r.Error)
			}
		}
	}
}

// TestRestoreLimited: a case that ran to its end with a longer limit is tried again by the next resumption, too.
func TestRestoreLimited(t *testing.T) {
	trial := func(design string, status result.Status) result.Trial {
		return result.Trial{Design: design, Status: status, Limited: status == result.Failed}
	}
	s := virtualSweep(&memory{}, nil)
	s.Done = []result.Trial{trial("a", result.Failed), trial("b", result.Failed), trial("b", result.OK),
		trial("c", result.OK), trial("c", result.Failed), trial("d", result.Failed), trial("d", result.StatusBound)}
	s.restoreLimited()
	if got := slices.Sorted(maps.Keys(s.limited)); !slices.Equal(got, []string{"a ", "c "}) {
		t.Errorf("these do not run again: %q", got)
	}
}
