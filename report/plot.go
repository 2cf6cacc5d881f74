package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// maxPlotWidth limits plots on very wide terminals.
const maxPlotWidth = 100

// leastLevels is the number of levels from which on a plot shows more than the table.
const leastLevels = 3

// startRoom is the distance of the first level from the axis, in cells. Up to maxTogether marks at one position are
// drawn side by side; the end of the axis has room for them.
const (
	startRoom   = 2
	maxTogether = 6
)

// writePlots plots the measure and the mean latency against CPUs or, if CPUs do not vary, the first numeric factor
// that varies. It writes nothing if none does.
func writePlots(b *strings.Builder, f *frame, st Style) {
	factor := f.xFactor()
	if factor == "" {
		return
	}
	metric, name := f.measure()
	writePlot(b, f, factor, metric, name, st)
	switch {
	case f.open:
		writePlot(b, f, factor, result.Goodput, "requests served in time", st)
	case !f.job:
		writePlot(b, f, factor, result.LatencyMean, "mean latency", st)
	}
}

// writePlot plots one metric against a factor: a letter for each series, bars for intervals, dots for lines.
func writePlot(b *strings.Builder, f *frame, factor, metric, name string, st Style) {
	numbers, levels := f.sortedLevels(factor)
	list, without := f.series(factor, metric, levels)
	leftOut := max(0, len(list)-maxSeries)
	list = list[:len(list)-leftOut]

	top := 0.0
	for _, s := range list {
		for _, m := range s.points {
			top = max(top, m.high)
		}
	}
	if top <= 0 || len(levels) < leastLevels {
		return
	}

	y := axisTo(top, result.UnitOf(metric))
	margin := 0
	for i := range y.ticks + 1 {
		margin = max(margin, quote.Width(y.label(i)))
	}

	width := min(st.width(), maxPlotWidth) - margin - len(" |")
	names := endNames(list, len(levels)-1, width, st)
	if names != nil {
		width -= nameWidth(names)
	}
	at, how := positions(numbers, width-startRoom-maxTogether)
	for i := range at {
		at[i] += startRoom
	}
	c := newCanvas(width, y)
	c.draw(list, at)
	if names != nil && !c.label(list, names) {
		names = nil
	}

	remark := how
	if f.hasPredictedRows() {
		remark = strings.TrimSuffix("small letters: predicted; "+remark, "; ")
	}
	if f.intervals(metric) {
		remark = strings.TrimSuffix("bars: 95% intervals; "+remark, "; ")
	}
	writeHeading(b, f.rows[0].Workload+": "+name+" against "+factor, remark, st)
	c.write(b, y, margin, at, st)
	writeLevels(b, levels, at, margin+2, st)
	if names == nil {
		writeLegend(b, list, st)
	}
	writeRemarks(b, c.crowded, leftOut, without, factor, st)
}

// intervals reports whether some row has an interval of the metric that is wider than a point. Exact values have
// points.
func (f *frame) intervals(metric string) bool {
	return slices.ContainsFunc(f.rows, func(r compare.Row) bool {
		s := withMean(r.Metric(metric))
		return s.Low.Known() && s.Low < s.High
	})
}

// writeLevels writes the labels under the x axis, centred. It leaves out labels that would touch another.
func writeLevels(b *strings.Builder, levels []string, at []int, margin int, st Style) {
	line := strings.Repeat(" ", margin)
	for i, l := range levels {
		l = st.text(l)
		start := margin + at[i] - (quote.Width(l)-1)/2
		if n := quote.Width(line); i == 0 || start > n {
			line += strings.Repeat(" ", max(0, start-n)) + l
		}
	}
	b.WriteString(line + "\n")
}

// writeLegend writes the names of the series in columns.
func writeLegend(b *strings.Builder, list []series, st Style) {
	widest, names := 0, make([]string, len(list))
	for i, s := range list {
		names[i] = st.text(s.name)
		widest = max(widest, quote.Width(names[i]))
	}
	entry := len("A ") + widest + 3
	columns := max(1, (min(st.width(), maxPlotWidth)-2)/entry)
	for i := range list {
		if i%columns == 0 {
			b.WriteString("  ")
		}
		b.WriteString(st.paint(seriesTone(i), letter(i)) + " " + names[i])
		if i%columns == columns-1 || i == len(list)-1 {
			b.WriteString("\n")
		} else {
			b.WriteString(strings.Repeat(" ", entry-len("A ")-quote.Width(names[i])))
		}
	}
}

// writeRemarks writes what the plot does not show.
func writeRemarks(b *strings.Builder, crowded bool, leftOut int, without []string, factor string, st Style) {
	var remarks []string
	if crowded {
		remarks = append(remarks, "a digit: that many series in one place (#: 10 or more)")
	}
	if leftOut > 0 {
		remarks = append(remarks, fmt.Sprintf("%d more series left out", leftOut))
	}
	if len(without) > 0 {
		remarks = append(remarks, "not drawn, without "+factor+": "+strings.Join(without, ", "))
	}
	for _, r := range remarks {
		b.WriteString("  " + st.paint(dim, strings.Join(lines(st.split(r), 4, st.width()-2), "\n")) + "\n")
	}
}

