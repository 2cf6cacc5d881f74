package report

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// longName is the name of a benchmark that fills most of a page.
const longName = "CodeMarshal/with-many-parts/of-a-name-that-tells-all/that-is-varied-here"

// benchPages returns a page of benchmarks at three levels of a variable. The first level is the baseline.
func benchPages() Benchmarks {
	var trials []result.Trial
	var cases []plan.Case
	for _, design := range []string{"Encode", longName} {
		for _, cpus := range []int{1, 2} {
			for _, gogc := range []string{"100", "50", "200"} {
				c := plan.Case{Design: design,
					Point: plan.NewPoint(set("cpus", cpus), plan.Setting{Factor: "GOGC", Level: plan.TextLevel(gogc)})}
				cases = append(cases, c)
				for b := range 10 {
					ns := map[string]float64{"100": 100, "50": 130, "200": 99}[gogc] *
						(1 + 0.01*float64((b*map[string]int{"100": 2, "50": 1, "200": 3}[gogc]+cpus)%5))
					allocs := map[string]float64{"100": 4, "50": 4, "200": 3}[gogc]
					trials = append(trials,
						result.Trial{Kind: result.KindTrial, Workload: "w", Design: c.Design, World: result.Live,
							Point: c.Point, Block: b,
							Status: result.OK, Expected: true, Type: result.Benchmark,
							Metrics: result.Metrics{result.TimePerOp: result.Value(ns), result.AllocedPerOp: 16,
								result.AllocsPerOp: result.Value(allocs)}})
				}
			}
		}
	}
	j := compare.DefaultCriteria("", []string{"cpus"})
	j.LevelsOnly, j.AgainstFirst = true, true
	p := Benchmarks{Title: "example.com/w", How: "paired: each block holds all levels; each is compared with " +
		"the first, GOGC=100"}
	sides := j.PairLevels(compare.Rows(trials, cases), trials)
	p.Metrics = j.ByMetric(sides, nil)
	return p
}

// TestBenchLevels checks that each level is compared with the first in a table of its own, whose columns name the
// levels, with a geometric mean. Metrics that are equal throughout are one line, and long names are above their rows.
func TestBenchLevels(t *testing.T) {
	for name, st := range map[string]Style{"bench-unicode-160.txt": {Width: 160, Unicode: true},
		"bench-ascii-90.txt": {Width: 90}} {
		var b bytes.Buffer
		if err := benchPages().Table(&b, st); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := len([]rune(line)) - 1; n > st.Width {
				t.Errorf("%s: a line of %d columns:\n%s", name, n, line)
			}
		}
		golden(t, name, b.Bytes())
	}
	var b bytes.Buffer
	if err := benchPages().Markdown(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "bench.md", b.Bytes())
}

// TestBenchGeomeanLines checks that each geometric mean names its levels.
func TestBenchGeomeanLines(t *testing.T) {
	var b bytes.Buffer
	for _, line := range benchPages().Lines() {
		if err := JSON(&b, line); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		`{"kind":"geomean","schema_version":1,"metric":"time_per_op_ns","only_a":{"GOGC":"50"},"only_b":{"GOGC":"100"},"ratio":1.`,
		`{"kind":"geomean","schema_version":1,"metric":"time_per_op_ns","only_a":{"GOGC":"200"},"only_b":{"GOGC":"100"},"ratio":0.`,
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is not in\n%s", want, b.String())
		}
	}
}

