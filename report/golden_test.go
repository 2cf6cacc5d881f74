package report

import (
	"bytes"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test ./report -update writes it, then read the difference). Got:\n%s", path, got)
	}
}

func ptr[T any](v T) *T { return &v }

// summaries makes medians with intervals of a relative half-width.
func summaries(half float64, n int, values map[string]float64) map[string]result.Summary {
	out := map[string]result.Summary{}
	for name, v := range values {
		s := result.Summary{Kind: "summary", SchemaVersion: result.SchemaVersion, World: result.Live, Metric: name,
			Median: result.Value(v), N: n, Low: result.Unavailable, High: result.Unavailable}
		if n >= 6 {
			s.Low, s.High = result.Value(v*(1-half)), result.Value(v*(1+half))
		}
		out[name] = s
	}
	return out
}

// shop makes one coffee row. rate is per second; workers equals cpus.
func shop(design string, cpus int, rate, half float64) compare.Row {
	p := plan.NewPoint(
		plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(cpus)},
		plan.Setting{Factor: "stage", Level: plan.DurationLevel(time.Millisecond)},
		plan.Setting{Factor: "jitter", Level: plan.DurationLevel(0)})
	mean := float64(cpus) / rate * 1e9
	return compare.Row{Workload: "coffee", Design: design, World: "live", Point: p, Lines: ptr(20 + len(design)), N: 10,
		Statuses: map[result.Status]int{result.OK: 10},
		Metrics: summaries(half, 10, map[string]float64{
			result.Throughput: rate, result.LatencyMean: mean, "latency_p5_ns": mean * 0.82,
			"latency_p25_ns":  mean * 0.93,
			result.LatencyP50: mean * 0.99, "latency_p75_ns": mean * 1.05, latencyP95: mean * 1.21,
			latencyP99:         mean * 1.6,
			result.Parallelism: rate / 250,
		}),
		SlowDown: result.Unavailable}
}

// shops is a sweep over CPUs with a bound, a wrong design, one that violates a station and one that fails.
func shops() []compare.Row {
	var rows []compare.Row
	for _, d := range []struct {
		name string
		half float64
		rate func(n float64) float64
	}{
		{"ideal", 0.001, func(n float64) float64 { return 249.9 * n }},
		{"locking", 0.002, func(n float64) float64 { return 249.6 - n/10 }},
		{"finelocking", 0.03, func(n float64) float64 { return 1000 * n / (n + 3) }},
		{"parsteam", 0.08, func(n float64) float64 { return min(249.7*n, 1320-15*n) }},
		{"linearpipe", 0.01, func(n float64) float64 { return min(246*n, 940+n) }},
	} {
		for _, cpus := range []int{1, 2, 3, 4, 5, 6} {
			r := shop(d.name, cpus, d.rate(float64(cpus)), d.half)
			if d.name == "ideal" {
				r.Bound, r.Statuses = true, map[result.Status]int{result.StatusBound: 10}
			}
			if d.name == "linearpipe" {
				r.Point = r.Point.With("buffer", plan.IntLevel(1))
				delete(r.Metrics, latencyP99)
			}
			rows = append(rows, r)
		}
	}
	wrong := shop("unlocked", 6, 1, 0)
	wrong.N, wrong.Metrics, wrong.Statuses = 0, nil, map[result.Status]int{result.Wrong: 10}
	wrong.Lines = nil
	wrong.Errors = []string{"stations served two users at once: grinder 72 times"}
	rows[11].N, rows[11].Unexpected = 8, 2
	rows[11].Statuses = map[result.Status]int{result.OK: 8, result.Failed: 2}
	rows[11].Errors = []string{"all goroutines are asleep: deadlock"}
	watch(rows)
	return append(rows, wrong)
}

// watch adds the results of instrumented trials to the rows with 1 and 6 CPUs, and warnings.
func watch(rows []compare.Row) {
	for i := range rows {
		r := &rows[i]
		if r.Point.Int("cpus") == 6 {
			r.Warnings = append(r.Warnings, "another process used 0.7 of a CPU during the trial; numbers may be "+
				"lower than this machine can do")
		}
		if r.Design == "ideal" || r.Point.Int("cpus") != 6 {
			continue
		}
		r.SlowDown = result.Value(1 + float64(i)/1000)
		r.CPUTime = map[string]result.Value{"useful": 0.93, "runtime": 0.012, "idle": 0.0561}
		for _, name := range []string{"grinder", "press", "steamer"} {
			r.Resources = append(r.Resources,
				result.Resource{Name: name, Kind: "station", Count: 1, Utilization: ptr(0.998),
					WaitMeanNs: ptr(4.02e6), Uses: 1000, Waits: 913})
		}
		switch r.Design {
		case "linearpipe":
			r.Resources = append(r.Resources,
				result.Resource{Name: "orders", Kind: "chan", Count: 1, WaitMeanNs: ptr(812e3),
					Uses: 1000, Waits: 20, Capacity: ptr(1), Occupancy: ptr(0.4)})
		case "parsteam":
			r.Resources[2].Violations, r.Resources[2].Count = 3, 2
		}
	}
}

