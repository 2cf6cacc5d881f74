package compare

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func runOf(name string, designs []string, logs ...[]float64) Run {
	rows, trials := sweepOf(designs, logs)
	return Run{Name: name, Rows: rows, Trials: trials}
}

func TestBetween(t *testing.T) {
	for _, c := range []struct {
		name         string
		mean, spread float64
		want         string
	}{
		{"twice as fast", math.Log(2), 0.03, Faster},
		{"half as fast", -math.Log(2), 0.03, Slower},
		{"the same", 0, 0.005, Equivalent},
		{"noisy", 0.03, 0.08, Undecided},
	} {
		a, b := runOf("new", []string{"x"}, logsOf(c.mean, c.spread)), runOf("old", []string{"x"}, logsOf(0, c.spread))
		list := DefaultCriteria("", nil).CompareRuns(a, b).Verdicts()
		if len(list) != 1 {
			t.Fatalf("%s: %+v", c.name, list)
		}
		v := list[0]
		if v.Verdict != c.want || v.Paired || v.ARun != "new" || v.BRun != "old" || v.A != "x" || v.B != "x" ||
			v.NA != 10 || v.NB != 10 || v.N != 10 {
			t.Errorf("%s: %+v", c.name, v)
		}
		if got := math.Log(float64(v.Ratio)); math.Abs(got-c.mean) > 1e-9 {
			t.Errorf("%s: ratio %v, want %v", c.name, v.Ratio, math.Exp(c.mean))
		}
		if (v.MoreBlocks != nil) != (c.want == Undecided) {
			t.Errorf("%s: more blocks %v", c.name, v.MoreBlocks)
		}
	}
}

// TestRunsAreUnpaired: blocks of two runs with the same number are not simultaneous, so a common effect does not
// cancel.
func TestRunsAreUnpaired(t *testing.T) {
	common := []float64{0, 1, -1, 2, 0.5, -2, 3, 1, -1, 0}
	later := make([]float64, 10)
	for i := range later {
		later[i] = common[i] + 0.1
	}
	newer, older := runOf("new", []string{"x"}, later), runOf("old", []string{"x"}, common)
	v := DefaultCriteria("", nil).CompareRuns(newer, older).Verdicts()[0]
	if v.Verdict != Undecided || v.Low > 0.5 {
		t.Errorf("%+v", v)
	}
}

// TestRunsHolm: p-values grow with the number of comparisons.
func TestRunsHolm(t *testing.T) {
	names := []string{"x", "y", "z"}
	a := runOf("new", names, logsOf(0.02, 0.02), logsOf(0, 0.02), logsOf(0, 0.02))
	b := runOf("old", names, logsOf(0, 0.02), logsOf(0, 0.02), logsOf(0, 0.02))
	all := DefaultCriteria("", nil).CompareRuns(a, b).Verdicts()
	a.Rows, b.Rows = a.Rows[:1], b.Rows[:1]
	alone := DefaultCriteria("", nil).CompareRuns(a, b).Verdicts()
	if got, want := float64(all[0].P), 3*float64(alone[0].P); math.Abs(got-want) > 1e-12 {
		t.Errorf("p %v, want %v", got, want)
	}
}

// TestMatch: the same point, or points that agree in the common factors, unless one has an additional input.
func TestMatch(t *testing.T) {
	set := func(f string, n int) plan.Setting { return plan.Setting{Factor: f, Level: plan.IntLevel(n)} }
	row := func(design string, settings ...plan.Setting) Row {
		return Row{Workload: "w", World: result.Live, Design: design, Point: plan.NewPoint(settings...), N: 10}
	}
	virtual := row("lock", set("cpus", 2))
	virtual.World = "virtual"
	b := []Row{
		row("lock", set("cpus", 1)), virtual,
		row("pipe", set("cpus", 1), set("buffer", 1)), row("pipe", set("cpus", 1), set("buffer", 9)),
		row("gone", set("cpus", 1)), row("open", set("cpus", 1)),
		row("old", set("cpus", 1), set("batch", 3)),
	}
	a := []Row{
		row("lock", set("cpus", 1)), row("lock", set("cpus", 2)), // only in the virtual world
		row("pipe", set("cpus", 1), set("buffer", 9)),
		row("open", set("cpus", 1), set("rate", 5)), // another job
		row("old", set("cpus", 1)),                  // one factor fewer
	}
	name := func(r Row) string { return r.Design + " " + r.Point.String() }
	names := func(rows []Row) string {
		var list []string
		for _, r := range rows {
			list = append(list, name(r))
		}
		return strings.Join(list, "; ")
	}
	matches, onlyA, onlyB := DefaultCriteria("", []string{"cpus", "rate"}).match(a, b)
	var got []string
	for _, m := range matches {
		got = append(got, name(m.A)+" / "+name(m.B))
	}
	if want := "lock cpus=1 / lock cpus=1; pipe cpus=1 buffer=9 / pipe cpus=1 buffer=9; old cpus=1 / " +
		"old cpus=1 batch=3"; strings.Join(got, "; ") != want {
		t.Errorf("matched %q, want %q", strings.Join(got, "; "), want)
	}
	if got, want := names(onlyA), "lock cpus=2; open cpus=1 rate=5"; got != want {
		t.Errorf("only in a: %q, want %q", got, want)
	}
	if got, want := names(onlyB), "lock cpus=2; pipe cpus=1 buffer=1; gone cpus=1; open cpus=1"; got != want {
		t.Errorf("only in b: %q, want %q", got, want)
	}
}