// TestPartialGeomean checks that a table has no geometric mean of a part of its rows, and says why, in text and
// Markdown. JSON has it with the number of its ratios.
func TestPartialGeomean(t *testing.T) {
	for _, c := range []struct {
		n    int
		want bool
	}{{4, true}, {2, false}} {
		verdicts := make([]compare.Verdict, 4)
		for i := range verdicts {
			verdicts[i] = compare.Verdict{A: fmt.Sprint("B", i), Metric: result.AllocsPerOp, Exact: true, Ratio: 0.5,
				Verdict: compare.Better, N: 10}
			if i >= c.n {
				verdicts[i].Ratio = 0
			}
		}
		p := Benchmarks{A: "head", B: "base", Metrics: []compare.MetricVerdicts{{Metric: result.AllocsPerOp,
			Groups: []compare.MetricGroup{{Verdicts: verdicts, Geomean: 0.5, GeoLow: 0.5, GeoHigh: 0.5, N: c.n}}}}}
		var page, md, lines bytes.Buffer
		if p.Table(&page, Style{Width: 120}) != nil || p.Markdown(&md) != nil {
			t.Fatal("it cannot be written")
		}
		for _, text := range []string{page.String(), md.String()} {
			row := strings.Contains(text, "geomean  ") || strings.Contains(text, "| geomean |")
			note := strings.Contains(text, "geomean : none, because 2 of 4 ratios are 0 or missing")
			if row != c.want || note == c.want {
				t.Errorf("of %d ratios: row %v, note %v in\n%s", c.n, row, note, text)
			}
		}
		for _, line := range p.Lines() {
			if err := JSON(&lines, line); err != nil {
				t.Fatal(err)
			}
		}
		if want := fmt.Sprintf(`"ratio":0.5,"low":0.5,"high":0.5,"n":%d}`, c.n); !strings.Contains(lines.String(), want) {
			t.Errorf("no %s in\n%s", want, &lines)
		}
	}
}

// TestUndecidedBenchmark checks that a note names the levels and says why a verdict is undecided although its own
// interval excludes 1.
func TestUndecidedBenchmark(t *testing.T) {
	gogc := func(level string) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "GOGC", Level: plan.TextLevel(level)})
	}
	more := 7
	for _, c := range []struct {
		change func(*compare.Verdict)
		page   Benchmarks
		want   string
	}{
		{func(*compare.Verdict) {}, Benchmarks{}, "Encode (cpus 1), GOGC=50 compared with GOGC=100: undecided; " +
			"10 blocks can detect a change of 5% or more; about 7 more would detect +4.0%"},
		{func(v *compare.Verdict) { v.Low, v.P = 1.01, 0.2 }, Benchmarks{},
			"Encode (cpus 1), GOGC=50 compared with GOGC=100: undecided; its interval excludes 1, but over all 2 " +
				"comparisons the chance of a false difference would exceed 5%; 10 blocks can detect a change of " +
				"5% or more; about 7 more would detect +4.0%"},
		{func(v *compare.Verdict) { v.Low, v.P, v.Permutation = 1.01, 0.04, 0.06 }, Benchmarks{},
			"Encode (cpus 1), GOGC=50 compared with GOGC=100: undecided; its interval excludes 1, but a permutation " +
				"test does not confirm the difference; 10 blocks can detect a change of 5% or more; about " +
				"7 more would detect +4.0%"},
		{func(v *compare.Verdict) { v.Low, v.P, v.Layouts = 1.01, 0.2, 5 }, Benchmarks{A: "head", B: "base"},
			"Encode (cpus 1): undecided; its interval excludes 1, but over all 2 comparisons the chance of a false " +
				"difference would exceed 5%; measured with 5 layouts; more layouts help more than more blocks"},
		{func(v *compare.Verdict) { v.OnlyB = plan.Point{} }, Benchmarks{A: "new", B: "old", ARun: "b"},
			"Encode (cpus 1), new GOGC=50 compared with old: undecided; 10 blocks can detect a change of 5% or " +
				"more; about 7 more would detect +4.0%"},
		{func(v *compare.Verdict) { v.OnlyA, v.OnlyB = plan.Point{}, plan.Point{} },
			Benchmarks{A: "new", B: "old", ARun: "b"},
			"Encode (cpus 1): undecided; 10 blocks can detect a change of 5% or more; about 7 more would detect +4.0%"},
	} {
		v := compare.Verdict{A: "Encode", B: "Encode", Paired: true, Metric: result.TimePerOp,
			Verdict: compare.Undecided, Point: plan.NewPoint(set("cpus", 1)),
			OnlyA: gogc("50"), OnlyB: gogc("100"), Ratio: 1.04, Low: 0.99, High: 1.09, P: 0.2, Permutation: 0.2, N: 10,
			Detectable: 1.05, MoreBlocks: &more}
		c.change(&v)
		other := v
		other.Verdict = compare.Equivalent
		g := compare.MetricGroup{Verdicts: []compare.Verdict{v, other}}
		m := compare.MetricVerdicts{Groups: []compare.MetricGroup{g}}
		if got := c.page.undecidedTexts(m, g); len(got) != 1 || got[0] != c.want {
			t.Errorf("got\n%q\nwant\n%s", got, c.want)
		}
	}
}

