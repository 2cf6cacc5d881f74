package sweep

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// withPrediction returns a live sweep of a and b at 1 CPU that also predicts both, and a at 9.
func withPrediction() *Sweep {
	s := testSweep(&memory{}, succeed)
	s.Header.World, s.Header.Costs = result.Live, "wake=1us"
	s.Header.Settings.Sample, s.Header.Burn.Rate = 10, 3
	nine := s.Header.Cases[0]
	nine.Point = nine.Point.With("cpus", plan.IntLevel(9))
	s.Header.PredictedCases = append(slices.Clone(s.Header.Cases), nine)
	return s
}

// predictTrial runs a predicted trial; design b fails.
func predictTrial(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
	t := trial.Blank(spec)
	t.World, t.Status = result.Virtual, result.OK
	if spec.Design == "b" {
		t.Status = result.Failed
	}
	return trial.Outcome{Trial: t}, nil
}

// TestPredictionSweep: a prediction serves the requests of each block in the measured windows, times every
// operation, and ignores the burn calibration.
func TestPredictionSweep(t *testing.T) {
	s := withPrediction()
	w, err := s.PredictionSweep()
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Plan.Cases) != 3 || w.Plan.Blocks != 3 || w.Plan.Instrumented || w.Header.World != result.Virtual ||
		w.Header.Costs != "wake=1us" || len(w.Header.PredictedCases) > 0 {
		t.Errorf("%+v %+v", w.Header, w.Plan)
	}
	for b := range w.Plan.Blocks {
		for _, spec := range w.specsOf(b, w.allCases()) {
			if spec.Seed != s.Plan.BlockSeed(b) || spec.Duration != time.Second ||
				spec.Warmup != 100*time.Millisecond || spec.Sample != 1 || spec.BurnRate != 0 || spec.Instrumented {
				t.Errorf("%+v", spec)
			}
		}
	}
	if w.RetryLimited != 0 {
		t.Errorf("cases that reached the limit in %d trials run again", w.RetryLimited)
	}
	s.LimitChanged = true
	if w, err := s.PredictionSweep(); err != nil || w.RetryLimited != math.MaxInt {
		t.Errorf("after a change of the limit: %+v, %v", w, err)
	}
	if b := s.Header.PredictedOnly(); len(b) != 1 || b[0].Point.Int("cpus") != 9 {
		t.Errorf("beyond: %v", b)
	}
	for _, c := range []struct {
		live  time.Duration
		given bool
		want  time.Duration
	}{{30 * time.Second, false, 10 * time.Minute}, {time.Hour, false, time.Hour}, {time.Second, true, time.Second}} {
		s.Header.Settings.TimeLimit, s.Header.Settings.Limited = Duration(c.live), c.given
		if w, err := s.PredictionSweep(); err != nil || time.Duration(w.Header.Settings.TimeLimit) != c.want ||
			time.Duration(s.Header.Settings.TimeLimit) != c.live {
			t.Errorf("a limit of %v (given %v) is one of %v for predictions, %v", c.live, c.given,
				time.Duration(w.Header.Settings.TimeLimit), err)
		}
	}
	s.Header.Rule, s.Header.Blocks = &BudgetRule{InterimBlocks: []int{2, 4}}, 4
	if w, err = s.PredictionSweep(); err != nil || w.Plan.Blocks != 2 || w.Header.Rule != nil {
		t.Errorf("with a budget: %d blocks, %v", w.Plan.Blocks, err)
	}
	if w, err := testSweep(nil, nil).PredictionSweep(); w != nil || err != nil {
		t.Errorf("a twin of a sweep that has none: %v %v", w, err)
	}
}

// TestPredictionGivesUp: a case whose first replication fails is not tried again, even in a resumed prediction.
func TestPredictionGivesUp(t *testing.T) {
	run := func(store *memory, done []result.Trial, blocks map[int]int) ([]result.Trial, error) {
		w, err := withPrediction().PredictionSweep()
		if err != nil {
			t.Fatal(err)
		}
		w.Store, w.Run, w.Notify = store, predictTrial, func(Event) {}
		var ahead [][]trial.Spec
		w.Ahead = func(specs []trial.Spec) { ahead = append(ahead, specs) }
		w.Restore(done, blocks, false)
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
		t.Fatalf("%v: %v", positions(trials), err)
	}
	half := &memory{failAt: 4}
	if _, err := run(half, nil, nil); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	rest := &memory{}
	again, err := run(rest, half.trials, half.blocks)
	if err != nil || strings.Join(positions(again), ";") != strings.Join(positions(trials), ";") ||
		len(rest.trials) != 3 {
		t.Errorf("continued: %v, %d more, %v", positions(again), len(rest.trials), err)
	}
}

