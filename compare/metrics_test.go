package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// benchTrial returns a trial of a benchmark.
func benchTrial(rev string, block int, metrics result.Metrics) result.Trial {
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
	if rev != "" {
		point = point.With("rev", plan.TextLevel(rev))
	}
	return result.Trial{Kind: result.KindTrial, Workload: "w", Design: "A", World: result.Live, Point: point,
		Block:  block,
		Status: result.OK, Expected: true, Type: result.Benchmark, Metrics: metrics}
}

func takes(ns float64) result.Metrics {
	return result.Metrics{result.TimePerOp: result.Value(ns), result.Throughput: result.Value(1e9 / ns)}
}

// casesOf returns the distinct cases of trials.
func casesOf(trials []result.Trial) []plan.Case {
	var cases []plan.Case
	seen := map[string]bool{}
	for _, t := range trials {
		if id := t.Design + t.Point.String(); !seen[id] {
			seen[id] = true
			cases = append(cases, plan.Case{Design: t.Design, Point: t.Point})
		}
	}
	return cases
}

func levelCriteria() Criteria {
	j := DefaultCriteria("", []string{"cpus"})
	j.LevelsOnly = true
	return j
}

// levels returns the pairs of the trials of one run.
func levels(trials []result.Trial) []Pair {
	return levelCriteria().PairLevels(Rows(trials, casesOf(trials)), trials)
}

// TestLoadThatComesAndGoes: two revisions are equally fast, and a load slows everything by a third for half of the
// time. Measuring one after the other gives a false difference; blocks show that they are equal.
func TestLoadThatComesAndGoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	speed := func(at int) float64 {
		slow := 1.0
		if at >= 20 { // the second half of the time
			slow = 1.33
		}
		return 100 * slow * math.Exp(0.005*rng.NormFloat64())
	}
	var first, then, ours []result.Trial
	for i := range 20 {
		first = append(first, benchTrial("", i, takes(speed(i))))
		then = append(then, benchTrial("", i, takes(speed(20+i))))
	}
	for b := range 20 {
		ours = append(ours, benchTrial("base", b, takes(speed(2*b))), benchTrial("head", b, takes(speed(2*b+1))))
	}
	sides, _, _ := levelCriteria().pairRuns(Run{Name: "then", Rows: Rows(then, casesOf(then)), Trials: then},
		Run{Name: "first", Rows: Rows(first, casesOf(first)), Trials: first}, false)
	sequential := levelCriteria().MetricVerdicts(sides, result.TimePerOp, -1)
	if len(sequential) != 1 || sequential[0].Verdict != Slower || sequential[0].Paired {
		t.Errorf("one after the other: %+v", sequential)
	}
	verdicts := levelCriteria().MetricVerdicts(levels(ours), result.TimePerOp, -1)
	if len(verdicts) != 1 || verdicts[0].Verdict != Equivalent || !verdicts[0].Paired {
		t.Errorf("in blocks: %+v", verdicts)
	}
}

