package compare_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestParseSLO checks the limits of objectives in the units of their metrics.
func TestParseSLO(t *testing.T) {
	slo, err := compare.ParseSLO("p99<20ms, errors <= 0.1%,throughput>500/s,cpu_seconds<1.5s, mean<1us,alloc_bytes<100")
	if err != nil {
		t.Fatal(err)
	}
	want := []compare.Objective{{"p99<20ms", "p99", true, 20e6}, {"errors<=0.1%", "errors", true, 0.001},
		{"throughput>500/s", "throughput", false, 500}, {"cpu_seconds<1.5s", "cpu_seconds", true, 1.5},
		{"mean<1us", "mean", true, 1000}, {"alloc_bytes<100", "alloc_bytes", true, 100}}
	if fmt.Sprint(slo) != fmt.Sprint(compare.SLO(want)) {
		t.Errorf("%v, want %v", slo, want)
	}
	for text, says := range map[string]string{
		"":                 "no name of a metric",
		"p99":              "no name of a metric",
		"<20ms":            "no name of a metric",
		"p98<20ms":         `"p98" is no metric`,
		"p99<20":           `"20" is no time with its unit`,
		"p99=20ms":         "no name of a metric",
		"errors_\x1b[1m<5": `"errors_\x1b[1m" is no metric`,
		"errors<1x":        `"1x" is no share`,
		"errors<0":         "no measurement can be below it",
		"p99<-1ms":         "no measurement can be below it",
		"throughput>many":  `"many" is no number a second`,
		"throughput>inf":   "is no number",
		"throughput>NaN":   "is no number",
		"p99<1ms,p99<2ms":  "two limits of p99",
		"p99<1ms,":         "no name of a metric",
		"alloc_bytes<<3":   `"<3" is no number`,
		strings.Repeat("p99<1ms,", 3) + "p50<1ms": "two limits",
	} {
		if _, err := compare.ParseSLO(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v; want %q", text, err, says)
		}
	}
}

// FuzzParseSLO checks that no text causes a panic or a limit that is no number.
func FuzzParseSLO(f *testing.F) {
	for _, text := range []string{"p99<20ms", "errors<=0.1%,throughput>5/s", "p999>=1h", "x<1", "<", "p99<1e400s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		slo, err := compare.ParseSLO(text)
		for _, o := range slo {
			if err != nil || math.IsNaN(o.Limit) || math.IsInf(o.Limit, 0) || o.Limit < 0 || o.Name == "" {
				t.Errorf("%q: %+v, %v", text, o, err)
			}
		}
	})
}

// requests returns trials of a design, one for each set of metrics.
func requests(design string, open bool, metrics ...result.Metrics) (trials []result.Trial) {
	for i, m := range metrics {
		trials = append(trials, result.Trial{Kind: result.KindTrial, Workload: "http", World: result.Live,
			Design: design, Point: plan.Point{}, Block: i, Status: result.OK, Expected: true, Type: result.Stream,
			Open: open, Metrics: m})
	}
	return trials
}

// each returns n copies of a metric with values near x, 0.1% apart.
func each(metric string, x float64, n int) (list []result.Metrics) {
	for i := range n {
		list = append(list, result.Metrics{metric: result.Value(x * (1 + 0.001*float64(i)))})
	}
	return list
}

// closed and open return trials of the design a in a closed and in an open loop.
func closed(list []result.Metrics) []result.Trial { return requests("a", false, list...) }
func open(list []result.Metrics) []result.Trial   { return requests("a", true, list...) }

// with adds metrics to trials.
func with(trials []result.Trial, more result.Metrics) []result.Trial {
	for i := range trials {
		maps.Copy(trials[i].Metrics, more)
	}
	return trials
}

// decide decides an SLO on trials of the designs a and b.
func decide(t *testing.T, slo string, trials []result.Trial) compare.SLOAnalysis {
	t.Helper()
	s, err := compare.ParseSLO(slo)
	if err != nil {
		t.Fatal(err)
	}
	rows := compare.Rows(trials, []plan.Case{{Design: "a"}, {Design: "b"}})
	return s.Decide(rows, trials)
}

