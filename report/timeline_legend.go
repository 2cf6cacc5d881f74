package report

import (
	"fmt"
	"slices"
	"strings"
)

// legend returns the lines of text below the panels, after the row of swatches.
func legend(panels []*panel) []string {
	notes := []string{"A bar is a goroutine on a CPU. Its number is the request, which keeps its colour everywhere; " +
		"below it is the stage (its station). In a queue, the lowest bar has waited longest."}
	var stages []string
	for _, p := range panels {
		for _, name := range p.t.Stages() {
			if !slices.Contains(stages, name) {
				stages = append(stages, name)
			}
		}
	}
	if stages != nil {
		notes = append(notes, "Stages, abbreviated where space is short: "+strings.Join(stages, ", ")+".")
	}
	return notes
}

// drawLegend draws the swatches of the panels and the notes.
func drawLegend(s *svg, y px, notes []string) {
	x := svgMargin
	for i := range hues {
		s.rect(fmt.Sprint("q", i), x, y, 12_00, 12_00, "")
		x += 13_00
	}
	x += 5_00
	s.text("", x, y+10_00, "requests, one colour each")
	x += 225_00
	for _, sw := range []struct {
		class, text string
		room        px
	}{
		{"none", "no request", 75_00},
		{"cost", "scheduler costs", 165_00},
		{"many", "several bars, too short to draw separately", 250_00},
		{"q1", "in the channel", 95_00},
		{"q1 pale", "its sender waits", 0},
	} {
		s.rect(sw.class, x, y, 12_00, 12_00, "")
		s.text("", x+17_00, y+10_00, sw.text)
		x += 17_00 + sw.room + 20_00
	}
	for i, n := range notes {
		s.text("", svgMargin, y+10_00+px(i+1)*lineSpace, n)
	}
}
