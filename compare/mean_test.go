package compare

import (
	"math"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// replication returns a trial in virtual time.
func replication(design string, block int, rate float64, repeats int) result.Trial {
	t := result.Trial{Kind: result.KindTrial, Workload: "w", Design: design, World: result.Virtual, Block: block,
		Status: result.OK, Expected: true,
		Type: result.Stream, Operations: 1000,
		Metrics: result.Metrics{result.Throughput: result.Value(rate), result.LatencyMean: result.Value(1e9 / rate),
			"violations": 0}}
	if repeats > 0 {
		t.Period = &result.Period{Operations: 1, Seconds: 1 / rate, Repeats: repeats}
	}
	return t
}

func caseOf(design string) plan.Case { return plan.Case{Design: design} }

func TestMeansInVirtualTime(t *testing.T) {
	cases := []plan.Case{caseOf("a")}
	trials := []result.Trial{replication("a", 0, 100, 0), replication("a", 1, 104, 0), replication("a", 2, 96, 0)}
	row := Rows(trials, cases)[0]
	s := row.Metric(result.Throughput)
	// Three values with a standard deviation of 4: 4.3027 * 4 / sqrt 3 on either side.
	if s.Mean == nil || s.Mean.Mean != 100 || math.Abs(float64(s.Mean.High)-109.937) > 1e-3 || s.Exact {
		t.Errorf("mean %+v", s.Mean)
	}
	metric, half := row.LeastPreciseMean()
	if metric != result.LatencyMean || math.Abs(half-0.0995) > 1e-3 {
		t.Errorf("the least precise is %s with %v", metric, half)
	}
	one := Rows(trials[:1], cases)[0]
	if _, half := one.LeastPreciseMean(); !math.IsInf(half, 1) {
		t.Errorf("one replication has a precision of %v", half)
	}
	live := trials[0]
	live.World = result.Live
	if s := Rows([]result.Trial{live}, cases)[0].Metric(result.Throughput); s.Mean != nil {
		t.Error("a live summary has a mean")
	}
}

// TestExactlyNamed: a metric that only one of two trials has, as in an edited journal, is not exact.
func TestExactlyNamed(t *testing.T) {
	trials := []result.Trial{replication("a", 0, 250, 9), replication("a", 1, 250, 9)}
	trials[1].Metrics["latency_p50_ns"] = trials[1].Metrics[result.LatencyMean]
	delete(trials[1].Metrics, result.LatencyMean)
	row := Rows(trials, []plan.Case{caseOf("a")})[0]
	for _, name := range []string{result.LatencyMean, "latency_p50_ns"} {
		if s := row.Metric(name); s.Exact || s.N != 1 || s.Median.Known() {
			t.Errorf("%+v", s)
		}
	}
	if s := row.Metric(result.Throughput); !s.Exact {
		t.Errorf("%+v", s)
	}
}

// TestExactMeasures: periodic trials that agree have no sampling error, and their ratio is exact.
func TestExactMeasures(t *testing.T) {
	cases := []plan.Case{caseOf("a"), caseOf("b")}
	trials := []result.Trial{replication("a", 0, 250, 9), replication("b", 0, 1000, 9)}
	rows := Rows(trials, cases)
	if s := rows[0].Metric(result.Throughput); !s.Exact || s.Low != 250 || s.High != 250 {
		t.Errorf("%+v", s)
	}
	if s := rows[0].Metric("violations"); s.Exact {
		t.Error("a count over the window is not exact")
	}
	v := DefaultCriteria("", nil).Verdicts(rows, trials)
	if len(v) != 1 || v[0].Verdict != Faster || !v[0].Exact || v[0].Ratio != 4 || v[0].Low != 4 || v[0].N != 1 ||
		v[0].P.Known() {
		t.Fatalf("%+v", v)
	}
	for _, test := range []struct {
		a, b    float64
		verdict string
	}{{100, 101.9, Equivalent}, {101.9, 100, Equivalent}, {100, 98, Slower}} {
		trials := []result.Trial{replication("a", 0, test.a, 9), replication("b", 0, test.b, 9)}
		if v := DefaultCriteria("", nil).Verdicts(Rows(trials, cases), trials); len(v) != 1 ||
			v[0].Verdict != test.verdict {
			t.Errorf("%v beside %v: %+v, want %s", test.b, test.a, v, test.verdict)
		}
	}
	// The ratio of zero times is 1; that of zero to another time does not exist.
	zero := []result.Trial{replication("a", 0, 100, 9), replication("b", 0, 100, 9)}
	for i := range zero {
		zero[i].Open = true
		zero[i].Metrics[result.ResponseP50] = 0
	}
	if v := DefaultCriteria("", nil).Verdicts(Rows(zero, cases), zero); len(v) != 1 || v[0].Verdict != Equivalent ||
		v[0].Ratio != 1 {
		t.Errorf("%+v", v)
	}
	zero[1].Metrics[result.ResponseP50] = 5
	if v := DefaultCriteria("", nil).Verdicts(Rows(zero, cases), zero); len(v) != 0 {
		t.Errorf("%+v", v)
	}
	// Replications that differ are a sample, even if each is periodic.
	trials = append(trials, replication("a", 1, 251, 9), replication("b", 1, 1000, 9))
	rows = Rows(trials, cases)
	if rows[0].Metric(result.Throughput).Exact || !rows[1].Metric(result.Throughput).Exact {
		t.Error("exactness")
	}
	if v := DefaultCriteria("", nil).Verdicts(rows, trials); len(v) != 1 || v[0].Exact {
		t.Errorf("%+v", v)
	}
}

// TestDecisions: the checksum differs if one decision differs, or the design that made it.
func TestDecisions(t *testing.T) {
	cases := []plan.Case{caseOf("a"), caseOf("b")}
	sum := func(a, b string) uint64 {
		x, y := replication("a", 0, 1, 0), replication("b", 0, 1, 0)
		x.Decisions, y.Decisions = a, b
		return DecisionChecksum(Rows([]result.Trial{x, y}, cases))
	}
	one, again := sum("1", "2"), sum("1", "2")
	if one == 0 || one != again || one == sum("2", "1") || one == sum("1", "3") {
		t.Error("checksums")
	}
	if sum("", "") != 0 {
		t.Error("nothing is known and has a checksum")
	}
}
