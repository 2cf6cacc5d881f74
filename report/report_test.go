package report

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func TestStyleFor(t *testing.T) {
	for _, c := range []struct {
		env      map[string]string
		terminal bool
		width    int
		want     Style
	}{
		{nil, true, 120, Style{Width: 120, Color: true, Unicode: true}},
		{nil, false, 0, Style{Width: 100, Unicode: true}},
		{map[string]string{"COLUMNS": "72"}, true, 120, Style{Width: 72, Color: true, Unicode: true}},
		{map[string]string{"COLUMNS": "wide"}, true, 120, Style{Width: 120, Color: true, Unicode: true}},
		{map[string]string{"COLUMNS": "-5"}, true, 0, Style{Width: 100, Color: true, Unicode: true}},
		{map[string]string{"NO_COLOR": "1"}, true, 90, Style{Width: 90, Unicode: true}},
		{map[string]string{"NO_COLOR": ""}, true, 90, Style{Width: 90, Color: true, Unicode: true}},
		{map[string]string{"TERM": "dumb"}, true, 90, Style{Width: 90}},
		{map[string]string{"LANG": "C"}, true, 90, Style{Width: 90, Color: true}},
		{map[string]string{"LANG": "POSIX"}, true, 90, Style{Width: 90, Color: true}},
		{map[string]string{"LANG": "C.UTF-8"}, true, 90, Style{Width: 90, Color: true, Unicode: true}},
		{map[string]string{"LANG": "de_DE.utf8"}, true, 90, Style{Width: 90, Color: true, Unicode: true}},
		{map[string]string{"LANG": "de_DE.ISO-8859-1"}, true, 90, Style{Width: 90, Color: true}},
		{map[string]string{"LC_ALL": "C", "LANG": "en_US.UTF-8"}, true, 90, Style{Width: 90, Color: true}},
		{map[string]string{"LC_CTYPE": "C.UTF-8", "LANG": "C"}, true, 90, Style{Width: 90, Color: true, Unicode: true}},
	} {
		got := StyleFor(func(name string) string { return c.env[name] }, c.terminal, c.width)
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v terminal=%v: got %+v, want %+v", c.env, c.terminal, got, c.want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		v      float64
		unit   result.Unit
		digits int
		want   string
	}{
		{249.6, result.PerSecond, 4, "249.6/s"},
		{0.01234, result.PerSecond, 4, "0.01234/s"},
		{999.96, result.PerSecond, 4, "1000/s"},
		{9999.4, result.PerSecond, 4, "9999/s"},
		{9999.6, result.PerSecond, 4, "10.00k/s"},
		{1e6, result.PerSecond, 4, "1.000M/s"},
		{999.96e3, result.PerSecond, 4, "1.000M/s"},
		{2.5e9, result.BytesPerSec, 3, "2.50GB/s"},
		{0, result.PerSecond, 4, "0/s"},
		{0, result.Seconds, 4, "0s"},
		{0.5, result.Nanoseconds, 3, "0.500ns"},
		{999.96, result.Nanoseconds, 4, "1.000µs"},
		{4006123, result.Nanoseconds, 4, "4.006ms"},
		{4006123, result.Nanoseconds, 3, "4.01ms"},
		{0.0071, result.Seconds, 4, "7.100ms"},
		{0.99996, result.Seconds, 4, "1.000s"},
		{123.45, result.Seconds, 4, "123.5s"},
		{math.NaN(), result.Seconds, 4, "unavailable"},
		{math.Inf(1), result.Nanoseconds, 4, "∞"},
	} {
		if got := number(result.Value(c.v), c.unit, c.digits); got != c.want {
			t.Errorf("number(%v, %q, %d) = %q, want %q", c.v, c.unit, c.digits, got, c.want)
		}
	}
}

func TestIntervalHasTheScaleOfItsMedian(t *testing.T) {
	s := result.Summary{Metric: result.LatencyMean, Median: 1.001e6, Low: 0.998e6, High: 1.2e6}
	if got, ok := interval(s, 4); !ok || got != "[0.998, 1.200]" {
		t.Errorf("got %q, %v", got, ok)
	}
	s.Low = result.Unavailable
	if got, ok := interval(s, 4); ok {
		t.Errorf("an interval without a low end: %q", got)
	}
}

