package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// logsOf returns ten logarithms with the given mean that alternate by +-spread around it.
func logsOf(mean, spread float64) []float64 {
	logs := make([]float64, 10)
	for i := range logs {
		logs[i] = mean + spread*float64(2*(i%2)-1)
	}
	return logs
}

func verdictOf(t *testing.T, j Criteria, names []string, logs ...[]float64) []Verdict {
	t.Helper()
	rows, trials := sweepOf(names, logs)
	return j.Verdicts(rows, trials)
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name         string
		mean, spread float64
		want         string
	}{
		{"twice as fast", math.Log(2), 0.03, Faster},
		{"half as fast", -math.Log(2), 0.03, Slower},
		{"the same", 0, 0.005, Equivalent},
		{"one per cent apart, surely", 0.01, 0.002, Equivalent},
		{"noisy", 0.02, 0.2, Undecided},
		{"a little more than the margin, surely", 0.03, 0.002, Faster},
	} {
		v := verdictOf(t, DefaultCriteria("", nil), []string{"b", "a"}, logsOf(0, 0), logsOf(c.mean, c.spread))
		if len(v) != 1 || v[0].A != "a" || v[0].B != "b" || v[0].Verdict != c.want {
			t.Fatalf("%s: %+v", c.name, v)
		}
		if got := math.Log(float64(v[0].Ratio)); math.Abs(got-c.mean) > 1e-9 {
			t.Errorf("%s: ratio %v, want %v", c.name, v[0].Ratio, math.Exp(c.mean))
		}
		if (v[0].MoreBlocks != nil) != (c.want == Undecided) {
			t.Errorf("%s: more blocks %v", c.name, v[0].MoreBlocks)
		}
	}
}

// TestObstacle checks that an undecided verdict is explained by the family-wise error that decided it.
func TestObstacle(t *testing.T) {
	strict := DefaultCriteria("", nil)
	strict.Alpha = 0.004
	for _, c := range []struct {
		j             Criteria
		verdict, want string
	}{{DefaultCriteria("", nil), Faster, ""}, {strict, Undecided, ObstacleFamily}} {
		v := verdictOf(t, c.j, []string{"b", "a"}, logsOf(0, 0), logsOf(0.1, 0.08))[0]
		if v.Verdict != c.verdict || !(v.Low > 1) || v.Obstacle() != c.want || v.Alpha() != c.j.Alpha {
			t.Errorf("%v: %s in [%v, %v] with p = %v: obstacle %q", c.j.Alpha, v.Verdict, v.Low, v.High, v.P,
				v.Obstacle())
		}
	}
	if v := (Verdict{}); v.Alpha() != FamilyError {
		t.Errorf("a verdict from JSON: %v", v.Alpha())
	}
}

// TestPairsByBlock: an effect of the block on both cancels, and a block without one of the two does not count.
func TestPairsByBlock(t *testing.T) {
	common := []float64{0, 1, -1, 2, 0.5, -2, 3, 1, -1, 0}
	a := make([]float64, 10)
	for i := range a {
		a[i] = common[i] + 0.1 + 0.001*float64(i%3)
	}
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{common, a})
	trials[3].Status = result.Wrong // b in block 3
	v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]
	if v.N != 9 || v.Verdict != Faster || v.Low < 1.10 || v.High > 1.11 {
		t.Errorf("%+v", v)
	}
}