// TestBenchSigns checks that the page explains missing intervals, with numbers of one side and of two.
func TestBenchSigns(t *testing.T) {
	two := benchPages()
	for i := range two.Metrics[0].Groups {
		two.Metrics[0].Groups[i].Verdicts[0].Low, two.Metrics[0].Groups[i].Verdicts[0].High = 0.1, 9
	}
	few := shop("locking", 1, 300, 0)
	few.N, few.Metrics = 2, map[string]result.Summary{result.TimePerOp: {Metric: result.TimePerOp, Median: 5,
		Low: result.Unavailable, High: result.Unavailable}}
	for _, c := range []struct {
		page  Benchmarks
		want  string
		times int
	}{
		{two, vagueText, 2},
		{benchPages(), vagueText, 0},
		{Benchmarks{Rows: []compare.Row{few}}, "±? : an interval needs at least 6 trials", 1},
	} {
		var page, md strings.Builder
		if c.page.Table(&page, Style{Width: 160, Unicode: true}) != nil || c.page.Markdown(&md) != nil {
			t.Fatal("it cannot be written")
		}
		for _, text := range []string{page.String(), md.String()} {
			if n := strings.Count(text, c.want+"\n") + strings.Count(text, c.want+"  \n"); n != c.times {
				t.Errorf("%q stands there %d times, want %d:\n%s", c.want, n, c.times, text)
			}
		}
	}
}