// row is a row of a design at a point given as pairs of factor and level.
func row(design string, n int, metrics map[string]float64, settings ...plan.Setting) compare.Row {
	return compare.Row{Workload: "w", Design: design, World: "live", Point: plan.NewPoint(settings...), N: n,
		Statuses: map[result.Status]int{result.OK: n}, Metrics: summaries(0.01, n, metrics),
		SlowDown: result.Unavailable}
}

func set(name string, n int) plan.Setting { return plan.Setting{Factor: name, Level: plan.IntLevel(n)} }

func TestFrame(t *testing.T) {
	rows := []compare.Row{
		row("a", 1, nil, set("cpus", 1), set("workers", 1), set("stage", 3)),
		row("a", 1, nil, set("cpus", 2), set("workers", 2), set("stage", 3)),
		row("b", 1, nil, set("cpus", 2), set("workers", 2), set("pipes", 2), set("stage", 3)),
		row("b", 1, nil, set("cpus", 2), set("workers", 2), set("pipes", 4), set("stage", 3)),
	}
	f := frames(rows)[0]
	if got, want := strings.Join(f.shared, "; "), "w; live; workers = cpus; stage 3; 1 trial each"; got != want {
		t.Errorf("shared: got %q, want %q", got, want)
	}
	if got, want := strings.Join(f.varying, " "), "cpus pipes"; got != want {
		t.Errorf("varying: got %q, want %q", got, want)
	}
	rows[3].Point = rows[3].Point.With("workers", plan.IntLevel(7))
	rows[3].World = "virtual"
	f = frames(rows)[0]
	if got, want := strings.Join(f.varying, " "), "cpus workers pipes"; got != want {
		t.Errorf("varying: got %q, want %q", got, want)
	}
	if got, want := strings.Join(f.shared, "; "), "w; live and predicted; stage 3; 1 trial each"; got != want {
		t.Errorf("shared: got %q, want %q", got, want)
	}
	rows[0].Job = true
	if got := len(frames(rows)); got != 2 {
		t.Errorf("a stream and a job are in %d tables, want 2", got)
	}
}

func TestNote(t *testing.T) {
	for _, c := range []struct {
		statuses map[result.Status]int
		bound    bool
		want     string
	}{
		{map[result.Status]int{result.OK: 10}, false, ""},
		{map[result.Status]int{result.StatusBound: 10}, true, "bound"},
		{map[result.Status]int{result.Wrong: 10}, false, "wrong answer"},
		{map[result.Status]int{result.OK: 7, result.Violated: 1, result.Failed: 2}, false,
			"violated 1/10, failed 2/10"},
	} {
		if got := rowNote(compare.Row{Statuses: c.statuses, Bound: c.bound}); got != c.want {
			t.Errorf("%v: got %q, want %q", c.statuses, got, c.want)
		}
	}
}