// counts is a sweep of jobs over buffers.
func counts() []compare.Row {
	var rows []compare.Row
	for _, d := range []string{"bufio", "chunks"} {
		for _, buffer := range []int{1, 4, 16, 64, 256, 1024} {
			wall := 0.062 + 0.4/float64(buffer)
			r := compare.Row{Workload: "wordcount", Design: d, World: "live", Job: true, N: 3, Lines: ptr(31),
				Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
					plan.Setting{Factor: "buffer", Level: plan.IntLevel(buffer)}),
				Metrics: summaries(0.02, 3,
					map[string]float64{result.WallSeconds: wall, result.ItemsRate: 215828 / wall,
						result.BytesRate: 1.2e6 / wall, result.Parallelism: math.NaN()}),
				Statuses: map[result.Status]int{result.OK: 3}, SlowDown: result.Unavailable}
			if d == "chunks" {
				r.N, r.Metrics = 10, summaries(0.02, 10, map[string]float64{result.WallSeconds: wall / 1.7,
					result.ItemsRate: 215828 * 1.7 / wall, result.BytesRate: 1.2e6 * 1.7 / wall,
					result.Parallelism: 1.43})
			}
			rows = append(rows, r)
		}
	}
	return append(rows, compare.Row{Workload: "wordcount", Design: "wc", World: "live", Job: true, N: 10, Lines: nil,
		Point:    plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)}),
		Metrics:  summaries(0.02, 10, map[string]float64{result.WallSeconds: 0.0071}),
		Statuses: map[result.Status]int{result.OK: 10}, SlowDown: result.Unavailable})
}

// predictedRows is a sweep of three designs on two CPUs, each with its prediction, and predictions for four and eight
// CPUs.
func predictedRows() []compare.Row {
	var rows []compare.Row
	for _, r := range shops() {
		n := r.Point.Int("cpus")
		if r.N != 10 || n != 1 && n != 2 && n != 4 && n != 6 || r.Design == "parsteam" {
			continue
		}
		r.Warnings, r.Resources, r.CPUTime, r.SlowDown = nil, nil, nil, result.Unavailable
		if n > 2 {
			r.World = result.Virtual
			for name, s := range r.Metrics {
				s.Mean = &result.Interval{Mean: s.Median * 1.01, Low: s.Median, High: s.Median * 1.02}
				s.Exact = r.Bound
				r.Metrics[name] = s
			}
			rows = append(rows, r)
			continue
		}
		for metric, e := range map[string]float64{result.Throughput: 0.012, result.LatencyMean: -0.011} {
			if r.Design == "linearpipe" {
				e *= 10 * float64(n-1) // exact at one CPU
			}
			m := r.Metric(metric).Median
			v := result.Value(e)
			r.Predictions = append(r.Predictions, compare.Prediction{Workload: r.Workload, Design: r.Design,
				Point: r.Point, Metric: metric, Measured: m,
				Predicted: m * (1 + v), Error: v, Low: v - 0.01, High: v + 0.01, N: 10, Margin: 0.05,
				Off: max(e, -e) > 0.1, Bound: r.Bound})
		}
		slices.SortFunc(r.Predictions, func(a, b compare.Prediction) int { return strings.Compare(b.Metric, a.Metric) })
		rows = append(rows, r)
	}
	return rows
}

// predictedJobs are jobs, some with predictions.
func predictedJobs() []compare.Row {
	rows := counts()
	for i := range rows[:3] {
		m := rows[i].Metric(result.WallSeconds).Median
		rows[i].Predictions = []compare.Prediction{{Design: rows[i].Design, Point: rows[i].Point,
			Metric: result.WallSeconds, Measured: m, Predicted: m * 0.99,
			Error: -0.01, Low: result.Unavailable, High: result.Unavailable, N: 1, Margin: 0.05}}
	}
	return rows
}

