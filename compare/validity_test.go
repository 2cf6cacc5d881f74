package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// job describes invented trials of a job, in seconds of a window of one second for each busy CPU.
type job struct {
	cpus     int
	wall     float64 // measured
	cpu      float64 // live
	gc       float64 // fraction of the CPU time
	useful   float64 // in sections of real code, in instrumented trials; NaN: unknown
	real     float64 // in sections of real code, as timed for the prediction; 0: none
	pieces   float64
	timing   float64 // of one section
	rest     float64 // CPU time charged for the scheduler in virtual time
	together float64 // CPUs predicted to be busy
	wrong    float64 // predicted / measured wall time
	scatter  float64 // of its logarithm, alternating
	stream   int     // if not 0, a stream with this many operations per CPU and window
}

// usual meets all conditions: two seconds of CPU time in sections of real code, shared by all CPUs.
func usual(cpus int) job {
	n := float64(cpus)
	return job{cpus: cpus, wall: 2 / n, cpu: 2, useful: 2, real: 2, pieces: 100, timing: 500e-9, together: n, wrong: 1}
}

// trials returns six blocks of a job: plain and instrumented live trials, and predicted ones.
func (j job) trials() (live, virtual []result.Trial) {
	n := float64(j.cpus)
	for b := range 6 {
		t := coffeeTrial("a", j.cpus, b, 1)
		t.Type, t.WallSeconds = result.Job, j.wall
		t.Metrics = result.Metrics{result.WallSeconds: result.Value(j.wall), result.CPUSeconds: result.Value(j.cpu),
			result.Parallelism: result.Value(j.cpu / j.wall), "gc_cpu_seconds": result.Value(j.gc * j.cpu)}
		o := t
		o.Kind = result.KindInstrumented
		o.Metrics = result.Metrics{result.WallSeconds: result.Value(j.wall), result.CPUSeconds: result.Value(j.cpu),
			result.Parallelism: result.Value(j.cpu / j.wall),
			"ledger_gc":        result.Value(j.gc * j.cpu / n / j.wall),
			"ledger_useful":    result.Value(j.useful / n / j.wall),
			"ledger_runtime":   result.Value((j.cpu - j.useful - j.gc*j.cpu) / n / j.wall)}
		v := t
		v.World, v.WallSeconds = result.Virtual, j.wall*j.wrong*math.Exp(j.scatter*float64(1-2*(b%2)))
		v.Metrics = result.Metrics{result.WallSeconds: result.Value(v.WallSeconds),
			result.CPUSeconds: result.Value(j.real + j.rest), result.Parallelism: result.Value(j.together)}
		if j.real > 0 {
			v.RealCode = result.RealMeasured
			v.Metrics["real_code_seconds"], v.Metrics["real_sections"] = result.Value(j.real), result.Value(j.pieces)
			v.Metrics[result.TimingSeconds] = result.Value(j.timing)
		}
		for _, x := range []*result.Trial{&t, &o, &v} {
			if j.stream > 0 {
				x.Type = result.Stream
				delete(x.Metrics, result.WallSeconds)
				x.Metrics[result.Throughput] = result.Value(n * float64(j.stream) / j.wall)
			}
		}
		live, virtual = append(live, t, o), append(virtual, v)
	}
	return live, virtual
}

// rowsOf returns the rows of jobs on different numbers of CPUs. The last may be predicted only.
func rowsOf(beyond bool, jobs ...job) []Row {
	var live, virtual []result.Trial
	var measured, all []plan.Case
	for i, j := range jobs {
		l, v := j.trials()
		all = append(all, at("a", j.cpus)...)
		virtual = append(virtual, v...)
		if !beyond || i < len(jobs)-1 {
			live, measured = append(live, l...), append(measured, at("a", j.cpus)...)
		}
	}
	return AddPredictions(Rows(live, measured), live, virtual, all)
}

