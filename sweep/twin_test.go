package sweep

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// twinned is a live sweep of a and b at 1 CPU that also predicts both, and a at 9.
func twinned() *Sweep {
	s := testSweep(&memory{}, succeed)
	s.Header.World, s.Header.Costs = result.Live, "wake=1us"
	s.Header.Settings.Sample, s.Header.Burn.Rate = 10, 3
	nine := s.Header.Cases[0]
	nine.Point = nine.Point.With("cpus", plan.IntLevel(9))
	s.Header.Twin = append(slices.Clone(s.Header.Cases), nine)
	return s
}

// virtually runs a trial of a twin; design b fails.
func virtually(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
	t := trial.Blank(spec)
	t.World, t.Status = result.Virtual, result.OK
	if spec.Design == "b" {
		t.Status = result.Failed
	}
	return trial.Outcome{Trial: t}, nil
}

// TestTwinOf: a twin serves the customers of each block in the windows that are measured, timing every operation, and
// knows nothing of the burn loop.
func TestTwinOf(t *testing.T) {
	s := twinned()
	w, err := s.Twin()
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Plan.Cases) != 3 || w.Plan.Blocks != 3 || w.Plan.Observed || w.Header.World != result.Virtual ||
		w.Header.Costs != "wake=1us" || len(w.Header.Twin) > 0 {
		t.Errorf("%+v %+v", w.Header, w.Plan)
	}
	for b := range w.Plan.Blocks {
		for _, spec := range w.specsOf(b, w.all()) {
			if spec.Seed != s.Plan.BlockSeed(b) || spec.Duration != time.Second ||
				spec.Warmup != 100*time.Millisecond || spec.Sample != 1 || spec.BurnRate != 0 || spec.Observed {
				t.Errorf("%+v", spec)
			}
		}
	}
	if b := s.Beyond(); len(b) != 1 || b[0].Point.Int("cpus") != 9 {
		t.Errorf("beyond: %v", b)
	}
	for _, c := range []struct {
		live  time.Duration
		given bool
		want  time.Duration
	}{{30 * time.Second, false, 10 * time.Minute}, {time.Hour, false, time.Hour}, {time.Second, true, time.Second}} {
		s.Header.Settings.TimeLimit, s.Header.Settings.Limited = Duration(c.live), c.given
		if w, err := s.Twin(); err != nil || time.Duration(w.Header.Settings.TimeLimit) != c.want ||
			time.Duration(s.Header.Settings.TimeLimit) != c.live {
			t.Errorf("a limit of %v (given %v) is one of %v for predictions, %v", c.live, c.given,
				time.Duration(w.Header.Settings.TimeLimit), err)
		}
	}
	s.Header.Rule, s.Header.Blocks = &Rule{Looks: []int{2, 4}}, 4
	if w, err = s.Twin(); err != nil || w.Plan.Blocks != 2 || w.Header.Rule != nil {
		t.Errorf("with a budget: %d blocks, %v", w.Plan.Blocks, err)
	}
	if w, err := testSweep(nil, nil).Twin(); w != nil || err != nil {
		t.Errorf("a twin of a sweep that has none: %v %v", w, err)
	}
}

// TestTwinGivesUp: a case whose first replication fails is not tried again, also where the twin is continued.
func TestTwinGivesUp(t *testing.T) {
	run := func(store *memory, done []result.Trial, blocks map[int]int) ([]result.Trial, error) {
		w, err := twinned().Twin()
		if err != nil {
			t.Fatal(err)
		}
		w.Store, w.Run, w.Notify = store, virtually, func(Event) {}
		var ahead [][]trial.Spec
		w.Ahead = func(specs []trial.Spec) { ahead = append(ahead, specs) }
		w.Continue(done, blocks, false)
		trials, err := w.Execute(t.Context())
		for _, specs := range ahead {
			for _, s := range specs {
				if s.Block > 0 && s.Design == "b" {
					t.Error("b was foreseen again")
				}
			}
		}
		return trials, err
	}
	whole := &memory{}
	trials, err := run(whole, nil, nil)
	if err != nil || !whole.ended || len(trials) != 3+2+2 {
		t.Fatalf("%v: %v", places(trials), err)
	}
	half := &memory{failAt: 4}
	if _, err := run(half, nil, nil); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	rest := &memory{}
	again, err := run(rest, half.trials, half.blocks)
	if err != nil || strings.Join(places(again), ";") != strings.Join(places(trials), ";") || len(rest.trials) != 3 {
		t.Errorf("continued: %v, %d more, %v", places(again), len(rest.trials), err)
	}
}

// TestNothingToMeasure: where every case lies beyond the machine, the live sweep ends at once.
func TestNothingToMeasure(t *testing.T) {
	s := twinned()
	s.Header.Twin, s.Header.Cases = s.Header.Twin[2:], nil
	p, err := s.Header.Plan(s.Workload)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan = p
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 0 || !s.Store.(*memory).ended {
		t.Errorf("%v %v", trials, err)
	}
	s.Header.Twin = nil
	if _, err := s.Header.Plan(s.Workload); err == nil {
		t.Error("a plan of nothing")
	}
}