// TestSLODecisions checks the decision on one objective in each situation.
func TestSLODecisions(t *testing.T) {
	failed := closed(each("latency_p99_ns", 1e6, 10))
	for i := range 6 {
		failed[i].Status, failed[i].Metrics = result.Failed, nil
	}
	unstable := open(each("throughput_per_s", 9, 10))
	for i := range unstable {
		unstable[i].Unstable = true
	}
	bound := closed(each("latency_p99_ns", 1e6, 10))
	for i := range bound {
		bound[i].Status, bound[i].Bound = result.StatusBound, true
	}
	lost := with(open(each("lost_share", 0.02, 10)), result.Metrics{"arrived": 1000,
		"response_p50_ns": result.Unavailable, "response_p99_ns": result.Unavailable})
	short := with(open(each("throughput_per_s", 10, 6)), result.Metrics{"response_p99_ns": result.Unavailable})
	// One of 50 requests failed, which says nothing about the p99 of the others.
	one := with(closed(each("error_share", 0.02, 10)), result.Metrics{"failed": 1, "error_share": 0.02,
		"latency_p99_ns": result.Unavailable, "latency_max_ns": result.Value(math.Inf(1))})
	service := with(open(each("lost_share", 0.5, 10)), result.Metrics{"arrived": 1000, "failed": 0, "error_share": 0,
		"service_p99_ns": result.Unavailable, "response_max_ns": result.Unavailable})
	job := closed(each("wall_seconds", 1, 10))
	kinds := with(closed(each("error_share", 0.001, 10)), result.Metrics{"failed": 1})
	for i := range 4 {
		kinds[i].Metrics["errors_reset"] = 9
	}
	unserved := with(open(each("lost_share", 1, 10)), result.Metrics{"error_share": result.Unavailable})
	for name, x := range map[string]struct {
		slo    string
		trials []result.Trial
		want   string
		says   string
	}{
		"kept":     {"p99<20ms", closed(each("latency_p99_ns", 10e6, 10)), "pass", "(measured 10.0ms to 10.1ms)"},
		"not kept": {"p99<20ms", closed(each("latency_p99_ns", 21e6, 10)), "fail", "p99<20ms (measured 21.0ms to"},
		"at it":    {"p99<20ms", closed(each("latency_p99_ns", 19.9e6, 10)), "undecided", "more blocks (option count)"},
		"few": {"p99<20ms", closed(each("latency_p99_ns", 10e6, 5)), "undecided",
			"5 blocks are too few: at least 6 are needed (option count 6)"},
		"one": {"p99<20ms", closed(each("latency_p99_ns", 10e6, 1)), "undecided",
			"1 block is too few: at least 6 are needed (option count 6)"},
		"few to fail": {"p99<2ms,p50<1s", closed(each("latency_p99_ns", 10e6, 6)), "undecided",
			"6 blocks are too few to fail one of 2 decisions: at least 7 are needed (option count 7)"},
		"open":       {"p99<20ms", open(each("response_p99_ns", 10e6, 6)), "pass", "p99<20ms"},
		"too short":  {"p99<20ms", short, "undecided", "fewer than 1000 requests"},
		"lost":       {"p99<20ms", lost, "fail", "unbounded"},
		"lost, p50":  {"p50<20ms", lost, "undecided", "fewer than 20 requests"},
		"unstable":   {"p50<20ms", unstable, "fail", "unbounded"},
		"failed":     {"p99<20ms", failed, "undecided", "more blocks"},
		"no errors":  {"errors<0.1%", closed(each("latency_p99_ns", 1, 6)), "pass", "(measured 0%)"},
		"errors":     {"errors<=0.1%", closed(each("error_share", 0.01, 8)), "fail", "1% to"},
		"throughput": {"throughput>500", closed(each("throughput_per_s", 600, 6)), "pass", "600"},
		"slow":       {"throughput>500", closed(each("throughput_per_s", 400, 6)), "fail", "400"},
		"one of 50":  {"p99<20ms", one, "undecided", "fewer than 1000 requests"},
		"max":        {"max<20ms", one, "fail", "unbounded"},
		"max, lost":  {"max<20ms", service, "fail", "unbounded"},
		"service":    {"service_p99_ns<20ms", service, "undecided", "fewer than 1000 requests"},
		"job":        {"p99<20ms", job, "undecided", "this design has no latency"},
		"job, max":   {"max<1s", job, "undecided", "this design has no latency"},
		"no kind":    {"status_503<=0", kinds, "pass", "(measured 0)"},
		"some kinds": {"errors_reset<5", kinds, "undecided", "measured 0 to 9"},
		"other kind": {"errors_reset<5", job, "undecided", "no errors_reset"},
		"unserved":   {"errors<1%", unserved, "undecided", "no error_share"},
		"bound":      {"p99<20ms", bound, "undecided", "nothing was measured"},
	} {
		a := decide(t, x.slo, x.trials)
		if a.Overall != x.want || !strings.Contains(a.Sentence(), x.says) {
			t.Errorf("%s: %s: %q; want %s, %q", name, a.Overall, a.Sentence(), x.want, x.says)
		}
	}
}

