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

// WinnersSVG writes the maps of winners as heat maps, one below the other: each cell has the colour of its fastest
// design, and is grey if that is undecided. Below each are the meanings of its signs. It returns a [*plan.Refusal] if
// the run has no such map.
func WinnersSVG(w io.Writer, list []compare.Winner) error {
	if len(list) == 0 {
		return plan.Refuse("format", "svg", "shows who wins by two factors, which this run does not have").
			Suggest("measure two designs at several levels of two factors of the job, in six blocks or more")
	}
	maps := winnerMaps(list)
	titles := winnerTitles(maps, winnersHeading)
	var pictures []*winnerPicture
	var width, height px
	for i, m := range maps {
		p := newWinnerPicture(m, quote.Line(titles[i]))
		p.top = height
		width, height = max(width, p.width), height+p.height
		pictures = append(pictures, p)
	}
	s := newSVG(w)
	s.begin(width, height, quote.Line(strings.Join(titles, "; ")))
	for _, p := range pictures {
		p.draw(s)
	}
	return s.end()
}

// winnerPicture is the heat map of one map of winners.
type winnerPicture struct {
	list               []compare.Winner
	columns            []column
	title, head        string   // head names the factors down
	labels, notes      []string // labels are those of the rows
	left               px       // start of the cells
	top, width, height px
}

func newWinnerPicture(list []compare.Winner, title string) *winnerPicture {
	p := &winnerPicture{list: list, columns: winnerColumns(list), title: title}
	down := len(list[0].Factors) - 1
	p.head = strings.Join(list[0].Factors[:down], ", ")
	left := quote.Width(p.head)
	for i := range p.columns[0].cells {
		var words []string
		for _, c := range p.columns[:down] {
			words = append(words, c.cells[i].text)
		}
		p.labels = append(p.labels, quote.Line(strings.Join(words, ", ")))
		left = max(left, quote.Width(p.labels[i]))
	}
	p.columns = p.columns[down:]
	p.left = 2*mapMargin + px(left)*mapDigit
	p.width = max(p.left+px(len(p.columns))*mapCellW+mapMargin, 2*mapMargin+px(quote.Width(title))*mapTitleDigit)
	p.notes = append(winnersNotes(list), "2x: 2 times as fast as the next best")
	for i, note := range p.notes {
		if strings.HasPrefix(note, "a ? b") || strings.HasPrefix(note, noQuantile+":") {
			p.notes[i] = "grey, " + note
		}
		p.width = max(p.width, 2*mapMargin+px(quote.Width(p.notes[i]))*mapSmallDigit)
	}
	p.height = mapTop + px(len(p.labels))*mapCellH + px(len(p.notes))*mapNoteH + mapMargin
	return p
}

func (p *winnerPicture) draw(s *svg) {
	s.text("title", mapMargin, p.top+24_00, p.title)
	s.text("small", p.left, p.top+42_00, p.columns[0].group)
	s.text("small end", p.left-mapMargin/2, p.top+58_00, p.head)
	cells := p.top + mapTop
	for i, note := range p.notes {
		s.text("small", mapMargin, cells+px(len(p.labels))*mapCellH+px(i+1)*mapNoteH, note)
	}
	for i, c := range p.columns {
		s.text("mid", p.left+px(i)*mapCellW+mapCellW/2, p.top+58_00, quote.Line(c.head))
	}
	for i, label := range p.labels {
		s.text("end", p.left-mapMargin/2, cells+px(i)*mapCellH+mapCellH/2+4_00, label)
	}
	p.drawCells(s)
}

func (p *winnerPicture) drawCells(s *svg) {
	g := newWinnerGrid(p.list)
	for i, c := range p.columns {
		for j, cell := range c.cells {
			x, y := p.left+px(i)*mapCellW, p.top+mapTop+px(j)*mapCellH
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
		text += moreToDecide([]compare.Winner{w})
	}
	if w.Next != nil && w.Ratio.Known() {
		text += "; " + ratio(w.Ratio) + "x as fast as " + quote.Line(*w.Next)
	}
	return text
}
