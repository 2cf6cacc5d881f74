package report

import (
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
)

// cell is a text and its tone. The text is quoted before it is measured.
type cell struct {
	text string
	tone tone
}

// column is a column of a text table.
type column struct {
	group string // heading above neighbouring columns of the same group
	head  string
	left  bool   // left-aligned; numbers are not
	drop  int    // order of removal if the page is too narrow: the highest goes first, 0 stays
	rule  string // replaces the line under the heading, such as the axis of a chart
	cells []cell

	// If the page is too narrow, texts that are too long are written on lines of their own, above their rows.
	liftable bool
	above    []string // those texts, by row
}

func (c *column) add(text string, t tone) { c.cells = append(c.cells, cell{text, t}) }

func (c *column) width() int {
	w := quote.Width(c.head)
	for _, x := range c.cells {
		w = max(w, quote.Width(x.text))
	}
	return max(w, quote.Width(c.rule))
}

// leastWidth is the width that the column needs. Texts above the rows need none.
func (c *column) leastWidth() int {
	if c.liftable {
		return quote.Width(c.head)
	}
	return c.width()
}

// gap is the number of spaces between columns.
const gap = 2

// mapTexts returns the columns with text applied to their headings and cells.
func mapTexts(columns []column, text func(string) string) []column {
	out := slices.Clone(columns)
	for i := range out {
		out[i].group, out[i].head = text(out[i].group), text(out[i].head)
		out[i].cells = slices.Clone(out[i].cells)
		for j := range out[i].cells {
			out[i].cells[j].text = text(out[i].cells[j].text)
		}
	}
	return out
}

// totalWidth is the width of the columns with the gaps between them.
func totalWidth(columns []column, width func(*column) int) int {
	sum := -gap
	for i := range columns {
		sum += gap + width(&columns[i])
	}
	return sum
}

// fit makes a table fit the page. It first shortens "unavailable", then writes long names above their rows, and last
// drops columns. It returns the headings of the dropped columns.
func fit(columns []column, st Style) (kept []column, dropped []string) {
	kept = slices.Clone(columns)
	if totalWidth(kept, (*column).width) > st.width() {
		kept = mapTexts(kept, func(s string) string {
			if s == unavailable {
				return notAvailable
			}
			return s
		})
	}

	// Drop the least important columns until the rest fits.
	for totalWidth(kept, (*column).leastWidth) > st.width() {
		least := 0 // the least important column, the last of equals
		for i := range kept {
			if kept[i].drop >= kept[least].drop {
				least = i
			}
		}
		if kept[least].drop == 0 {
			break
		}
		dropped = append(dropped, strings.TrimSpace(kept[least].group+" "+kept[least].head))
		kept = slices.Delete(kept, least, least+1)
	}

	// Texts that are still too long go above their rows.
	for i := range kept {
		if beyond := totalWidth(kept, (*column).width) - st.width(); kept[i].liftable && beyond > 0 {
			kept[i].lift(max(kept[i].width()-beyond, kept[i].leastWidth()))
		}
	}
	return kept, dropped
}

// lift moves texts that are wider than room above their rows. Consecutive rows with the same text share it.
func (c *column) lift(room int) {
	c.cells, c.above = slices.Clone(c.cells), make([]string, len(c.cells))
	last := ""
	for i := range c.cells {
		text := c.cells[i].text
		if quote.Width(text) <= room {
			last = ""
			continue
		}
		if text != last {
			c.above[i], last = text, text
		}
		c.cells[i].text = ""
	}
}