// TestMetricVerdicts: the verdicts for each direction, and for constant counts.
func TestMetricVerdicts(t *testing.T) {
	for _, c := range []struct {
		metric     string
		base, head []float64 // constant
		direction  int
		want       string
		exact      bool
		ratio      float64
	}{
		{result.TimePerOp, []float64{100, 101}, []float64{120, 122}, -1, Slower, false, 1.204},
		{result.TimePerOp, []float64{120, 122}, []float64{100, 101}, -1, Faster, false, 0.831},
		{"beans/s", []float64{120, 122}, []float64{100, 101}, 1, Worse, false, 0.831},
		{"froth", []float64{120, 122}, []float64{100, 101}, 0, Lower, false, 0.831},
		{result.AllocsPerOp, []float64{10}, []float64{11}, -1, Worse, true, 1.1},
		{result.AllocsPerOp, []float64{0}, []float64{0}, -1, Equivalent, true, 1},
		{result.AllocsPerOp, []float64{0}, []float64{1}, -1, Worse, true, math.Inf(1)},
		{result.TimePerOp, []float64{0.2}, []float64{0.1}, -1, Faster, false, 0.5}, // of a coarse clock
		{result.BytesRate, []float64{20}, []float64{10}, 1, Worse, false, 0.5},
		{result.MutexPerOp, []float64{0}, []float64{0}, -1, Equivalent, true, 1}, // no waiting
		{result.AllocedPerOp, []float64{0, 0, 1}, []float64{30, 31, 32}, -1, Worse, false, math.NaN()},
		{"beans/op", []float64{0}, []float64{0.3, 0.31}, -1, Worse, false, math.NaN()},
		{result.TimePerOp, []float64{0}, []float64{101, 102}, -1, Slower, false, math.NaN()},
		{result.TimePerOp, []float64{101, 102}, []float64{0}, -1, Faster, false, math.NaN()},
		{result.TimePerOp, []float64{1e-320, 2e-320}, []float64{100, 101}, -1, Undecided, false, math.NaN()},
		{"froth", []float64{-1, -2}, []float64{1, 2}, 1, Undecided, false, math.NaN()},
		{result.AllocedPerOp, []float64{1e308, 1.1e308}, []float64{1e-5, 2e-5}, -1, Undecided, false, math.NaN()},
	} {
		var trials []result.Trial
		for b := range 12 {
			for rev, xs := range map[string][]float64{"base": c.base, "head": c.head} {
				x := xs[b%len(xs)]
				if len(xs) > 1 && x > 50 && x < 1e6 {
					x *= 1 + 0.001*float64(b*7%5)
				}
				trials = append(trials, benchTrial(rev, b, result.Metrics{c.metric: result.Value(x)}))
			}
		}
		cases := []plan.Case{{Design: "A", Point: benchTrial("base", 0, nil).Point},
			{Design: "A", Point: benchTrial("head", 0, nil).Point}}
		pairs := levelCriteria().PairLevels(Rows(trials, cases), trials)
		list := levelCriteria().MetricVerdicts(pairs, c.metric, c.direction)
		if len(list) != 1 || list[0].Verdict != c.want || list[0].Exact != c.exact ||
			!roughly(float64(list[0].Ratio), c.ratio) {
			t.Errorf("%s %v %v: %+v, want %s %v", c.metric, c.base, c.head, list, c.want, c.ratio)
		}
	}
}

// TestInterimsOfMetrics: with interim analyses a verdict keeps the numbers of the one that decided it. The reason
// for stopping and the shown verdicts agree, and layouts stay the replicates.
func TestInterimsOfMetrics(t *testing.T) {
	for _, layouts := range []int{1, 5} {
		j := levelCriteria()
		j.Interims, j.Layouts = NewInterimPlan(InterimBlocks(), EquivalentFrom), layouts
		rng := rand.New(rand.NewPCG(5, 9))
		var trials []result.Trial
		for b := range 20 {
			log := 0.2
			if b >= 10 { // no longer analysed
				log = -1
			}
			trials = append(trials, benchTrial("base", b, takes(100*math.Exp(0.01*rng.NormFloat64()))),
				benchTrial("head", b, takes(100*math.Exp(log+0.01*rng.NormFloat64()))))
		}
		list := j.MetricVerdicts(j.PairLevels(Rows(trials, casesOf(trials)), trials), result.TimePerOp, -1)
		if len(list) != 1 || list[0].Verdict != Slower || list[0].N != 10 || *list[0].Interims != 1 ||
			!roughly(float64(list[0].Ratio), math.Exp(0.2)) || (list[0].Layouts == 5) != (layouts == 5) {
			t.Errorf("%d layouts: %+v", layouts, list)
		}
		course := j.Allocate(Rows(trials, casesOf(trials)), trials, casesOf(trials), []float64{1, 1}, 1000)
		if course.Reason != AllDecided {
			t.Errorf("%d layouts: %+v", layouts, course)
		}
		if _, low, _, n := j.Geomean(j.PairLevels(Rows(trials, casesOf(trials)), trials), result.TimePerOp); n != 1 ||
			low.Known() {
			t.Errorf("a geometric mean with interim analyses has no interval: %v", low)
		}
	}
}

// TestSimulatedInterimsOfLayouts: an effect of the layout, which shifts all its blocks alike, is called a
// difference in at most 5% of the runs with a budget. With blocks as replicates it would be a third of them.
func TestSimulatedInterimsOfLayouts(t *testing.T) {
	for _, c := range []struct {
		layouts     int
		least, most float64
	}{{5, 0, 0.06}, {1, 0.2, 1}} {
		j := levelCriteria()
		j.Interims, j.Layouts = NewInterimPlan(InterimBlocks(), EquivalentFrom), c.layouts
		rng := rand.New(rand.NewPCG(17, 19))
		const runs = 300
		differ := 0.0
		for range runs {
			trials := simulatedTrials(rng, 40, 5, 1, 0.01, 0.02)
			if v := j.MetricVerdicts(levels(trials), result.TimePerOp, -1)[0].Verdict; v == Slower || v == Faster {
				differ += 1.0 / runs
			}
		}
		if differ < c.least || differ > c.most {
			t.Errorf("%d layouts: %.3f differ", c.layouts, differ)
		}
	}
}

