package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// trialsOf returns a stream's trial with awkward numbers, one with fewer metrics, a wrong, an instrumented and a
// violated one, and a job's.
func trialsOf() []result.Trial {
	p := plan.NewPoint(set("cpus", 6), set("workers", 6),
		plan.Setting{Factor: "stage", Level: plan.DurationLevel(time.Millisecond)}, set("buffer", 10))
	good := result.Trial{Kind: "trial", Workload: "coffee", Design: "linearpipe", World: "live", Point: p, Block: 2,
		Order: 7, Seed: "1",
		Status: result.OK, Lines: ptr(41), Operations: 3, WallSeconds: 1.0000000000000002,
		Metrics: result.Metrics{result.Throughput: 1e3 / 3.0, result.LatencyMean: 6000000.123456789,
			result.LatencyP50: 5999999,
			latencyP99:        result.Unavailable, result.CPUSeconds: 0.3, cpuPerOp: 98e6, allocsPerOp: 2,
			allocBytesPerOp: 48}}
	bare := good
	bare.Point = plan.NewPoint(set("cpus", 1), set("workers", 1))
	bare.Design, bare.Lines, bare.Status = "ideal, \"best\"", nil, result.StatusBound
	bare.Metrics = result.Metrics{result.Throughput: 250}
	wrong := good
	wrong.Status, wrong.Metrics = result.Wrong, nil
	watched := good
	watched.Kind = result.KindInstrumented
	job := good
	job.Workload, job.Design, job.Operations = "word-count", "bufio", 215828
	job.Point = plan.NewPoint(set("cpus", 1), plan.Setting{Factor: "input", Level: plan.TextLevel("a b/c-9")})
	job.Metrics = result.Metrics{result.WallSeconds: 0.0623, result.ItemsRate: 3e6, result.BytesRate: 2e7,
		result.CPUSeconds: 0.061, cpuPerOp: 61e6}
	violated := good
	violated.Status = result.Violated
	return []result.Trial{good, bare, wrong, watched, job, violated}
}

func TestBenchReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := Bench(&b, trialsOf(), [][2]string{{"goos", "linux"}, {"cpu", "Some CPU @ 2 GHz"}}); err != nil {
		t.Fatal(err)
	}
	golden(t, "trials.bench", b.Bytes())
	var got []*benchfmt.Result
	reader := benchfmt.NewReader(&b, "bench")
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.Result:
			got = append(got, r.Clone())
		case *benchfmt.SyntaxError:
			t.Fatal(r)
		}
	}
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 {
		t.Fatalf("%d lines, want 3: wrong, violated and instrumented trials have none", len(got))
	}
	if got[0].GetConfig("cpu") != "Some CPU @ 2 GHz" || got[0].GetConfig("goos") != "linux" {
		t.Error("the header is lost")
	}
	for i, want := range []string{
		"Coffee/design=linearpipe/world=live/workers=6/stage=1ms/buffer=10-6",
		"Coffee/design=ideal,%20\"best\"/world=live/workers=1-1",
		"WordCount/design=bufio/world=live/input=a%20b%2Fc-9-1",
	} {
		if got[i].Name.String() != want {
			t.Errorf("name: got %s, want %s", got[i].Name, want)
		}
	}
	if got[0].Iters != 3 || got[2].Iters != 1 {
		t.Errorf("iterations: %d and %d, want 3 and 1", got[0].Iters, got[2].Iters)
	}
	values(t, got[0], map[string]float64{"ns/op": 6000000.123456789, "ops/s": 1e3 / 3.0, "p50-ns": 5999999,
		"cpu-s/op": 0.098, // not CPU time by operations: the counters may not cover the window exactly
		"B/op":     48, "allocs/op": 2})
	values(t, got[1], map[string]float64{"ops/s": 250})
	values(t, got[2], map[string]float64{"ns/op": 0.0623 * float64Of(1e9), "items/s": 3e6, "B/s": 2e7,
		"cpu-s/op": 0.061})
	units := reader.Units()
	for _, unit := range []string{"ops/s", "items/s", "B/s"} {
		if units.GetBetter(unit) != 1 {
			t.Errorf("%s: higher is better", unit)
		}
	}
	for _, unit := range []string{"ns/op", "p50-ns", "p95-ns", "p99-ns", "cpu-s/op", "B/op", "allocs/op"} {
		if units.GetBetter(unit) != -1 {
			t.Errorf("%s: lower is better", unit)
		}
	}
}

