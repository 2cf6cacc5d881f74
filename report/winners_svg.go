package report

import (
	"fmt"
	"io"
	"slices"
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
	mapDigit  px = 6_50 // width of a character of a label
)

// WinnersSVG writes the map of winners as a heat map: each cell has the colour of its fastest design, and is grey if
// that is undecided. It returns a [*plan.Refusal] if the run has
// no such map.
func WinnersSVG(w io.Writer, list []compare.Winner) error {
	maps := winnerMaps(list)
	if len(maps) != 1 {
		return plan.Refuse("format", "svg", "shows who wins by two factors, which this run does not have").
			Suggest("measure two designs at several levels of two factors of the job")
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
	s := newSVG(w)
	title := quote.Line(list[0].Workload) + ": fastest design, and how many times as fast as the next best"
	s.begin(max(x0+px(len(columns)-down)*mapCellW+mapMargin, px(quote.Width(title))*8_00),
		mapTop+px(len(labels))*mapCellH+mapMargin, title)
	s.text("title", mapMargin, 24_00, title)
	s.text("small", x0, 42_00, columns[down].group)
	s.text("small end", x0-mapMargin/2, 58_00, head)
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
	var designs []string
	for _, w := range list {
		if !slices.Contains(designs, w.Leaders[0]) {
			designs = append(designs, w.Leaders[0])
		}
	}
	for i, c := range columns {
		for j, cell := range c.cells {
			x, y := x0+px(i)*mapCellW, mapTop+px(j)*mapCellH
			text := quote.Line(cell.text)
			class := "none"
			for k, d := range designs {
				if cell.tone != dim && (text == d || strings.HasPrefix(text, quote.Line(d)+" ")) {
					class = fmt.Sprintf("q%d", k%hues)
				}
			}
			s.rect(class, x, y, mapCellW-mapGap, mapCellH-mapGap, text)
			if limit := int((mapCellW - mapGap) / 5_50); quote.Width(text) > limit {
				text = string([]rune(text)[:limit-1]) + "…"
			}
			s.text("in", x+mapCellW/2, y+mapCellH/2+3_00, text)
		}
	}
}
