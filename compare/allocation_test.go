package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// stateAfter holds the state of designs d0, d1, ... after some blocks: trials, rows, cases, and the cost of each case.
func stateAfter(logs [][]float64) ([]Row, []result.Trial, []plan.Case, []float64) {
	rows, trials := sweepOf(names(len(logs)), logs)
	var cases []plan.Case
	var costs []float64
	for _, r := range rows {
		cases, costs = append(cases, plan.Case{Design: r.Design, Point: r.Point}), append(costs, 1)
	}
	return rows, trials, cases, costs
}

// steps returns n blocks of designs. Each step gives mean and spread of the ratio of two neighbours.
func steps(n int, of ...[2]float64) [][]float64 {
	logs := [][]float64{make([]float64, n)}
	for d, s := range of {
		next := make([]float64, n)
		for b := range next {
			next[b] = logs[d][b] + s[0] + s[1]*float64(2*(b%2)-1)
		}
		logs = append(logs, next)
	}
	return logs
}

// TestAllocation: decided comparisons get no more blocks, and if time is short the least certain ones continue.
func TestAllocation(t *testing.T) {
	interims := usualInterims()
	for _, c := range []struct {
		name  string
		logs  [][]float64
		left  float64
		cases []int
		more  int
		why   string
	}{
		{"all clear", steps(10, [2]float64{1, 0.01}, [2]float64{1, 0.01}), 1000, []int{}, 0, AllDecided},
		{"one open", steps(10, [2]float64{1, 0.01}, [2]float64{0, 0.1}, [2]float64{1, 0.01}), 1000, []int{1, 2}, 5,
			SomeUndecided},
		{"no time", steps(10, [2]float64{0, 0.1}), 9.9, []int{}, 0, NoTime},
		{"just time", steps(10, [2]float64{0, 0.1}), 10, []int{0, 1}, 5, SomeUndecided},
		{"time for the least certain", steps(10, [2]float64{0, 0.05}, [2]float64{1, 0.01}, [2]float64{0, 0.2}), 19,
			[]int{2, 3}, 5, SomeAffordable},
		{"time for both", steps(10, [2]float64{0, 0.05}, [2]float64{1, 0.01}, [2]float64{0, 0.2}), 20,
			[]int{0, 1, 2, 3}, 5, SomeUndecided},
		{"a case in common", steps(10, [2]float64{0, 0.05}, [2]float64{0, 0.2}), 15, []int{0, 1, 2}, 5, SomeUndecided},
		{"to the fourth look", steps(20, [2]float64{0, 0.1}), 20, []int{0, 1}, 10, SomeUndecided},
		{"no analysis is left", steps(40, [2]float64{0, 0.1}), 1000, []int{}, 0, NoBlocks},
		{"before the first look", steps(7, [2]float64{0, 0.1}), 6, []int{0, 1}, 3, SomeUndecided},
	} {
		j := DefaultCriteria("", nil)
		j.Interims = interims
		rows, trials, cases, costs := stateAfter(c.logs)
		got := j.Allocate(rows, trials, cases, costs, c.left)
		if !slices.Equal(got.Cases, c.cases) || got.Blocks != c.more || got.Reason != c.why {
			t.Errorf("%s: %d blocks of %v because %s; want %d of %v because %s", c.name, got.Blocks, got.Cases,
				got.Reason,
				c.more, c.cases, c.why)
		}
	}
}

// TestAllocationOfStragglers: comparisons that missed an analysis for lack of time continue when there is time
// again, and the next analysis is the nearest of all comparisons.
func TestAllocationOfStragglers(t *testing.T) {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	logs := steps(15, [2]float64{0, 0.1}, [2]float64{1, 0.01}, [2]float64{0, 0.1})
	rows, trials, cases, costs := stateAfter(logs)
	trials = slices.DeleteFunc(trials, func(t result.Trial) bool {
		return t.Block >= 12 &&
			(t.Design == "d0" || t.Design == "d1")
	})
	got := j.Allocate(rows, trials, cases, costs, 1000)
	if !slices.Equal(got.Cases, []int{0, 1, 2, 3}) || got.Blocks != 3 {
		t.Errorf("%d blocks of %v; want 3 of all", got.Blocks, got.Cases)
	}
	// Both analyses together take 2*3 + 2*5 blocks. 15 blocks are enough for the one that needs 5, or the one that
	// needs 3.
	if got := j.Allocate(rows, trials, cases, costs, 15.9); got.Reason != SomeAffordable || len(got.Cases) != 2 {
		t.Errorf("%+v", got)
	}
}