func TestFamily(t *testing.T) {
	at := func(design string, settings ...plan.Setting) Row {
		return Row{Workload: "w", World: result.Live, Design: design, Point: plan.NewPoint(settings...), N: 10}
	}
	set := func(f string, n int) plan.Setting { return plan.Setting{Factor: f, Level: plan.IntLevel(n)} }
	ideal := at("ideal", set("cpus", 1))
	ideal.Bound = true
	rows := []Row{
		ideal,
		at("lock", set("cpus", 1)), at("lock", set("cpus", 2)),
		at("fine", set("cpus", 1)), at("fine", set("cpus", 2)),
		at("pipe", set("cpus", 1), set("buffer", 0)), at("pipe", set("cpus", 1), set("buffer", 1)),
		at("pipe", set("cpus", 1), set("buffer", 9)),
	}
	name := func(r *Row) string { return r.Design + " " + r.Point.String() }
	got := map[string]bool{}
	for _, p := range DefaultCriteria("lock", []string{"cpus", "workers"}).pairs(rows, (*Row).excluded) {
		got[name(p[0])+" / "+name(p[1])] = true
	}
	want := []string{
		"fine cpus=1 / lock cpus=1", "fine cpus=2 / lock cpus=2",
		"pipe cpus=1 buffer=0 / lock cpus=1", "pipe cpus=1 buffer=1 / lock cpus=1",
		"pipe cpus=1 buffer=9 / lock cpus=1",
		"pipe cpus=1 buffer=0 / fine cpus=1", "pipe cpus=1 buffer=1 / fine cpus=1",
		"pipe cpus=1 buffer=9 / fine cpus=1",
		"pipe cpus=1 buffer=1 / pipe cpus=1 buffer=0", "pipe cpus=1 buffer=9 / pipe cpus=1 buffer=1",
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("not compared: %s", w)
		}
		delete(got, w)
	}
	for g := range got {
		t.Errorf("compared: %s", g)
	}
}

// TestReferences: reference designs are compared with the baseline, or are it, and are no neighbours.
func TestReferences(t *testing.T) {
	names := []string{"slow", "wc", "fast", "cat"}
	rows, trials := sweepOf(names, [][]float64{logsOf(0, 0.01), logsOf(1, 0.01), logsOf(2, 0.01), logsOf(3, 0.01)})
	rows[1].Reference, rows[3].Reference = true, true
	for baseline, want := range map[string]string{
		"":     "fast/slow",
		"slow": "wc/slow fast/slow cat/slow",
		"wc":   "slow/wc fast/slow fast/wc cat/wc",
	} {
		j := DefaultCriteria(baseline, nil)
		list := j.Verdicts(rows, trials)
		var got []string
		for _, v := range list {
			got = append(got, v.A+"/"+v.B)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("baseline %q: %v, want %s", baseline, got, want)
		}
		j.AddBaselineVerdicts(rows, list)
		for _, r := range rows {
			switch {
			case baseline == "" || r.Design == baseline:
				if r.BaselineVerdict != nil {
					t.Errorf("baseline %q: %s stands beside %s", baseline, r.Design, r.BaselineVerdict.B)
				}
			case r.BaselineVerdict == nil || r.BaselineVerdict.A != r.Design || r.BaselineVerdict.B != baseline:
				t.Errorf("baseline %q: %s has %+v", baseline, r.Design, r.BaselineVerdict)
			}
		}
	}
	j := DefaultCriteria("", nil)
	if j.All = true; len(j.Verdicts(rows, trials)) != 6 {
		t.Error("all pairs are not all pairs")
	}
}

// TestJobs: jobs are compared by their time, where less is faster.
func TestJobs(t *testing.T) {
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{logsOf(0, 0), logsOf(-0.5, 0.01)})
	for i := range rows {
		rows[i].Job = true
	}
	for i := range trials {
		trials[i].Type = result.Job
		trials[i].Metrics = result.Metrics{result.WallSeconds: trials[i].Metrics[result.Throughput]}
	}
	v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]
	if v.Metric != result.WallSeconds || v.Verdict != Faster || v.Ratio > 1 {
		t.Errorf("%+v", v)
	}
}

func TestTooFewBlocks(t *testing.T) {
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{{0}, {1}})
	if v := DefaultCriteria("", nil).Verdicts(rows, trials); len(v) != 0 {
		t.Errorf("one block: %+v", v)
	}
	rows, trials = sweepOf([]string{"b", "a"}, [][]float64{{0, 0, 0, 0, 0}, {1, 1.01, 0.99, 1, 1}})
	v := DefaultCriteria("", nil).Verdicts(rows, trials)
	if len(v) != 1 || v[0].Verdict != Undecided || v[0].Detectable.Known() || v[0].MoreBlocks == nil ||
		*v[0].MoreBlocks != 1 {
		t.Errorf("five blocks cannot decide at 5%%, six can: %+v", v)
	}
}

