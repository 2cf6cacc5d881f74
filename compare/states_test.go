package compare

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// disturbed returns a periodic replication with one rate, and equally frequent other rates after disturbances.
func disturbed(design string, block int, rate float64, others ...float64) result.Trial {
	t := replication(design, block, rate, 100)
	d := &result.Disturbed{Count: 4, States: []result.SteadyState{{Share: 0.5, Phases: []float64{0.1, 0.2},
		Metrics: t.Metrics}}, Range: map[string][2]result.Value{}}
	low, high := rate, rate
	for _, x := range others {
		d.States = append(d.States, result.SteadyState{Share: 0.5 / float64(len(others)), Phases: []float64{0.7},
			Metrics: replication(design, block, x, 1).Metrics})
		low, high = min(low, x), max(high, x)
	}
	d.Range[result.Throughput] = [2]result.Value{result.Value(low), result.Value(high)}
	d.Range[result.LatencyMean] = [2]result.Value{result.Value(1e9 / high), result.Value(1e9 / low)}
	t.Disturbed = d
	return t
}

func judged(trials ...result.Trial) ([]Row, []Verdict) {
	cases := []plan.Case{caseOf("a"), caseOf("b")}
	rows := Rows(trials, cases)
	return rows, DefaultCriteria("a", nil).Verdicts(rows, trials)
}

// TestStates: a row with two steady states is not exact, nor is its verdict. Low and High of both span the states.
func TestStates(t *testing.T) {
	rows, verdicts := judged(disturbed("a", 0, 1000, 1000.5), disturbed("b", 0, 900, 980))
	a, b := rows[0].Measure(), rows[1].Measure()
	if !a.Exact || a.States != nil || b.Exact || b.Low != 900 || b.High != 980 || b.Median != 900 ||
		b.Mean.Low != 900 || b.Mean.High != 980 {
		t.Errorf("%+v, %+v", a, b)
	}
	if len(b.States) != 2 || b.States[1].Value != 980 || b.States[1].Share != 0.5 || len(b.States[0].Phases) != 2 {
		t.Errorf("%+v", b.States)
	}
	v := verdicts[0]
	if len(verdicts) != 1 || v.Exact || v.A != "b" || math.Abs(float64(v.Low)-0.9) > 1e-9 ||
		math.Abs(float64(v.High)-0.98) > 1e-9 || v.Ratio != 0.9 || v.Verdict != Slower || len(v.States) != 2 {
		t.Errorf("%+v", verdicts)
	}
	text, err := json.Marshal(v)
	if err != nil || !strings.Contains(string(text),
		`"states":[{"value":0.9,"share":0.5,"phases":[0.1,0.2],"a":900,"b":1000},`) ||
		strings.Contains(string(text), `"exact"`) {
		t.Errorf("%s, %v", text, err)
	}
	if metric, half := rows[1].LeastPreciseMean(); metric != "" || !math.IsNaN(half) {
		t.Errorf("more replications of several states: %s %v", metric, half)
	}

	for _, c := range []struct {
		want   string
		trials []result.Trial
	}{
		{Undecided, []result.Trial{disturbed("a", 0, 1000), disturbed("b", 0, 900, 1100)}},
		// Equivalent in one of them.
		{Undecided, []result.Trial{disturbed("a", 0, 1000), disturbed("b", 0, 900, 999.9)}},
		{Equivalent, []result.Trial{disturbed("a", 0, 1000, 1010), disturbed("b", 0, 1000, 1005)}},
		{Faster, []result.Trial{disturbed("a", 0, 1000, 1100), disturbed("b", 0, 1200, 1300)}},
	} {
		want := c.want
		_, verdicts := judged(c.trials...)
		if len(verdicts) != 1 || verdicts[0].Verdict != want || verdicts[0].Exact {
			t.Errorf("want %s: %+v", want, verdicts)
		}
	}
}

// TestStatesAndSamples: a verdict on a row with states and a sampled one spans the states too.
func TestStatesAndSamples(t *testing.T) {
	var trials []result.Trial
	for block := range 10 {
		trials = append(trials, disturbed("a", block, 1000, 1100), replication("b", block, 1050+float64(block%2), 0))
	}
	rows, verdicts := judged(trials...)
	if s := rows[0].Measure(); s.Exact || s.Low != 1000 || s.High != 1100 || math.Abs(s.States[0].Share-0.5) > 1e-9 ||
		len(s.States[0].Phases) != 20 {
		t.Errorf("%+v", s)
	}
	if v := verdicts[0]; v.Verdict != Undecided || v.Low > 0.96 || v.High < 1.05 || v.Exact || v.MoreBlocks != nil ||
		len(v.States) != 2 {
		t.Errorf("%+v", v)
	}
	v := Verdict{Metric: result.Throughput, Ratio: 1, Verdict: Undecided, MostBlocks: 40, EnoughBlocks: 120}
	if v.widenToStates(&rows[0], &rows[1]); v.MostBlocks != 0 || v.EnoughBlocks != 0 {
		t.Errorf("more blocks do not decide between states: %+v", v)
	}
}

// TestDisturbedErrors: a failure after a disturbance is not exact. Trials of older journals stay as they were.
func TestDisturbedErrors(t *testing.T) {
	wrong := disturbed("a", 0, 1000)
	wrong.Disturbed.Error = "deadlock"
	rows, verdicts := judged(wrong, replication("b", 0, 500, 9))
	if rows[0].Measure().Exact || !rows[1].Measure().Exact || len(verdicts) != 1 || verdicts[0].Exact {
		t.Errorf("%+v, %+v", rows[0].Measure(), verdicts)
	}
}

// TestSensitivityToDisturbances: the states of a row, and the effect of one prolonged burn on a sample.
func TestSensitivityToDisturbances(t *testing.T) {
	rows, _ := judged(disturbed("a", 0, 1000, 950), replication("b", 0, 500, 0))
	later, _ := judged(disturbed("a", 0, 1000, 950), replication("b", 0, 505, 0))
	list := Sensitivities(rows, []VariedRun{{"wake", 2, rows}, {"", 0, later}})
	a, b := list[0], list[2]
	if a.DisturbedLow != 950 || a.DisturbedHigh != 1000 || math.Abs(float64(a.DisturbedShare)-0.05) > 1e-9 ||
		len(a.States) != 2 || a.Share != 0 || !a.Matters() || len(a.Effects) != 1 {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(a.Text(), "has 2 steady states") || !strings.Contains(a.Text(), "5%") ||
		strings.Contains(a.Text(), "scheduler") {
		t.Error(a.Text())
	}
	if b.DisturbedLow != 500 || b.DisturbedHigh != 505 || b.Matters() || b.States != nil {
		t.Errorf("%+v", b)
	}
}
