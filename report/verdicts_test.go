package report

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func TestSentences(t *testing.T) {
	more, blocks := 9, 6
	buffer := func(n int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "buffer", Level: plan.IntLevel(n)})
	}
	base := compare.Verdict{A: "finelocking", B: "locking", Paired: true, Metric: result.Throughput, Margin: 0.02,
		Ratio: 1.9, Low: 1.85, High: 1.95, N: 10, Detectable: 1.05}
	for _, c := range []struct {
		change func(*compare.Verdict)
		want   string
	}{
		{func(v *compare.Verdict) { v.Verdict, v.MoreLines = compare.Faster, &more },
			"finelocking is 1.90x locking (95% interval 1.85 to 1.95), for 9 more lines"},
		{func(v *compare.Verdict) {
			v.Verdict, v.A, v.B, v.OnlyA, v.OnlyB = compare.Equivalent, "linearpipe", "linearpipe", buffer(10),
				buffer(1)
			v.Ratio, v.Low, v.High = 1.001, 0.995, 1.006
		}, "linearpipe buffer 10 and buffer 1: equivalent within 2% (1.001x, 95% interval 0.995 to 1.006)"},
		{func(v *compare.Verdict) {
			v.Verdict, v.MoreBlocks, v.OnlyA = compare.Undecided, &blocks, buffer(1)
			v.Ratio, v.Low, v.High = 1.01, 0.98, 1.04
		}, "finelocking (buffer 1) and locking: undecided (1.010x, 95% interval 0.980 to 1.040); 10 blocks can " +
			"detect a change of 5% or more; about 6 more would detect +1.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.MoreBlocks, v.Nearly = compare.Undecided, &blocks, compare.Equivalent
			v.Ratio, v.Low, v.High = 1.01, 0.98, 1.04
		}, "finelocking and locking: undecided (1.010x, 95% interval 0.980 to 1.040); 10 blocks can detect " +
			"a change of 5% or more; about 6 more would show that they differ by less than 2%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.Interims, v.MostBlocks = compare.Undecided, &blocks, 40
			v.Ratio, v.Low, v.High = 1.01, 0.98, 1.04
		}, "finelocking and locking: undecided (1.010x, 95% interval 0.980 to 1.040); 10 blocks can detect a " +
			"change of 5% or more; more than the maximum of 40 blocks in this run would detect +1.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.Interims, v.MostBlocks, v.EnoughBlocks = compare.Undecided, &blocks, 40, 120
			v.Ratio, v.Low, v.High = 1.01, 0.98, 1.04
		}, "finelocking and locking: undecided (1.010x, 95% interval 0.980 to 1.040); 10 blocks can detect a " +
			"change of 5% or more; about 120 blocks, beyond the maximum of 40 in this run, would detect +1.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.Interims, v.Ended, v.Vetoed = compare.Undecided, &blocks, true, true
			v.Ratio, v.Low, v.High = 1.01, 0.98, 1.04
		}, "finelocking and locking: undecided (1.010x, 95% interval 0.980 to 1.040); 10 blocks can detect a " +
			"change of 5% or more; further blocks would not help, because earlier blocks lost responses"},
		{func(v *compare.Verdict) {
			v.Verdict, v.MoreBlocks, v.Detectable = compare.Undecided, &blocks, 14.5
			v.Ratio, v.Low, v.High = 0.404, 0.052, 3.12
		}, "finelocking and locking: undecided (0.40x, interval wider than 10x); 10 blocks are too few for this " +
			"noise; about 6 more would detect -59.6%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.Metric, v.Ratio, v.Low, v.High = compare.Faster, result.WallSeconds, 0.5, 0.4, 0.6
		}, "finelocking takes 0.50x the time of locking (95% interval 0.40 to 0.60)"},
		{func(v *compare.Verdict) { betweenRuns(v); v.Verdict, v.MoreLines = compare.Faster, &more },
			"locking: new is 1.90x old (95% interval 1.85 to 1.95), for 9 more lines"},
		{func(v *compare.Verdict) { betweenRuns(v); v.Verdict, v.MoreLines = compare.Faster, new(int) },
			"locking: new is 1.90x old (95% interval 1.85 to 1.95)"},
		{func(v *compare.Verdict) {
			betweenRuns(v)
			v.Verdict, v.OnlyB, v.Ratio, v.Low, v.High = compare.Equivalent, buffer(1), 1.001, 0.995, 1.006
		}, "locking, new and old (buffer 1): equivalent within 2% (1.001x, 95% interval 0.995 to 1.006)"},
		{func(v *compare.Verdict) {
			betweenRuns(v)
			v.Verdict, v.MoreBlocks, v.Ratio, v.Low, v.High = compare.Undecided, &blocks, 1.03, 0.98, 1.08
		}, "locking, new and old: undecided (1.030x, 95% interval 0.980 to 1.080); 10 old and 12 new blocks can " +
			"detect a change of 5% or more; runs of about 16 blocks would detect +3.0%"},
		{func(v *compare.Verdict) {
			betweenRuns(v)
			v.Verdict, v.Detectable, v.Ratio, v.Low, v.High = compare.Undecided, result.Unavailable, 1.03, 0.98, 1.08
		}, "locking, new and old: undecided (1.030x, 95% interval 0.980 to 1.080); 10 old and 12 new blocks are too " +
			"few to decide; runs of over 1000 blocks would detect +3.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.N, v.Detectable, v.Low, v.High = compare.Undecided, 2, result.Unavailable, 0.0125, 31.3
		}, "finelocking and locking: undecided (1.90x, interval wider than 10x); 2 blocks are too few to decide; " +
			"over 1000 blocks would detect +90.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.MoreBlocks, v.Ratio, v.Low, v.High, v.P = compare.Undecided, &blocks, 1.03, 1.01, 1.05, 0.06
		}, "finelocking and locking: undecided (1.030x, 95% interval 1.010 to 1.050); its interval excludes 1, but " +
			"over all 3 comparisons the chance of a false difference would exceed 5%; 10 blocks can detect a " +
			"change of 5% or more; about 6 more would detect +3.0%"},
		{func(v *compare.Verdict) {
			v.Verdict, v.Vetoed, v.Permutation = compare.Undecided, true, 0.0625
		}, "finelocking and locking: undecided (1.90x, 95% interval 1.85 to 1.95); 10 blocks can detect a change of " +
			"5% or more; a permutation test does not confirm the difference, so it is unknown how many blocks would " +
			"decide"},
		{func(v *compare.Verdict) {
			v.Verdict, v.N, v.Detectable, v.Low, v.High, v.P = compare.Undecided, 2, result.Unavailable, 1.1, 31.3, 0.06
		}, "finelocking and locking: undecided (1.90x, interval wider than 10x); 2 blocks are too few to decide; " +
			"over 1000 blocks would detect +90.0%"},
	} {
		v := base
		c.change(&v)
		if got := verdictText(v, 3, nil); got != c.want {
			t.Errorf("got\n%s\nwant\n%s", got, c.want)
		}
	}
}