// TestTooFew checks with how many blocks no verdict is possible: two runs need 5 each, blocks of one run 6.
func TestTooFew(t *testing.T) {
	for _, c := range []struct {
		n      int
		paired bool
		want   bool
	}{{4, false, true}, {5, false, false}, {5, true, true}, {6, true, false}} {
		if got := (&Verdict{N: c.n, Paired: c.paired}).TooFew(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestFewBlocksAreNotEquivalent: blocks that cannot show a difference cannot show equivalence.
func TestFewBlocksAreNotEquivalent(t *testing.T) {
	same := []float64{0, 0.0001, 0, -0.0001, 0}
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{{0, 0, 0, 0, 0}, same})
	if v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]; v.Verdict != Undecided || v.Nearly != Equivalent {
		t.Errorf("five blocks: %+v", v)
	}
	rows, trials = sweepOf([]string{"b", "a"}, [][]float64{{0, 0, 0, 0, 0, 0}, append(same, 0)})
	if v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]; v.Verdict != Equivalent {
		t.Errorf("six blocks: %+v", v)
	}
}

// TestProgressIsJudged: 64 workers complete exactly 500 operations in each window. The parts of operations at its
// ends distinguish designs; equal counts do not make them equal.
func TestProgressIsJudged(t *testing.T) {
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{logsOf(0, 0), logsOf(0, 0)})
	for i := range trials {
		trials[i].Operations, trials[i].WallSeconds = 500, 1
		trials[i].Progress = 500 + float64(trials[i].Block%3)
		if trials[i].Design == "a" {
			trials[i].Progress = 550 + float64(trials[i].Block%2)
		}
	}
	if v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]; v.Verdict != Faster || v.Low < 1.09 || v.High > 1.11 {
		t.Errorf("%+v", v)
	}
}

// TestFailedNeighbour: a design without values does not separate its neighbours.
func TestFailedNeighbour(t *testing.T) {
	rows, trials := sweepOf([]string{"c", "b", "a"}, [][]float64{logsOf(0, 0.01), logsOf(0, 0.01), logsOf(1, 0.01)})
	for i := range trials {
		if trials[i].Design == "b" {
			trials[i].Status = result.Failed
		}
	}
	rows[1].N = 0
	if v := DefaultCriteria("", nil).Verdicts(rows, trials); len(v) != 1 || v[0].A != "a" || v[0].B != "c" {
		t.Errorf("%+v", v)
	}
}

// TestFailedNeighbourAtOnePoint: b failed only at 2 CPUs, where a's neighbour is c; and a failed level stands
// between two good ones.
func TestFailedNeighbourAtOnePoint(t *testing.T) {
	at := func(factor string, level int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: factor, Level: plan.IntLevel(level)})
	}
	row := func(design string, p plan.Point, n int) Row {
		return Row{Workload: "w", World: "live", Design: design, Point: p, N: n}
	}
	names := func(pairs [][2]*Row) string {
		var list []string
		for _, p := range pairs {
			list = append(list, fmt.Sprintf("%s@%s %s@%s", p[0].Design, p[0].Point, p[1].Design, p[1].Point))
		}
		return strings.Join(list, "; ")
	}
	rows := []Row{row("c", at("cpus", 1), 9), row("c", at("cpus", 2), 9), row("b", at("cpus", 1), 9),
		row("b", at("cpus", 2), 0),
		row("a", at("cpus", 1), 9), row("a", at("cpus", 2), 9)}
	got := names(DefaultCriteria("", []string{"cpus"}).pairs(rows, (*Row).excluded))
	if want := "b@cpus=1 c@cpus=1; a@cpus=1 b@cpus=1; a@cpus=2 c@cpus=2"; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	rows = []Row{row("a", at("buffer", 1), 9), row("a", at("buffer", 2), 0), row("a", at("buffer", 4), 9)}
	if got, want := names(DefaultCriteria("", nil).pairs(rows, (*Row).excluded)), "a@buffer=4 a@buffer=1"; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
}

// TestManyVerdictsOfFewBlocks: among nine nearly equal designs five blocks decide nothing, and six do.
func TestManyVerdictsOfFewBlocks(t *testing.T) {
	names := []string{"i", "h", "g", "f", "e", "d", "c", "b", "a"}
	logs := make([][]float64, len(names))
	for i := range logs {
		logs[i] = []float64{0, 1e-5 * float64(i), 0, -1e-5 * float64(i), 0}
	}
	rows, trials := sweepOf(names, logs)
	list := DefaultCriteria("", nil).Verdicts(rows, trials)
	if len(list) != len(names)-1 {
		t.Errorf("%d verdicts of %d designs", len(list), len(names))
	}
	for _, v := range list {
		if v.Verdict != Undecided || v.MoreBlocks == nil || *v.MoreBlocks != 1 {
			t.Errorf("%s and %s: %s, %v more", v.A, v.B, v.Verdict, v.MoreBlocks)
		}
	}
}