func letter(i int) string { return string(rune('A' + i)) }

// canvas is the character grid of a plot. Row 0 is the x axis, at y = 0.
type canvas struct {
	width, height int // height is the row of the highest tick
	perTick       int
	crowded       bool // some cell shows a count instead of letters
	end           float64
	bits          []byte // braille dots of the lines; in ASCII any bit is a dot
	bars          []bool
	texts         []cell         // marks; one rune each
	tones         []tone         // of the lines and bars
	names         map[int][]cell // by row: what follows at the end of the lines
}

func newCanvas(width int, y axis) *canvas {
	perTick := max(3, 16/y.ticks)
	h := perTick * y.ticks
	n := width * (h + 1)
	return &canvas{width: width, height: h, perTick: perTick, end: y.end(), bits: make([]byte, n),
		bars: make([]bool, n), texts: make([]cell, n), tones: make([]tone, n)}
}

// row is the row of a y value.
func (c *canvas) row(y float64) int { return int(math.Round(y / c.end * float64(c.height))) }

// draw puts the series on the canvas: first lines, then bars, then marks, so that marks are on top.
func (c *canvas) draw(list []series, at []int) {
	slot := leastGap(at)
	for i, s := range list {
		for j := 1; j < len(s.points); j++ {
			c.line(s.points[j-1], s.points[j], at, seriesTone(i))
		}
	}

	// Marks that share a cell are drawn together.
	marks := map[[2]int][]cell{} // column, row: series that share the cell
	for i, s := range list {
		for _, m := range s.points {
			x := at[m.level]
			for r := c.row(m.low); r <= c.row(m.high); r++ {
				c.bars[r*c.width+x], c.tones[r*c.width+x] = true, seriesTone(i)
			}
			text := letter(i)
			if m.predicted {
				text = strings.ToLower(text)
			}
			marks[[2]int{x, c.row(m.y)}] = append(marks[[2]int{x, c.row(m.y)}], cell{text, seriesTone(i)})
		}
	}

	for at, cells := range marks {
		c.marks(at[0], at[1], cells, min(slot-1, maxTogether))
	}
}

// line draws the dots between two marks, one in each column.
func (c *canvas) line(a, b mark, at []int, t tone) {
	x0, x1 := at[a.level], at[b.level]
	for x := x0 + 1; x < x1; x++ {
		y := a.y + (b.y-a.y)*float64(x-x0)/float64(x1-x0)
		// A braille character has four dots on top of each other, each a quarter of a row.
		quarter := int(math.Floor((y/c.end*float64(c.height) + 0.5) * 4))
		i := quarter/4*c.width + x
		if c.bits[i] == 0 {
			c.tones[i] = t
		}
		c.bits[i] |= [...]byte{0x40, 0x04, 0x02, 0x01}[quarter%4] // left column, bottom to top
	}
}

// marks draws the letters of series that share a cell side by side. Without room it draws their number.
func (c *canvas) marks(x, row int, cells []cell, room int) {
	put := func(k int, mark cell) {
		if x+k < c.width {
			c.texts[row*c.width+x+k] = mark
		}
	}
	if len(cells) > room {
		c.crowded = true
		digit := "#"
		if len(cells) < 10 {
			digit = strconv.Itoa(len(cells))
		}
		put(0, cell{digit, bold})
		return
	}
	for k, mark := range cells {
		put(k, mark)
	}
}

// write writes the canvas with its y axis and the line of the x axis.
func (c *canvas) write(b *strings.Builder, y axis, margin int, at []int, st Style) {
	for r := c.height; r >= 0; r-- {
		label, edge := "", st.pick("│", "|")
		if r%c.perTick == 0 {
			label, edge = st.ascii(y.label(r/c.perTick)), st.pick("┤", "+")
		}
		if r == 0 {
			edge = st.pick("└", "+")
		}
		cells := make([]cell, c.width)
		for x := range cells {
			cells[x] = c.cell(x, r, at, st)
		}
		b.WriteString(strings.Repeat(" ", margin-quote.Width(label)) + label + " " +
			st.paint(dim, edge) + strings.TrimRight(st.paintCells(append(cells, c.names[r]...)), " ") + "\n")
	}
}

func (c *canvas) cell(x, r int, at []int, st Style) cell {
	i := r*c.width + x
	switch {
	case c.texts[i].text != "":
		return c.texts[i]
	case c.bars[i]:
		return cell{st.pick("┃", ":"), c.tones[i]}
	case c.bits[i] != 0:
		return cell{st.pick(string(rune(0x2800+int(c.bits[i]))), "."), c.tones[i]}
	case r == 0 && slices.Contains(at, x):
		return cell{st.pick("┴", "+"), dim}
	case r == 0:
		return cell{st.pick("─", "-"), dim}
	default:
		return cell{" ", plain}
	}
}