// TestFailingPairsGoLast: more trials of a failing comparison may fail, so time goes first to the others.
func TestFailingPairsGoLast(t *testing.T) {
	pairs := [][2]float64{{0, 0.1}, {1, 0.01}, {0, 0.1}}
	for name, c := range map[string]struct {
		blocks int
		fails  func(result.Trial) bool
	}{
		"never in one block": {10, func(t result.Trial) bool {
			return t.Design == "d0" && t.Block%2 == 0 || t.Design == "d1" && t.Block%2 == 1
		}},
		"since the first look": {15, func(t result.Trial) bool { return t.Design == "d0" && t.Block >= 10 }},
	} {
		rows, trials, cases, costs := stateAfter(steps(c.blocks, pairs...))
		for i := range trials {
			if c.fails(trials[i]) {
				trials[i].Status = result.Failed
			}
		}
		if got := sequential().Allocate(rows, trials, cases, costs, 10); !slices.Equal(got.Cases, []int{2, 3}) ||
			got.Reason != SomeAffordable {
			t.Errorf("%s: %+v", name, got)
		}
		if got := sequential().Allocate(rows, trials, cases, costs, 1000); !slices.Contains(got.Cases, 0) {
			t.Errorf("%s, with time for all: %+v", name, got)
		}
	}
}

// TestAllocationProperties: for any data, the chosen cases are those of undecided comparisons, they fit into the
// time left, and no decided comparison returns.
func TestAllocationProperties(t *testing.T) {
	interims := usualInterims()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		m := machinesWith(0.03)[rapid.IntRange(0, 4).Draw(t, "machine")]
		effects := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.02, 0.1, 1}), 2, 5).Draw(t, "effects")
		blocks := rapid.SampledFrom([]int{10, 15, 20, 30, 40}).Draw(t, "blocks")
		left := rapid.Float64Range(0, 100).Draw(t, "left")
		j := DefaultCriteria("", nil)
		j.Interims = interims
		rows, trials, cases, costs := stateAfter(m.sweep(r, blocks, effects))
		for i := range costs {
			costs[i] = rapid.Float64Range(0.1, 3).Draw(t, "cost")
		}
		c := j.Allocate(rows, trials, cases, costs, left)
		time := 0.0
		for _, k := range c.Cases {
			time += float64(c.Blocks) * costs[k]
			if !slices.ContainsFunc(c.Comparisons,
				func(s ComparisonState) bool { return s.Verdict == Undecided && (s.A == k || s.B == k) }) {
				t.Fatalf("case %d is in no undecided comparison of %+v", k, c)
			}
		}
		if time > left*(1+1e-9) || (c.Blocks == 0) != (len(c.Cases) == 0) ||
			(c.Undecided() == 0) != (c.Reason == AllDecided) {
			t.Fatalf("%v of %v left: %+v", time, left, c)
		}
	})
}

// TestVerdictsStand: a verdict keeps the numbers of the analysis that decided it, whatever blocks follow. An
// undecided one has those of the last analysis.
func TestVerdictsStand(t *testing.T) {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	logs := steps(18, [2]float64{0.5, 0.01}, [2]float64{0, 0.2})
	for b := 10; b < 18; b++ {
		logs[1][b] -= 0.5 // from here on d1 is no faster than d0
		logs[2][b] -= 0.5
	}
	rows, trials := sweepOf(names(3), logs)
	v := j.Verdicts(rows, trials)
	if v[0].Verdict != Faster || v[0].N != 10 || *v[0].Interims != 1 || *v[0].AlphaSpent != 0.05/16 {
		t.Errorf("decided: %+v", v[0])
	}
	if v[1].Verdict != Undecided || v[1].N != 15 || *v[1].Interims != 2 ||
		math.Abs(*v[1].AlphaSpent-0.05*9/64) > 1e-12 ||
		!v[1].Detectable.Known() {
		t.Errorf("undecided: %+v", v[1])
	}
	if low, high := v[0].Low, v[0].High; low > 1.64 || high < 1.66 {
		t.Errorf("interval %v to %v", low, high)
	}
}

// TestBeforeTheFirstInterim: nothing is decided before the first analysis, however clear it is.
func TestBeforeTheFirstInterim(t *testing.T) {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	rows, trials := sweepOf(names(2), steps(9, [2]float64{1, 0.001}))
	v := j.Verdicts(rows, trials)[0]
	if v.Verdict != Undecided || v.N != 9 || *v.Interims != 0 || *v.AlphaSpent != 0 || v.Detectable.Known() ||
		v.P != 1 ||
		*v.MoreBlocks != 1 {
		t.Errorf("%+v", v)
	}
}