// TestRoomForEquivalence: after the first of three differences, the next p-value is doubled by Holm and divided by
// 5/6, because a sixth of alpha is reserved for false equivalence.
func TestRoomForEquivalence(t *testing.T) {
	rows, trials := sweepOf([]string{"d", "c", "b", "a"},
		[][]float64{logsOf(0, 0), logsOf(0.1, 0.1), logsOf(0.3, 0.3), logsOf(1.3, 0.3)})
	var p []float64
	for _, v := range DefaultCriteria("", nil).Verdicts(rows, trials) {
		p = append(p, float64(v.P))
	}
	single := func(i int) float64 {
		pair := []string{"d", "c", "b", "a"}[i : i+2]
		rows, trials := sweepOf(pair, [][]float64{logsOf(0, 0),
			[][]float64{logsOf(0.1, 0.1), logsOf(0.2, 0.2), logsOf(1, 0.001)}[i]})
		return float64(DefaultCriteria("", nil).Verdicts(rows, trials)[0].P)
	}
	if want := single(0) * 2 / (5.0 / 6); math.Abs(p[0]-want) > 1e-9 || p[0] > p[1]+1e-12 {
		t.Errorf("adjusted %v, want %v for the first of them", p, want)
	}
}

// TestPermutationMustAgree: of six blocks five agree and one slightly disagrees. Student's t has a p-value below
// 1%, but 4 of the 64 sign assignments are as extreme.
func TestPermutationMustAgree(t *testing.T) {
	rows, trials := sweepOf([]string{"b", "a"}, [][]float64{{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, -0.1}})
	v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]
	if v.P > 0.01 || v.Permutation != 4.0/64 || v.Verdict != Undecided {
		t.Errorf("%+v", v)
	}
	if !v.Vetoed || v.MoreBlocks != nil {
		t.Errorf("vetoed %v, and yet %v more blocks would decide", v.Vetoed, v.MoreBlocks)
	}
	rows, trials = sweepOf([]string{"b", "a"}, [][]float64{{0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, -0.5, -0.9}})
	if v := DefaultCriteria("", nil).Verdicts(rows, trials)[0]; v.Verdict != Undecided || v.Vetoed ||
		v.MoreBlocks == nil {
		t.Errorf("neither test finds a difference: %+v", v)
	}
}

// TestFirstLevel: with AgainstFirst each level is compared with the first one, and with none if that is excluded.
func TestFirstLevel(t *testing.T) {
	row := func(gogc string, n int) Row {
		return Row{Workload: "w", World: "live", Design: "a", N: n,
			Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
				plan.Setting{Factor: "GOGC", Level: plan.TextLevel(gogc)})}
	}
	names := func(j Criteria, rows []Row) string {
		var list []string
		for _, p := range j.pairs(rows, (*Row).excluded) {
			list = append(list, p[0].Point.String()+" / "+p[1].Point.String())
		}
		return strings.Join(list, "; ")
	}
	neighbours, first := DefaultCriteria("", []string{"cpus"}), DefaultCriteria("", []string{"cpus"})
	neighbours.LevelsOnly, first.LevelsOnly, first.AgainstFirst = true, true, true
	all := []Row{row("100", 9), row("50", 9), row("200", 9)}
	if got, want := names(neighbours, all), "cpus=1 GOGC=50 / cpus=1 GOGC=100; cpus=1 GOGC=200 / cpus=1 "+
		"GOGC=50"; got != want {
		t.Errorf("neighbours: have %s\nwant %s", got, want)
	}
	if got, want := names(first, all), "cpus=1 GOGC=50 / cpus=1 GOGC=100; cpus=1 GOGC=200 / cpus=1 "+
		"GOGC=100"; got != want {
		t.Errorf("the first: have %s\nwant %s", got, want)
	}
	all[0].N = 0
	if got := names(first, all); got != "" {
		t.Errorf("the first is out: have %s", got)
	}
}
