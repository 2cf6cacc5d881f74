package compare

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// answerCase is one case of a run: a design at a point, with the logarithm of its speed (0 is 100 a second) and how
// much blocks differ.
type answerCase struct {
	design      string
	point       plan.Point
	log, spread float64
}

func onCPUs(n int, more ...plan.Setting) plan.Point {
	p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(n)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(n)})
	for _, s := range more {
		p = p.With(s.Factor, s.Level)
	}
	return p
}

// answered returns the text of the answer on a run with the cases. change may change trials.
func answered(blocks int, o AnswerOptions, kind string, change func(*result.Trial), cases ...answerCase) string {
	return strings.Join(answerTo(blocks, o, kind, change, cases...).Text, " ")
}

// answerTo returns the answer on a run with the cases.
func answerTo(blocks int, o AnswerOptions, kind string, change func(*result.Trial), cases ...answerCase) Answer {
	var trials []result.Trial
	var points []plan.Case
	for _, c := range cases {
		points = append(points, plan.Case{Design: c.design, Point: c.point})
		for b := range blocks {
			x := 100 * math.Exp(c.log+c.spread*float64(2*(b%2)-1))
			t := result.Trial{Kind: result.KindTrial, Workload: "w", Design: c.design, World: result.Live,
				Point: c.point, Block: b, Status: result.OK, Expected: true, Type: kind, Operations: 1000,
				Metrics: result.Metrics{result.Throughput: result.Value(x), "latency_p99_ns": 1e6}}
			if kind == result.Job {
				t.WallSeconds = 1 / x
				t.Metrics = result.Metrics{result.WallSeconds: result.Value(1 / x)}
			}
			if change != nil {
				change(&t)
			}
			trials = append(trials, t)
		}
	}
	rows := Rows(trials, points)
	o.Inputs = append(o.Inputs, "workers")
	verdicts := DefaultCriteria(o.Baseline, o.Inputs).Verdicts(rows, trials)
	return NewAnswer(rows, verdicts, o)
}