// TestNoVerdict: a bound, a design without values on one side, and a single block match but have no verdict.
func TestNoVerdict(t *testing.T) {
	names := []string{"bound", "failed", "right"}
	a := runOf("new", names, logsOf(0, 0.01), logsOf(0, 0.01), []float64{1})
	b := runOf("old", names, logsOf(0, 0.01), logsOf(0, 0.01), logsOf(0, 0.01))
	a.Rows[0].Bound, b.Rows[0].Bound = true, true
	b.Rows[1].N = 0
	c := DefaultCriteria("", nil).CompareRuns(a, b)
	if len(c.Matches) != 3 || len(c.Verdicts()) != 0 {
		t.Errorf("%+v", c)
	}
}

// unpairedMachines are machines without drift, which would make two runs incomparable. Each has the numbers of
// blocks of the two runs, and the factor by which the second run varies more.
func unpairedMachines() []struct {
	machine
	a, b  int
	wider float64
} {
	type m = struct {
		machine
		a, b  int
		wider float64
	}
	all := machines()
	return []m{{all[0], 10, 10, 1}, {all[1], 10, 10, 1}, {all[3], 10, 10, 1}, {all[4], 10, 10, 1}, {all[0], 6, 15, 3},
		{all[0], 15, 6, 3}, {all[0], 5, 5, 1}, {all[0], 5, 40, 1}, {all[0], 5, 40, 0.3}}
}

// twoRuns returns the logarithms of one design in two runs; the first is faster by effect.
func twoRuns(r *rand.Rand, m machine, a, b int, wider, effect float64) (x, y []float64) {
	x = m.sweep(r, a, []float64{effect})[0]
	m.noise *= wider
	m.block *= wider
	return x, m.sweep(r, b, []float64{0})[0]
}

// TestUnpairedIntervalsCover: the interval contains the true ratio with at least 93.5%, and equal designs get a
// false difference in at most 5%. A drift shows in the order of the blocks of each run.
func TestUnpairedIntervalsCover(t *testing.T) {
	t.Parallel()
	share := func(n int) float64 { return 100 * float64(n) / dataSets }
	for i, m := range unpairedMachines() {
		r := rand.New(rand.NewPCG(4, uint64(i)))
		cover, wrong := 0, 0
		for range dataSets {
			x, y := twoRuns(r, m.machine, m.a, m.b, m.wider, 0) // an effect would only shift the logarithms
			c, _ := stat.CompareUnpaired(x, y, 0.95)
			cover += boolToInt(c.Low <= 1 && 1 <= c.High)
			wrong += boolToInt(c.Enough(0.05) && c.P() <= 0.05 && c.Permutation() <= 0.05)
		}
		t.Logf("%-14s %2d and %2d blocks: covers %.1f%%, false differences %.1f%%", m.name, m.a, m.b, share(cover),
			share(wrong))
		if share(cover) < 93.5 {
			t.Errorf("%s: the interval covers in %.1f%%", m.name, share(cover))
		}
		if share(wrong) > 5.4 { // 5% and two standard errors of 10,000
			t.Errorf("%s: a false difference in %.1f%%", m.name, share(wrong))
		}
	}
	drifting := machines()[2]
	r := rand.New(rand.NewPCG(5, 0))
	wrong := 0
	for range dataSets / 10 {
		// The second run begins where the first ended.
		both := drifting.sweep(r, 20, []float64{0})[0]
		c, _ := stat.CompareUnpaired(both[10:], both[:10], 0.95)
		wrong += boolToInt(c.P() <= 0.05)
	}
	t.Logf("drift from run to run: false differences %.1f%%", 10*share(wrong))
	if 10*share(wrong) > 10 {
		t.Errorf("a drift that shows in the order of the blocks is taken for a difference in %.1f%%", 10*share(wrong))
	}
}