// TestGroupByDifferences: three levels form two groups, each with its own geometric mean, and one family.
func TestGroupByDifferences(t *testing.T) {
	cost := map[string]float64{"100": 1, "50": 2, "200": 0.5}
	var trials []result.Trial
	for b := range 10 {
		for _, level := range []string{"100", "50", "200"} {
			for _, design := range []string{"A", "B"} {
				tr := benchTrial("", b, takes(100*cost[level]*(1+0.001*float64(b*7%5))))
				tr.Design, tr.Point = design, tr.Point.With("GOGC", plan.TextLevel(level))
				trials = append(trials, tr)
			}
		}
	}
	j := levelCriteria()
	j.AgainstFirst = true
	sides := j.PairLevels(Rows(trials, casesOf(trials)), trials)
	groups := groupByDifferences(sides)
	if len(sides) != 4 || len(groups) != 2 {
		t.Fatalf("%d pairs in %d groups", len(sides), len(groups))
	}
	verdicts := j.MetricVerdicts(sides, result.TimePerOp, -1)
	for i, want := range []float64{2, 0.5} {
		if ratio, low, _, n := j.Geomean(groups[i], result.TimePerOp); n != 2 || !roughly(float64(ratio), want) ||
			!low.Known() {
			t.Errorf("group %d: %v of %d, want %v", i, ratio, n, want)
		}
		of := 0
		for _, v := range verdicts {
			if groups[i][0].Differences() == v.Differences() {
				of++
			}
		}
		if of != 2 {
			t.Errorf("group %d has %d verdicts", i, of)
		}
	}
}

// TestFamilyOfLevels: p-values are adjusted for the comparisons of all levels together.
func TestFamilyOfLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	var trials []result.Trial
	for b := range 10 {
		for _, level := range []string{"100", "50", "200", "400"} {
			tr := benchTrial("", b, takes(100*math.Exp(0.02*rng.NormFloat64())))
			tr.Point = tr.Point.With("GOGC", plan.TextLevel(level))
			trials = append(trials, tr)
		}
	}
	j := levelCriteria()
	j.AgainstFirst = true
	p := func(levels int) float64 {
		var some []result.Trial
		for i, tr := range trials {
			if i%4 < levels {
				some = append(some, tr)
			}
		}
		list := j.MetricVerdicts(j.PairLevels(Rows(some, casesOf(some)), some), result.TimePerOp, -1)
		if len(list) != levels-1 {
			t.Fatalf("%d levels: %+v", levels, list)
		}
		return float64(list[0].P)
	}
	if alone, among := p(2), p(4); among <= alone {
		t.Errorf("p is %v of one comparison and %v among three", alone, among)
	}
}

func roughly(x, want float64) bool {
	return x == want || math.Abs(x/want-1) < 0.03 || math.IsNaN(x) && math.IsNaN(want)
}

func TestDirection(t *testing.T) {
	declared := map[string]string{"froth": "higher", "milk/s": "lower"}
	for metric, want := range map[string]int{
		result.TimePerOp: -1, result.BytesRate: 1, result.Throughput: 1, result.AllocsPerOp: -1, "beans/s": 1,
		"beans/op": -1, "p99-ns": -1,
		"froth": 1, "milk/s": -1, "hits": 0,
	} {
		if got := Direction(metric, declared); got != want {
			t.Errorf("%s: %d, want %d", metric, got, want)
		}
	}
}

// simulatedTrials returns trials of a head with the given cost. noise is the error of a trial, placement that of a
// layout.
func simulatedTrials(rng *rand.Rand, blocks, layouts int, cost, noise, placement float64) []result.Trial {
	effect := map[string][]float64{}
	for _, rev := range []string{"base", "head"} {
		for range layouts {
			effect[rev] = append(effect[rev], placement*rng.NormFloat64())
		}
	}
	var trials []result.Trial
	for b := range blocks {
		machine := 0.1 * rng.NormFloat64()
		for _, rev := range []string{"base", "head"} {
			log := machine + noise*rng.NormFloat64() + effect[rev][b%layouts]
			if rev == "head" {
				log += math.Log(cost)
			}
			trials = append(trials, benchTrial(rev, b, takes(100*math.Exp(log))))
		}
	}
	return trials
}

// simulatedGate returns the decision of a gate on such trials, with interim analyses.
func simulatedGate(rng *rand.Rand, g Gate, cost, noise, placement float64) (decision string, blocks int) {
	trials := simulatedTrials(rng, g.InterimBlocks[len(g.InterimBlocks)-1], max(1, g.Layouts), cost, noise, placement)
	interim := NewSequentialGate(g)
	for _, n := range g.InterimBlocks {
		interim.Open(n, false, true)
		v := interim.Judge(levels(trials[:2*n]), result.TimePerOp, -1)[0]
		if decision, blocks = v.Decision, v.N; decision != Undecided {
			break
		}
	}
	return decision, blocks
}