// float64Of keeps the compiler from folding constants exactly.
func float64Of(x float64) float64 { return x }

// values compares the numbers of a line with want, bit for bit.
func values(t *testing.T, r *benchfmt.Result, want map[string]float64) {
	t.Helper()
	if len(r.Values) != len(want) {
		t.Errorf("%s: %d numbers, want %d: %v", r.Name, len(r.Values), len(want), r.Values)
	}
	for _, v := range r.Values {
		unit, x := v.Unit, v.Value
		if v.OrigUnit != "" {
			unit, x = v.OrigUnit, v.OrigValue
		}
		if w, ok := want[unit]; !ok || math.Float64bits(w) != math.Float64bits(x) {
			t.Errorf("%s: %s is %v, want %v", r.Name, unit, x, w)
		}
	}
}

// TestCSVNotModelled checks that a prediction that does not hold has a reason in the last column and no numbers.
func TestCSVNotModelled(t *testing.T) {
	trials := trialsOf()[:2]
	trials[0].NotModelled, trials[0].Metrics, trials[0].WallSeconds = "why, and more", nil, 0
	var b bytes.Buffer
	if err := CSV(&b, trials); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	last := len(records[0]) - 1
	if records[0][last] != "not_modelled" || records[1][last] != "why, and more" || records[2][last] != "" ||
		records[1][9] != "" || records[2][9] == "" {
		t.Errorf("%q", records)
	}
}

func TestCSVReadsBack(t *testing.T) {
	var b bytes.Buffer
	if err := CSV(&b, trialsOf()); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(&b).ReadAll() // refuses lines of different lengths
	if err != nil {
		t.Fatal(err)
	}
	// input follows cpus, as in the job's point.
	head := "workload design world block order seed status lines operations wall_seconds error cpus input " +
		"workers stage buffer " +
		"alloc_bytes_per_op allocs_per_op bytes_per_s cpu_per_op_ns cpu_seconds items_per_s latency_mean_ns " +
		"latency_p50_ns latency_p99_ns throughput_per_s"
	if got := strings.Join(records[0], " "); got != head {
		t.Errorf("head:\n got %s\nwant %s", got, head)
	}
	if len(records) != 6 {
		t.Fatalf("%d lines, want a head and 5 trials: the instrumented one is left out", len(records))
	}
	get := func(line int, name string) string {
		for i, h := range records[0] {
			if h == name {
				return records[line][i]
			}
		}
		t.Fatalf("no column %s", name)
		return ""
	}
	for _, c := range []struct {
		line       int
		name, want string
	}{
		{1, "stage", "1ms"}, {1, "latency_p99_ns", ""}, {1, "lines", "41"}, {1, "wall_seconds", "1.0000000000000002"},
		{1, "block", "2"}, {1, "order", "7"}, {1, "seed", "1"}, {2, "design", `ideal, "best"`}, {2, "lines", ""},
		{2, "buffer", ""}, {2, "status", "bound"},
		{3, "status", "wrong-answer"}, {3, "throughput_per_s", ""}, {4, "input", "a b/c-9"},
	} {
		if got := get(c.line, c.name); got != c.want {
			t.Errorf("line %d, %s: got %q, want %q", c.line, c.name, got, c.want)
		}
	}
	if x, err := strconv.ParseFloat(get(1, "throughput_per_s"), 64); err != nil || x != 1e3/3.0 {
		t.Errorf("throughput reads back as %v, %v", x, err)
	}
}

func TestJSONIsOneLineWithoutHTMLEscapes(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, map[string]any{"a<b": []int{1, 2}}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "{\"a<b\":[1,2]}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