// differentRuns returns merged runs of a design. Each has a level of its own, with this spread, and 10 blocks with
// an error of 0.5%.
func differentRuns(r *rand.Rand, runs int, spread float64) Run {
	var parts []Run
	for k := range runs {
		logs, level := make([]float64, 10), spread*r.NormFloat64()
		for b := range logs {
			logs[b] = level + 0.005*r.NormFloat64()
		}
		parts = append(parts, runOf(strconv.Itoa(k), []string{"x"}, logs))
	}
	return MergeRuns(parts, []plan.Case{{Design: "x", Point: onePoint()}})
}

// TestRunsDiffer: if runs of one program differ by more than their blocks, one run per side gives many false
// differences, as the warning and the manual say. Several runs per side give as few as promised.
func TestRunsDiffer(t *testing.T) {
	t.Parallel()
	const sets = 2000
	for _, c := range []struct {
		a, b   int
		spread float64
		low    float64 // percentage of false differences
		high   float64
	}{
		{1, 1, 0.01, 24, 34}, {1, 1, 0.02, 55, 65}, {3, 3, 0.01, 0, 6}, {3, 3, 0.02, 0, 6}, {2, 2, 0.02, 0, 6},
		{5, 3, 0.02, 0, 6}, {3, 3, 0, 0, 6}, {1, 3, 0.02, 0, 0},
	} {
		r := rand.New(rand.NewPCG(12, uint64(c.a)))
		wrong := 0
		for range sets {
			v := DefaultCriteria("", nil).CompareRuns(differentRuns(r, c.a, c.spread),
				differentRuns(r, c.b, c.spread)).Matches[0].Verdict
			wrong += boolToInt(v.Verdict == Faster || v.Verdict == Slower)
		}
		got := 100 * float64(wrong) / sets
		t.Logf("%d and %d runs that differ by %.0f%%: false differences %.1f%%", c.a, c.b, 100*c.spread, got)
		if got < c.low || got > c.high {
			t.Errorf("%d and %d runs, spread %v: false differences in %.1f%%, not within %v and %v", c.a, c.b,
				c.spread, got, c.low, c.high)
		}
	}
}

// TestSeveralRuns: the verdict names the runs, and how many more would decide.
func TestSeveralRuns(t *testing.T) {
	side := func(name string, levels ...float64) Run {
		var parts []Run
		for k, level := range levels {
			parts = append(parts, runOf(name+strconv.Itoa(k), []string{"x"}, logsOf(level, 0.001)))
		}
		return MergeRuns(parts, []plan.Case{{Design: "x", Point: onePoint()}})
	}
	j := DefaultCriteria("", nil)
	v := j.CompareRuns(side("n", 0.20, 0.21, 0.22), side("o", 0, 0.01, 0.02)).Matches[0].Verdict
	if v.Verdict != Faster || v.RunsA != 3 || v.RunsB != 3 || v.NA != 30 || v.ARun != "n0,n1,n2" || v.MoreRuns != nil {
		t.Errorf("apart: %+v", v)
	}
	v = j.CompareRuns(side("n", 0.03, 0.08), side("o", 0, 0.05)).Matches[0].Verdict
	if v.Verdict != Undecided || v.MoreBlocks != nil || v.MoreRuns == nil || *v.MoreRuns < 1 {
		t.Errorf("not apart: %+v", v)
	}
	// Runs that agree by chance are as uncertain as their blocks.
	noisy := func(name string) Run {
		parts := []Run{runOf(name+"1", []string{"x"}, logsOf(0, 0.05)),
			runOf(name+"2", []string{"x"}, logsOf(0.001, 0.05))}
		return MergeRuns(parts, []plan.Case{{Design: "x", Point: onePoint()}})
	}
	if v = j.CompareRuns(noisy("n"), noisy("o")).Matches[0].Verdict; v.Verdict != Undecided || v.High/v.Low < 1.05 {
		t.Errorf("noisy: %+v", v)
	}
}

// TestRunsWithoutADesign: a run without a design does not count for it.
func TestRunsWithoutADesign(t *testing.T) {
	with := func(name string, level float64) Run { return runOf(name, []string{"x"}, logsOf(level, 0.001)) }
	without := func(name string) Run { return runOf(name, []string{"y"}, logsOf(1, 0.001)) }
	cases := []plan.Case{{Design: "x", Point: onePoint()}}
	j := DefaultCriteria("", nil)
	m := j.CompareRuns(MergeRuns([]Run{with("n0", 0.2), without("n1")}, cases), with("o", 0)).Matches
	if v := m[0].Verdict; v == nil || v.Verdict != Faster || v.RunsA != 0 || v.RunsB != 0 || v.NA != 10 || v.NB != 10 {
		t.Errorf("one run of each side holds it: %+v", v)
	}
	m = j.CompareRuns(MergeRuns([]Run{with("n0", 0.2), without("n1"), with("n2", 0.21)}, cases),
		MergeRuns([]Run{with("o0", 0), with("o1", 0.01)}, cases)).Matches
	if v := m[0].Verdict; v == nil || v.Verdict != Faster || v.RunsA != 2 || v.RunsB != 2 || v.NA != 20 {
		t.Errorf("two runs of each side hold it: %+v", v)
	}
	bad := with("bad", 0)
	for i := range bad.Trials {
		bad.Trials[i].Metrics = result.Metrics{}
	}
	if m = j.CompareRuns(with("n", 0.2), bad).Matches; len(m) != 1 || m[0].Verdict != nil {
		t.Errorf("a side without a number: %+v", m)
	}
}

