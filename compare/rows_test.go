package compare

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func cpus(n int) plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(n)})
}

// coffeeTrial returns a throughput trial of coffee with one metric; observe returns the instrumented trial of its
// block.
func coffeeTrial(design string, n, block int, rate float64) result.Trial {
	return result.Trial{Kind: "trial", Workload: "coffee", Design: design, World: "live", Point: cpus(n), Block: block,
		Status: result.OK, Expected: true, Metrics: result.Metrics{result.Throughput: result.Value(rate)}}
}

func observe(t result.Trial, rate float64, resources ...result.Resource) result.Trial {
	t.Kind = "observed"
	t.Metrics = result.Metrics{result.Throughput: result.Value(rate)}
	t.Resources = resources
	return t
}

func ptr[T any](v T) *T { return &v }

// same compares values, with NaN equal to NaN.
func same(a, b result.Value) bool { return a == b || !a.Known() && !b.Known() }

func expect(t *testing.T, s result.Summary, median, low, high result.Value, n int) {
	t.Helper()
	if !same(s.Median, median) || !same(s.Low, low) || !same(s.High, high) || s.N != n {
		t.Errorf("%s: %v in [%v, %v] of %d; want %v in [%v, %v] of %d", s.Metric, s.Median, s.Low, s.High, s.N, median,
			low, high, n)
	}
}