func TestSigns(t *testing.T) {
	page := func(rows ...compare.Row) string {
		var b bytes.Buffer
		if err := Table(&b, rows, nil, nil, compare.Answer{}, Style{Full: true, Unicode: true}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	measured := map[string]float64{result.Throughput: 10, result.LatencyMean: 5}
	got := page(row("a", 6, measured), row("b", 5, measured))
	for _, want := range []string{"±?", "[9.90, 10.10]", "±? : an interval needs at least 6 trials",
		"- : too few operations", unavailable} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	got = page(row("a", 1, measured))
	if strings.Contains(got, "±?") || !strings.Contains(got, "no intervals") {
		t.Errorf("one trial:\n%s", got)
	}
	// Without a mean the reason may be another than few operations: the number is unavailable.
	got = page(row("a", 6, map[string]float64{result.Throughput: 10}))
	if strings.Contains(got, "too few") {
		t.Errorf("no latency at all:\n%s", got)
	}
	if got := page(); !strings.Contains(got, "nothing to show") {
		t.Errorf("no rows: %q", got)
	}
}

func TestPageFitsAndIsASCII(t *testing.T) {
	for _, width := range []int{1, 60, 80, 100, 200} {
		for name, rows := range map[string][]compare.Row{"coffee": shops(), "wordcount": counts(), "stages": stages(),
			"twin": predictedRows(), "jobs": predictedJobs(), "pipes": pipes()} {
			var b bytes.Buffer
			if err := Table(&b, rows, nil, nil, compare.Answer{}, Style{Full: true, Width: width}); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				line = strings.TrimSuffix(line, "\n")
				if strings.TrimRight(line, " ") != line {
					t.Errorf("%s at %d: spaces at the end of %q", name, width, line)
				}
				for _, r := range line {
					if r >= utf8.RuneSelf {
						t.Fatalf("%s at %d: %q is not ASCII in %q", name, width, r, line)
					}
				}
				if width >= 80 && len(line) > width {
					t.Errorf("%s: %d columns, want at most %d: %q", name, len(line), width, line)
				}
			}
		}
	}
}

// pipes is a sweep over a factor that most of many designs do not have.
func pipes() []compare.Row {
	var rows []compare.Row
	for _, design := range []string{"locking", "finelocking", "parsteam", "americano", "espresso", "linearpipe",
		"splitpipe", "americanopipe", "espressopipe"} {
		rows = append(rows, row(design, 10, map[string]float64{result.Throughput: 10, result.LatencyMean: 1500}))
	}
	for n := range 2 {
		rows = append(rows, row("multipipe", 10, map[string]float64{result.Throughput: 10, result.LatencyMean: 1500},
			plan.Setting{Factor: "pipes", Level: plan.IntLevel(1 + n)}))
	}
	return rows
}

// stages is a sweep over durations whose texts are not ASCII.
func stages() []compare.Row {
	var rows []compare.Row
	for _, d := range []time.Duration{100 * time.Microsecond, time.Millisecond} {
		r := row("a", 10, map[string]float64{result.Throughput: 10, result.LatencyMean: 1500},
			plan.Setting{Factor: "stage", Level: plan.DurationLevel(d)})
		r.Warnings = []string{"naïve → 1µs"}
		rows = append(rows, r)
	}
	return rows
}

func TestColorOnlyAddsEscapes(t *testing.T) {
	var with, without bytes.Buffer
	if err := errors.Join(Table(&with, shops(), nil, nil, compare.Answer{},
		Style{Full: true, Unicode: true, Color: true}),
		Table(&without, shops(), nil, nil, compare.Answer{}, Style{Full: true, Unicode: true})); err != nil {
		t.Fatal(err)
	}
	bare := with.String()
	for _, code := range []tone{bold, dim, alarm, caution, "0", "32", "33", "34", "35", "36"} {
		bare = strings.ReplaceAll(bare, "\x1b["+string(code)+"m", "")
	}
	if bare == with.String() || bare != without.String() {
		t.Error("the page with colour differs by more than escape sequences")
	}
}

func TestMessagesOnce(t *testing.T) {
	rows := []compare.Row{row("a", 1, nil), row("b", 1, nil), row("b", 1, nil)}
	rows[0].Warnings = []string{"hot", "everywhere"}
	rows[1].Warnings = []string{"everywhere"}
	rows[2].Warnings = []string{"hot", "everywhere"}
	var b bytes.Buffer
	if err := Table(&b, rows, nil, nil, compare.Answer{}, Style{Full: true}); err != nil {
		t.Fatal(err)
	}
	want := "warnings\n! hot (2 of 3 rows: a, b)\n! everywhere (every row)\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got\n%s\nwant the end\n%s", b.String(), want)
	}
}

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		levels []float64
		width  int
		how    string
	}{
		{[]float64{1, 2, 3, 4, 5, 6}, 80, ""},
		{[]float64{1, 2, 4, 8}, 80, ""},
		{[]float64{1, 4, 16, 64, 256, 1024}, 80, "logarithmic axis"},
		{[]float64{0, 1, 10, 1000}, 80, "levels evenly spaced"},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 20, ""},
	} {
		at, how := positions(c.levels, c.width)
		if how != c.how || at[0] != 0 || at[len(at)-1] != c.width-1 || !slices.IsSorted(at) || leastGap(at) < 1 {
			t.Errorf("place(%v, %d) = %v, %q; want %q", c.levels, c.width, at, how, c.how)
		}
	}
	if at, _ := positions([]float64{1, 2, 4}, 31); !slices.Equal(at, []int{0, 10, 30}) {
		t.Errorf("levels are not at their numbers: %v", at)
	}
}