// TestLogsByRun: the first block of a run belongs to it, even if the run before lacks its last blocks.
func TestLogsByRun(t *testing.T) {
	var parts []Run
	for k := range 3 {
		parts = append(parts, runOf(strconv.Itoa(k), []string{"x"}, logsOf(float64(k), 0.001)))
	}
	side := MergeRuns(parts, []plan.Case{{Design: "x", Point: onePoint()}})
	values := blockValues(side.Trials)[rowKey(&side.Rows[0])]
	delete(values, 9)
	for k, logs := range logsByRun(side.starts, values, 0) {
		level := stat.Mean(logs) - math.Log(100)
		if want := 10 - boolToInt(k == 0); len(logs) != want || math.Abs(level-float64(k)) > 0.01 {
			t.Errorf("run %d has %d blocks of %v, want %d of %d", k, len(logs), level, want, k)
		}
	}
}

// TestUnpairedDetectable: a true ratio equal to the detectable one is found in 76% to 84%.
func TestUnpairedDetectable(t *testing.T) {
	const sigma, blocks = 0.03, 10
	r := rand.New(rand.NewPCG(6, 0))
	exact := make([]float64, blocks) // the standard deviation is sigma
	for i := range exact {
		exact[i] = sigma * math.Sqrt(1-1.0/blocks) * float64(1-2*(i%2))
	}
	known, _ := stat.CompareUnpaired(exact, exact, 0.95)
	effect := math.Log(known.Detectable(1, 0.05))
	found := 0
	for range dataSets {
		x, y := twoRuns(r, machine{noise: sigma}, blocks, blocks, 1, effect)
		c, _ := stat.CompareUnpaired(x, y, 0.95)
		found += boolToInt(c.P() <= 0.05)
	}
	if share := 100 * float64(found) / dataSets; share < 76 || share > 84 {
		t.Errorf("a detectable ratio is found in %.1f%%", share)
	}
}

// TestRunsFamilywise: five unchanged designs get a false difference in at most 5% of the comparisons.
func TestRunsFamilywise(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d", "e"}
	r := rand.New(rand.NewPCG(7, 0))
	wrong := 0
	const sets = dataSets / 8
	for range sets {
		m := machines()[0]
		a, b := runOf("new", names, m.sweep(r, 8, make([]float64, 5))...),
			runOf("old", names, m.sweep(r, 8, make([]float64, 5))...)
		for _, v := range DefaultCriteria("", nil).CompareRuns(a, b).Verdicts() {
			if v.Verdict == Faster || v.Verdict == Slower {
				wrong++
				break
			}
		}
	}
	if share := 100 * float64(wrong) / sets; share > 6.2 { // 5% and two standard errors of 1,250
		t.Errorf("a false difference in %.1f%% of the comparisons", share)
	}
}

// TestRunsWithBudgets: a budget stops when designs happen to look clearly different or equal, so more than 5% of
// the differences between such runs are false. Compare warns of it. The interval of a median still holds.
func TestRunsWithBudgets(t *testing.T) {
	t.Parallel()
	const sets = 1000
	j, r := sequential(), rand.New(rand.NewPCG(11, 0))
	wrong, holds := 0, 0
	for range sets {
		var runs [2][]float64
		for k := range runs {
			logs := machine{noise: 0.02, block: 0.01}.sweep(r, 40, []float64{0, 0.01})
			measured, _ := allocated(j, logs, []float64{1, 1}, math.Inf(1))
			runs[k] = logs[0][:measured/2]
		}
		c, _ := stat.CompareUnpaired(runs[0], runs[1], 0.95)
		wrong += boolToInt(c.P() <= 0.05)
		_, low, high, _ := stat.MedianInterval(runs[0], 0.95)
		holds += boolToInt(low <= 0 && 0 <= high)
	}
	t.Logf("false differences %.1f%%, a median's interval holds it in %.1f%%", 100*float64(wrong)/sets,
		100*float64(holds)/sets)
	if share := 100 * float64(wrong) / sets; share < 5.5 || share > 8.5 {
		t.Errorf("%.1f%% of the differences between runs with a budget are false: what compare says of them is wrong",
			share)
	}
	if share := 100 * float64(holds) / sets; share < 93.5 {
		t.Errorf("the interval of a median holds it in %.1f%%", share)
	}
}
