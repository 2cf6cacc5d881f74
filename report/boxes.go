package report

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// minBoxWidth is the least width of a picture of a distribution, in columns.
const minBoxWidth = 30

// writeBoxes draws the latencies of each row as a box plot on a common axis. It writes nothing for jobs.
func writeBoxes(b *strings.Builder, f *frame, st Style) {
	if f.job {
		return
	}
	kinds := []string{"latency"}
	if f.open {
		kinds = []string{"service", "response"}
	}

	columns := f.labels()
	kindColumn := column{head: "of", left: true}
	type drawn struct {
		row  compare.Row
		kind string
	}

	// Keep the rows with a median. Their largest quantile sets the end of the axis.
	var kept []drawn
	top := 0.0
	for _, r := range f.rows {
		for _, kind := range kinds {
			if math.IsNaN(quantile(r, kind, "p50")) {
				continue
			}
			kept = append(kept, drawn{r, kind})
			f.label(columns, r)
			kindColumn.add(kind, plain)
			for _, q := range []string{"p50", "p75", "p95"} {
				if v := quantile(r, kind, q); v > top { // false for NaN
					top = v
				}
			}
		}
	}

	if top == 0 {
		return
	}
	if f.open {
		columns = append(columns, kindColumn)
	}

	// The chart takes the rest of the page.
	used := 0
	for i := range columns {
		used += columns[i].width() + gap
	}
	a := axisTo(top, result.Nanoseconds)
	width := max(minBoxWidth, min(st.width(), maxPlotWidth)-used)
	chart := column{left: true}
	chart.head, chart.rule = drawRuler(a, width, st)
	inside := quote.Width(chart.rule)
	for _, d := range kept {
		t := seriesTone(slices.Index(f.designs(), d.row.Design))
		chart.cells = append(chart.cells, cell{drawBox(d.row, d.kind, a, inside, st), t})
	}
	writeHeading(b, f.rows[0].Workload+": "+strings.Join(kinds, " and "),
		"box p25-p75 with the median, whiskers p5-p95", st)
	render(b, append(columns, chart), st)
}

// designs returns the distinct designs in order of appearance. The order fixes their colours.
func (f *frame) designs() []string {
	var out []string
	for _, r := range f.rows {
		if !slices.Contains(out, r.Design) {
			out = append(out, r.Design)
		}
	}
	return out
}

// quantile is a row's quantile of latency, service or response time in nanoseconds. It is NaN if unknown or infinite.
func quantile(r compare.Row, kind, q string) float64 {
	v := float64(r.Metric(kind + "_" + q + "_ns").Median)
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// drawRuler draws the axis: the tick labels and the line below them. The last label ends at the width, so that the
// line is shorter by half of the label.
func drawRuler(a axis, width int, st Style) (labels, line string) {
	last := quote.Width(a.label(a.ticks))
	width -= last / 2
	signs := []rune(strings.Repeat(st.pick("─", "-"), width))
	for i := range a.ticks + 1 {
		x := int(math.Round(float64(i) / float64(a.ticks) * float64(width-1)))
		mark := st.pick("┼", "+")
		if i == 0 {
			mark = st.pick("├", "+")
		} else if i == a.ticks {
			mark = st.pick("┤", "+")
		}
		signs[x] = []rune(mark)[0]
		text := st.ascii(a.label(i))
		start := x - (quote.Width(text)-1)/2
		labels += strings.Repeat(" ", max(0, start-quote.Width(labels))) + text
	}
	return labels, string(signs)
}

// drawBox draws one row. The part of an unknown quantile is left out.
func drawBox(r compare.Row, kind string, a axis, width int, st Style) string {
	signs := []rune(strings.Repeat(" ", width))

	at := func(q string) (int, bool) {
		v := quantile(r, kind, q)
		if math.IsNaN(v) {
			return 0, false
		}
		return int(math.Round(v / a.end() * float64(width-1))), true
	}

	fill := func(from, to int, sign string) {
		for x := from; x <= to; x++ {
			signs[x] = []rune(sign)[0]
		}
	}

	// An unknown quartile collapses the box to the median.
	p50, _ := at("p50")
	p25, ok25 := at("p25")
	p75, ok75 := at("p75")
	if !ok25 {
		p25 = p50
	}
	if !ok75 {
		p75 = p50
	}

	if p5, ok := at("p5"); ok {
		fill(p5, p25, st.pick("─", "-"))
		fill(p5, p5, st.pick("├", "|"))
	}
	if p95, ok := at("p95"); ok {
		fill(p75, p95, st.pick("─", "-"))
		fill(p95, p95, st.pick("┤", "|"))
	}

	fill(p25, p75, st.pick("▒", "="))
	fill(p50, p50, st.pick("┃", "#"))
	return strings.TrimRight(string(signs), " ")
}
