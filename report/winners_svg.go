package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
)

// Sizes of the heat map of winners.
const (
	mapMargin px = 16_00
	mapTop    px = 64_00 // title, name of the factor across, and its levels
	mapCellW  px = 108_00
	mapCellH  px = 36_00
	mapGap    px = 2_00
	mapNoteH  px = 15_00

	// largest mean widths of a character of the title, a label and a note
	mapTitleDigit px = 9_50
	mapDigit      px = 6_50
	mapSmallDigit px = 5_80
)

// WinnersSVG writes the map of winners as a heat map: each cell has the colour of its fastest design, and is grey if
// that is undecided. Below it are the meanings of its signs. It returns a [*plan.Refusal] if the run has no such map.
func WinnersSVG(w io.Writer, list []compare.Winner) error {
	maps := winnerMaps(list)
	if len(maps) != 1 {
		return plan.Refuse("format", "svg", "shows who wins by two factors, which this run does not have").
			Suggest("measure two designs at several levels of two factors of the job, in six blocks or more")
	}
	list = maps[0]
	columns := winnerColumns(list)
	down := len(list[0].Factors) - 1
	labels, head := make([]string, len(columns[0].cells)), strings.Join(list[0].Factors[:down], ", ")
	left := quote.Width(head)
	for i := range labels {
		var words []string
		for _, c := range columns[:down] {
			words = append(words, c.cells[i].text)
		}
		labels[i] = quote.Line(strings.Join(words, ", "))
		left = max(left, quote.Width(labels[i]))
	}

	x0 := 2*mapMargin + px(left)*mapDigit
	notes := append(winnersNotes(list), "2x: 2 times as fast as the next best")
	title := quote.Line(list[0].Workload) + ": fastest design"
	width := max(x0+px(len(columns)-down)*mapCellW+mapMargin, 2*mapMargin+px(quote.Width(title))*mapTitleDigit)
	for i, note := range notes {
		if strings.HasPrefix(note, "a ? b") || strings.HasPrefix(note, noQuantile+":") {
			notes[i] = "grey, " + note
		}
		width = max(width, 2*mapMargin+px(quote.Width(notes[i]))*mapSmallDigit)
	}
	bottom := mapTop + px(len(labels))*mapCellH
	s := newSVG(w)
	s.begin(width, bottom+px(len(notes))*mapNoteH+mapMargin, title)
	s.text("title", mapMargin, 24_00, title)
	s.text("small", x0, 42_00, columns[down].group)
	s.text("small end", x0-mapMargin/2, 58_00, head)
	for i, note := range notes {
		s.text("small", mapMargin, bottom+px(i+1)*mapNoteH, note)
	}
	for i, c := range columns[down:] {
		s.text("mid", x0+px(i)*mapCellW+mapCellW/2, 58_00, quote.Line(c.head))
	}
	for i, label := range labels {
		s.text("end", x0-mapMargin/2, mapTop+px(i)*mapCellH+mapCellH/2+4_00, label)
	}
	drawWinners(s, list, columns[down:], x0)
	return s.end()
}

// drawWinners draws the cells of a map. Its columns are those of the levels across.
func drawWinners(s *svg, list []compare.Winner, columns []column, x0 px) {
	g := newWinnerGrid(list)
	for i, c := range columns {
		for j, cell := range c.cells {
			x, y := x0+px(i)*mapCellW, mapTop+px(j)*mapCellH
			text, class, about := quote.Line(cell.text), "none", "no two designs to compare"
			if w, ok := g.at(j, i); ok {
				about = winnerAbout(w)
				if hue := g.hue(w); hue >= 0 {
					class = fmt.Sprintf("q%d", hue%hues)
				}
			}
			s.rect(class, x, y, mapCellW-mapGap, mapCellH-mapGap, about)
			if limit := int((mapCellW - mapGap) / 5_50); quote.Width(text) > limit {
				text = string([]rune(text)[:limit-1]) + "…"
			}
			s.text("in", x+mapCellW/2, y+mapCellH/2+3_00, text)
		}
	}
}

// winnerAbout describes a cell in full: all leaders, their verdict, and how many blocks would decide.
func winnerAbout(w compare.Winner) string {
	text := quote.Line(compare.JoinNames(w.Leaders)) + ": " + w.Verdict
	if w.Verdict == compare.Undecided {
		text += ", " + moreToDecide([]compare.Winner{w})
	}
	if w.Next != nil && w.Ratio.Known() {
		text += "; " + ratio(w.Ratio) + "x as fast as " + quote.Line(*w.Next)
	}
	return text
}