// betweenRuns makes a verdict compare one design in two runs.
func betweenRuns(v *compare.Verdict) {
	v.A, v.B, v.Paired, v.ARun, v.BRun, v.NA, v.NB = "locking", "locking", false, "new", "old", 12, 10
}

func TestVerdictsUnderTheirPoints(t *testing.T) {
	at := func(cpus int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
			plan.Setting{Factor: "stage", Level: plan.TextLevel("1ms")})
	}
	v := compare.Verdict{Workload: "coffee", A: "a", B: "b", Paired: true, Metric: result.Throughput,
		Verdict: compare.Faster, Ratio: 2, Low: 1.9, High: 2.1, N: 10}
	one, two := v, v
	one.Point, two.Point = at(1), at(2)
	var b strings.Builder
	writeVerdicts(&b, []compare.Verdict{one, two}, Style{Unicode: true, Parts: []string{"verdicts"}})
	want := `coffee: verdicts  the chance of any false difference among these 2 is at most 5%
cpus 1
  a is 2.00x b (95% interval 1.90 to 2.10)
cpus 2
  a is 2.00x b (95% interval 1.90 to 2.10)
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestVerdictLines checks the line of each kind of verdict.
func TestVerdictLines(t *testing.T) {
	at := func(cpus int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
	}
	v := func(a, b string, cpus int, verdict string, ratio, low, high result.Value) compare.Verdict {
		return compare.Verdict{Workload: "coffee", A: a, B: b, Paired: true, Metric: result.Throughput,
			Verdict: verdict, Point: at(cpus), Ratio: ratio, Low: low, High: high, N: 10, Margin: 0.02,
			P: result.Unavailable}
	}
	exact := func(x compare.Verdict) compare.Verdict { x.Exact = true; return x }
	faster := v("fine", "coarse", 2, compare.Faster, 1.99, 1.97, 2)
	faster.MoreLines = ptr(20)
	timed := v("new", "old", 2, compare.Faster, 0.9, 0.88, 0.92)
	timed.Metric, timed.MoreLines = result.WallSeconds, ptr(-1)
	open := v("a", "b", 4, compare.Undecided, 1.03, 0.95, 1.12)
	open.MoreBlocks = ptr(12)
	beyond := open
	beyond.MoreBlocks, beyond.MostBlocks, beyond.EnoughBlocks = nil, 40, 120
	few := v("a", "b", 4, compare.Undecided, 2, 0.2, 9)
	few.N = 3
	simulated := open
	simulated.World, simulated.MoreBlocks = result.Virtual, ptr(1)
	long := v("workerpoolwithqueue", "unboundedgoroutines", 2, compare.Faster, 0.126, 0.12, 0.13)
	long.Metric = result.WallSeconds

	for _, c := range []struct {
		name string
		list []compare.Verdict
		want string
	}{
		{"by point", []compare.Verdict{exact(v("b", "a", 1, compare.Equivalent, 1, 1, 1)),
			exact(v("c", "b", 1, compare.Equivalent, 1, 1, 1)), faster, timed,
			v("x", "y", 4, compare.Equivalent, 1.005, 0.998, 1.012), open},
			`  cpus 1  a, b and c equal (exact)
  cpus 2  fine 1.99x coarse [1.97, 2.00] (+99.0%)  20 more lines
          new 0.90x the time of old [0.88, 0.920] (-10.0%)  1 fewer line
  cpus 4  x 1.005x y [0.998, 1.012]  equivalent within 2%
          a 1.030x b [0.950, 1.12]  undecided, +12 blocks
