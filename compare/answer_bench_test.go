package compare

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestPercentChange checks that changes are printed as benchstat prints them.
func TestPercentChange(t *testing.T) {
	for ratio, want := range map[float64]string{0.877: "-12.3%", 1.041: "+4.1%", 1: "+0.0%", 0.9999: "+0.0%",
		2.5:    "+150%",
		0.001:  "-99.9%",
		1.9995: "+100%"} {
		if got := PercentChange(result.Value(ratio)); got != want {
			t.Errorf("%v: %q, not %q", ratio, got, want)
		}
	}
	if got := PercentChange(result.Value(math.Inf(1))) + PercentChange(result.Unavailable); got != "" {
		t.Errorf("no ratio: %q", got)
	}
}

// TestProvenChange checks that a proven change never looks like none.
func TestProvenChange(t *testing.T) {
	for ratio, want := range map[float64]string{0.877: "-12.3%", 1: "+0.0%", 1.0004: "+0.04%", 0.99999: "-0.001%",
		1 + 2e-11: "+0.000000002%", 1 - 3e-12: "-3e-10%", 1 + 4e-13: "+4e-11%"} {
		if got := ProvenChange(result.Value(ratio)); got != want {
			t.Errorf("%v: %q, not %q", ratio, got, want)
		}
	}
}

// onMetric returns the verdicts on one metric of several benchmarks.
func onMetric(metric string, list ...Verdict) MetricVerdicts {
	return MetricVerdicts{metric, []MetricGroup{{Verdicts: list}}}
}

func decidedAs(name string, ratio float64, verdict string) Verdict {
	return Verdict{A: name, Ratio: result.Value(ratio), Verdict: verdict}
}

// TestComparisonAnswer checks the sentences on comparisons: the counts, the largest changes, and other metrics only if
// they changed.
func TestComparisonAnswer(t *testing.T) {
	more, two := 12, plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)})
	undecided := decidedAs("F", 1.1, Undecided)
	undecided.MoreBlocks, undecided.Paired = &more, true
	files := undecided
	files.Paired, files.N = false, 10
	tiny := decidedAs("A", 0.99999, Better)
	tiny.Exact = true
	same := decidedAs("A", 1, Equivalent)
	runs := decidedAs("F", 1.1, Undecided)
	runs.RunsA, runs.MoreRuns = 2, &more
	atTwo := decidedAs("E", 1.3, Slower)
	atTwo.Point = two
	zero := decidedAs("Z", math.NaN(), Worse)
	zero.NoRatio = ZeroDivisor
	beyond := undecided
	beyond.MoreBlocks, beyond.EnoughBlocks = nil, 120
	for want, m := range map[string][]MetricVerdicts{
		"2 of 2 undecided (a count of about 120 without a budget would decide).": {
			onMetric(result.TimePerOp, undecided, beyond)},
		"2 of 5 faster, largest B -20.0%; 1 slower: C +4.1%; 1 equivalent; 1 undecided (about 12 more blocks would " +
			"decide).": {
			onMetric(result.TimePerOp, decidedAs("A", 0.9, Faster), decidedAs("B", 0.8, Faster),
				decidedAs("C", 1.041, Slower),
				decidedAs("D", 1.001, Equivalent), undecided),
			onMetric(result.AllocsPerOp, same)},
		"2 of 2 slower, largest E-2 +30.0%.": {onMetric(result.TimePerOp, decidedAs("E", 1.2, Slower), atTwo)},
		"equivalent: A.|allocs/op: worse: Z (from 0).": {
			onMetric(result.TimePerOp, decidedAs("A", 1.001, Equivalent)),
			onMetric(result.AllocsPerOp, zero)},
		"undecided: F (about 12 more runs of each side would decide).": {onMetric(result.TimePerOp, runs)},
		"undecided: F (about 12 more blocks would decide).":            {onMetric(result.TimePerOp, undecided)},
		"undecided: F (about 22 results on each side would decide).":   {onMetric(result.TimePerOp, files)},
		"allocs/op: better: A -0.001%.":                                {onMetric(result.AllocsPerOp, tiny)},
		"No metric differs.":                                           {onMetric(result.AllocsPerOp, same)},
		"No metric is shown to differ.":                                {onMetric(result.AllocsPerOp, same, undecided)},
	} {
		got := BenchAnswer(m, nil, nil, func(string) string { return "allocs/op" })
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%q, not %q", text, want)
		}
	}
}

