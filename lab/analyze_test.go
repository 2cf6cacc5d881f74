package lab

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/tools/schematest"
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
		PredictedCases: append(slices.Clone(cases), plan.Case{Design: "a", Point: more}), CostsFrom: sweep.CostsTypical,
	}
	x := Analyze(trials, o)
	if len(x.Rows) != 3 || len(x.Rows[0].Predictions) == 0 || x.Rows[1].Point.String() != more.String() ||
		x.Rows[2].Design != "b" {
		t.Fatalf("rows: %+v", x.Rows)
	}
	if len(x.Verdicts) != 1 || x.Verdicts[0].Verdict != compare.Slower || x.Verdicts[0].World != result.Live {
		t.Errorf("verdicts: %+v", x.Verdicts)
	}
	costs := func(w compare.Warning) bool {
		return w.Warning == compare.WarnCosts && strings.Contains(w.Text, "type brewput calibrate")
	}
	if !slices.ContainsFunc(x.Warnings, costs) {
		t.Errorf("no warning about typical costs: %+v", x.Warnings)
	}

	o.Predictions, o.PredictedCases = nil, nil
	if x = Analyze(trials, o); len(x.Rows) != 2 || slices.ContainsFunc(x.Warnings, costs) {
		t.Errorf("without predictions: %+v", x)
	}
}

// jobsOf are jobs of design a with one and two CPUs and three sizes of its buffer, and of b with one CPU. Of 20 blocks
// something slows a by 10 % for five at a time.
func jobsOf(world string) (trials []result.Trial, cases []plan.Case) {
	at := func(cpus, buffer int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
			plan.Setting{Factor: "buffer", Level: plan.IntLevel(buffer)})
	}
	cases = []plan.Case{{Design: "a", Point: at(1, 1)}, {Design: "a", Point: at(2, 1)}, {Design: "a", Point: at(2, 2)},
		{Design: "a", Point: at(2, 3)}, {Design: "b", Point: at(1, 1).Without("buffer")}}
	for block := range 20 {
		for i, seconds := range []float64{2, 1.2, 1, 1.5, 3} {
			c := cases[i]
			if c.Design == "a" && block/5%2 == 1 {
				seconds *= 1.1
			}
			seconds *= 1 + 0.001*float64((block*7+i*3)%10)
			trials = append(trials, result.Trial{Kind: result.KindTrial, Workload: "w", Design: c.Design,
				Point: c.Point, World: world, Block: block, Order: i, Status: result.OK, Expected: true,
				Type: result.Job, WallSeconds: seconds,
				Metrics: result.Metrics{result.WallSeconds: result.Value(seconds)}})
		}
	}
	return trials, cases
}

// everything are options that ask for all that an analysis can hold.
func everything() ([]result.Trial, AnalyzeOptions) {
	trials, cases := jobsOf(result.Live)
	predictions, _ := jobsOf(result.Virtual)
	predictions[0].Warnings = []string{"the milk is sour"}
	for i := range predictions {
		if p := &predictions[i]; p.Design == "b" {
			p.Status, p.Error, p.WallSeconds, p.Metrics = result.Failed, "it hangs", 0, nil
		}
	}
	two := &workload.Formula{Text: "two seconds", Seconds: func(plan.Point, workload.Measured) float64 { return 2 }}
	w := &workload.Workload{Name: "w", Designs: []workload.Design{{Name: "a", Formula: two}, {Name: "b"}},
		Factors: []plan.Factor{{Name: "size", Input: true}}}
	return trials, AnalyzeOptions{Workload: w, Cases: cases, Criteria: compare.DefaultCriteria("b", nil),
		InterimBlocks: []int{30}, Predictions: predictions, PredictedCases: cases, CostsFrom: sweep.CostsTypical,
		HeaderWarnings: []string{"the milk is warm", sweep.WhyTypical + "nobody measured them"}, Program: "barista",
		Sensitivity: []compare.Sensitivity{{Kind: "sensitivity",
			SchemaVersion: result.SchemaVersion, Workload: "w", Design: "a", World: result.Live, Point: cases[0].Point,
			Metric: result.WallSeconds, Effects: []compare.Effect{}}}}
}