`},
		{"many undecided", []compare.Verdict{open, open, open, open, open, faster},
			`  cpus 2  fine 1.99x coarse [1.97, 2.00] (+99.0%)  20 more lines
  5 of 6 undecided; about 12 more blocks would decide all of them
`},
		{"one needs more than the maximum of the run", []compare.Verdict{open, open, beyond, open, open, faster},
			`  cpus 2  fine 1.99x coarse [1.97, 2.00] (+99.0%)  20 more lines
  5 of 6 undecided; a count of about 120 without a budget would decide all of
    them
`},
		{"beyond the budget", []compare.Verdict{faster, beyond},
			`  cpus 2  fine 1.99x coarse [1.97, 2.00] (+99.0%)  20 more lines
  cpus 4  a 1.030x b [0.950, 1.12]  undecided, needs 120 blocks
`},
		{"some have too few blocks", []compare.Verdict{faster, few},
			`  cpus 2  fine 1.99x coarse [1.97, 2.00] (+99.0%)  20 more lines
  no verdict on 1 of 2 comparisons: 3 blocks are too few to decide
`},
		{"all have too few blocks", []compare.Verdict{few, few}, ""},
		{"wider than the page", []compare.Verdict{long, open}, `  cpus 2  workerpoolwithqueue 0.13x the time of unboundedgoroutines [0.12, 0.13]
            (-87.4%)
  cpus 4  a 1.030x b [0.950, 1.12]  undecided, +12 blocks
`},
		{"one more replication", []compare.Verdict{simulated}, `  a 1.030x b [0.950, 1.12]  undecided, +1 replication
`},
		{"many undecided replications", []compare.Verdict{simulated, simulated, simulated, simulated, simulated},
			`  5 of 5 undecided; about 1 more replication would decide all of them
