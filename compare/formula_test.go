package compare

import (
	"math"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// timed returns a trial of a job.
func timed(design string, block int, seconds float64, p plan.Point) result.Trial {
	return result.Trial{Kind: result.KindTrial, Workload: "w", World: result.Live, Type: result.Job, Design: design,
		Block: block, Point: p,
		Status: result.OK, Metrics: result.Metrics{result.WallSeconds: result.Value(seconds), "read_calls": 10}}
}

// formulaOf evaluates a formula of the design "fast" in blocks in which "slow" takes about three times as long.
func formulaOf(t *testing.T, extra []result.Trial,
	seconds func(plan.Point, workload.Measured) float64) *Formula {
	t.Helper()
	slow, fast := cpus(1), cpus(1).With("size", plan.IntLevel(7))
	var trials []result.Trial
	for b, off := range []float64{0.9, 1.1, 1, 1} {
		pace := math.Pow(2, float64(b)) // the speed of the machine affects both
		trials = append(trials, timed("slow", b, 3*pace, slow), timed("fast", b, pace*off, fast))
	}
	trials = append(trials, extra...)
	rows := Rows(trials, []plan.Case{{Design: "slow", Point: slow}, {Design: "fast", Point: fast}})
	AddFormulas(rows, trials, &workload.Workload{Designs: []workload.Design{{Name: "slow"}, {Name: "fast",
		Formula: &workload.Formula{Text: "slow / 3", Source: "invented", Seconds: seconds}}}})
	if rows[0].Formula != nil || rows[1].Formula == nil {
		t.Fatalf("%+v", rows)
	}
	return rows[1].Formula
}

// TestFormula: the formula uses the trials of its block, so the speed of the machine cancels.
func TestFormula(t *testing.T) {
	third := func(p plan.Point, of workload.Measured) float64 {
		x, ok := of("slow", result.WallSeconds, p)
		if calls, has := of("slow", "read_calls", p); !has || calls != 10 {
			t.Errorf("%v read calls", calls)
		}
		if !ok {
			return math.NaN()
		}
		return x / 3
	}
	f := formulaOf(t, nil, third)
	want := math.Exp((math.Log(0.9) + math.Log(1.1)) / 4)
	if f.N != 4 || math.Abs(float64(f.Ratio)-want) > 1e-12 || math.Abs(float64(f.Predicted)-math.Pow(2, 1.5)) > 1e-12 ||
		math.Abs(float64(f.Measured/f.Predicted-f.Ratio)) > 1e-12 {
		t.Errorf("%+v", f)
	}
	if !(f.Low < f.Ratio && f.Ratio < f.High) || f.Low < 0.8 || f.High > 1.25 || f.Reason != "" {
		t.Errorf("interval %v to %v: %s", f.Low, f.High, f.Reason)
	}
	// A block in which the other design failed has no prediction; the others have.
	late := timed("fast", 9, 5, cpus(1).With("size", plan.IntLevel(7)))
	wrong := timed("slow", 9, 5, cpus(1))
	wrong.Status = result.Wrong
	if f := formulaOf(t, []result.Trial{late, wrong},
		func(p plan.Point, of workload.Measured) float64 {
			x, ok := of("slow", result.WallSeconds, p)
			if !ok {
				return math.NaN()
			}
			return x / 3
		}); f.N != 4 || f.Reason != "" {
		t.Errorf("%+v", f)
	}
}

// TestNoFormula: the reason names the first value that a formula lacks.
func TestNoFormula(t *testing.T) {
	for want, ask := range map[string]struct {
		design, metric string
		extra          []result.Trial
	}{
		"no trial of snail fits": {"snail", result.WallSeconds, nil},
		"slow has no bytes":      {"slow", "bytes", nil},
		"2 trials of slow fit, not one": {"slow", result.WallSeconds, []result.Trial{
			timed("slow", 0, 1, cpus(1).With("buffer", plan.IntLevel(2))),
			timed("slow", 1, 1, cpus(1).With("buffer", plan.IntLevel(2))),
			timed("slow", 2, 1, cpus(1).With("buffer", plan.IntLevel(2))),
			timed("slow", 3, 1, cpus(1).With("buffer", plan.IntLevel(2)))}},
		"it does not apply at this point": {"slow", "read_calls", nil},
	} {
		f := formulaOf(t, ask.extra, func(p plan.Point, of workload.Measured) float64 {
			of(ask.design, ask.metric, p)
			return math.NaN()
		})
		if f.N != 0 || f.Ratio.Known() || f.Predicted.Known() || f.Reason != want {
			t.Errorf("want %q: %+v", want, f)
		}
	}
	for want, p := range map[string]float64{"it predicts 0, so there is no ratio": 0,
		"it does not apply at this point": -1} {
		f := formulaOf(t, nil, func(plan.Point, workload.Measured) float64 { return p })
		if f.N != 0 || f.Reason != want {
			t.Errorf("%v: want %q: %+v", p, want, f)
		}
	}
	// Only the levels that p names are used.
	f := formulaOf(t, nil, func(p plan.Point, of workload.Measured) float64 {
		if _, ok := of("slow", result.WallSeconds, p.With("cpus", plan.IntLevel(2))); ok {
			t.Error("a trial on one CPU is taken for one on two")
		}
		x, _ := of("slow", result.WallSeconds, p)
		return x / 3
	})
	if f.N != 4 {
		t.Errorf("%+v", f)
	}
}

// TestFormulaOfMetric checks a formula of a metric: it has no seconds, and a job without the metric is the reason for
// no comparison.
func TestFormulaOfMetric(t *testing.T) {
	trials := []result.Trial{timed("fast", 0, 1, cpus(1)), timed("fast", 1, 2, cpus(1))}
	for i := range trials {
		trials[i].Metrics["losses"] = 0
	}
	for metric, want := range map[string]string{"read_calls": "", "writes": "the job does not report writes",
		"losses": "losses is 0, so there is no ratio"} {
		rows := Rows(trials, []plan.Case{{Design: "fast", Point: cpus(1)}})
		AddFormulas(rows, trials, &workload.Workload{Designs: []workload.Design{{Name: "fast",
			Formula: &workload.Formula{Text: "8", Source: "invented", Metric: metric,
				Value: func(plan.Point, workload.Measured) float64 { return 8 }}}}})
		f := rows[0].Formula
		if f.Metric != metric || f.Reason != want || f.PredictedSeconds.Known() || f.MeasuredSeconds.Known() {
			t.Errorf("%+v", f)
		}
		if want == "" && (f.N != 2 ||
			math.Abs(float64(f.Predicted)-8) > 1e-12 || math.Abs(float64(f.Measured)-10) > 1e-12) {
			t.Errorf("%+v", f)
		}
	}
	one := func(plan.Point, workload.Measured) float64 { return 1 }
	f := formulaOf(t, nil, one)
	if f.Metric != result.WallSeconds || f.PredictedSeconds != f.Predicted || f.MeasuredSeconds != f.Measured {
		t.Errorf("%+v", f)
	}
}

// TestAnswer: the common answer of a job's trials, stored or not; a stream has none.
func TestAnswer(t *testing.T) {
	of := func(answers ...any) map[string]any {
		var trials []result.Trial
		for b, a := range answers {
			trials = append(trials, timed("one", b, 1, cpus(1)))
			trials[b].Answer = a
		}
		return Rows(trials, []plan.Case{{Design: "one", Point: cpus(1)}})[0].Answer
	}
	if got := of(map[string]int{"words": 7}, map[string]any{"words": 7.0}); got["words"] != 7.0 {
		t.Errorf("%v", got)
	}
	if got := of(map[string]int{"words": 7}, map[string]any{"words": 8}); got != nil {
		t.Errorf("%v", got)
	}
	if got := of(map[string]int{}, nil); got != nil {
		t.Errorf("%v", got)
	}
	s := timed("one", 0, 1, cpus(1))
	s.Type, s.Answer = result.Stream, map[string]any{"lattes": 1}
	if got := Rows([]result.Trial{s}, []plan.Case{{Design: "one", Point: cpus(1)}})[0].Answer; got != nil {
		t.Errorf("%v", got)
	}
}