// TestNewAnswer checks what the answer says of runs of many kinds.
func TestNewAnswer(t *testing.T) {
	buffer := func(n int) plan.Setting { return plan.Setting{Factor: "buffer", Level: plan.IntLevel(n)} }
	two := math.Log(2)
	bound := func(t *result.Trial) {
		if t.Design == "ideal" {
			t.Bound, t.Status = true, result.StatusBound
		}
	}
	cpus := func(n int) plan.Setting { return plan.Setting{Factor: "cpus", Level: plan.IntLevel(n)} }
	virtual := func(t *result.Trial) { t.World = result.Virtual }
	periodic := func(t *result.Trial) { // on one CPU
		if virtual(t); t.Point.Int("cpus") == 1 {
			t.Period = &result.Period{}
		}
	}
	wrongOnce := func(t *result.Trial) {
		if strings.HasPrefix(t.Design, "wrong") && t.Block == 3 {
			t.Status, t.Expected = result.Wrong, false
		}
	}
	noisy := func(t *result.Trial) {
		if l, ok := t.Point.Get("buffer"); ok && l.String() == "1" {
			t.Metrics[result.Throughput] *= result.Value(1 + 0.1*float64(t.Block%3))
		}
	}
	for _, c := range []struct {
		name   string
		blocks int
		o      AnswerOptions
		kind   string
		change func(*result.Trial)
		cases  []answerCase
		want   string
	}{
		{"the best over the second", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}, {"c", onCPUs(2), two / 2, 0.01}},
			"b is fastest: 1.41x the throughput of c (+41.4%)."},
		{"over the baseline", 10, AnswerOptions{Baseline: "a"}, result.Stream, nil, []answerCase{
			{"a", onCPUs(2), 0, 0.01}, {"c", onCPUs(2), two / 2, 0.01}, {"b", onCPUs(2), two, 0.01}},
			"b is fastest: 2.00x the throughput of a."},
		{"equivalent ones together", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}, {"c", onCPUs(2), two + 0.002, 0.01}},
			"c and b are fastest, and equally fast: 2.00x the throughput of a."},
		{"undecided", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if t.Design == "b" {
				t.Metrics[result.Throughput] *= result.Value(1 + 0.1*float64(t.Block%3))
			}
		}, []answerCase{
			{"a", onCPUs(2), 0, 0.05}, {"b", onCPUs(2), -0.08, 0.05}},
			"The order of b and a is undecided (about 83 more blocks would decide)."},
		{"jobs, by their time", 10, AnswerOptions{}, result.Job, nil, []answerCase{
			{"slow", onCPUs(1), 0, 0.01}, {"fast", onCPUs(1), math.Log(4), 0.01}},
			"fast is fastest: 4.00x as fast as slow."},
		{"changes with CPUs", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), 0, 0.01}, {"a", onCPUs(4), -two, 0.01},
			{"b", onCPUs(1), 0, 0.01}, {"b", onCPUs(2), two, 0.01}, {"b", onCPUs(4), two, 0.01}},
			"On 2 and 4 CPUs, b is fastest: 2.00x to 4.00x the throughput of a; on 1 CPU, a and b are equally fast. " +
				"More CPUs help b up to 2 (2.00x from 1); more CPUs slow down a (0.50x on 4 CPUs)."},
		{"levels of a choice", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"pipe", onCPUs(2, buffer(0)), 0, 0.01}, {"pipe", onCPUs(2, buffer(10)), two, 0.01}},
			"pipe (buffer 10) is fastest: 2.00x the throughput of pipe (buffer 0)."},
		{"one design", 10, AnswerOptions{}, result.Stream, bound, []answerCase{
			{"ideal", onCPUs(2), 2 * two, 0.01}, {"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), two, 0.01}},
			"a reaches 200/s on 2 CPUs; the bound ideal is 2.00x as fast. More CPUs help a up to the 2 tried (2.00x " +
				"from 1)."},
		{"a bound is never the best", 10, AnswerOptions{}, result.Stream, bound, []answerCase{
			{"ideal", onCPUs(2), 2 * two, 0.01}, {"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}},
			"b is fastest: 2.00x the throughput of a."},
		{"quick", 3, AnswerOptions{}, result.Job, nil, []answerCase{
			{"one-byte", onCPUs(1), 0, 0.01}, {"buffered", onCPUs(1), math.Log(43), 0.01},
			{"table", onCPUs(1), math.Log(512), 0.01}},
			"table is fastest, about 12x as fast as buffered, 510x one-byte (rough: 3 blocks)."},
		{"a noisy design in a ranking", 3, AnswerOptions{}, result.Stream, virtual, []answerCase{
			{"a", onCPUs(1), math.Log(2.8), 0.01}, {"noisy", onCPUs(1), math.Log(1.5), 0.5},
			{"c", onCPUs(1), math.Log(2.1), 0.01}, {"d", onCPUs(1), 0, 0.01}},
			"a is fastest, about 1.3x as fast as c, 2.0x noisy, 2.8x d (rough: 3 replications)."},
		{"quick, of many designs", 3, AnswerOptions{}, result.Job, nil, []answerCase{
			{"cow", onCPUs(1), -5, 0.01}, {"a", onCPUs(1), 0, 0.01}, {"b", onCPUs(1), 0.002, 0.01},
			{"c", onCPUs(1), -two, 0.01}, {"table", onCPUs(1), two, 0.01}, {"near", onCPUs(1), two - 0.02, 0.01}},
			"table and near are fastest, about 2.0x as fast as b and a, 4.0x c, 300x cow (rough: 3 blocks)."},
		{"quick, of more designs", 3, AnswerOptions{}, result.Job, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"b", onCPUs(1), -1, 0.01}, {"c", onCPUs(1), -2, 0.01},
			{"d", onCPUs(1), -3, 0.01}, {"e", onCPUs(1), -4, 0.01}, {"f", onCPUs(1), -5, 0.01}},
			"a is fastest, about 2.7x as fast as b, 7.4x c, 20x d, 2 more (rough: 3 blocks)."},
		{"quick, with a baseline", 3, AnswerOptions{Baseline: "b"}, result.Job, nil, []answerCase{
			{"a", onCPUs(1), 2 * two, 0.01}, {"b", onCPUs(1), 0, 0.01}, {"c", onCPUs(1), 0.01, 0.01},
			{"d", onCPUs(1), -two, 0.01}},
			"a about 4.0x as fast as c and b, d about 0.50x (rough: 3 blocks)."},
		{"one trial", 1, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"b", onCPUs(1), two, 0}, {"c", onCPUs(1), 0.01, 0}},
			"Rough, from 1 trial each and without verdicts: b about 2.0x as fast as c and a."},
		{"problems first", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if t.Design == "a" && t.Block < 2 {
				t.Status, t.Expected = result.Failed, false
			}
			if t.Design == "c" {
				t.Status = result.Wrong
			}
		}, []answerCase{
			{"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}, {"c", onCPUs(2), 2 * two, 0.01}},
			"a failed in 2 of 10 trials. c gave wrong answers in 10 of 10 trials. b reaches 200/s."},
		{"the fastest is wrong in 1 of 20 trials", 20, AnswerOptions{Baseline: "a"}, result.Stream,
			wrongOnce, []answerCase{{"a", onCPUs(2), 0, 0.01},
				{"b", onCPUs(2), two / 2, 0.01}, {"wrong", onCPUs(2), two, 0.01}},
			"wrong gave wrong answers in 1 of 20 trials. b is fastest: 1.41x the throughput of a (+41.4%)."},
		{"neighbours of a design that is wrong once", 20, AnswerOptions{}, result.Stream, wrongOnce, []answerCase{
			{"a", onCPUs(2), 0, 0.5}, {"wrong", onCPUs(2), 0.1, 0.5}, {"c", onCPUs(2), 0.2, 0.5}},
			"wrong gave wrong answers in 1 of 20 trials. c is fastest: 1.22x the throughput of a (+22.1%)."},
		{"each design is wrong once", 10, AnswerOptions{}, result.Stream, wrongOnce, []answerCase{
			{"wrong", onCPUs(2), two, 0.01}, {"wrong2", onCPUs(2), 0, 0.01}},
			"wrong gave wrong answers in 1 of 10 trials. wrong2 gave wrong answers in 1 of 10 trials. No design " +
				"passed all of its trials, so none is the fastest."},
		{"the fastest is wrong only if instrumented", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if wrongOnce(t); t.Status == result.Wrong {
				t.Kind = result.KindInstrumented
			}
		}, []answerCase{{"a", onCPUs(2), 0, 0.01}, {"wrong", onCPUs(2), two, 0.01}},
			"wrong failed or was wrong in 1 instrumented trial. a reaches 100/s."},
		{"latency that the speed costs", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if t.Design == "b" {
				t.Metrics["latency_p99_ns"] = 3e6
			}
		}, []answerCase{{"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}},
			"b is fastest: 2.00x the throughput of a. But the p99 latency of b is 3.00x that of a."},
		{"levels that are undecided", 10, AnswerOptions{}, result.Stream, noisy, []answerCase{
			{"pipe", onCPUs(2, buffer(0)), 0, 0.05}, {"pipe", onCPUs(2, buffer(1)), -0.08, 0.05}},
			"pipe: the order of its levels is undecided (about 83 more blocks would decide)."},
		{"levels that are undecided, before another design", 10, AnswerOptions{}, result.Stream, noisy, []answerCase{
			{"pipe", onCPUs(2, buffer(0)), two, 0.05}, {"pipe", onCPUs(2, buffer(1)), two - 0.08, 0.05},
			{"a", onCPUs(2), 0, 0.01}},
			"pipe is fastest, but the order of its levels is undecided (about 128 more blocks would decide): 2.01x " +
				"the throughput of a."},
		{"a number of CPUs that the first design lacks", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if t.Design == "a" && t.Point.Int("cpus") == 2 {
				t.Status, t.Expected = result.Failed, false
			}
		}, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), 0, 0.01}, {"a", onCPUs(4), 0, 0.01}, {"a", onCPUs(8), 0, 0.01},
			{"b", onCPUs(1), two, 0.01}, {"b", onCPUs(2), two, 0.01}, {"b", onCPUs(4), two, 0.01},
			{"b", onCPUs(8), two, 0.01}, {"c", onCPUs(2), 0, 0.01}},
			"a failed in 10 of 40 trials. On 1, 4 and 8 CPUs, b is fastest: 2.00x the throughput of a; on 2 CPUs, " +
				"b is fastest: 2.00x the throughput of c. More CPUs do not help b and a."},
		{"only bounds", 10, AnswerOptions{}, result.Stream, bound, []answerCase{{"ideal", onCPUs(2), 0, 0.01}},
			"Only bounds have results, and bounds are not compared: add a design that does the job."},
		{"too much noise to see that CPUs do not help", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.5}, {"a", onCPUs(2), 0.04, 0.5}},
			"a reaches 117/s on 2 CPUs. Whether more CPUs help a is undecided."},
		{"as noisy times", 10, AnswerOptions{}, result.Job, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.5}, {"a", onCPUs(2), 0.04, 0.5}},
			"a takes 10.8ms on 2 CPUs. Whether more CPUs help a is undecided."},
		{"too few blocks to see that CPUs do not help", 2, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), 0, 0.01}},
			"a reaches 100/s on 1 and 2 CPUs (rough: 2 blocks). Whether more CPUs help a is undecided."},
		{"one replication of equal speed", 1, AnswerOptions{}, result.Stream, virtual, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"a", onCPUs(2), -0.004, 0}, {"a", onCPUs(4), 0.004, 0}},
			"a reaches 100/s on 4 CPUs (rough: 1 replication). More CPUs do not help a."},
		{"one replication that is hardly faster", 1, AnswerOptions{}, result.Stream, virtual, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"a", onCPUs(2), 0.02, 0}},
			"a reaches 102/s on 2 CPUs (rough: 1 replication). Whether more CPUs help a is undecided."},
		{"one replication that is faster", 1, AnswerOptions{}, result.Stream, virtual, []answerCase{
			{"a", onCPUs(3), 0, 0}, {"a", onCPUs(4), math.Log(4. / 3), 0}},
			"a reaches 133/s on 4 CPUs (rough: 1 replication). More CPUs help a up to the 4 tried (1.33x from 3)."},
		{"one short replication that is faster", 1, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			virtual(t)
			t.Metrics["latency_p99_ns"] = result.Unavailable
		}, []answerCase{{"a", onCPUs(3), 0, 0}, {"a", onCPUs(4), math.Log(4. / 3), 0}},
			"a reaches 133/s on 4 CPUs (rough: 1 replication). Whether more CPUs help a is undecided."},
		{"a point without verdicts beside an exact one", 4, AnswerOptions{}, result.Stream, periodic, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"a", onCPUs(2), two, 0.01}},
			"a reaches 200/s on 2 CPUs (rough: 4 replications). More CPUs help a up to the 2 tried (2.00x from 1)."},
		{"designs at such points", 4, AnswerOptions{}, result.Stream, periodic, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"b", onCPUs(1), two, 0}, {"a", onCPUs(2), 0, 0.01}, {"b", onCPUs(2), two, 0.01}},
			"On 1 CPU, b is fastest: 2.00x the throughput of a. On 2 CPUs, b about 2.0x as fast as a (rough: 4 " +
				"replications). More CPUs do not help b and a."},
		{"one trial on each number of CPUs", 1, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0}, {"a", onCPUs(2), 0, 0}},
			"a reaches 100/s on 1 and 2 CPUs (rough: 1 block). Whether more CPUs help a is undecided."},
		{"more CPUs that may help further", 10, AnswerOptions{}, result.Stream, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), two, 0.01}, {"a", onCPUs(4), two + 0.3, 0.5}},
			"a reaches 304/s on 4 CPUs. More CPUs help a at least up to 2 (2.00x from 1)."},
		{"a design without workers", 10, AnswerOptions{}, result.Job, nil, []answerCase{
			{"serial", plan.NewPoint(cpus(1)), 0, 0.01}, {"serial", plan.NewPoint(cpus(4)), 0, 0.01},
			{"pool", onCPUs(1), 0, 0.01}, {"pool", onCPUs(4), two, 0.01}},
			"On 4 CPUs, pool is fastest: 2.00x as fast as serial; on 1 CPU, serial and pool are equally fast. More " +
				"CPUs help pool up to the 4 tried (2.00x from 1); more CPUs do not help serial."},
		{"many rough points", 2, AnswerOptions{}, result.Job, nil, []answerCase{
			{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), 0, 0.01}, {"a", onCPUs(4), 0, 0.01}, {"a", onCPUs(8), 0, 0.01},
			{"b", onCPUs(1), two, 0.01}, {"b", onCPUs(2), two, 0.01}, {"b", onCPUs(4), two, 0.01},
			{"b", onCPUs(8), two, 0.01}},
			"On 8 CPUs, b about 2.0x as fast as a; on 4 CPUs, b about 2.0x as fast as a; on 2 CPUs, b about 2.0x as " +
				"fast as a; 1 more point is in the table (rough: 2 blocks). Whether more CPUs help b and a " +
				"is undecided."},
		{"failures at one of several points", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			if t.Point.Int("cpus") == 4 && t.Block < 3 {
				t.Status, t.Expected = result.Failed, false
			}
		}, []answerCase{{"a", onCPUs(1), 0, 0.01}, {"a", onCPUs(2), 0, 0.01}, {"a", onCPUs(4), 0.01, 0.01}},
			"a failed in 3 of 30 trials. a reaches 100/s on 1 and 2 CPUs. More CPUs do not help a."},
		{"late arrivals are no failures", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			t.Open, t.Metrics = true, result.Metrics{result.ResponseP50: 1e6, result.Rate: 100}
			if t.Design == "b" && t.Block < 4 {
				t.Status, t.Invalid = result.Failed, true
			}
		}, []answerCase{{"a", onCPUs(1), 0, 0}, {"b", onCPUs(1), 0, 0}}, "a and b are equally fast."},
		{"failures beside late arrivals", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			t.Open, t.Metrics = true, result.Metrics{result.ResponseP50: 1e6, result.Rate: 100}
			if t.Design == "b" && t.Block < 5 {
				t.Status, t.Invalid, t.Expected = result.Failed, t.Block < 4, t.Block < 4
			}
		}, []answerCase{{"a", onCPUs(1), 0, 0}, {"b", onCPUs(1), 0, 0}},
			"b failed in 1 of 6 trials. a responds in 1.00ms."},
		{"too many lost requests", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) {
			t.Open, t.Metrics = true, result.Metrics{result.Rate: 100}
		}, []answerCase{{"a", onCPUs(1), 0, 0}}, "No design can be compared: a trial of each answered too few " +
			"requests, or lost more than half of them."},
		{"nothing", 10, AnswerOptions{}, result.Stream, func(t *result.Trial) { t.Status = result.Failed },
			[]answerCase{{"a", onCPUs(2), 0, 0}}, "a failed in 10 of 10 trials."},
	} {
		if got := answered(c.blocks, c.o, c.kind, c.change, c.cases...); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
	if a := NewAnswer(nil, nil, AnswerOptions{}); len(a.Text) != 1 || a.Kind != "answer" || a.SchemaVersion == 0 {
		t.Errorf("without rows: %+v", a)
	}
}