// TestAnalyzeAll: rows hold what belongs to them, and each source of warnings is asked.
func TestAnalyzeAll(t *testing.T) {
	trials, o := everything()
	x := Analyze(trials, o)
	if len(x.Rows) != 5 {
		t.Fatalf("%+v", x.Rows)
	}
	if same, p := everything(); !reflect.DeepEqual(trials, same) || !reflect.DeepEqual(o.Predictions, p.Predictions) ||
		!reflect.DeepEqual(o.Cases, p.Cases) || !reflect.DeepEqual(o.Sensitivity, p.Sensitivity) {
		t.Error("the arguments were changed")
	}
	first, twice, best := x.Rows[0], x.Rows[1], x.Rows[2]
	if first.BaselineVerdict == nil || first.BaselineVerdict.B != "b" || len(first.Sensitivity) != 1 ||
		first.Formula == nil ||
		first.Formula.Text != "two seconds" || x.Rows[4].Formula != nil || first.SerialFraction != nil ||
		twice.SerialFraction == nil || len(best.Knees) != 1 || best.Knees[0].Factor != "buffer" {
		t.Errorf("%+v", x.Rows)
	}
	warned := map[string]string{}
	for _, w := range x.Warnings {
		warned[w.Warning] += w.Workload + ": " + w.Text + "\n"
	}
	for name, want := range map[string]string{compare.WarnRatios: "w: ratios of neighbouring",
		compare.WarnFewBlocks:    "the first interim analysis of a run with a budget is at block 30",
		compare.WarnNoPrediction: "b has no prediction",
		compare.WarnPrediction:   "the milk is sour",
		compare.WarnCosts: "w: predictions use typical scheduler costs, not those of " +
			"this machine (nobody measured them); to measure them, type barista calibrate"} {
		if !strings.Contains(warned[name], want) {
			t.Errorf("%s: %q", name, warned[name])
		}
	}

	o.CostsFrom = "this machine"
	for _, w := range Analyze(trials, o).Warnings {
		if w.Warning == compare.WarnCosts {
			t.Errorf("with costs of this machine: %s", w.Text)
		}
	}
	trials, cases := jobsOf(result.Virtual)
	if x := Analyze(trials, AnalyzeOptions{Cases: cases, CostsFrom: sweep.CostsTypical}); len(x.Warnings) != 1 ||
		x.Warnings[0].Warning != compare.WarnCosts {
		t.Errorf("in virtual time: %+v", x.Warnings)
	}
}

// TestAnalyzeInputs: levels of a workload's inputs are other jobs, and not compared, unless criteria are given.
func TestAnalyzeInputs(t *testing.T) {
	trials, o := everything()
	o.Workload.Factors[0].Name, o.Criteria = "buffer", compare.Criteria{}
	x := Analyze(trials, o)
	between := func(v compare.Verdict) bool { return v.A == "a" && v.B == "a" && v.OnlyA.Has("buffer") }
	if slices.ContainsFunc(x.Verdicts, between) || len(x.Rows[2].Knees) != 0 {
		t.Errorf("%+v", x.Verdicts)
	}
	o.Criteria = compare.DefaultCriteria("", nil)
	if x = Analyze(trials, o); !slices.ContainsFunc(x.Verdicts, between) || len(x.Rows[2].Knees) != 1 {
		t.Errorf("%+v", x.Verdicts)
	}
}

// TestAnalyzeBaseline: a baseline is compared with, also where no other criterion is given.
func TestAnalyzeBaseline(t *testing.T) {
	trials, o := everything()
	o.Criteria = compare.Criteria{Baseline: "a"}
	x := Analyze(trials, o)
	if !slices.ContainsFunc(x.Rows, func(r compare.Row) bool { return r.BaselineVerdict != nil }) {
		t.Errorf("no row has a verdict on the baseline: %+v", x.Verdicts)
	}
}

// TestAnalyzeCriteria: criteria without Alpha keep their other fields.
func TestAnalyzeCriteria(t *testing.T) {
	trials, o := everything()
	o.Criteria = compare.Criteria{Baseline: "a", BaselineOnly: true, Margin: 0.3}
	x := Analyze(trials, o)
	if len(x.Verdicts) == 0 {
		t.Fatal("no verdict")
	}
	for _, v := range x.Verdicts {
		if v.B != "a" || v.Margin != 0.3 {
			t.Errorf("%s compared with %s, margin %v", v.A, v.B, v.Margin)
		}
	}
}

// TestRecords: the records follow each other in the order of the contract, and none is missing.
func TestRecords(t *testing.T) {
	x := Analyze(everything())
	var kinds []string
	counts := map[string]int{}
	schemas, err := schematest.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range x.Records() {
		text, err := json.Marshal(r)
		var line struct{ Kind string }
		if err == nil {
			err = schemas.Line(text)
		}
		if err == nil {
			err = json.Unmarshal(text, &line)
		}
		if err != nil {
			t.Fatal(err)
		}
		counts[line.Kind]++
		if slices.Contains([]string{"formula", "serial", "knee"}, line.Kind) {
			line.Kind = "model" // of one row after the other
		}
		if len(kinds) == 0 || kinds[len(kinds)-1] != line.Kind {
			kinds = append(kinds, line.Kind)
		}
	}
	if got, want := fmt.Sprint(kinds), "[summary twin model verdict sensitivity warning answer]"; got != want {
		t.Errorf("kinds %v, want %v", got, want)
	}
	if counts["formula"] != 4 || counts["serial"] != 1 || counts["knee"] != 1 || counts["sensitivity"] != 1 ||
		counts["verdict"] != len(x.Verdicts) || counts["warning"] != len(x.Warnings) || counts["summary"] != 5 ||
		counts["twin"] != 4 {
		t.Errorf("%v", counts)
	}
}
