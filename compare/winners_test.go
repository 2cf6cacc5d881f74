package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestWinners checks who wins at each point of a run that varies two factors: one design, equivalent ones, or none that
// is known.
func TestWinners(t *testing.T) {
	at := func(read, keys int) plan.Point {
		return onCPUs(2, plan.Setting{Factor: "read", Level: plan.IntLevel(read)},
			plan.Setting{Factor: "keys", Level: plan.IntLevel(keys)})
	}
	two, o := math.Log(2), AnswerOptions{Inputs: []string{"read", "keys"}}
	noisy := func(t *result.Trial) { // b, at one point
		if t.Design == "b" && t.Point.String() == at(1, 20).String() {
			t.Metrics[result.WallSeconds] *= result.Value(1 + 0.2*float64(t.Block%3))
		}
	}
	cases := []answerCase{
		{"a", at(0, 10), 0, 0.01}, {"b", at(0, 10), two, 0.01}, {"c", at(0, 10), two / 2, 0.01},
		{"a", at(0, 20), two, 0.01}, {"b", at(0, 20), two + 0.002, 0.01}, {"c", at(0, 20), 0, 0.01},
		{"a", at(1, 10), two, 0.01}, {"b", at(1, 10), 0, 0.01},
		{"a", at(1, 20), 0, 0.01}, {"b", at(1, 20), 0.05, 0.01}, {"c", at(1, 20), -two, 0.01},
	}
	checkWinners(t, answerTo(10, o, result.Job, noisy, cases...).Winners,
		"read=0 keys=10: fastest [b] 1.41 c",
		"read=0 keys=20: equivalent [b a] 2.00 c",
		"read=1 keys=10: fastest [a] 2.00 b",
		"read=1 keys=20: undecided [a b] 2.00 c 22 more")

	// A design that fails without declaring it is not on the map.
	wrong := func(t *result.Trial) {
		if t.Design == "b" && t.Point.String() == at(0, 10).String() && t.Block == 3 {
			t.Status, t.Expected = result.Wrong, false
		}
	}
	if w := answerTo(10, o, result.Job, wrong, cases...).Winners[0]; !slices.Equal(w.Leaders, []string{"c"}) {
		t.Errorf("with a wrong answer of b, the winner is %v", w.Leaders)
	}

	// The map names the next best whatever the baseline is.
	o.Baseline = "a"
	if w := answerTo(10, o, result.Job, noisy, cases...).Winners[0]; w.Next == nil || *w.Next != "c" {
		t.Errorf("with a baseline, the next best is %v", w.Next)
	}

	// No map if one factor varies, or if no design has a competitor.
	for name, list := range map[string][]answerCase{"one factor": cases[:6],
		"one design": {cases[0], cases[3], cases[6], cases[8]}} {
		if w := answerTo(10, o, result.Job, nil, list...).Winners; w != nil {
			t.Errorf("%s: %v", name, w)
		}
	}
}