// TestSimulatedGate: how often a gate is right in 400 simulated runs of each kind. The thresholds are the promised
// rates.
func TestSimulatedGate(t *testing.T) {
	for _, c := range []struct {
		name                 string
		max, cost, placement float64
		layouts              int
		leastPass, mostPass  float64 // fraction of the runs
		leastFail, mostFail  float64
	}{
		{"no change", 0.05, 1, 0, 1, 0.95, 1, 0, 0.05},
		{"3% of 5%", 0.05, 1.03, 0, 1, 0.90, 1, 0, 0.05},
		{"10% of 5%", 0.05, 1.10, 0, 1, 0, 0.05, 0.95, 1},

		{"just at the limit", 0.05, 1.0501, 0, 1, 0, 0.05, 0, 0.06},
		{"a re-layout", 0.02, 1, 0.02, 5, 0, 1, 0, 0.01},
		// With blocks as replicates more would fail.
		{"a re-layout just at the limit", 0.02, 1.02, 0.04, 5, 0, 0.06, 0, 0.06},
		{"a re-layout that is ignored", 0.02, 1, 0.02, 1, 0, 1, 0.10, 1}, // the purpose of layouts
		{"10% and a re-layout", 0.02, 1.10, 0.01, 5, 0, 0.05, 0.95, 1},
	} {
		rng := rand.New(rand.NewPCG(7, 11))
		g := Gate{MaxRegression: c.max, Alpha: 0.05, Layouts: c.layouts, InterimBlocks: GateInterimBlocks(80)}
		const runs = 400
		pass, fail := 0.0, 0.0
		for range runs {
			switch d, _ := simulatedGate(rng, g, c.cost, 0.02, c.placement); d {
			case Pass:
				pass += 1.0 / runs
			case Fail:
				fail += 1.0 / runs
			}
		}
		if pass < c.leastPass || pass > c.mostPass || fail < c.leastFail || fail > c.mostFail {
			t.Errorf("%s: %.3f pass, %.3f fail", c.name, pass, fail)
		}
	}
}

// TestGateFamily: the probability of a false fail is shared by all that are judged together; that of a false pass
// is not.
func TestGateFamily(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	var trials []result.Trial
	for b := range 10 {
		for _, rev := range []string{"base", "head"} {
			trials = append(trials, benchTrial(rev, b, takes(100*math.Exp(0.02*rng.NormFloat64()))))
		}
	}
	g := Gate{MaxRegression: 0.05, Alpha: 0.05, Layouts: 1, InterimBlocks: GateInterimBlocks(10)}
	alone := judgedOnce(g, trials, result.TimePerOp)
	g.Family = 20
	among := judgedOnce(g, trials, result.TimePerOp)
	if among.Low >= alone.Low || among.High != alone.High {
		t.Errorf("alone %v to %v, among 20 %v to %v", alone.Low, alone.High, among.Low, among.High)
	}
}

