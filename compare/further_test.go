package compare_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// further returns the verdicts on further metrics of two builds of a server in n blocks, and the answer. The quantiles
// of the second are 1.5 times those of the first, and their throughputs are equal up to noise.
func further(open bool, n int, errors func(block int) (a, b float64)) ([]compare.Verdict, compare.Answer) {
	r := rand.New(rand.NewPCG(1, 2))
	var a, b []result.Metrics
	for i := range n {
		noise := func() result.Value { return result.Value(math.Exp(r.NormFloat64() / 50)) }
		ea, eb := errors(i)
		metrics := func(slower, failed float64) result.Metrics {
			times := map[bool]string{false: "latency_", true: "response_"}[open]
			return result.Metrics{"throughput_per_s": 1000 * noise(),
				times + "p50_ns": 1e6 * result.Value(slower) * noise(),
				times + "p99_ns": 9e6 * result.Value(slower) * noise(), "error_share": result.Value(failed)}
		}
		a, b = append(a, metrics(1, ea)), append(b, metrics(1.5, eb))
	}
	trials := append(requests("a", open, a...), requests("b", open, b...)...)
	rows := compare.Rows(trials, []plan.Case{{Design: "a"}, {Design: "b"}})
	c := compare.DefaultCriteria("a", nil)
	c.FurtherMetrics = []string{"throughput_per_s", "latency_p50_ns", "latency_p99_ns", "error_share"}
	list := c.FurtherVerdicts(rows, trials)
	return list, compare.NewAnswer(rows, c.Verdicts(rows, trials), compare.AnswerOptions{Baseline: "a",
		FurtherVerdicts: list})
}

// TestFurther checks the verdicts on further metrics in a closed and in an open loop.
func TestFurther(t *testing.T) {
	none := func(int) (a, b float64) { return 0, 0 }
	for open, want := range map[bool]string{false: "latency_p50_ns worse, latency_p99_ns worse, error_share equivalent",
		true: "throughput_per_s undecided, response_p99_ns worse, error_share equivalent"} {
		list, answer := further(open, 12, none)
		var got []string
		for _, v := range list {
			if v.A != "b" || v.B != "a" {
				t.Errorf("%s compared with %s", v.A, v.B)
			}
			got = append(got, v.Metric+" "+strings.Replace(v.Verdict, "equivalent", map[bool]string{true: "equivalent",
				false: "undecided"}[v.Metric == "error_share"], 1))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("open %t: %q, want %q", open, got, want)
		}
		text := strings.Join(answer.Text, "\n")
		if !strings.Contains(text, "b compared with a: ") || !strings.Contains(text, "p99 +49.3%") ||
			strings.Contains(text, "failed requests") || len(answer.FurtherVerdicts) != len(list) {
			t.Errorf("open %t: %q", open, text)
		}
		records := 0
		for _, r := range compare.Records(nil, nil, nil, nil, answer) {
			if v, ok := r.(compare.Verdict); ok && v.Kind == "verdict" {
				records++
			}
		}
		if records != len(list) {
			t.Errorf("open %t: %d records of %d verdicts", open, records, len(list))
		}
	}
}

// TestFurtherErrors checks that errors of one side only, of which there is no ratio, are reported.
func TestFurtherErrors(t *testing.T) {
	list, answer := further(false, 12, func(block int) (a, b float64) { return 0, 0.01 + float64(block)/1e4 })
	v := list[len(list)-1]
	if v.Metric != "error_share" || v.Verdict != compare.Worse || v.NoRatio == "" {
		t.Errorf("%+v", v)
	}
	if text := strings.Join(answer.Text, " "); !strings.Contains(text, "share of failed requests higher (worse)") {
		t.Errorf("%q", text)
	}
}

// TestFurtherOnlyOnRequest checks that workloads that name no metrics have no further verdicts.
func TestFurtherOnlyOnRequest(t *testing.T) {
	trials := append(requests("a", false, each("latency_p99_ns", 1, 10)...),
		requests("b", false, each("latency_p99_ns", 2, 10)...)...)
	rows := compare.Rows(trials, []plan.Case{{Design: "a"}, {Design: "b"}})
	if list := compare.DefaultCriteria("", nil).FurtherVerdicts(rows, trials); list != nil {
		t.Errorf("%+v", list)
	}
}

// TestFurtherOfAllTrials checks that a quantile that some trials lack, because too many of their requests were lost,
// has no verdict from the other trials.
func TestFurtherOfAllTrials(t *testing.T) {
	a, b := each("latency_p99_ns", 2, 12), each("latency_p99_ns", 1, 12)
	for i := range 4 {
		b[i]["latency_p99_ns"] = result.Value(math.Inf(1))
	}
	trials := append(requests("a", false, a...), requests("b", false, b...)...)
	rows := compare.Rows(trials, []plan.Case{{Design: "a"}, {Design: "b"}})
	c := compare.DefaultCriteria("a", nil)
	c.FurtherMetrics = []string{"latency_p99_ns"}
	if list := c.FurtherVerdicts(rows, trials); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}