// TestSingleAnswer checks the sentences on a run without comparisons.
func TestSingleAnswer(t *testing.T) {
	row := func(name string, ns float64) Row {
		return Row{Design: name, Metrics: map[string]result.Summary{result.TimePerOp: {Median: result.Value(ns)}}}
	}
	scale := func(name, limit string, speedup float64) Scaling {
		return Scaling{Design: name, From: 1, To: 2, Limit: limit, Speedup: result.Value(speedup),
			Low: result.Value(speedup * 0.99), High: result.Value(speedup * 1.01)}
	}
	scalings := []Scaling{scale("A", LimitNone, 1.92), scale("B", LimitLock, 0.7), scale("C", LimitOneCPU, 1),
		scale("D", LimitNoise, 1.2)}
	got := strings.Join(BenchAnswer(nil, []Row{row("A", 12.34), row("B", 4.567e6), row("A", 20)}, scalings, nil), "|")
	want := "2 benchmarks: fastest A 12.3ns/op, slowest B 4.57ms/op.|" +
		"From 1 to 2 CPUs, 1 of 4 scales: A 1.92x; 1 does not: B 0.70x (waits for mutexes); 1 uses one CPU; " +
		"1 is too noisy to judge."
	if got != want {
		t.Errorf("%q, not %q", got, want)
	}
	other := scale("E", LimitNone, 3.5)
	other.To = 4
	want = "From 1 to 2 CPUs, 1 of 1 scales: A 1.92x. From 1 to 4 CPUs, 1 of 1 scales: E 3.50x."
	if got := scalingAnswer([]Scaling{scalings[0], other}); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	one := scale("A", LimitNone, 1.92)
	one.Low = result.Unavailable
	want = "Rough, without intervals: from 1 to 2 CPUs, 1 of 1 scales: A 1.92x."
	if got := scalingAnswer([]Scaling{one}); got != want {
		t.Error(got)
	}
	if got := strings.Join(BenchAnswer(nil, []Row{row("A", 999.9)}, nil, nil), "|"); got != "A 1.00µs/op." {
		t.Error(got)
	}
}

// TestRangeAnswer checks which benchmarks are named, and what tells them apart.
func TestRangeAnswer(t *testing.T) {
	row := func(pkg, name string, ns float64, p plan.Point) Row {
		return Row{Workload: pkg, Design: name, Point: p,
			Metrics: map[string]result.Summary{result.TimePerOp: {Median: result.Value(ns)}}}
	}
	gogc := func(n int) plan.Point { return plan.NewPoint(plan.Setting{Factor: "GOGC", Level: plan.IntLevel(n)}) }
	cpus := func(n int) plan.Point { return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(n)}) }
	for _, c := range []struct {
		rows []Row
		want string
	}{
		{[]Row{row("p", "A", 1, gogc(1)), row("q", "A", 3, gogc(1))},
			"2 benchmarks: fastest p A 1.00ns/op, slowest q A 3.00ns/op."},
		{[]Row{row("p", "A", 3, gogc(50)), row("p", "A", 1, gogc(100))},
			"fastest A GOGC=100 1.00ns/op, slowest A GOGC=50 3.00ns/op."},
		{[]Row{row("p", "A", 3, cpus(1)), row("p", "A", 1, cpus(2)), row("p", "B", 2, cpus(2))},
			"2 benchmarks: fastest A-2 1.00ns/op, slowest A-1 3.00ns/op."},
		{[]Row{row("p", "A", 3, cpus(1)), row("p", "B", 3, cpus(1))}, "2 benchmarks: all 3.00ns/op."},
		{[]Row{row("p", "A", 5e12, cpus(1))}, "A 5000s/op."},
		{[]Row{row("p", "A", math.NaN(), cpus(1))}, "No benchmark has a result."},
		{nil, "No benchmark has a result."},
	} {
		if got := strings.Join(BenchAnswer(nil, c.rows, nil, nil), "|"); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
	less := result.Value(-57)
	if got := comparisonAnswer([]Verdict{{A: "a", Metric: result.TimePerOp, Verdict: Faster,
		AbsoluteDifference: AbsoluteDifference{NoRatio: SomeZeros, Difference: &less}}}); got !=
		"faster: a (-57.0ns)." {
		t.Errorf("with some zeros: %q", got)
	}
	if got := comparisonAnswer([]Verdict{{A: "a"}, {A: "b"}}); got != "2 of 2 undecided." {
		t.Errorf("without verdicts: %q", got)
	}
}