// TestFailedTrialsAtInterims: an analysis counts good and failed blocks, and spends what the good ones allow.
func TestFailedTrialsAtInterims(t *testing.T) {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	rows, trials := sweepOf(names(2), steps(15, [2]float64{0.02, 0.05}))
	for i := range trials {
		if trials[i].Block == 3 && trials[i].Design == "d1" {
			trials[i].Status = result.Failed
		}
	}
	v := j.Verdicts(rows, trials)[0]
	if want := 0.05 * 14 * 14 / 1600; v.N != 14 || *v.Interims != 2 || math.Abs(*v.AlphaSpent-want) > 1e-12 {
		t.Errorf("spent %v at analysis %d of %d blocks, want %v at the second of 14", *v.AlphaSpent, *v.Interims, v.N,
			want)
	}
	for i := range trials { // the other design too, in another block
		if trials[i].Block == 5 && trials[i].Design == "d0" {
			trials[i].Status = result.Failed
		}
	}
	if v := j.Verdicts(rows, trials)[0]; v.N != 13 || *v.Interims != 2 {
		t.Errorf("%d blocks at analysis %d, want 13 at the second", v.N, *v.Interims)
	}
}

// TestFailuresTakeNothingAway: the result of an analysis stays, even if later trials fail and levels are then
// lower.
func TestFailuresTakeNothingAway(t *testing.T) {
	j := DefaultCriteria("", nil)
	j.Interims = usualInterims()
	logs := steps(20, [2]float64{0.1, 0.105})
	for b := 15; b < 20; b++ {
		logs[1][b] -= 0.2
	}
	rows, trials := sweepOf(names(2), logs)
	until := func(blocks, fails, from int) Verdict {
		some := slices.DeleteFunc(slices.Clone(trials), func(t result.Trial) bool { return t.Block >= blocks })
		for i := range some {
			if some[i].Block >= from && some[i].Block < from+fails {
				some[i].Status = result.Failed
			}
		}
		return j.Verdicts(rows, some)[0]
	}
	two, none, fewer := until(15, 0, 15), until(20, 5, 15), until(20, 1, 17)
	if two.Verdict != Undecided || *two.Interims != 2 || two.P > 0.1 {
		t.Fatalf("the second look: %+v", two)
	}
	if none.P != two.P || *none.Interims != 2 || none.N != 15 {
		t.Errorf("after failures only: p %v at analysis %d of %d blocks, before %v", none.P, *none.Interims, none.N,
			two.P)
	}
	if fewer.P != two.P || *fewer.Interims != 3 || fewer.N != 19 {
		t.Errorf("after a failure: p %v at analysis %d of %d blocks, before %v", fewer.P, *fewer.Interims, fewer.N,
			two.P)
	}
}

// TestAllPairs: all pairs of designs at points that agree, all pairs of levels of one factor, and the blocks that
// make up for their number.
func TestAllPairs(t *testing.T) {
	set := func(f string, n int) plan.Setting { return plan.Setting{Factor: f, Level: plan.IntLevel(n)} }
	var rows []Row
	for _, cpus := range []int{1, 2} {
		for _, d := range []string{"a", "b", "c"} {
			rows = append(rows, Row{Workload: "w", World: result.Live, Design: d,
				Point: plan.NewPoint(set("cpus", cpus)), N: 10})
		}
		for _, buffer := range []int{0, 1, 9} {
			rows = append(rows, Row{Workload: "w", World: result.Live, Design: "pipe",
				Point: plan.NewPoint(set("cpus", cpus), set("buffer", buffer)), N: 10})
		}
	}
	j := DefaultCriteria("", []string{"cpus"})
	few, many, blocks := j.BlocksForAllPairs(rows)
	// At each number of CPUs: a b, b c, c with three buffers, two neighbouring buffers; and all of them: a b,
	// a c, b c, three designs with three buffers, three pairs of buffers.
	if few != 2*(2+3+2) || many != 2*(3+9+3) {
		t.Errorf("%d comparisons of neighbours, %d of all", few, many)
	}
	j.All = true
	seen := map[string]bool{}
	for _, p := range j.pairs(rows, (*Row).excluded) {
		id := fmt.Sprint(p[0].Design, p[0].Point, p[1].Design, p[1].Point)
		if seen[id] {
			t.Errorf("%s is compared twice", id)
		}
		seen[id] = true
	}
	if len(seen) != many || blocks != 12 {
		t.Errorf("%d pairs, %d blocks", len(seen), blocks)
	}
}

// TestFamilySize: the response times of an open loop are unknown before it is measured; the number of comparisons
// is not.
func TestFamilySize(t *testing.T) {
	var rows []Row
	for _, d := range []string{"a", "b", "c"} {
		rows = append(rows, Row{Workload: "w", World: result.Live, Design: d, Open: true})
	}
	rows = append(rows, Row{Workload: "w", World: result.Live, Design: "ideal", Open: true, Bound: true})
	j := DefaultCriteria("", nil)
	if few, many, _ := j.BlocksForAllPairs(rows); few != 2 || many != 3 {
		t.Errorf("%d comparisons of neighbours, %d of all; want 2 and 3", few, many)
	}
	if pairs := j.pairs(rows, (*Row).excluded); len(pairs) != 0 {
		t.Errorf("%d pairs without a trial", len(pairs))
	}
}