// TestSLOOfSeveralDesigns checks that the sentence names the designs that decide, and that each has its records.
func TestSLOOfSeveralDesigns(t *testing.T) {
	both := append(closed(each("latency_p99_ns", 10e6, 10)),
		requests("b", false, each("latency_p99_ns", 30e6, 10)...)...)
	a := decide(t, "p99<20ms,errors<1%", both)
	if a.Overall != compare.Fail || len(a.Records()) != 4 || !strings.HasPrefix(a.Sentence(), "slo: fail: b: p99") ||
		strings.Contains(a.Sentence(), "errors") {
		t.Errorf("%q: %+v", a.Sentence(), a.Decisions)
	}
}

// TestSLOErrors checks with simulated trials whose true median is at the limit that a pass and a fail are each wrong in
// at most 2.5% of the runs, also if there are several objectives.
func TestSLOErrors(t *testing.T) {
	const runs, blocks = 4000, 12
	r := rand.New(rand.NewPCG(3, 4))
	wrong := map[string]int{}
	for range runs {
		var trials []result.Trial
		for _, design := range []string{"a", "b"} {
			var list []result.Metrics
			for range blocks {
				list = append(list, result.Metrics{
					"latency_p99_ns":   result.Value(20e6 * math.Exp(r.NormFloat64()/5)),
					"throughput_per_s": result.Value(500 * math.Exp(r.NormFloat64()/5))})
			}
			trials = append(trials, requests(design, false, list...)...)
		}
		wrong[decide(t, "p99<20ms,throughput>500", trials).Overall]++
		wrong["one "+decide(t, "p99<20ms", trials[:blocks]).Overall]++
	}
	for _, decision := range []string{"pass", "fail", "one pass", "one fail"} {
		if share := float64(wrong[decision]) / runs; share > 0.025+3*math.Sqrt(0.025/runs) {
			t.Errorf("%s in %.2f%% of the runs", decision, 100*share)
		}
	}
	if wrong["one pass"] == 0 || wrong["one fail"] == 0 {
		t.Errorf("never decided: %v", wrong)
	}
	t.Log(wrong)
}

// TestUnknownObjective checks that a refused name is answered with those that exist, and with the quantile it means.
func TestUnknownObjective(t *testing.T) {
	for slo, want := range map[string]string{
		"p99.9<5ms": "; write p999; the names are mean, errors, throughput, min, p5,",
		"P50<5ms":   "; write p50; the names",
		"p98<5ms":   "; the names are mean",
		"speed<5ms": "; the names are mean",
	} {
		_, err := compare.ParseSLO(slo)
		if err == nil || !strings.Contains(err.Error(), "is no metric with an objective"+want) {
			t.Errorf("%s: %v", slo, err)
		}
	}
}

// TestSLONames checks that rows are named by the settings in which they differ.
func TestSLONames(t *testing.T) {
	var trials []result.Trial
	var cases []plan.Case
	for _, workers := range []int{1, 8} {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "workers", Level: plan.IntLevel(workers)})
		list := closed(each("latency_p99_ns", 10e6*float64(workers), 10))
		for i := range list {
			list[i].Point = p
		}
		trials, cases = append(trials, list...), append(cases, plan.Case{Design: "a", Point: p})
	}
	s, _ := compare.ParseSLO("p99<20ms")
	a := s.Decide(compare.Rows(trials, cases), trials)
	if !strings.HasPrefix(a.Sentence(), "slo: fail: workers 8: p99<20ms (measured 80.1ms to 80.6ms)") {
		t.Error(a.Sentence())
	}
}