func TestRowsOrder(t *testing.T) {
	trials := []result.Trial{coffeeTrial("b", 2, 0, 1), coffeeTrial("a", 1, 0, 1), coffeeTrial("b", 1, 0, 1),
		coffeeTrial("stranger", 1, 0, 1)}
	virtual := coffeeTrial("a", 1, 0, 1)
	virtual.World = "virtual"
	trials = append(trials, virtual, coffeeTrial("a", 1, 1, 1))
	cases := []plan.Case{{Design: "a", Point: cpus(1)}, {Design: "a", Point: cpus(2)}, {Design: "b", Point: cpus(1)},
		{Design: "b", Point: cpus(2)}}
	var got []string
	for _, r := range Rows(trials, cases) {
		got = append(got, r.Workload+"/"+r.Design+"/"+r.World+"/"+r.Point.String())
	}
	want := []string{"coffee/a/live/cpus=1", "coffee/a/virtual/cpus=1", "coffee/b/live/cpus=1", "coffee/b/live/cpus=2"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := Rows(trials, cases)[0].N; n != 2 {
		t.Errorf("a at 1 CPU has %d trials, want 2", n)
	}
	if rows := Rows(nil, cases); len(rows) != 0 {
		t.Errorf("rows without trials: %v", rows)
	}
}

// Ten trials, at 95% from rank 2 to 9: 10 20 ... 100 give 55 in [20, 90].
func TestRowsMetrics(t *testing.T) {
	var trials []result.Trial
	for i, rate := range []float64{70, 10, 100, 30, 50, 90, 20, 60, 80, 40} {
		x := coffeeTrial("a", 1, i, rate)
		x.Metrics["all_null"] = result.Unavailable
		x.Metrics["latency_mean_ns"] = result.Value(1000 - rate)
		if i < 7 {
			x.Metrics["latency_p99_ns"] = result.Value(rate) // missing in three
		}
		x.Metrics["latency_p95_ns"] = result.Value(rate)
		if i == 0 {
			x.Metrics["latency_p95_ns"] = result.Unavailable
		}
		x.Metrics["response_p99_ns"] = result.Value(rate)
		if i == 1 {
			x.Metrics["response_p99_ns"] = result.Value(math.Inf(1))
		}
		trials = append(trials, x, observe(x, 1e9)) // in no value
	}
	r := Rows(trials, []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	na := result.Unavailable
	expect(t, r.Metric(result.Throughput), 55, 20, 90, 10)
	expect(t, r.Metric("latency_mean_ns"), 945, 910, 980, 10)
	expect(t, r.Metric("latency_p99_ns"), na, na, na, 7)
	expect(t, r.Metric("latency_p95_ns"), na, na, na, 9)
	expect(t, r.Metric("response_p99_ns"), na, na, na, 9)
	expect(t, r.Metric("all_null"), na, na, na, 0)
	if _, ok := r.Metrics["all_null"]; !ok || r.N != 10 || r.Job || r.Bound {
		t.Errorf("%+v", r)
	}
	five := Rows(trials[:10], []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	expect(t, five.Metric(result.Throughput), 50, na, na, 5) // 70 10 100 30 50
	six := Rows(trials[:12], []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	expect(t, six.Metric(result.Throughput), 60, 10, 100, 6)

	s := r.Metric(result.Throughput)
	if s.Kind != "summary" || s.SchemaVersion != result.SchemaVersion || s.Workload != "coffee" || s.Design != "a" ||
		s.World != "live" || s.Point.String() != "cpus=1" || s.Metric != result.Throughput {
		t.Errorf("%+v", s)
	}
}

func TestRowsStatuses(t *testing.T) {
	trials := make([]result.Trial, 7)
	for i := range trials {
		trials[i] = coffeeTrial("a", 1, i, float64(i+1))
		trials[i].Warnings = []string{"stolen time", "load"}[:i%2+1]
	}
	set := func(i int, s result.Status, expected bool, message string) {
		trials[i].Status, trials[i].Expected, trials[i].Error = s, expected, message
	}
	set(1, result.Wrong, true, "5 is not 4")
	set(2, result.Failed, false, "deadlock")
	set(3, result.Failed, false, "deadlock")
	trials[4].Lines = ptr(33)
	trials[5].Kind = "observed"
	set(5, result.Violated, false, "two at the grinder")
	trials[6].Kind = "observed"
	r := Rows(trials, []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	if want := map[result.Status]int{result.OK: 2, result.Wrong: 1, result.Failed: 2}; !reflect.DeepEqual(r.Statuses,
		want) {
		t.Errorf("statuses %v, want %v", r.Statuses, want)
	}
	if want := []string{"5 is not 4", "deadlock", "two at the grinder"}; !reflect.DeepEqual(r.Errors, want) {
		t.Errorf("errors %q, want %q", r.Errors, want)
	}
	if want := []string{"stolen time", "load"}; !reflect.DeepEqual(r.Warnings, want) {
		t.Errorf("warnings %q, want %q", r.Warnings, want)
	}
	if r.N != 2 || r.Unexpected != 3 || r.Lines == nil || *r.Lines != 33 {
		t.Errorf("%d good, %d unexpected, lines %v", r.N, r.Unexpected, r.Lines)
	}
	expect(t, r.Metric(result.Throughput), 3, result.Unavailable, result.Unavailable, 2) // of 1 and 5

	bound := coffeeTrial("ideal", 1, 0, 9)
	bound.Status, bound.Bound = result.StatusBound, true
	r = Rows([]result.Trial{bound}, []plan.Case{{Design: "ideal", Point: cpus(1)}})[0]
	if !r.Bound || r.N != 1 || !r.Metric(result.Throughput).Bound {
		t.Errorf("%+v", r)
	}
}

func TestRowsObserved(t *testing.T) {
	station := func(busy, wait float64, uses, waits, clashes int64) result.Resource {
		return result.Resource{Name: "grinder", Kind: "station", Count: 2, Utilization: &busy, WaitMeanNs: &wait,
			Uses: uses, Waits: waits, Violations: clashes}
	}
	orders := func(fill, send, recv float64) result.Resource {
		return result.Resource{Name: "grinder", Kind: "chan", Count: 1, Capacity: ptr(8), Occupancy: &fill,
			SendParked: &send, RecvParked: &recv}
	}
	var trials []result.Trial
	for b, rate := range []float64{100, 90, 80, 70, 60} {
		trials = append(trials, coffeeTrial("a", 1, b, rate))
	}
	trials = append(trials,
		observe(trials[0], 50, orders(1, 0.1, 0.5), station(0.5, 10, 100, 7, 1)), // 2
		observe(trials[1], 60, station(0.9, 30, 301, 9, 0), orders(4, 0.3, 0.7)), // 1.5
		observe(trials[2], 80, station(0.6, 20, 200, 8, 4)),                      // 1
		observe(trials[3], 70, station(0.99, 99, 999, 99, 2)),                    // failed midway
		observe(trials[4], 10, station(0.8, 60, 400, 11, 0)))                     // its instrumented trial is wrong
	trials[8].Status = result.Failed
	trials[4].Status = result.Wrong
	share := func(i int, part string, v float64) { trials[i].Metrics["ledger_"+part] = result.Value(v) }
	share(5, "useful", 0.5)
	share(6, "useful", 0.75)
	share(7, "useful", 1)
	share(8, "useful", 0.01)
	share(5, "gc", 0.25)
	share(6, "idle", math.NaN())
	share(0, "runtime", 0.5) // not instrumented

	r := Rows(trials, []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	want := []result.Resource{
		{Name: "grinder", Kind: "chan", Count: 1, Capacity: ptr(8), Occupancy: ptr(2.5), SendParked: ptr(0.2),
			RecvParked: ptr(0.6)},
		// Of 0.5 0.6 0.8 0.9; 10 20 30 60; 100 200 301 400, where 250.5 is rounded; 7 8 9 11; 1+0+4+2+0.
		{Name: "grinder", Kind: "station", Count: 2, Utilization: ptr(0.7), WaitMeanNs: ptr(25.0), Uses: 251, Waits: 9,
			Violations: 7},
	}
	if got, want := asJSON(t, r.Resources), asJSON(t, want); got != want {
		t.Errorf("resources\n%s\nwant\n%s", got, want)
	}
	if want := map[string]result.Value{"useful": 0.75, "gc": 0.25}; !reflect.DeepEqual(r.CPUTime, want) {
		t.Errorf("ledger %v, want %v", r.CPUTime, want)
	}
	if r.SlowDown != 1.5 {
		t.Errorf("slow-down %v, want 1.5, the median of 2, 1.5 and 1", r.SlowDown)
	}
	r = Rows(trials[:5], []plan.Case{{Design: "a", Point: cpus(1)}})[0]
	if r.SlowDown.Known() || r.CPUTime != nil || r.Resources != nil {
		t.Errorf("nothing was observed: %v, %v, %v", r.SlowDown, r.CPUTime, r.Resources)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A job's speed is the inverse of its time: 3 s instrumented after 2 s plain is 1.5 times slower.
func TestRowsJob(t *testing.T) {
	x := coffeeTrial("bufio", 1, 0, 0)
	x.Type = result.Job
	x.Metrics = result.Metrics{result.WallSeconds: 2, result.ItemsRate: 50}
	y := observe(x, 0)
	y.Metrics = result.Metrics{result.WallSeconds: 3}
	r := Rows([]result.Trial{y, x}, []plan.Case{{Design: "bufio", Point: cpus(1)}})[0]
	if !r.Job || r.SlowDown != 1.5 || r.Metric(result.WallSeconds).Median != 2 {
		t.Errorf("%+v", r)
	}
}

// Rows do not depend on whether trials were stored.
func TestRowsOfJournal(t *testing.T) {
	point := plan.NewPoint(plan.Setting{Factor: "load", Level: plan.FloatLevel(2)},
		plan.Setting{Factor: "rate", Level: plan.FloatLevel(1e6)})
	x := coffeeTrial("a", 1, 0, 5)
	x.Point = point
	x.Metrics["latency_p99_ns"] = result.Value(math.Inf(1))
	var back result.Trial
	if err := json.Unmarshal([]byte(asJSON(t, x)), &back); err != nil {
		t.Fatal(err)
	}
	cases := []plan.Case{{Design: "a", Point: point}}
	a, b := Rows([]result.Trial{x}, cases), Rows([]result.Trial{back}, cases)
	if len(a) != 1 || len(b) != 1 || asJSON(t, a) != asJSON(t, b) {
		t.Errorf("%s\nread back:\n%s", asJSON(t, a), asJSON(t, b))
	}
}
