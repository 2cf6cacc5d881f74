package sweep

import (
	"context"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// TestLimited: of a case that the limit of real time has ended nothing else is run, be it a pilot or a replication: the pilot is its
// first trial, and the others are failed with the same reason.
func TestLimited(t *testing.T) {
	for _, c := range []struct {
		name   string
		pilots bool
		want   int // runs of b
	}{{"pilot", true, 1}, {"replication", false, 1}} {
		runs := map[string]int{}
		store := &memory{}
		s := virtualSweep(store, nil)
		s.Header.Precision = &Precision{Relative: 0.5, First: 10, Most: 40}
		s.Plan.Blocks = 40
		s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
			runs[spec.Design]++
			r := trial.Blank(spec)
			r.Status, r.World = result.OK, result.Virtual
			r.Metrics = result.Metrics{result.Throughput: 100, result.LatencyMean: 1e6, result.Transient: 0.7} // which needs a longer window
			if spec.Design == "b" {
				r.Status, r.Error = result.Failed, "too slow"
			}
			return trial.Outcome{Trial: r, Limited: spec.Design == "b", Failure: "stacks"}, nil
		}
		ahead := 0
		s.Ahead = func(specs []trial.Spec) {
			for _, spec := range specs {
				if spec.Design == "b" && spec.Seed != plan.PilotSeed(0) {
					ahead++
				}
			}
		}
		if c.pilots {
			if err := s.Settle(t.Context()); err != nil {
				t.Fatal(err)
			}
			ahead = 0
		}
		trials, err := s.Execute(t.Context())
		if err != nil || len(trials) != 20 || runs["b"] != c.want || c.pilots && ahead > 0 {
			t.Errorf("%s: %d trials after %v runs, %d foreseen, %v", c.name, len(trials), runs, ahead, err)
		}
		for _, r := range trials {
			want := "not run, as another replication failed: too slow"
			if r.Block == 0 {
				want = "too slow"
			}
			if r.Design == "b" && (r.Status != result.Failed || r.Error != want || strings.Contains(r.Failure, "failures") != (r.Block == 0) || r.Seed == "0") {
				t.Errorf("%s: replication %d: %s %q %q, seed %s", c.name, r.Block, r.Status, r.Error, r.Failure, r.Seed)
			}
		}
	}
}