// TestRemedies: a failed condition says what to do if something helps, and blames nothing for certain.
func TestRemedies(t *testing.T) {
	for condition, want := range map[string]string{
		ConditionGC: "the limit is 3%; allocate less, or raise GOGC (1000, for example)",
		ConditionInflation: "for reasons such as shared cache lines, memory bandwidth, cores or other processes; the " +
			"limit is 3%; measure it on 1 CPU too",
	} {
		got := FailedCondition{Condition: condition, Value: 0.3, Limit: 0.03}.String()
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", condition, got)
		}
	}
}

// TestConditions: each condition fails above its limit only, whatever the error is.
func TestConditions(t *testing.T) {
	for name, c := range map[string]struct {
		change    func(j *job, much bool)
		condition string
		words     string
	}{
		"gc": {func(j *job, much bool) {
			j.gc = pick(much, 0.031, 0.029)
			j.useful -= j.gc * j.cpu
		}, ConditionGC, "garbage collection takes 3.1% of the CPU time"},
		"short pieces": {func(j *job, much bool) { j.pieces = pick(much, 41_000, 39_000) }, ConditionTiming,
			"timing them costs 1.0% of the CPU time"},
		"slow clock": {func(j *job, much bool) { j.timing = pick(much, 250e-6, 150e-6) }, ConditionTiming,
			"sections of real code are short"},
		"inflation": {func(j *job, much bool) {
			j.cpu *= pick(much, 1.06, 1.04)
			j.useful = j.cpu
		}, ConditionInflation, "its work takes 6.0% more CPU time on several CPUs than on one"},
		"undeclared": {func(j *job, much bool) { j.useful *= pick(much, 0.91, 0.93) }, ConditionUndeclared,
			"computes outside its sections"},
		"scatter": {func(j *job, much bool) { j.scatter = pick(much, 0.13, 0.11) }, ConditionScatter,
			"determine the error only to within 16%; the limit is 15%; 7 blocks would be enough at this variation"},
		"short job": {func(j *job, much bool) {
			f := pick(much, 0.9e-3, 1.1e-3)
			j.wall, j.cpu, j.useful, j.real, j.pieces = j.wall*f, j.cpu*f, j.useful*f, j.real*f, 1
		}, ConditionShortJob, "the job takes only 0.9ms"},
	} {
		for _, much := range []bool{false, true} {
			for _, wrong := range []float64{1, 0.2, 5} { // predicted values decide nothing
				j, one := usual(2), usual(1)
				c.change(&j, much)
				if name == "short job" {
					c.change(&one, much)
				}
				j.wrong, one.wrong = wrong, wrong
				x := rowsOf(false, one, j)[1].Predictions[0]
				if !much {
					if x.NotModelled != "" || !x.Predicted.Known() || x.Condition != "" {
						t.Errorf("%s, below the limit: %+v", name, x)
					}
					continue
				}
				if x.Condition != c.condition || !strings.Contains(x.NotModelled, c.words) {
					t.Errorf("%s: %q: %s", name, x.Condition, x.NotModelled)
				}
				if x.Predicted.Known() || x.Error.Known() || x.Low.Known() || x.High.Known() || x.Off ||
					!x.Measured.Known() || x.N != 6 {
					t.Errorf("%s: numbers of a prediction that does not hold: %+v", name, x)
				}
			}
		}
	}
}

// TestBlocksForPrecision: the reported number of blocks is enough, and half of it is not.
func TestBlocksForPrecision(t *testing.T) {
	half := func(scatter float64, n int) float64 {
		logs := make([]float64, n)
		for i := range logs {
			logs[i] = scatter * float64(1-2*(i/2%2))
		}
		c, ok := stat.ComparePairedUnordered(logs, ratioConfidence)
		if !ok {
			t.Fatal("no interval")
		}
		return math.Sqrt(c.High/c.Low) - 1
	}
	for _, scatter := range []float64{0.2, 0.3, 0.5} {
		n := blocksForPrecision(half(scatter, 8), 8)
		if x := half(scatter, n); x > maxScatter {
			t.Errorf("scatter %g: %d blocks know it within %g", scatter, n, x)
		}
		if x := half(scatter, n/2); x < maxScatter {
			t.Errorf("scatter %g: %d of %d blocks know it within %g", scatter, n/2, n, x)
		}
	}
}

