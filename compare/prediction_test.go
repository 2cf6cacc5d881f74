package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// predict returns a predicted trial.
func predict(design string, n, block int, rate float64) result.Trial {
	t := coffeeTrial(design, n, block, rate)
	t.World = result.Virtual
	return t
}

func at(design string, ns ...int) []plan.Case {
	var list []plan.Case
	for _, n := range ns {
		list = append(list, plan.Case{Design: design, Point: cpus(n)})
	}
	return list
}

func near(t *testing.T, what string, got result.Value, want float64) {
	t.Helper()
	if !(math.Abs(float64(got)-want) < 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// TestPrediction: errors come from ratios within blocks, over the blocks that hold both. Four blocks whose
// logarithms are 0.10, 0.12, 0.10 and 0.12 have the mean 0.11 and the standard error 0.02/sqrt(12); t(0.975, 3) is
// 3.182446.
func TestPrediction(t *testing.T) {
	var live, virtual []result.Trial
	for b, log := range []float64{0.10, 0.12, 0.10, 0.12} {
		rate := 100 * float64(b+1) // blocks differ far more than the error
		live = append(live, coffeeTrial("a", 1, b, rate), observe(coffeeTrial("a", 1, b, 1), 1))
		virtual = append(virtual, predict("a", 1, b, rate*math.Exp(log)))
	}
	live = append(live, coffeeTrial("a", 1, 4, 1e9))
	virtual = append(virtual, predict("a", 1, 5, 1e9))
	failed := predict("a", 1, 4, 1)
	failed.Status = result.Failed
	virtual = append(virtual, failed)
	cases := at("a", 1)
	rows := AddPredictions(Rows(live, cases), live, virtual, cases)
	if len(rows) != 1 || len(rows[0].Predictions) != 1 {
		t.Fatalf("%d rows: %+v", len(rows), rows)
	}
	x := rows[0].Predictions[0]
	half := 3.182446305284263 * 0.02 / math.Sqrt(12)
	near(t, "the error", x.Error, math.Expm1(0.11))
	near(t, "its low end", x.Low, math.Expm1(0.11-half))
	near(t, "its high end", x.High, math.Expm1(0.11+half))
	geometric := 100 * math.Pow(24, 0.25)
	near(t, "measured", x.Measured, geometric)
	near(t, "predicted", x.Predicted, geometric*math.Exp(0.11))
	if x.N != 4 || x.Off || x.Metric != result.Throughput || x.Kind != "twin" || x.Design != "a" ||
		x.Workload != "coffee" {
		t.Errorf("%+v", x)
	}
	if got := Rows(live, cases); len(got[0].Predictions) != 0 ||
		len(AddPredictions(got, live, nil, cases)[0].Predictions) != 0 {
		t.Error("a prediction that nobody made")
	}
}

// TestPredictionOff: an error is flagged if its interval lies wholly beyond 5% on either side, with at least six
// blocks.
func TestPredictionOff(t *testing.T) {
	for _, c := range []struct {
		rates []float64 // predicted; 100 is measured
		off   bool
	}{
		{[]float64{100, 100, 100}, false},
		{[]float64{104.9, 104.9, 104.9}, false},
		{[]float64{105.1, 105.1, 105.1}, true},
		{[]float64{94.9, 94.9, 94.9}, true},
		{[]float64{95.1, 95.1, 95.1}, false},
		{[]float64{104, 108, 112}, false}, // the interval reaches below 5%
		{[]float64{107, 108, 109}, true},
		{[]float64{150}, false}, // no interval
	} {
		var live, virtual []result.Trial
		rates := append(c.rates, c.rates...)
		if len(c.rates) == 1 {
			rates = c.rates
		}
		for b, rate := range rates {
			live, virtual = append(live, coffeeTrial("a", 1, b, 100)), append(virtual, predict("a", 1, b, rate))
		}
		x := AddPredictions(Rows(live, at("a", 1)), live, virtual, at("a", 1))[0].Predictions[0]
		if fewer := AddPredictions(Rows(live, at("a", 1)), live, virtual[:len(virtual)-1],
			at("a", 1)); len(fewer[0].Predictions) > 0 && fewer[0].Predictions[0].Off {
			t.Errorf("%v: flagged by %d blocks", c.rates, len(virtual)-1)
		}
		if x.Off != c.off || (len(c.rates) == 1) == x.Low.Known() {
			t.Errorf("%v: %+v", c.rates, x)
		}
	}
}

// TestPredictedMetrics: a stream's throughput counts parts of operations, as verdicts do, and its mean latency has
// its own prediction. A job has its wall time and an open loop its mean response time.
func TestPredictedMetrics(t *testing.T) {
	m, p := coffeeTrial("a", 1, 0, 10), predict("a", 1, 0, 10)
	m.Progress, m.WallSeconds = 10.5, 1
	p.Progress, p.WallSeconds = 21, 1
	m.Metrics[result.LatencyMean], p.Metrics[result.LatencyMean] = 8, 6
	row := AddPredictions(Rows([]result.Trial{m}, at("a", 1)), []result.Trial{m}, []result.Trial{p}, at("a", 1))[0]
	x, _ := row.Prediction(result.Throughput)
	near(t, "the error of the rate", x.Error, 1)
	x, _ = row.Prediction(result.LatencyMean)
	near(t, "the error of the latency", x.Error, -0.25)
	if row.PredictedMetric() != result.Throughput {
		t.Error(row.PredictedMetric())
	}
	for metric, set := range map[string]func(*result.Trial){
		result.WallSeconds:  func(t *result.Trial) { t.Type = result.Job },
		result.ResponseMean: func(t *result.Trial) { t.Open = true },
	} {
		m, p := coffeeTrial("a", 1, 0, 10), predict("a", 1, 0, 10)
		set(&m)
		set(&p)
		m.Metrics[metric], p.Metrics[metric] = 4, 5
		row := AddPredictions(Rows([]result.Trial{m}, at("a", 1)), []result.Trial{m}, []result.Trial{p}, at("a", 1))[0]
		x, ok := row.Prediction(metric)
		if near(t, metric, x.Error, 0.25); !ok || len(row.Predictions) != 1 || row.PredictedMetric() != metric {
			t.Errorf("%s: %+v", metric, row.Predictions)
		}
		m.Unstable = true
		if row := AddPredictions(Rows([]result.Trial{m}, at("a", 1)), []result.Trial{m}, []result.Trial{p},
			at("a", 1))[0]; len(row.Predictions) != 0 {
			t.Error("an unstable trial has a prediction beside it")
		}
	}
}

// TestPredictedOnly: cases that were only predicted have rows of their own after those of their design.
func TestPredictedOnly(t *testing.T) {
	live := []result.Trial{coffeeTrial("a", 1, 0, 10), coffeeTrial("b", 1, 0, 10), coffeeTrial("b", 2, 0, 10)}
	var virtual []result.Trial
	for n := 1; n <= 4; n++ {
		virtual = append(virtual, predict("a", n, 0, 10), predict("b", n, 0, 10), predict("c", n, 0, 10))
	}
	cases := slices.Concat(at("a", 1, 2, 3), at("b", 1, 2, 3), at("c", 3))
	var got []string
	for _, r := range AddPredictions(Rows(live, cases), live, virtual, cases) {
		got = append(got, r.Design+" "+r.World+" "+r.Point.String())
	}
	want := []string{"a live cpus=1", "a virtual cpus=2", "a virtual cpus=3", "b live cpus=1", "b live cpus=2",
		"b virtual cpus=3", "c virtual cpus=3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestAgree(t *testing.T) {
	if a := SummarizePredictions(nil); a.Points != 0 {
		t.Errorf("%+v", a)
	}
	rate := func(e float64, off bool) Row {
		return Row{Design: "a", Predictions: []Prediction{{Metric: result.Throughput, Error: result.Value(e), Off: off},
			{Metric: result.LatencyMean, Error: -0.5, Off: off}}}
	}
	a := SummarizePredictions([]Row{rate(0.01, false), rate(-0.05, false), rate(-0.08, true), {Design: "b"}})
	if a.Points != 3 || a.Within != 2 || a.Median != 0.05 || a.Worst.Error != -0.08 || len(a.Off) != 2 {
		t.Errorf("%+v", a)
	}
}

func TestUnpredicted(t *testing.T) {
	good, bad := predict("a", 1, 0, 1), predict("b", 1, 0, 1)
	bad.Status, bad.Error = result.Failed, "it polls"
	worse := bad
	worse.Point = cpus(2)
	list := MissingPredictionWarnings([]result.Trial{good, bad, worse}, slices.Concat(at("a", 1), at("b", 1, 2)))
	if len(list) != 1 || list[0].Warning != WarnNoPrediction || list[0].Workload != "coffee" ||
		!strings.HasPrefix(list[0].Text, "b has no prediction at 2 points, because its trial fails in virtual "+
			"time: it polls;") {
		t.Errorf("%+v", list)
	}
}