// TestInterleaving: real code is predicted block by block, right before it is measured, and nothing begins ahead.
// Other predictions come first, and so do those of a run with a budget. Resuming after any interrupt gives the same
// result.
func TestInterleaving(t *testing.T) {
	for _, c := range []struct {
		realCode string
		rule     *BudgetRule
		want     string
	}{{result.RealMeasured, nil, "plplpl"}, {"", nil, "pl"},
		{result.RealMeasured, &BudgetRule{Budget: Duration(time.Hour), InterimBlocks: []int{3}, Alpha: 0.05,
			Margin: 0.02}, "pl"}} {
		turns := newResumedRuns(t, c.realCode, c.rule)
		whole, err := turns.execute(0)
		if err != nil || turns.order != c.want || turns.beyond > 0 != (c.want == "pl") ||
			!turns.live.ended || !turns.prediction.ended {
			t.Errorf("%+v: the order is %s, %d trials begun ahead of a block, %v", c, turns.order, turns.beyond, err)
		}
		for stop := 1; stop <= len(whole); stop++ {
			turns := newResumedRuns(t, c.realCode, c.rule)
			if part, err := turns.execute(stop); !errors.Is(err, errDisk) || len(part) != stop-1 {
				t.Fatalf("stopped at trial %d: %v, %v", stop, part, err)
			}
			again, err := turns.execute(0)
			stored := len(turns.live.trials) + len(turns.prediction.trials)
			if err != nil || !slices.Equal(again, whole) || stored != len(whole) {
				t.Errorf("stopped at trial %d, then %v, want %v; %v", stop, again, whole, err)
			}
		}
	}
}

// TestPredictionGone: if the prediction of an incomplete run must be repeated and fails, the measurements are not
// lost.
func TestPredictionGone(t *testing.T) {
	turns := newResumedRuns(t, result.RealMeasured, nil)
	if _, err := turns.execute(10); !errors.Is(err, errDisk) {
		t.Fatal(err)
	}
	had := positions(turns.live.trials)
	turns.prediction = &memory{}
	if got, err := turns.execute(1); !errors.Is(err, errDisk) || len(had) == 0 || !slices.Equal(got, had) {
		t.Errorf("%v, want %v; %v", got, had, err)
	}
}

// resumedRuns are executions of a sweep with its prediction, each resuming the one before.
type resumedRuns struct {
	*testing.T
	realCode         string
	rule             *BudgetRule
	live, prediction *memory
	order            string // of predictions and live trials
	beyond           int    // trials announced before their block
}

func newResumedRuns(t *testing.T, realCode string, rule *BudgetRule) *resumedRuns {
	return &resumedRuns{T: t, realCode: realCode, rule: rule, live: &memory{}, prediction: &memory{}}
}

// execute fails at trial stop, and returns the positions of all trials so far.
func (u *resumedRuns) execute(stop int) ([]string, error) {
	s := withPrediction()
	s.Header.Rule = u.rule
	s.Criteria.Interims = compare.NewInterimPlan([]int{3}, 3)
	w, err := s.PredictionSweep()
	if err != nil {
		u.Fatal(err)
	}
	n := 0
	run := func(world string, run func(context.Context, trial.Spec) (trial.Outcome, error)) func(context.Context,
		trial.Spec) (trial.Outcome, error) {
		return func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
			if n++; n == stop {
				return trial.Outcome{}, errDisk
			}
			u.order = strings.TrimSuffix(u.order, world) + world
			o, err := run(ctx, spec)
			if world == "p" {
				o.Trial.RealCode = u.realCode
			}
			return o, err
		}
	}
	s.Run, s.Store = run("l", succeed), u.live
	w.Run, w.Store, w.Notify = run("p", predictTrial), u.prediction, func(Event) {}
	at := 0
	s.Notify = func(e Event) { at = e.Step.Block + 1 }
	w.Ahead = func(specs []trial.Spec) {
		for _, spec := range specs {
			u.beyond += max(0, spec.Block-at)
		}
	}
	s.Restore(u.live.trials, u.live.blocks, u.live.ended)
	w.Restore(u.prediction.trials, u.prediction.blocks, u.prediction.ended)
	predicted, measured, err := s.ExecuteWithPrediction(u.Context(), w)
	return append(positions(predicted), positions(measured)...), err
}

// TestNothingToMeasure: if all cases have more CPUs than the machine, the live sweep ends at once.
func TestNothingToMeasure(t *testing.T) {
	s := withPrediction()
	s.Header.PredictedCases, s.Header.Cases = s.Header.PredictedCases[2:], nil
	p, err := s.Header.Plan(s.Workload)
	if err != nil {
		t.Fatal(err)
	}
	s.Plan = p
	trials, err := s.Execute(t.Context())
	if err != nil || len(trials) != 0 || !s.Store.(*memory).ended {
		t.Errorf("%v %v", trials, err)
	}
	s.Header.PredictedCases = nil
	if _, err := s.Header.Plan(s.Workload); err == nil {
		t.Error("a plan of nothing")
	}
}

// TestOnlyPredictionsInterrupted: a run whose cases are all predicted has not ended before its predictions have. Then
// it checks the machine and reads its files when it is resumed.
func TestOnlyPredictionsInterrupted(t *testing.T) {
	s := withPrediction()
	s.Header.PredictedCases, s.Header.Cases, s.Plan.Cases = s.Header.PredictedCases[2:], nil, nil
	w, err := s.PredictionSweep()
	if err != nil {
		t.Fatal(err)
	}
	w.Store, w.Notify = &memory{}, func(Event) {}
	w.Run = func(ctx context.Context, spec trial.Spec) (trial.Outcome, error) {
		if spec.Block == 1 {
			return trial.Outcome{}, errDisk
		}
		o, err := predictTrial(ctx, spec)
		o.Trial.RealCode = result.RealMeasured
		return o, err
	}
	predicted, _, err := s.ExecuteWithPrediction(t.Context(), w)
	if !errors.Is(err, errDisk) || len(predicted) != 1 || s.Store.(*memory).ended {
		t.Errorf("%d predicted, ended %t, %v", len(predicted), s.Store.(*memory).ended, err)
	}
}
