package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// winnersAnswer is an answer with a map of winners of three rows and three columns, without one of its points.
func winnersAnswer() compare.Answer {
	a := compare.AnswerOf([]string{"That is all."})
	next := "slow"
	add := func(read, keys int, verdict string, ratio float64, leaders ...string) {
		w := compare.Winner{Workload: "w", World: result.Live, Factors: []string{"read", "keys"}, Verdict: verdict,
			Point: plan.NewPoint(plan.Setting{Factor: "read", Level: plan.IntLevel(read)},
				plan.Setting{Factor: "keys", Level: plan.IntLevel(keys)}),
			Leaders: leaders, Next: &next, Ratio: result.Value(ratio)}
		a.Winners = append(a.Winners, w)
	}
	add(0, 10, compare.Fastest, 1.5, "<fast>")
	add(0, 20, compare.Equivalent, 2, "<fast>", "b")
	add(50, 10, compare.Undecided, 3, "b", "c", "d", "<fast>")
	add(50, 20, compare.Fastest, 12, "c")
	add(100, 10, compare.Undecided, 3, "b", "c")
	twelve := 12
	a.Winners[2].MoreBlocks = &twelve
	return a
}

// TestWinnersNotes checks that the map explains its signs, and only those that it has.
func TestWinnersNotes(t *testing.T) {
	all := winnersAnswer().Winners
	for i, c := range []struct {
		list []compare.Winner
		want string
	}{
		{all[:1], ""},
		{all[:2], "a = b: equivalent"},
		{all[2:3], "a ? b: undecided, about 12 more blocks would decide; +2: 2 more designs may be as fast"},
		{all[4:], "a ? b: undecided"},
		{all[2:], "a ? b: undecided, about 12 more blocks would decide some; +2: 2 more designs may be as fast; " +
			"-: no two designs to compare"},
	} {
		if got := winnersNote(c.list); got != c.want {
			t.Errorf("%d: %q, not %q", i, got, c.want)
		}
	}
	beyond := winnersAnswer().Winners
	beyond[4].EnoughBlocks = 120
	want := "a ? b: undecided, a count of about 120 without a budget would decide; " +
		"+2: 2 more designs may be as fast; -: no two designs to compare"
	if got := winnersNote(beyond[2:]); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	virtual := winnersAnswer().Winners[2:4]
	virtual[0].World, virtual[1].World = result.Virtual, result.Virtual
	virtual[1].Leaders = []string{"a", "b", "c"}
	want = "a ? b: undecided, about 12 more replications would decide; +n: n more designs may be as fast"
	if got := winnersNote(virtual); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestWinners checks the map of winners on the page and in Markdown.
func TestWinners(t *testing.T) {
	rows := []compare.Row{shop("a", 1, 100, 0.01)}
	var table, markdown strings.Builder
	if err := errors.Join(Table(&table, rows, nil, nil, winnersAnswer(), Style{Width: 100}),
		Markdown(&markdown, rows, nil, nil, winnersAnswer())); err != nil {
		t.Fatal(err)
	}
	golden(t, "winners.txt", []byte(table.String()))
	golden(t, "winners.md", []byte(markdown.String()))

	var picture strings.Builder
	if err := WinnersSVG(&picture, winnersAnswer().Winners); err != nil {
		t.Fatal(err)
	}
	golden(t, "winners.svg", []byte(picture.String()))
	for _, want := range []string{">grey, a ? b: undecided, ", ">+2: 2 more designs may be as fast<",
		">b, c, d and &lt;fast&gt;: undecided, about 12 more blocks would decide; 3.00x as fast as slow<"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("the picture has no %q", want)
		}
	}
	if err := WinnersSVG(&picture, nil); err == nil || !strings.Contains(err.Error(), "two factors of the job") {
		t.Errorf("without a map: %v", err)
	}
}

// TestSeveralWinnerMaps checks that maps of one run have different headings, and that the picture shows all of them.
func TestSeveralWinnerMaps(t *testing.T) {
	change := func(by func(w *compare.Winner)) []compare.Winner {
		first, second := winnersAnswer().Winners, winnersAnswer().Winners
		for i := range first {
			first[i].Metric, second[i].Metric = result.Throughput, result.Throughput
			by(&second[i])
		}
		return append(first, second...)
	}
	for _, c := range []struct {
		list []compare.Winner
		want [2]string
	}{
		{change(func(w *compare.Winner) { w.World = result.Virtual }),
			[2]string{"w: fastest design (live)", "w: fastest design (virtual)"}},
		{change(func(w *compare.Winner) { w.Metric = result.ResponseP50 }),
			[2]string{"w: fastest design (by throughput)", "w: fastest design (by median response)"}},
		{change(func(w *compare.Winner) { w.Guarantee = "survives kill" }),
			[2]string{"w: fastest design (no guarantee declared)", "w: fastest design (survives kill)"}},
		{change(func(w *compare.Winner) { w.Workload, w.Guarantee = "v", "survives kill" }),
			[2]string{"w: fastest design", "v: fastest design (survives kill)"}},
		{change(func(w *compare.Winner) { w.Workload = "v" }), [2]string{"w: fastest design", "v: fastest design"}},
	} {
		var picture, table, markdown strings.Builder
		if err := WinnersSVG(&picture, c.list); err != nil {
			t.Errorf("%v: %v", c.want, err)
			continue
		}
		writeWinners(&table, c.list, Style{Width: 100})
		markdownWinners(&markdown, c.list)
		for _, want := range c.want {
			if !strings.Contains(picture.String(), ">"+want+"</text>") ||
				!strings.Contains(table.String(), want+"  and") ||
				!strings.Contains(markdown.String(), "\nFastest design of "+
					strings.Replace(want, ": fastest design", "", 1)+", and") {
				t.Errorf("%q is not a heading of:\n%s\n%s", want, table.String(), markdown.String())
			}
		}
		if !strings.Contains(picture.String(), "<title>"+c.want[0]+"; "+c.want[1]+"</title>") ||
			strings.Count(picture.String(), "the next best</text>") != 2 ||
			strings.Count(picture.String(), ` height="526" `) != 1 { // twice that of one map
			t.Errorf("the picture is %.500s", picture.String())
		}
	}
}