// checkWinners compares winners with lines of point, verdict, leaders, ratio and next. All have the same factors, and
// no two the same point.
func checkWinners(t *testing.T, list []Winner, want ...string) {
	t.Helper()
	var got []string
	points := map[string]bool{}
	for _, w := range list {
		next := "none"
		if w.Next != nil {
			next = *w.Next
		}
		text := fmt.Sprintf("%s: %s %v %.2f %s", w.Point, w.Verdict, w.Leaders, w.Ratio, next)
		if w.MoreBlocks != nil {
			text += fmt.Sprintf(" %d more", *w.MoreBlocks)
		}
		if w.EnoughBlocks > 0 {
			text += fmt.Sprintf(" %d enough", w.EnoughBlocks)
		}
		got = append(got, text)
		var factors []string
		for _, s := range w.Point.Settings() {
			factors = append(factors, s.Factor)
		}
		if !slices.Equal(factors, w.Factors) || !slices.Equal(factors, list[0].Factors) || points[w.Point.String()] {
			t.Errorf("factors %v of the point %s, which must be new; those of the first are %v", w.Factors, w.Point,
				list[0].Factors)
		}
		points[w.Point.String()] = true
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestBlocksThatDecideWinners checks the blocks that would decide points of a map, also if a run with a budget ended.
func TestBlocksThatDecideWinners(t *testing.T) {
	more, o := 7, AnswerOptions{Inputs: []string{"read", "keys"}}
	known := Verdict{Workload: "w", World: result.Live, Metric: result.Throughput, A: "a", B: "b", Ratio: 1.01,
		Low: 0.9, High: 1.1, N: 20, Verdict: Undecided, Paired: true, MoreBlocks: &more}
	beyond, lost := known, known
	beyond.MoreBlocks, beyond.MostBlocks, beyond.EnoughBlocks = nil, 40, 120
	lost.MoreBlocks, lost.Ended = nil, true
	var rows []Row
	var verdicts []Verdict
	for i, v := range []Verdict{known, beyond, lost, lost} {
		a, b := ratedRow("w", "a", 101), ratedRow("w", "b", 100)
		a.Point = onCPUs(1, setting("read", i/2), setting("keys", i%2))
		b.Point, v.Point = a.Point, a.Point
		rows, verdicts = append(rows, a, b), append(verdicts, v)
	}
	checkWinners(t, NewAnswer(rows, verdicts, o).Winners,
		"read=0 keys=0: undecided [a b] NaN none 7 more",
		"read=0 keys=1: undecided [a b] NaN none 120 enough",
		"read=1 keys=0: undecided [a b] NaN none",
		"read=1 keys=1: undecided [a b] NaN none")
}

// TestWinnersOfFailingDesigns checks that a design with a failure that it declares leads nowhere where it failed, not
// even in words, and that a design that is alone at a point wins nothing there.
func TestWinnersOfFailingDesigns(t *testing.T) {
	var cases []answerCase
	for _, goroutines := range []int{1, 16} {
		for _, read := range []int{0, 1} {
			p := onCPUs(2, setting("goroutines", goroutines), setting("read", read))
			cases = append(cases, answerCase{"safe", p, 0, 0.01}, answerCase{"unsafe", p, math.Log(2), 0.01})
			if read == 0 {
				cases = append(cases, answerCase{"slow", p, -math.Log(2), 0.01})
			}
		}
	}
	crash := func(kind string) func(*result.Trial) {
		return func(t *result.Trial) {
			if t.Design == "unsafe" && t.Point.Int("goroutines") == 16 && t.Block == 3 {
				t.Kind, t.Status, t.Error = kind, result.Failed, "concurrent map writes"
			}
		}
	}
	o := AnswerOptions{Inputs: []string{"goroutines", "read"}}
	for _, kind := range []string{result.KindTrial, result.KindInstrumented} {
		a := answerTo(10, o, result.Job, crash(kind), cases...)
		checkWinners(t, a.Winners,
			"goroutines=1 read=0: fastest [unsafe] 2.00 safe",
			"goroutines=1 read=1: fastest [unsafe] 2.00 safe",
			"goroutines=16 read=0: fastest [safe] 2.00 slow")
		want := "At goroutines 1, read 0 and goroutines 1, read 1, unsafe is fastest: 2.00x as fast as safe; at " +
			"goroutines 16, read 0, safe is fastest: 2.00x as fast as slow."
		if text := strings.Join(a.Text, " "); !strings.HasSuffix(text, want) {
			t.Errorf("%s: %s", kind, text)
		}
	}

	// A trial that is invalid because the machine was late is no failure of the design.
	late := func(t *result.Trial) {
		if t.Block == 3 {
			t.Status, t.Invalid = result.Failed, true
		}
	}
	if n := len(answerTo(10, o, result.Job, late, cases...).Winners); n != 4 {
		t.Errorf("%d winners if each case has an invalid trial, want 4", n)
	}
}

func setting(factor string, n int) plan.Setting {
	return plan.Setting{Factor: factor, Level: plan.IntLevel(n)}
}

// TestWinnersOfPartialFactors checks the map if only some designs use an input, and if a design has several levels of
// another factor.
func TestWinnersOfPartialFactors(t *testing.T) {
	var cases []answerCase
	for _, read := range []int{0, 1} {
		at := func(more ...plan.Setting) plan.Point {
			return onCPUs(2, append([]plan.Setting{setting("read", read)}, more...)...)
		}
		cases = append(cases, answerCase{"m", at(), 0, 0.01}, answerCase{"n", at(), math.Log(2), 0.01})
		for _, between := range []int{10, 20} {
			for _, shards := range []int{1, 8} {
				p := at(setting("between", between), setting("shards", shards))
				cases = append(cases, answerCase{"o", p, math.Log(float64(shards)), 0.01})
			}
		}
	}
	checkWinners(t, answerTo(10, AnswerOptions{Inputs: []string{"read", "between"}}, result.Job, nil, cases...).Winners,
		"read=0 between=-: fastest [n] 2.00 m",
		"read=0 between=10: fastest [o (shards 8)] 8.00 o (shards 1)",
		"read=0 between=20: fastest [o (shards 8)] 8.00 o (shards 1)",
		"read=1 between=-: fastest [n] 2.00 m",
		"read=1 between=10: fastest [o (shards 8)] 8.00 o (shards 1)",
		"read=1 between=20: fastest [o (shards 8)] 8.00 o (shards 1)")
}

// TestWinnerPoints checks that contests which the varying factors do not tell apart get different points.
func TestWinnerPoints(t *testing.T) {
	point := func(n, read int, more ...plan.Setting) plan.Point {
		return plan.NewPoint(append([]plan.Setting{setting("cpus", n), setting("read", read)}, more...)...)
	}
	of := func(rate float64, p plan.Point) *contest { return &contest{at: p, rows: []*Row{{Rate: rate}}} }
	for _, c := range []struct {
		contests []*contest
		want     string
	}{
		{[]*contest{of(0, point(1, 0)), of(0, point(2, 1))}, "[cpus read] [cpus=1 read=0 cpus=2 read=1]"},
		{[]*contest{of(0, point(1, 0)), of(0, point(1, 0, setting("workers", 1))), of(0, point(2, 1))},
			"[cpus read workers] [cpus=1 read=0 workers=- cpus=1 read=0 workers=1 cpus=2 read=1 workers=-]"},
		{[]*contest{of(5, point(1, 0)), of(7, point(1, 0)), of(5, point(2, 1))},
			"[cpus read rate] [cpus=1 read=0 rate=5 cpus=1 read=0 rate=7 cpus=2 read=1 rate=5]"},
	} {
		g := &answerGroup{contests: c.contests, contextFactors: []string{"cpus", "read", "workers"},
			varying: []string{"read", "cpus"}}
		factors, points := g.winnerPoints()
		if got := fmt.Sprint(factors, " ", points); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// TestTooFewForWinners checks that there is no map, but a remark, if no point has enough replications for a verdict.
func TestTooFewForWinners(t *testing.T) {
	for _, c := range []struct {
		world  string
		trials int
		want   string
	}{
		{result.Virtual, 3, "A map of winners needs at least 6 replications."},
		{result.Live, 5, "A map of winners needs at least 6 blocks."},
		{result.Live, 6, ""},
	} {
		world := func(t *result.Trial) { t.World = c.world }
		var cases []answerCase
		for i := range 4 {
			p := onCPUs(1+i%2, plan.Setting{Factor: "size", Level: plan.IntLevel(i / 2)})
			cases = append(cases, answerCase{"a", p, 0, 0.01}, answerCase{"b", p, 1, 0.01})
		}
		a := answerTo(c.trials, AnswerOptions{Inputs: []string{"size"}}, result.Job, world, cases...)
		last := a.Text[len(a.Text)-1]
		if c.want == "" && len(a.Winners) != 4 || c.want != "" && (a.Winners != nil || last != c.want) {
			t.Errorf("%s, %d: %d winners, %q", c.world, c.trials, len(a.Winners), a.Text)
		}
	}
}