func pick(first bool, a, b float64) float64 {
	if first {
		return a
	}
	return b
}

// TestInflation: the smaller of two figures counts, CPU time and length of sections, because threads spin and
// sections are preempted. A design that keeps one CPU busy has no inflation, whatever its time is. Without a trial
// on one CPU, the sections as timed for the prediction are the reference.
func TestInflation(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(j *job)
		alone   bool // also measured on one CPU
		refused bool
	}{
		"nothing":          {func(*job) {}, true, false},
		"threads spin":     {func(j *job) { j.cpu *= 1.04 }, true, false},
		"much spinning":    {func(j *job) { j.cpu *= 2; j.rest = 1.95; j.together = 2 }, true, false},
		"pieces wait":      {func(j *job) { j.useful *= 1.09 }, true, false},
		"both":             {func(j *job) { j.cpu, j.useful = 2*j.cpu, 2*j.useful }, true, true},
		"unknown pieces":   {func(j *job) { j.cpu, j.useful = 2*j.cpu, math.NaN() }, true, true},
		"never on one CPU": {func(j *job) { j.cpu, j.useful = 1.5*j.cpu, 1.5*j.useful }, false, true},
		"one busy CPU":     {func(j *job) { j.cpu, j.useful, j.together = 1.5*j.cpu, 1.5*j.useful, 1.02 }, true, false},
		"collected": {func(j *job) {
			j.cpu *= 1.025
			j.gc = 0.024
		}, true, false},
		"declared work": {func(j *job) { j.cpu, j.useful, j.real, j.rest = 3*j.cpu, 3*j.useful, 0, 2 }, true, false},
	} {
		j := usual(2)
		c.change(&j)
		rows := rowsOf(false, usual(1), j)
		if !c.alone {
			rows = rowsOf(false, j)
		}
		if x := rows[len(rows)-1].Predictions[0]; (x.Condition == ConditionInflation) != c.refused {
			t.Errorf("%s: %q: %s", name, x.Condition, x.NotModelled)
		}
	}
}

// TestInflationOfStreams: in a window of one second two CPUs do twice the operations in twice the CPU time, without
// inflation. The windows of a prediction may be longer.
func TestInflationOfStreams(t *testing.T) {
	stream := func(cpus int, each, longer float64) job {
		n := float64(cpus)
		return job{cpus: cpus, wall: 1, cpu: n * each, useful: n * each, real: n * longer, pieces: 100, timing: 500e-9,
			together: n, wrong: 1, stream: 1000}
	}
	for name, c := range map[string]struct {
		each, longer float64
		alone        bool // also measured on one CPU
		refused      bool
	}{
		"scales":              {1, 1, true, false},
		"inflated":            {1.1, 1, true, true},
		"slightly":            {1.04, 1, true, false},
		"longer predictions":  {1, 10, true, false},
		"inflated, longer":    {1.1, 10, true, true},
		"scales, only on two": {1, 10, false, false},
		"inflated on two":     {1.1, 10, false, true},
	} {
		rows := rowsOf(false, stream(2, c.each, c.longer))
		if c.alone {
			rows = rowsOf(false, stream(1, 1, c.longer), stream(2, c.each, c.longer))
		}
		x := rows[len(rows)-1].FailedCondition
		if (x != nil) != c.refused || c.refused && (x.Condition != ConditionInflation || math.Abs(x.Value-0.1) > 1e-9) {
			t.Errorf("%s: %+v", name, x)
		}
	}
}