// TestAnswerOfManyPoints checks that points with different winners are not listed without end.
func TestAnswerOfManyPoints(t *testing.T) {
	size := func(n int) plan.Setting { return plan.Setting{Factor: "size", Level: plan.IntLevel(n)} }
	var cases []answerCase
	designs := []string{"a", "b", "c", "d", "e"}
	for i := range 6 {
		for cpus := 1; cpus <= 2; cpus++ {
			for k, d := range designs {
				log := 0.0
				if k == i%len(designs) {
					log = 1
				}
				cases = append(cases, answerCase{d, onCPUs(cpus, size(i)), log, 0.01})
			}
		}
	}
	got := answered(10, AnswerOptions{Inputs: []string{"size"}}, result.Stream, nil, cases...)
	if !strings.Contains(got, "more points the order differs (see the map)") || len(got) > 700 {
		t.Errorf("%d: %s", len(got), got)
	}
}

// TestAnswerOfPredictions checks that predicted cases have a sentence of their own.
func TestAnswerOfPredictions(t *testing.T) {
	rows, trials := sweepOf([]string{"a", "b"}, [][]float64{logsOf(0, 0.01), logsOf(1, 0.01)})
	for i := range rows {
		rows[i].Metrics = map[string]result.Summary{result.Throughput: {Metric: result.Throughput,
			Median: result.Value(100 * math.Exp(float64(i)))}}
	}
	for i := range 2 {
		r := Row{Workload: "w", Design: rows[i].Design, World: result.Virtual, N: 6, Point: onCPUs(8)}
		v := result.Value(1000 * (1 - 0.5*float64(i)))
		r.Metrics = map[string]result.Summary{result.Throughput: {Metric: result.Throughput, Median: v, Low: v, High: v,
			Mean: &result.Interval{Mean: v, Low: v * 0.99, High: v * 1.01}}}
		rows = append(rows, r)
	}
	got := NewAnswer(rows, DefaultCriteria("", nil).Verdicts(rows[:2], trials), AnswerOptions{}).Text
	want := []string{"b is fastest: 2.72x the throughput of a.",
		"Predicted: a is fastest: 2.00x the throughput of b."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}

	scaling := []Row{ratedRow("w", "a", 100)}
	for i, n := range []int{16, 64} {
		r := ratedRow("w", "a", 800*math.Pow(4, float64(i)))
		r.World, r.Point = result.Virtual, onCPUs(n)
		scaling = append(scaling, r)
	}
	got = NewAnswer(scaling, nil, AnswerOptions{Inputs: []string{"workers"}}).Text
	want = []string{"a reaches 100/s.", "Predicted: a reaches 3200/s on 64 CPUs.",
		"Predicted: More CPUs help a up to the 64 simulated (4.00x from 16)."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestOverloads checks which loads are too high for a design.
func TestOverloads(t *testing.T) {
	at := func(design string, cpus int, load string, overloaded bool) Row {
		r := ratedRow("w", design, 100)
		r.Point = onCPUs(cpus, plan.Setting{Factor: "load", Level: plan.TextLevel(load)})
		if overloaded {
			r.Unstable = r.N
		}
		return r
	}
	none := at("c", 1, "0.5", false)
	none.N = 0
	for want, rows := range map[string][]Row{
		"c cannot serve the whole load.":       {none, at("c", 1, "0.9", true)},
		"a and b cannot serve the whole load.": {at("a", 1, "0.9", true), at("b", 1, "0.9", true)},
		"a cannot serve the whole load at load 0.9. b cannot serve the whole load.": {at("a", 1, "0.5", false),
			at("a", 1, "0.9", true), at("b", 1, "0.9", true)},
		"a cannot serve the whole load at 1 of 2 points.": {at("a", 1, "0.9", true), at("a", 2, "0.9", false)},
	} {
		g := answerGroup{}
		for i := range rows {
			g.rows = append(g.rows, &rows[i])
		}
		if got := strings.Join(g.problems(), " "); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// TestAnswerOfRuns checks the answer of a comparison of two runs.
func TestAnswerOfRuns(t *testing.T) {
	v := func(verdict string, ratio result.Value) Match {
		return Match{Verdict: &Verdict{A: "a", B: "a", Metric: result.WallSeconds, Verdict: verdict, Ratio: ratio,
			Margin: 0.02, N: 10, Point: onePoint()}}
	}
	open := v(Undecided, 1.03)
	more := 30
	open.Verdict.MoreBlocks = &more
	for _, c := range []struct {
		matches []Match
		want    string
	}{
		{nil, "No verdict is possible: the runs have no case in common."},
		{[]Match{{A: Row{Bound: true, N: 10}, B: Row{Bound: true, N: 10}}},
			"No verdict is possible: the runs have only bounds in common, and bounds are not compared."},
		{[]Match{{A: Row{N: 10}, B: Row{N: 1}}},
			"No verdict is possible: each run needs at least 2 blocks with a result, and 5 to decide."},
		{[]Match{{A: Row{N: 10}, B: Row{N: 10}}}, "No verdict is possible: in each case a run answered too few " +
			"requests, or lost more than half of them."},
		{[]Match{v(Faster, 0.5)}, "The new run is faster: a 0.50x the time (-50.0%)."},
		{[]Match{v(Slower, 1.1), v(Slower, 1.25), v(Equivalent, 1), open},
			"The new run is slower in 2 of 4 cases: most a (cpus 2) 1.25x the time (+25.0%); equally fast within 2% " +
				"in 1 of 4 cases; undecided in 1 of 4 cases (runs of about 40 blocks would decide)."},
		{[]Match{v(Equivalent, 1)}, "Both runs are equally fast within 2%."},
	} {
		for i := range c.matches {
			if c.matches[i].Verdict == nil {
				continue
			}
			c.matches[i].Verdict.Point = onCPUs(1 + i)
			c.matches[i].A = Row{Workload: "w", Design: "a", Job: true, N: 10}
		}
		if got := strings.Join((RunComparison{Matches: c.matches}).Answer().Text, " "); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}

// TestProblemsOfRuns checks that a design that only the new run has is among its problems, and that a case that matches
// several of the old run counts once.
func TestProblemsOfRuns(t *testing.T) {
	failed := func(design string) Row {
		return Row{Workload: "w", Design: design, Job: true, Statuses: map[result.Status]int{result.Failed: 2}}
	}
	c := RunComparison{Matches: []Match{{A: failed("a")}, {A: failed("a")}}, OnlyA: []Row{failed("b")}}
	got := c.Answer().Text[:2]
	want := []string{"New run: a failed in 2 of 2 trials.", "New run: b failed in 2 of 2 trials."}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestFigures checks the numbers of answers.
func TestFigures(t *testing.T) {
	for _, c := range [][2]string{
		{times(1.994), "1.99x"}, {times(1.0123), "1.012x"}, {times(43.04), "43.0x"}, {times(512.3), "512x"},
		{roughTimes(43.4), "43x"}, {roughTimes(1.23), "1.2x"}, {roughTimes(3596), "3600x"},
		{figure(0.000515, result.WallSeconds), "515µs"}, {figure(16.01e6, result.Throughput), "16.0M/s"},
		{figure(997.5, result.Throughput), "998/s"}, {figure(1.5e6, result.LatencyMean), "1.50ms"},
	} {
		if c[0] != c[1] {
			t.Errorf("%s, want %s", c[0], c[1])
		}
	}
}

// TestAnswerOfOneWinner checks that a design that wins at all points is named once, whoever is behind it.
func TestAnswerOfOneWinner(t *testing.T) {
	at := func(cpus, size int) plan.Point {
		return onCPUs(cpus, plan.Setting{Factor: "size", Level: plan.IntLevel(size)})
	}
	var cases []answerCase
	for i := range 8 {
		p := at(1+i%2, i/2)
		next, last := "b", "c"
		if i < 4 {
			next, last = last, next
		}
		cases = append(cases, answerCase{"a", p, 1, 0.01}, answerCase{next, p, 0.5, 0.01}, answerCase{last, p, 0, 0.01})
	}
	o := AnswerOptions{Inputs: []string{"size"}}
	want := "At all 8 points, a is fastest: 1.65x as fast as the next best (+64.9%)."
	if got := answered(10, o, result.Job, nil, cases...); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	o.Baseline = "b"
	want = "At all 8 points, a is fastest: 1.65x to 2.72x as fast as b."
	if got := answered(10, o, result.Job, nil, cases...); got != want {
		t.Errorf("with a baseline: got %s\nwant %s", got, want)
	}
	want = "At both points, a is fastest: 2.72x as fast as b."
	two := []answerCase{{"a", at(1, 0), 1, 0.01}, {"b", at(1, 0), 0, 0.01}, {"a", at(2, 1), 1, 0.01},
		{"b", at(2, 1), 0, 0.01}}
	if got := answered(10, o, result.Job, nil, two...); got != want {
		t.Errorf("at two points: got %s\nwant %s", got, want)
	}
}