// TestScalings: each limit by its evidence.
func TestScalings(t *testing.T) {
	for _, c := range []struct {
		name              string
		t1, t2            float64 // ns per operation at 1 and 2 CPUs
		c1, c2            float64 // CPU time
		mutex, ready, gc  float64 // at 2, ns per operation
		want              string
		inflation, others float64
	}{
		{"scales", 100, 52, 100, 103, 0, 0, 0, LimitNone, 1.03, 0.05},
		{"one goroutine", 100, 99, 100, 101, 0, 0, 0, LimitOneCPU, 1.01, 0.05},
		{"a lock", 100, 100, 100, 105, 90, 0, 0, LimitLock, 1.05, 0},
		{"a lock that is handed over", 100, 130, 100, 140, 4, 116, 0, LimitWake, 1.4, 0},
		{"memory", 100, 95, 100, 190, 0, 0, 10, LimitInflation, 1.9, 0},
		{"the collector", 100, 80, 100, 160, 0, 0, 50, LimitGC, 1.6, 0},
		{"one goroutine and the collector", 100, 98, 100, 145, 0, 40, 45, LimitOneCPU, 1.45, 0},
		{"something outside", 100, 90, 30, 30, 0, 0, 0, LimitWaiting, 1, math.NaN()},
		{"a neighbour that takes a CPU", 100, 99, 100, 101, 0, 0, 0, LimitOtherProcesses, 1.01, 0.9},
		{"no counters", 100, 90, 0, 0, 0, 0, 0, LimitUnknown, math.NaN(), 0},
	} {
		var trials []result.Trial
		for b := range 8 {
			for cpus, of := range map[int][2]float64{1: {c.t1, c.c1}, 2: {c.t2, c.c2}} {
				tr := benchTrial("", b, takes(of[0]*(1+0.001*float64((b*cpus)%5))))
				tr.Point = plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
				if of[1] > 0 {
					tr.Metrics[result.CPUPerOp] = result.Value(of[1])
				}
				tr.Metrics[result.MutexPerOp], tr.Metrics[result.SchedPerOp],
					tr.Metrics[result.GCPerOp] = result.Value(c.mutex), result.Value(c.ready), result.Value(c.gc)
				tr.Metrics[result.CPUSeconds], tr.Metrics[result.Parallelism] = 1, 1 // per second
				tr.Metrics["machine_cpu_seconds"] = result.Value(1 + c.others)
				trials = append(trials, tr)
			}
		}
		list := Scalings(Rows(trials, casesOf(trials)), trials)
		if len(list) != 1 || list[0].Limit != c.want || list[0].From != 1 || list[0].To != 2 ||
			!roughly(float64(list[0].Speedup), c.t1/c.t2) {
			t.Errorf("%s: %+v, want %s", c.name, list, c.want)
			continue
		}
		if v := float64(list[0].Inflation); !roughly(v, c.inflation) && !math.IsNaN(c.inflation) {
			t.Errorf("%s: inflation %v", c.name, v)
		}
	}
}

// TestSpeedupCurve checks that the intervals of a curve are paired by block: a machine that slows down slows all rows.
func TestSpeedupCurve(t *testing.T) {
	var trials []result.Trial
	for b := range 8 {
		for _, cpus := range []int{4, 1, 2} {
			drift := 1 + 0.2*float64(b) + 0.001*float64((b*cpus)%3)
			tr := benchTrial("", b, takes(100*drift/float64(cpus)))
			tr.Point = plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
			trials = append(trials, tr)
		}
	}
	list := Scalings(Rows(trials, casesOf(trials)), trials)
	if len(list) != 1 || len(list[0].Curve) != 3 {
		t.Fatalf("%+v", list)
	}

	for i, cpus := range []int{1, 2, 4} {
		r := list[0].Curve[i]
		s := r.Metric(SpeedupMetric)
		if r.Point.Int("cpus") != cpus || !roughly(float64(s.Median), float64(cpus)) ||
			!(s.Low <= s.Median && s.Median <= s.High && s.High < 1.01*s.Low) {
			t.Errorf("at %d CPUs: %+v", cpus, r)
		}
	}
	last := list[0].Curve[2].Metric(SpeedupMetric)
	if v := list[0]; last.Median != v.Speedup || last.Low != v.Low || last.High != v.High {
		t.Errorf("the curve ends with %+v, the sentence has %v [%v, %v]", last, v.Speedup, v.Low, v.High)
	}
}

// TestVerdictString: a verdict is one line, with the settings and the run of each side.
func TestVerdictString(t *testing.T) {
	at := func(factor string, n int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: factor, Level: plan.IntLevel(n)})
	}
	for want, v := range map[string]Verdict{
		"live, cpus=2: fine compared with coarse: faster, 1.90x the throughput_per_s, 95% interval [1.85, 1.95]": {
			World: "live", Point: at("cpus", 2), A: "fine", B: "coarse", Verdict: Faster, Ratio: 1.9, Low: 1.85,
			High: 1.95, Metric: result.Throughput},
		"virtual: pipe (buffer=4) compared with pipe (buffer=1): equivalent, 1.000x the throughput_per_s, exact": {
			World: "virtual", A: "pipe", OnlyA: at("buffer", 4), B: "pipe", OnlyB: at("buffer", 1), Verdict: Equivalent,
			Ratio: 1, Low: 1, High: 1, Exact: true, Metric: result.Throughput},
		"live: pipe in new compared with pipe in old: undecided, 2.00x the wall_seconds": {World: "live", A: "pipe",
			B: "pipe", ARun: "new", BRun: "old", Verdict: Undecided, Ratio: 2, Low: result.Unavailable,
			High: result.Unavailable, Metric: result.WallSeconds},
		"live: pipe compared with map: no ratio: " + ZeroDivisor: {World: "live", A: "pipe", B: "map",
			Verdict: Undecided, AbsoluteDifference: AbsoluteDifference{NoRatio: ZeroDivisor}},
		"live: pipe: unstable": {World: "live", A: "pipe", Verdict: Unstable},
	} {
		if got := v.String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