// TestCollectedOfPlainTrials: a plain trial may count collections before its window, but no more than all of its
// CPU time.
func TestCollectedOfPlainTrials(t *testing.T) {
	e := &evidence{cpus: 1, plain: map[int]*result.Trial{}}
	for b, gc := range []result.Value{3, 0.1, 0.1} {
		e.plain[b] = &result.Trial{Metrics: result.Metrics{result.CPUSeconds: 2, "gc_cpu_seconds": gc}}
	}
	if got := e.collected(); math.Abs(got-2.2/6) > 1e-12 {
		t.Errorf("%v of the CPU time is collected, want %v", got, 2.2/6)
	}
}

// TestConditionsBeyond: without a measurement, the same work on the most CPUs decides, and the predicted trials
// themselves.
func TestConditionsBeyond(t *testing.T) {
	good, many := usual(2), usual(8)
	bad := usual(2)
	bad.cpu, bad.useful = 3, 3
	short := usual(8)
	short.pieces = 1e6
	one := usual(1)
	for name, c := range map[string]struct {
		rows []Row
		want string
	}{
		"valid":      {rowsOf(true, one, good, many), ""},
		"invalid":    {rowsOf(true, one, bad, many), ConditionInflation},
		"unmeasured": {rowsOf(true, many), ""},
		"by itself":  {rowsOf(true, one, good, short), ConditionTiming},
	} {
		r := c.rows[len(c.rows)-1]
		condition := ""
		if r.FailedCondition != nil {
			condition = r.FailedCondition.Condition
		}
		s := r.Metric(result.WallSeconds)
		if condition != c.want || s.Median.Known() != (c.want == "") || (s.NotModelled == "") != (c.want == "") ||
			s.Mean.Mean.Known() != (c.want == "") {
			t.Errorf("%s: %q %+v", name, condition, s)
		}
	}
}

// TestSameWork: only factors that follow the CPUs may differ.
func TestSameWork(t *testing.T) {
	row := func(cpus, consumers, buffer int) *Row {
		return &Row{Workload: "w", Design: "d",
			Point: at("d", cpus)[0].Point.With("consumers", plan.IntLevel(consumers)).With("buffer",
				plan.IntLevel(buffer))}
	}
	for _, c := range []struct {
		a, b *Row
		same bool
	}{
		{row(2, 2, 9), row(1, 1, 9), true}, {row(2, 3, 9), row(1, 3, 9), true}, {row(2, 2, 9), row(1, 3, 9), false},
		{row(2, 2, 9), row(1, 1, 8), false},
	} {
		if sameWork(c.a, c.b) != c.same {
			t.Errorf("%v and %v: same work %v", c.a.Point, c.b.Point, !c.same)
		}
	}
}

// TestSummaryWithoutInvalid: invalid predictions are counted and are in no score.
func TestSummaryWithoutInvalid(t *testing.T) {
	bad := usual(2)
	bad.gc, bad.wrong = 0.5, 9
	good := usual(1)
	good.wrong = 1.02
	a := SummarizePredictions(rowsOf(false, good, bad))
	if a.Points != 1 || a.Invalid != 1 || a.Within != 1 || math.Abs(a.Median-0.02) > 1e-9 || len(a.Off) > 0 {
		t.Errorf("%+v", a)
	}
}

// TestInvalidTrials: trials of an invalid prediction have a reason and no values; others are unchanged.
func TestInvalidTrials(t *testing.T) {
	bad := usual(2)
	bad.gc = 0.5
	rows := rowsOf(false, usual(1), bad)
	_, keep := usual(1).trials()
	_, drop := bad.trials()
	list := WithoutInvalidPredictions(append(keep, drop...), rows)
	for _, x := range list {
		if refused := x.Point.Int("cpus") == 2; (x.NotModelled != "") != refused || (len(x.Metrics) == 0) != refused ||
			(x.WallSeconds == 0) != refused {
			t.Errorf("%+v", x)
		}
	}
	if drop[0].WallSeconds == 0 {
		t.Error("the trials that were given have changed")
	}
}