`},
	} {
		var b strings.Builder
		writeVerdicts(&b, c.list, Style{Width: 80})
		_, got, _ := strings.Cut(b.String(), "\n")
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestSpeedupPlot checks that the plot has the intervals of the curve, except those that would set its scale.
func TestSpeedupPlot(t *testing.T) {
	plot := func(low, high result.Value) string {
		s := compare.Scaling{Design: "A"}
		for _, cpus := range []int{1, 2, 4} {
			ideal := result.Value(cpus)
			m := result.Summary{Metric: compare.SpeedupMetric, Median: ideal, Low: low * ideal, High: high * ideal}
			s.Curve = append(s.Curve, compare.Row{Design: "A", World: result.Live, N: 8,
				Point:   plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)}),
				Metrics: map[string]result.Summary{compare.SpeedupMetric: m}})
		}
		var b strings.Builder
		writeSpeedups(&b, []compare.Scaling{s}, Style{Width: 80})
		return b.String()
	}
	none := plot(result.Unavailable, result.Unavailable)
	if !strings.Contains(none, "speed-up") || plot(0.01, 100) != none {
		t.Errorf("an interval that is too wide changes the plot:\n%s\n%s", none, plot(0.01, 100))
	}
	if wide := plot(0.5, 2); wide == none || !strings.Contains(wide, "8") {
		t.Errorf("the plot lacks the interval up to 8:\n%s", wide)
	}
}

// vagueText explains intervals that are not printed.
const vagueText = "±? : the interval is wider than 10x"

// TestVagueIntervals checks that an interval that is too wide is not printed.
func TestVagueIntervals(t *testing.T) {
	for _, c := range []struct {
		low, high       result.Value
		sentence, table string
	}{
		{0.0125, 31.3, "interval wider than 10x", "±?"},
		{0.5, 4.9, "0.50 to 4.90", "[0.50, 4.90]"},
	} {
		s := compare.Scaling{Design: "A", From: 1, To: 2, Speedup: 1.5, Low: c.low, High: c.high, Efficiency: 0.75,
			Limit: compare.LimitNoise}
		if got := scalingText(s); !strings.Contains(got, "A: 1.50x from 1 to 2 CPUs ("+c.sentence+"), efficiency") {
			t.Errorf("scaling: %s", got)
		}
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)})
		f := frame{rows: []compare.Row{{Design: "A", Point: p,
			SerialFraction: &compare.SerialFraction{Design: "A", Point: p, Speedup: 1.5, Low: c.low, High: c.high,
				Share: 0.3},
			Formula: &compare.Formula{Metric: result.WallSeconds, Design: "A",
				N: 2, Ratio: 1.5, Low: c.low, High: c.high}}}}
		if got := f.serialTexts()[0]; got != "A: 1.50 ("+c.sentence+") on 2 CPUs, serial share 0.300" {
			t.Errorf("serial share: %s", got)
		}
		if got := f.formulaFit("A"); got != ": measured 1.50 of it ("+c.sentence+")" {
			t.Errorf("formula: %s", got)
		}
		v := compare.Verdict{A: "A", B: "A", Paired: true, Ratio: 1.5, Low: c.low, High: c.high, N: 2,
			Verdict: compare.Undecided}
		runs := twoRuns()
		runs.Comparison.Matches[1].Verdict.Low, runs.Comparison.Matches[1].Verdict.High = c.low, c.high
		var page strings.Builder
		if err := runs.Table(&page, Style{Width: 120, Unicode: true}); err != nil ||
			!strings.Contains(page.String(), "  "+c.table+"  ") {
			t.Errorf("no %s in\n%s", c.table, &page)
		}
		explained := strings.Contains(page.String(), vagueText)
		if err := runs.Markdown(&page); err != nil || explained != (c.table == noInterval) ||
			strings.Count(page.String(), vagueText) != map[bool]int{true: 2}[explained] {
			t.Errorf("%s is not explained where it stands:\n%s", noInterval, &page)
		}
		g := compare.MetricGroup{Verdicts: []compare.Verdict{v, v}, Geomean: 1.5, GeoLow: c.low, GeoHigh: c.high, N: 2}
		for _, column := range (Benchmarks{A: "head", B: "base"}).comparisonColumns(result.TimePerOp, g) {
			for i, cell := range column.cells {
				if column.head == "95% interval" && cell.text != c.table {
					t.Errorf("line %d of a table: %s, want %s", i, cell.text, c.table)
				}
			}
		}
	}
}