// TestBroken checks that JSON names the benchmarks that could not be measured.
func TestBroken(t *testing.T) {
	var b bytes.Buffer
	for _, line := range (Benchmarks{Broken: []result.Broken{{Name: "Work", Rev: "head", Error: "no milk"}}}).Lines() {
		if err := JSON(&b, line); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.String(), `{"kind":"broken","schema_version":1,"design":"Work","rev":"head","error":"no milk"}`+
		"\n"+`{"kind":"answer","schema_version":1,"text":["No benchmark has a result."]}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// TestNothingComparable checks that a comparison without a verdict says why.
func TestNothingComparable(t *testing.T) {
	p := Benchmarks{Title: "old is old.txt, new is new.txt", A: "new", B: "old", ARun: "new.txt", BRun: "old.txt"}
	var page strings.Builder
	if err := p.Table(&page, Style{Width: 120}); err != nil {
		t.Fatal(err)
	}
	want := "Nothing can be compared: each side needs at least 2 results of the same benchmark (go test -count 2).\n"
	if !strings.HasSuffix(page.String(), want) || strings.Contains(page.String(), "No trial") {
		t.Errorf("got\n%s\nwant %s", &page, want)
	}
}

// TestMediansNote checks which ratios of medians contradict those of means over blocks.
func TestMediansNote(t *testing.T) {
	for _, c := range []struct {
		medians, ratio, low, high result.Value
		proven, want              bool
	}{
		{1.01, 0.99, 0.98, 1.02, true, true}, {1.01, 0.99, 0.98, 1.02, false, false},
		{1.03, 0.99, 0.98, 1.02, false, true}, {0.996, 0.913, 0.69, 1.15, false, true},
		{0.333, 0.37, 0.29, 0.46, true, true}, {1.006, 1.02, 0.988, 1.053, false, false},
		{0.985, 0.99, 0.98, 0.995, true, false}, {1, 1.0000001, 1.0000001, 1.0000001, false, false},
		{1.03, result.Unavailable, result.Unavailable, result.Unavailable, false, false},
		{result.Unavailable, 1, 0.9, 1.1, false, false},
	} {
		if got := contradicts(c.medians, c.ratio, c.low, c.high, c.proven); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}

	row := func(ns result.Value) *compare.Row {
		return &compare.Row{Workload: "w", Design: "Encode", World: result.Live, N: 10,
			Metrics: map[string]result.Summary{result.TimePerOp: {Metric: result.TimePerOp, Median: ns}}}
	}
	v := compare.Verdict{Workload: "w", A: "Encode", B: "Encode", Metric: result.TimePerOp, Ratio: 0.99, Low: 0.985,
		High: 0.995, Verdict: compare.Faster, N: 10}
	p := Benchmarks{A: "new", B: "old", Metrics: []compare.MetricVerdicts{{Metric: result.TimePerOp,
		Groups: []compare.MetricGroup{{Verdicts: []compare.Verdict{v},
			Pairs: []compare.Pair{{A: row(101), B: row(100)}}}}}}}
	g := Gate{Decision: compare.Fail, List: []compare.GateDecision{{Design: "Encode", Metric: result.TimePerOp, N: 10,
		Base: 100, Head: 99, Cost: 1.1, Low: 1.06, High: 1.2, Decision: compare.Fail}}}
	for want, write := range map[string]func(io.Writer, Style) error{
		"change and ratio : of the means over blocks; that of the medians differs for Encode\n": p.Table,
		"change and cost : of the means over blocks; that of the medians differs for Encode\n":  g.Table,
	} {
		var page strings.Builder
		if err := write(&page, Style{Width: 120}); err != nil || !strings.Contains(page.String(), want) {
			t.Errorf("%v: no %s in\n%s", err, want, &page)
		}
	}
}

// TestMediansNames checks that each benchmark is named once, whatever the order of its metrics.
func TestMediansNames(t *testing.T) {
	got := mediansNote("ratio", []string{"B", "A", "B", "A"})
	if len(got) != 1 || !strings.HasSuffix(got[0], " for A and B") {
		t.Errorf("%q", got)
	}
}

// TestContradicted checks which verdicts of a run contradict the medians of its table.
func TestContradicted(t *testing.T) {
	rows := []compare.Row{shop("locking", 2, 250, 0.02), shop("finelocking", 2, 249, 0.02)}
	v := compare.Verdict{Workload: "coffee", World: result.Live, Metric: result.Throughput, A: "finelocking",
		B: "locking", Point: rows[0].Point, Ratio: 1.01, Low: 0.99, High: 1.03, Verdict: compare.Faster, Paired: true}
	agree, exact, other := v, v, v
	agree.Ratio, agree.Verdict = 0.995, compare.Slower
	exact.Exact = true
	other.Point = shop("locking", 1, 1, 0).Point
	if got := contradicted(rows, []compare.Verdict{v, agree, exact, other}); len(got) != 1 ||
		got[0] != "finelocking / locking" {
		t.Errorf("%q", got)
	}
}

// TestBenchPackages checks that verdicts of two packages name their package.
func TestBenchPackages(t *testing.T) {
	verdicts := []compare.Verdict{{Workload: "a", A: "X"}, {Workload: "b", A: "X"}}
	columns := nameColumns(verdicts)
	if columns[0].head != "package" || columns[0].cells[1].text != "b" || columns[1].head != "benchmark" ||
		len(columns[1].cells) != 2 {
		t.Errorf("%+v", columns)
	}
	verdicts[0].Verdict, verdicts[1].Verdict = compare.Undecided, compare.Undecided
	g := compare.MetricGroup{Verdicts: verdicts}
	m := compare.MetricVerdicts{Groups: []compare.MetricGroup{g}}
	if notes := (Benchmarks{}).undecidedTexts(m, g); !strings.HasPrefix(notes[1], "b X: ") {
		t.Errorf("%q", notes)
	}
	if columns = nameColumns(verdicts[:1]); columns[0].head != "benchmark" {
		t.Errorf("%+v", columns)
	}
}

// TestBenchDifferences checks that the settings in which two runs differ are one sentence and one line of JSON.
func TestBenchDifferences(t *testing.T) {
	p := Benchmarks{A: "new", B: "old", ARun: "after", BRun: "before", Workload: "w", Paired: true,
		Differences: []result.Difference{{Name: "pgo", A: "off", B: "not given"},
			{Name: "benchtime", A: "1s", B: "500ms"}},
		OnlyB: []compare.Row{{Workload: "w", World: result.Live, Design: "X", Point: plan.NewPoint(set("cpus", 1))},
			{Workload: "v", World: result.Live, Design: "Y", Point: plan.NewPoint(set("cpus", 2))}}}
	want := "what else differs: pgo is not given in the old and off in the new; benchtime is 500ms in the " +
		"old and 1s in the new"
	if got := p.notes(); len(got) != 2 || got[0] != want || got[1] != "only in the old: X (cpus 1), Y (cpus 2)" {
		t.Errorf("%q", got)
	}
	var page, md, line bytes.Buffer
	if p.Table(&page, Style{Width: 200}) != nil || p.Markdown(&md) != nil || JSON(&line, p.Lines()[0]) != nil {
		t.Fatal("it cannot be written")
	}
	if !strings.Contains(page.String(), want+"\n") || !strings.Contains(md.String(), want+"\n") {
		t.Errorf("%s\n%s", page.String(), md.String())
	}
	if got, want := line.String(), `{"kind":"comparison","schema_version":1,"workload":"w","a_run":"after","b_run":"before","paired":true,"differences":[{"name":"pgo","a":"off","b":"not given"},{"name":"benchtime","a":"1s","b":"500ms"}],"only_a":[],"only_b":[{"design":"X","world":"live","point":{"cpus":1}},{"workload":"v","design":"Y","world":"live","point":{"cpus":2}}]}`+"\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
}

// TestUndecidedReason checks that too few blocks for any decision are not reported as too many comparisons.
func TestUndecidedReason(t *testing.T) {
	v := compare.Verdict{Low: 1.5, High: 2.5, P: 1, Detectable: result.Unavailable}
	if text := undecidedReason(v, 1); text != "" {
		t.Error(text)
	}
	v.Detectable, v.P = 1.3, 0.06
	if text := undecidedReason(v, 4); !strings.Contains(text, "over all 4 comparisons") {
		t.Error(text)
	}
}

// TestManyUndecided checks that the notes on many undecided verdicts take memory in proportion to their number.
func TestManyUndecided(t *testing.T) {
	g := compare.MetricGroup{}
	for i := range 2000 {
		g.Verdicts = append(g.Verdicts, compare.Verdict{A: fmt.Sprint("B", i), Verdict: compare.Undecided, Low: 0.9,
			High: 1.2})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	notes := Benchmarks{}.undecidedTexts(compare.MetricVerdicts{Groups: []compare.MetricGroup{g}}, g)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; len(notes) != 2000 || took > 64<<20 {
		t.Errorf("%d notes take %d MB", len(notes), took>>20)
	}
}

// TestEquivalentLine checks that a metric other than time is one line if all its verdicts are equivalent, unless the
// page shows the part.
func TestEquivalentLine(t *testing.T) {
	verdicts := []compare.Verdict{{A: "X", Ratio: 1.001, Low: 0.99, High: 1.01, Verdict: compare.Equivalent},
		{A: "Y", Ratio: 1, Low: 0.99, High: 1.01, Verdict: compare.Equivalent}}
	page := func(metric string, st Style) string {
		var b strings.Builder
		p := Benchmarks{A: "head", B: "base", Metrics: []compare.MetricVerdicts{{Metric: metric,
			Groups: []compare.MetricGroup{{Verdicts: verdicts}}}}}
		if err := p.Table(&b, st); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	const line = "B/op  equivalent in all 2\n"
	if text := page(result.AllocedPerOp, Style{}); !strings.Contains(text, line) || strings.Contains(text, "verdict") {
		t.Errorf("no line %q in\n%s", line, text)
	}
	for name, text := range map[string]string{"shown": page(result.AllocedPerOp, Style{Parts: []string{"equivalent"}}),
		"full": page(result.AllocedPerOp, Style{Full: true}), "time": page(result.TimePerOp, Style{})} {
		if !strings.Contains(text, "verdict") {
			t.Errorf("%s: no table in\n%s", name, text)
		}
	}
	verdicts[1].Verdict = compare.Undecided
	if text := page(result.AllocedPerOp, Style{}); !strings.Contains(text, "verdict") {
		t.Errorf("undecided: no table in\n%s", text)
	}
}

// TestEqualRows checks that a table leaves out two rows or more that are exactly equal, unless the page shows the part.
// Markdown has them all.
func TestEqualRows(t *testing.T) {
	verdict := func(name string, ratio result.Value, word string) compare.Verdict {
		return compare.Verdict{A: name, B: name, Metric: result.AllocsPerOp, Exact: true, Ratio: ratio, N: 10,
			Verdict: word}
	}
	fewer, same := verdict("Fewer", 0.5, compare.Better), verdict("Same", 1, compare.Equivalent)
	also, unknown := verdict("Also", 1, compare.Equivalent), compare.Verdict{A: "Unknown", Ratio: result.Unavailable}
	all := []compare.Verdict{same, fewer, unknown, also}
	for _, c := range []struct {
		metric string
		list   []compare.Verdict
		style  Style
		want   string
	}{
		{result.AllocsPerOp, all, Style{}, "Fewer Unknown 2"},
		{result.AllocsPerOp, all, Style{Full: true}, "Same Fewer Unknown Also"},
		{result.AllocsPerOp, all, Style{Parts: []string{"equivalent"}}, "Same Fewer Unknown Also"},
		{result.AllocsPerOp, all[:2], Style{}, "Same Fewer"},
		{result.TimePerOp, all, Style{}, "Same Fewer Unknown Also"},
	} {
		var page, md strings.Builder
		p := Benchmarks{A: "head", B: "base", Metrics: []compare.MetricVerdicts{{Metric: c.metric,
			Groups: []compare.MetricGroup{{Verdicts: c.list}}}}}
		if p.Table(&page, c.style) != nil || p.Markdown(&md) != nil {
			t.Fatal("it cannot be written")
		}
		var got []string
		table, _, _ := strings.Cut(page.String(), "\n\n1 ")
		for _, v := range c.list {
			if strings.Contains(table, "\n"+v.A+"  ") {
				got = append(got, v.A)
			}
			if !strings.Contains(md.String(), "| "+v.A+" |") {
				t.Errorf("no %s in\n%s", v.A, &md)
			}
		}
		if strings.Contains(table, "2 of 4 are equal and not shown\n") {
			got = append(got, "2")
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s, want %s in\n%s", text, c.want, &page)
		}
	}
}

// TestScalingSlower checks that the first benchmark that gets slower with more CPUs has a next step.
func TestScalingSlower(t *testing.T) {
	scaling := func(name string, speedup result.Value) compare.Scaling {
		return compare.Scaling{Design: name, From: 1, To: 2, Speedup: speedup, Low: speedup, High: speedup,
			Limit: compare.LimitInflation, Inflation: 2, Curve: []compare.Row{{Workload: "shop/cache"}}}
	}
	for speedup, want := range map[result.Value]int{0.68: 1, 1.2: 0} {
		var b strings.Builder
		p := Benchmarks{Scalings: []compare.Scaling{scaling("Get", 1.3), scaling("Put/n=1", speedup),
			scaling("Del", speedup)}}
		p.writeScalings(&b, Style{})
		const next = "\nfind out why: brewput explain -- go test -bench Put shop/cache\n"
		if n := strings.Count(b.String(), next); n != want ||
			strings.Count(b.String(), "find out why") != want {
			t.Errorf("%v: %d next steps in\n%s", speedup, n, &b)
		}
	}
}

// TestMediansContradict checks that medians in the other direction contradict a verdict that a difference is proven,
// and that neither an exact ratio nor a missing one is contradicted.
func TestMediansContradict(t *testing.T) {
	proven := compare.Verdict{Verdict: compare.Faster, Ratio: 1.01, Low: 0.98, High: 1.04}
	better, undecided, equivalent, exact, none := proven, proven, proven, proven, proven
	better.Verdict, undecided.Verdict, equivalent.Verdict = compare.Better, compare.Undecided, compare.Equivalent
	exact.Exact, none.NoRatio = true, compare.SomeZeros
	for name, c := range map[string]struct {
		v    compare.Verdict
		want bool
	}{
		"proven": {proven, true}, "better": {better, true}, "undecided": {undecided, false},
		"equivalent": {equivalent, false},
		"exact":      {exact, false}, "no ratio": {none, false},
	} {
		if got := mediansContradict(c.v, 0.99); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	worse := proven
	worse.Verdict, worse.Ratio, worse.Low, worse.High = compare.Worse, 0.99, 0.96, 1.02
	if !mediansContradict(worse, 1.01) {
		t.Error("worse, and the medians better: false")
	}
	for _, v := range []compare.Verdict{proven, worse} { // equal medians have no direction
		if mediansContradict(v, 1) {
			t.Errorf("ratio %v, equal medians: true", v.Ratio)
		}
	}
}