// TestGateAnswer checks the decision and what to do next.
func TestGateAnswer(t *testing.T) {
	verdict := func(name string, cost float64, decision string) GateDecision {
		return GateDecision{Design: name, Metric: result.TimePerOp, Cost: result.Value(cost), Decision: decision}
	}
	blocks, excused := 7, verdict("X", 1.5, Fail)
	excused.Allowed = "known"
	undecided := verdict("U", 1.04, Undecided)
	undecided.MoreBlocks = &blocks
	few, near, zero := verdict("W", math.NaN(), Undecided), verdict("N", 1.05, Undecided), verdict("Z", 1, Undecided)
	few.N, near.N, zero.N, zero.NoRatio = 1, 20, 20, ZeroDivisor
	far, wide, nearby := undecided, near, near
	many := 371
	far.N, far.High, far.MoreBlocks, wide.High, nearby.High = 14, 1.16, &many, 2.5, 1.08
	some, more := verdict("S", math.NaN(), Fail), result.Value(57)
	some.NoRatio, some.Difference = SomeZeros, &more
	noRatio := "A metric without a ratio has no cost in percent, so more blocks cannot show that it is within the " +
		"limit: excuse it for a while in an allow-list."
	rate := verdict("R", 1.25, Fail)
	rate.Metric, rate.MoreIsBetter = "MB/s", true
	excusedBytes := excused
	excusedBytes.Metric = result.AllocedPerOp
	for _, c := range []struct {
		summary GateSummary
		want    string
	}{
		{GateSummary{Decision: Fail, List: []GateDecision{rate}, MaxRegression: 0.05},
			"gate: fail: 1 of 1 over 5%: R -20.0%.|Bring MB/s of these benchmarks back within the limit, or excuse " +
				"them for a while in an allow-list."},
		{GateSummary{Decision: Fail, List: []GateDecision{verdict("A", 1.1, Fail), rate, excusedBytes},
			MaxRegression: 0.05, Name: func(metric string) string { return "<" + metric + ">" }},
			"gate: fail: 2 of 3 over 5%: R <MB/s> -20.0% and A <" + result.TimePerOp + "> +10.0%; 1 allowed to be " +
				"over it.|Bring <" + result.TimePerOp + "> and <MB/s> of these benchmarks back within the limit, or " +
				"excuse them for a while in an allow-list."},
		{GateSummary{Decision: Fail, List: []GateDecision{verdict("A", 1.0001, Fail)}},
			"gate: fail: 1 of 1 over 0%: A +0.01%.|" +
				"Make these benchmarks faster, or excuse them for a while in an allow-list."},
		{GateSummary{Decision: Fail, List: []GateDecision{verdict("A", 1.1, Fail), some}},
			"gate: fail: 2 of 2 over 0%: S (+57.0ns) and A +10.0%.|" +
				"Make these benchmarks faster, or excuse them for a while in an allow-list."},
		{GateSummary{Decision: Pass, List: []GateDecision{verdict("A", 1, Pass), verdict("B", 1, Pass)},
			MaxRegression: 0.05},
			"gate: pass: all 2 within 5%."},
		{GateSummary{Decision: Pass, List: []GateDecision{verdict("A", 1, Pass), excused},
			MaxRegression: 0.05, NotJudged: 1},
			"gate: pass: 1 of 2 within 5%; 1 allowed to be over it; 1 not judged."},
		{GateSummary{Decision: Fail, List: []GateDecision{verdict("A", 1.1, Fail), verdict("B", 1.3, Fail), undecided},
			MaxRegression: 0.05}, "gate: fail: 2 of 3 over 5%: B +30.0% and A +10.0%; 1 of 3 undecided: U +4.0%.|" +
			"Make these benchmarks faster, or excuse them for a while in an allow-list."},
		{GateSummary{Decision: Undecided, List: []GateDecision{undecided}},
			"gate: undecided: 1 of 1 undecided: U +4.0%.|" +
				"About 7 more blocks would decide: give --count 10 and a longer --budget."},
		{GateSummary{Decision: Undecided, List: []GateDecision{far}, MaxRegression: 0.1, BlockTime: 4 * time.Second},
			"gate: undecided: 1 of 1 undecided: U +4.0%.|About 371 more blocks would decide: give --count 390 " +
				"--budget 29m, or allow more: --max-regression 20%."},
		{GateSummary{Decision: Undecided, List: []GateDecision{far}, MaxRegression: 0.1, BlockTime: time.Millisecond},
			"gate: undecided: 1 of 1 undecided: U +4.0%.|About 371 more blocks would decide: give --count 390 " +
				"--budget 1s, or allow more: --max-regression 20%."},
		{GateSummary{Decision: Undecided, List: []GateDecision{nearby}, MaxRegression: 0.05},
			"gate: undecided: 1 of 1 undecided: N +5.0%.|More blocks would hardly decide: the cost is too near the " +
				"limit, or the machine is too noisy. To allow more: --max-regression 10%."},
		{GateSummary{Decision: Undecided, List: []GateDecision{far, wide}, MaxRegression: 0.1},
			"gate: undecided: 2 of 2 undecided: N +5.0% and U +4.0%.|" +
				"More blocks would hardly decide: the cost is too near the limit, or the machine is too noisy."},
		{GateSummary{Decision: Undecided, List: []GateDecision{few}},
			"gate: undecided: 1 of 1 undecided: W.|Fewer than 2 blocks have a result: run the gate with a longer " +
				"budget, or with fewer benchmarks."},
		{GateSummary{Decision: Undecided, List: []GateDecision{near, undecided}},
			"gate: undecided: 2 of 2 undecided: N +5.0% and U +4.0%.|" +
				"More blocks would hardly decide: the cost is too near the limit, or the machine is too noisy."},
		{GateSummary{Decision: Undecided, List: []GateDecision{zero}},
			"gate: undecided: 1 of 1 undecided: Z (from 0).|" + noRatio},
		{GateSummary{Decision: Undecided, List: []GateDecision{undecided, zero}},
			"gate: undecided: 2 of 2 undecided: Z (from 0) and U +4.0%.|" +
				"About 7 more blocks would decide: give --count 10 and a longer --budget. " + noRatio},
		{GateSummary{Decision: Undecided, NotJudged: 2},
			"gate: undecided: 2 not judged.|See why each benchmark is not judged."},
		{GateSummary{Decision: Undecided},
			"gate: undecided: no benchmark has a result.|Run the gate again with a longer budget."},
		{GateSummary{Decision: Undecided, List: []GateDecision{undecided}, Loaded: true},
			"gate: undecided: 1 of 1 undecided: U +4.0%.|" +
				"Other processes loaded the machine: stop them, or run the gate on an idle one."},
	} {
		before := slices.Clone(c.summary.List)
		c.summary.Option = func(name string) string { return "--" + name }
		if got := strings.Join(c.summary.Answer(), "|"); got != c.want {
			t.Errorf("%q, not %q", got, c.want)
		}
		for i := range before {
			if c.summary.List[i].Design != before[i].Design {
				t.Error("the answer reordered the list")
			}
		}
	}
}
