package compare

import (
	"fmt"
	"math"
	"slices"
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
	var got []string
	for _, w := range answerTo(10, o, result.Job, noisy, cases...).Winners {
		next := "none"
		if w.Next != nil {
			next = *w.Next
		}
		slices.Sort(w.Leaders)
		text := fmt.Sprintf("%s %v: %s %v %.2f %s", w.Point, w.Factors, w.Verdict, w.Leaders, w.Ratio, next)
		if w.MoreBlocks != nil {
			text += fmt.Sprintf(" %d more", *w.MoreBlocks)
		}
		got = append(got, text)
	}
	want := []string{
		"read=0 keys=10 [read keys]: fastest [b] 1.41 c",
		"read=0 keys=20 [read keys]: equivalent [a b] 2.00 c",
		"read=1 keys=10 [read keys]: fastest [a] 2.00 b",
		"read=1 keys=20 [read keys]: undecided [a b] 2.00 c 22 more",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	// No map if one factor varies, or if no design has a competitor.
	for name, list := range map[string][]answerCase{"one factor": cases[:6],
		"one design": {cases[0], cases[3], cases[6], cases[8]}} {
		if w := answerTo(10, o, result.Job, nil, list...).Winners; w != nil {
			t.Errorf("%s: %v", name, w)
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