// render writes the columns as aligned lines: groups, headings, a rule and the cells.
func render(b *strings.Builder, columns []column, st Style) {
	columns = mapTexts(columns, st.text)
	widths := make([]int, len(columns))
	rows := 0
	for i := range columns {
		widths[i] = columns[i].width()
		rows = max(rows, len(columns[i].cells))
	}

	renderGroups(b, columns, widths, st)

	line := func(at func(i int) cell) {
		var l strings.Builder
		for i, c := range columns {
			x := at(i)
			pad := strings.Repeat(" ", widths[i]-quote.Width(x.text))
			if i > 0 {
				l.WriteString(strings.Repeat(" ", gap))
			}
			if c.left {
				l.WriteString(st.paint(x.tone, x.text) + pad)
			} else {
				l.WriteString(pad + st.paint(x.tone, x.text))
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}

	line(func(i int) cell { return cell{columns[i].head, bold} })
	renderRule(b, columns, widths, st)
	for r := range rows {
		for _, c := range columns {
			if r < len(c.above) && c.above[r] != "" {
				b.WriteString(c.above[r] + "\n")
			}
		}
		line(func(i int) cell { return columns[i].cells[r] })
	}
}

// renderRule writes the line under the headings. The axis of a chart replaces its part of the line.
func renderRule(b *strings.Builder, columns []column, widths []int, st Style) {
	dash := st.pick("─", "-")
	var l strings.Builder
	for i, c := range columns {
		sep := ""
		if i > 0 {
			sep = strings.Repeat(dash, gap)
			if c.rule != "" {
				sep = strings.Repeat(" ", gap)
			}
		}
		part := c.rule
		if part == "" {
			part = strings.Repeat(dash, widths[i])
		}
		l.WriteString(sep + part)
	}
	b.WriteString(st.paint(dim, strings.TrimRight(l.String(), " ")) + "\n")
}

// renderGroups writes the headings that span several columns, centred over them. It writes no line if no column has a
// group.
func renderGroups(b *strings.Builder, columns []column, widths []int, st Style) {
	var l strings.Builder
	found := false
	for i := 0; i < len(columns); {
		span, j := widths[i], i+1
		for ; j < len(columns) && columns[j].group != "" && columns[j].group == columns[i].group; j++ {
			span += gap + widths[j]
		}
		name := columns[i].group
		found = found || name != ""
		left := max(0, span-quote.Width(name))
		if j > i+1 {
			left /= 2
		}
		l.WriteString(strings.Repeat(" ", left) + st.paint(bold, name))
		if j < len(columns) {
			l.WriteString(strings.Repeat(" ", max(0, span-left-quote.Width(name))+gap))
		}
		i = j
	}
	if found {
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
}

// wrap writes words separated by sep and breaks lines at width. Lines after the first are indented.
func wrap(b *strings.Builder, words []string, sep string, indent, width int) {
	at := 0
	for i, word := range words {
		n := quote.Width(word)
		switch {
		case i == 0:
		case at+quote.Width(sep)+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			at = indent
		default:
			b.WriteString(sep)
			at += quote.Width(sep)
		}
		b.WriteString(word)
		at += n
	}
	b.WriteString("\n")
}

// lines returns the lines of wrapped words.
func lines(words []string, indent, width int) []string {
	var b strings.Builder
	wrap(&b, words, " ", indent, width)
	return strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
}

// split returns the words of a sentence. Line breaks in names are escaped, because the rest of such a name would look
// like a sentence of its own.
func (st Style) split(text string) []string { return strings.Fields(st.ascii(quote.Line(text))) }

// writeIndented writes a sentence two columns from the left and its further lines at indent. It writes nothing if
// there are no words.
func writeIndented(b *strings.Builder, text string, indent int, st Style) {
	if words := st.split(text); len(words) > 0 {
		words[0] = "  " + words[0]
		wrap(b, words, " ", indent, st.width())
	}
}

// writeParagraphs writes sentences after an empty line.
func writeParagraphs(b *strings.Builder, texts []string, st Style) {
	for i, text := range texts {
		if i == 0 {
			blankLine(b)
		}
		wrap(b, st.split(text), " ", 2, st.width())
	}
}

// writeList writes sentences about rows of one workload under a heading. It writes nothing if there are no sentences.
func writeList(b *strings.Builder, rows []compare.Row, texts []string, title, remark string, st Style) {
	for i, text := range texts {
		if i == 0 {
			writeHeading(b, rows[0].Workload+": "+title, remark, st)
		}
		writeIndented(b, text, 4, st)
	}
}