func TestAxisTo(t *testing.T) {
	for top := 0.001; top < 1e12; top *= 1.37 {
		a := axisTo(top, result.PerSecond)
		if a.ticks < 3 || a.ticks > 6 || a.end() < top*(1-1e-9) || a.end() > top*1.34 {
			t.Errorf("axis to %v: %d ticks, end %v", top, a.ticks, a.end())
		}
	}
	a := axisTo(1501, result.PerSecond)
	if got := a.label(a.ticks); got != "1600/s" {
		t.Errorf("axis to 1501 ends at %s", got)
	}
}

func TestPlotLimits(t *testing.T) {
	var rows []compare.Row
	for i := range 15 {
		for _, cpus := range []int{1, 2, 3} {
			rows = append(rows, row(string(rune('a'+i)), 10, map[string]float64{result.Throughput: 100},
				set("cpus", cpus)))
		}
	}
	rows = append(rows, row("lost", 10, map[string]float64{result.Throughput: math.Inf(1)}, set("cpus", 2)))
	var b bytes.Buffer
	if err := drawn(&b, rows, Style{Width: 80}, writePlots); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	for _, want := range []string{"L l", "3 more series left out", "#: 10 or more"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "lost") {
		t.Errorf("an infinite value is drawn:\n%s", got)
	}
	b.Reset()
	if err := drawn(&b, rows[:1], Style{}, writePlots); err != nil || b.Len() > 0 {
		t.Errorf("one level is plotted: %v\n%s", err, b.String())
	}
}

func TestSeriesAreToldApartByOtherFactors(t *testing.T) {
	m := map[string]float64{result.Throughput: 100}
	f := frames([]compare.Row{row("a", 10, m, set("cpus", 1), set("buffer", 1)),
		row("a", 10, m, set("cpus", 2), set("buffer", 8))})[0]
	f.varying = []string{"cpus", "buffer"}
	list, _ := f.series("cpus", result.Throughput, []string{"1", "2"})
	if len(list) != 2 || list[0].name != "a buffer=1" || list[1].name != "a buffer=8" {
		t.Errorf("got %+v", list)
	}
}

func TestBoxWithoutTails(t *testing.T) {
	a := axis{step: 1, ticks: 10}
	for _, c := range []struct {
		quantiles map[string]float64
		want      string
	}{
		{map[string]float64{"latency_p5_ns": 1, "latency_p25_ns": 3, "latency_p50_ns": 4, "latency_p75_ns": 6,
			"latency_p95_ns": 9}, " |-=#==--|"},
		{map[string]float64{"latency_p25_ns": 3, "latency_p50_ns": 4, "latency_p75_ns": 6}, "   =#=="},
		{map[string]float64{"latency_p50_ns": 4}, "    #"},
		{map[string]float64{"latency_p5_ns": 2, "latency_p50_ns": 4, "latency_p95_ns": 8}, "  |-#---|"},
	} {
		if got := drawBox(row("a", 10, c.quantiles), "latency", a, 11, Style{}); got != c.want {
			t.Errorf("%v: got %q, want %q", c.quantiles, got, c.want)
		}
	}
}

// failing refuses every write.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestWriteErrorsAreReported(t *testing.T) {
	for name, err := range map[string]error{
		"Table": Table(failing{}, shops(), nil, nil, compare.Answer{},
			Style{Full: true}), "Markdown": Markdown(failing{}, shops(), nil, nil, compare.Answer{}),
		"CSV":   CSV(failing{}, trialsOf()),
		"Bench": Bench(failing{}, trialsOf(), nil),
		"JSON":  JSON(failing{}, 1),
	} {
		if err == nil {
			t.Errorf("%s swallows the error of its writer", name)
		}
	}
}
