package lab

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// trialsOf are jobs of two designs, whose times in seconds scatter by 1 %.
func trialsOf(world string, a, b float64) (trials []result.Trial, cases []plan.Case) {
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	cases = []plan.Case{{Design: "a", Point: p}, {Design: "b", Point: p}}
	for block := range 10 {
		for i, seconds := range []float64{a, b} {
			seconds *= 1 + 0.01*float64((block*7+i*3)%10)/10
			trials = append(trials, result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion,
				Workload: "w",
				Design:   cases[i].Design, Point: p, World: world, Block: block, Order: i, Status: result.OK,
				Expected: true,
				Type:     result.Job, WallSeconds: seconds,
				Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)}})
		}
	}
	return trials, cases
}

// TestAnalyze: predictions are set beside rows, take no part in verdicts, and add rows of cases that were not measured.
func TestAnalyze(t *testing.T) {
	trials, cases := trialsOf(result.Live, 1, 2)
	predictions, _ := trialsOf(result.Virtual, 1.1, 2.2)
	more := cases[0].Point.With("cpus", plan.IntLevel(64))
	beyond := predictions[0]
	beyond.Point = more
	o := AnalyzeOptions{
		Workload: &workload.Workload{Name: "w"}, Cases: cases, Predictions: append(predictions, beyond),
		PredictedCases: append(slices.Clone(cases), plan.Case{Design: "a", Point: more}), CostsFrom: sweep.Typical,
	}
	x := Analyze(trials, o)
	if len(x.Rows) != 3 || len(x.Rows[0].Twins) == 0 || x.Rows[1].Point.String() != more.String() ||
		x.Rows[2].Design != "b" {
		t.Fatalf("rows: %+v", x.Rows)
	}
	if len(x.Verdicts) != 1 || x.Verdicts[0].Verdict != compare.Slower || x.Verdicts[0].World != result.Live {
		t.Errorf("verdicts: %+v", x.Verdicts)
	}
	costs := func(w compare.Warning) bool {
		return w.Warning == compare.WarnCosts && strings.Contains(w.Text, "brewput calibrate measures them")
	}
	if !slices.ContainsFunc(x.Warnings, costs) {
		t.Errorf("no warning about typical costs: %+v", x.Warnings)
	}

	o.Predictions, o.PredictedCases = nil, nil
	if x = Analyze(trials, o); len(x.Rows) != 2 || slices.ContainsFunc(x.Warnings, costs) {
		t.Errorf("without predictions: %+v", x)
	}
}

// TestRecords: the records follow each other in the order of the contract.
func TestRecords(t *testing.T) {
	trials, cases := trialsOf(result.Live, 1, 2)
	predictions, _ := trialsOf(result.Virtual, 1.1, 2.2)
	x := Analyze(trials, AnalyzeOptions{Cases: cases, Predictions: predictions, PredictedCases: cases,
		CostsFrom: sweep.Typical})
	var kinds []string
	for _, r := range x.Records() {
		text, err := json.Marshal(r)
		var line struct{ Kind string }
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != line.Kind {
			kinds = append(kinds, line.Kind)
		}
	}
	if got, want := fmt.Sprint(kinds), "[summary twin verdict warning]"; got != want {
		t.Errorf("kinds %v, want %v", got, want)
	}
}
