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
	return a
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
	if err := WinnersSVG(&picture, nil); err == nil || !strings.Contains(err.Error(), "two factors of the job") {
		t.Errorf("without a map: %v", err)
	}
}