// refusedRows are jobs of which some predictions do not hold, on CPUs that the machine has and on more.
func refusedRows() []compare.Row {
	rows := predictedJobs()
	for i, why := range []*compare.FailedCondition{nil, {Condition: compare.ConditionGC, Value: 0.12, Limit: 0.03},
		{Condition: compare.ConditionInflation, Value: 0.31, Limit: 0.05}} {
		if why == nil {
			continue
		}
		x := &rows[i].Predictions[0]
		x.Predicted, x.Error, x.NotModelled, x.Condition = result.Unavailable, result.Unavailable, why.String(),
			why.Condition
		rows[i].FailedCondition = why
	}
	for i, cpus := range []int{4, 8} {
		r := rows[2]
		r.World, r.Predictions, r.FailedCondition = result.Virtual, nil,
			&compare.FailedCondition{Condition: compare.ConditionInflation, Value: 0.33, Limit: 0.05}
		r.Point = r.Point.With("cpus", plan.IntLevel(cpus))
		r.Metrics = map[string]result.Summary{result.WallSeconds: {Median: result.Unavailable, Low: result.Unavailable,
			High: result.Unavailable}}
		rows = slices.Insert(rows, 3+i, r)
	}
	return rows
}

func TestGoldens(t *testing.T) {
	unicode, ascii := Style{Width: 100, Unicode: true, Full: true}, Style{Width: 80, Full: true}
	color := Style{Width: 100, Unicode: true, Color: true, Full: true}
	type renderer func(*bytes.Buffer, []compare.Row, Style) error
	table := func(b *bytes.Buffer, rows []compare.Row, st Style) error {
		return Table(b, rows, nil, nil, compare.NewAnswer(rows, nil, compare.AnswerOptions{}), st)
	}
	for _, g := range []struct {
		name   string
		rows   []compare.Row
		st     Style
		render renderer
	}{
		{"coffee-unicode-100.txt", shops(), unicode, table},
		{"coffee-ascii-80.txt", shops(), ascii, table},
		{"wordcount-unicode-100.txt", counts(), unicode, table},
		{"wordcount-ascii-80.txt", counts(), ascii, table},
		{"peers-unicode-100.txt", references(), unicode, table},
		{"peers-ascii-80.txt", references(), ascii, table},
		{"formula-metric-100.txt", merging(), unicode, table},
		{"peers.md", references(), Style{}, func(b *bytes.Buffer, rows []compare.Row,
			_ Style) error {
			return Markdown(b, rows, nil, nil, compare.Answer{})
		}},
		{"twin-unicode-100.txt", predictedRows(), unicode, table},
		{"twin-ascii-80.txt", predictedRows(), ascii, table},
		{"twin-color.txt", predictedRows(), color, table},
		{"twin-jobs.txt", predictedJobs(), unicode, table},
		{"twin-refused.txt", refusedRows(), unicode, table},
		{"twin-refused.md", refusedRows(), Style{},
			func(b *bytes.Buffer, rows []compare.Row, _ Style) error {
				return Markdown(b, rows, nil, nil, compare.Answer{})
			}},
		{"both-color.txt", append(shops()[:14], counts()[:3]...), color, table},
		{"coffee.md", shops(), Style{}, func(b *bytes.Buffer, rows []compare.Row,
			_ Style) error {
			return Markdown(b, rows, nil, nil, compare.Answer{})
		}},
		{"twin.md", predictedRows(), Style{}, func(b *bytes.Buffer, rows []compare.Row,
			_ Style) error {
			return Markdown(b, rows, nil, nil, compare.Answer{})
		}},
		{"plots-unicode-100.txt", shops(), unicode,
			func(b *bytes.Buffer, rows []compare.Row, st Style) error { return drawn(b, rows, st, writePlots) }},
		{"boxes-ascii-80.txt", shops(), ascii,
			func(b *bytes.Buffer, rows []compare.Row, st Style) error { return drawn(b, rows, st, writeBoxes) }},
	} {
		t.Run(g.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := g.render(&b, g.rows, g.st); err != nil {
				t.Fatal(err)
			}
			golden(t, g.name, b.Bytes())
		})
	}
}

// drawn writes one part of a page.
func drawn(w io.Writer, rows []compare.Row, st Style, part func(*strings.Builder, *frame, Style)) error {
	var b strings.Builder
	for _, f := range frames(rows) {
		part(&b, &f, st)
	}
	return st.emit(w, b.String())
}

