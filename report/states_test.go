package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// TestSteadyStates checks that a row with several steady states is not called exact, that the states are named, and
// that a verdict on it says that it spans them.
func TestSteadyStates(t *testing.T) {
	r := shop("americano", 8, 905, 0.01)
	r.World = result.Virtual
	s := r.Metrics[result.Throughput]
	s.Metric, s.Low, s.High = result.Throughput, 905, 1000
	for i, v := range []result.Value{905, 1000, 950, 960, 970} {
		s.States = append(s.States, result.State{Value: v, Share: 0.3 - 0.05*float64(i)})
	}
	r.Metrics[result.Throughput] = s
	v := compare.Verdict{Workload: "coffee", Metric: result.Throughput, A: "americano", B: "linearpipe", Ratio: 0.905,
		Low: 0.905, High: 1, P: result.Unavailable,
		Verdict: compare.Slower, Paired: true, States: s.States}
	var table, md bytes.Buffer
	if err := Table(&table, []compare.Row{r}, []compare.Verdict{v}, nil, compare.Answer{},
		Style{Full: true, Width: 200}); err != nil {
		t.Fatal(err)
	}
	if err := Markdown(&md, []compare.Row{r}, []compare.Verdict{v}, nil, compare.Answer{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{table.String(), md.String()} {
		text = strings.Join(strings.Fields(text), " ")
		for _, want := range []string{
			"[905.0, 1000.0] states", "the interval spans these states",
			"has 5 steady states: its throughput is 905.0/s if no burn is longer",
			"after one longer burn it settles to 30% at 905.0/s, 25% at 1000/s", "1 other value",
			"0.905x linearpipe (0.905 to 1.000 in 5 steady states)",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in:\n%s", want, text)
			}
		}
		if strings.Contains(text, "exact") || strings.Contains(text, "false difference") {
			t.Errorf("it claims too much:\n%s", text)
		}
	}
}