// TestOverload checks how certain the text is that more customers come than can be served. It depends on how many
// more.
func TestOverload(t *testing.T) {
	for offered, want := range map[result.Value]string{
		0.95:  "its queue kept growing, although requests arrived at only 0.950 times its closed-loop capacity",
		1.003: "requests arrive slightly faster than it can serve them, at 1.003 times its closed-loop capacity",
		1.1:   "requests arrive at 1.10 times the rate that it can serve",
	} {
		if got := overloadText(offered); got != want {
			t.Errorf("%v: %q, want %q", offered, got, want)
		}
	}
}

// TestModelMean checks that a formula that applies to some trials only is not printed.
func TestModelMean(t *testing.T) {
	r := crowd("locking", 0.3)
	r.Metrics[result.ModelMG1] = result.Summary{Median: result.Unavailable}
	if got := modelMean(r, result.ModelMD1) + modelMean(r, result.ModelMG1); got != "4.76ms" {
		t.Errorf("%q", got)
	}
}

// crowd makes one row of an open loop at a fraction of the capacity of 400 a second.
func crowd(design string, load float64) compare.Row {
	r := shop(design, 2, 400, 0.02)
	r.Point = r.Point.With("load", plan.FloatLevel(load))
	r.Open, r.Rate = true, 400*load
	wait := 4e6 * load / (2 * max(1-load, 0.02))
	values := map[string]float64{"rate_per_s": r.Rate, "offered_per_s": r.Rate * 1.01, "offered_load": load,
		"arrived":          r.Rate * 1.01,
		"throughput_per_s": min(r.Rate, 400), "goodput_per_s": min(r.Rate, 390), "dropped": max(0, r.Rate-390),
		"abandoned":   r.Rate / 100,
		"parallelism": 2 * min(load, 1), "response_mean_ns": 4e6 + wait, "model_md1_response_mean_ns": 3.9e6 + wait}
	for i, q := range []string{"p5", "p25", "p50", "p75", "p95"} {
		values["service_"+q+"_ns"] = 4e6 + 1e5*float64(i)
		values["response_"+q+"_ns"] = 4e6 + wait*float64(i)/2
	}
	if load > 1 {
		r.Unstable = 10
		for name := range values {
			if strings.HasPrefix(name, "response_") || strings.HasPrefix(name, "model_") {
				delete(values, name)
			}
		}
	}
	r.Metrics = summaries(0.02, 10, values)
	return r
}

// TestOpenLoopPage has two designs in an open loop, up to beyond saturation.
func TestOpenLoopPage(t *testing.T) {
	var rows []compare.Row
	for _, design := range []string{"locking", "parsteam"} {
		for _, load := range []float64{0.3, 0.9, 1.1} {
			rows = append(rows, crowd(design, load))
		}
	}
	// The formula predicts nothing at 0.9: for locking because the trials are short, for parsteam because requests
	// take turns on the CPU. Locking loses so many customers that their response time has no p95.
	set := func(r *compare.Row, metric string, v result.Value) {
		r.Metrics[metric] = result.Summary{Metric: metric, Median: v, Low: v, High: v, N: 10}
	}
	for _, r := range []*compare.Row{&rows[1], &rows[4]} {
		set(r, result.ModelMD1, result.Unavailable)
	}
	set(&rows[1], result.ModelWindow, 7.203e9)
	set(&rows[4], result.ModelAlone, 4e6)
	set(&rows[4], result.LostShare, 0.06)
	set(&rows[4], "response_p95_ns", result.Unavailable)
	verdicts := []compare.Verdict{
		{Workload: "coffee", Metric: result.ResponseP50, A: "parsteam", B: "locking", Point: rows[0].Point, Ratio: 0.75,
			Low: 0.7, High: 0.8,
			N: 10, Verdict: compare.Faster, Detectable: 1.02, MoreLines: ptr(5), Paired: true},
		{Workload: "coffee", Metric: result.ResponseP50, A: "locking", Point: rows[2].Point, Ratio: 1.1,
			Verdict: compare.Unstable},
		{Workload: "coffee", Metric: result.ResponseP50, A: "parsteam", Point: rows[2].Point, Ratio: result.Unavailable,
			Verdict: compare.Unstable},
	}
	var page bytes.Buffer
	if err := Table(&page, rows, verdicts, nil, compare.Answer{},
		Style{Full: true, Width: 100, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "open-unicode-100.txt", page.Bytes())
	page.Reset()
	if err := Markdown(&page, rows, verdicts, nil, compare.Answer{}); err != nil {
		t.Fatal(err)
	}
	golden(t, "open.md", page.Bytes())
}
