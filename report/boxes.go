package report

import (
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// minBoxWidth is the narrowest picture of a distribution.
const minBoxWidth = 30

// Boxes writes the latencies of each row as a box on a common axis. It writes nothing for jobs.
func Boxes(w io.Writer, rows []compare.Row, st Style) error {
	var b strings.Builder
	for _, f := range frames(rows) {
		boxes(&b, &f, st)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func boxes(b *strings.Builder, f *frame, st Style) {
	kept := slices.DeleteFunc(slices.Clone(f.rows), func(r compare.Row) bool { return math.IsNaN(quantile(r, "p50")) })
	top := 0.0
	for _, r := range kept {
		for _, q := range []string{"p50", "p75", "p95"} {
			if v := quantile(r, q); v > top { // false for NaN
				top = v
			}
		}
	}
	if f.job || top == 0 {
		return
	}
	a := axisTo(top, result.Nanoseconds)
	columns := f.labels()
	used := 0
	for _, r := range kept {
		f.label(columns, r)
	}
	for i := range columns {
		used += columns[i].width() + gap
	}
	width := max(minBoxWidth, min(st.width(), maxPlotWidth)-used)
	chart := column{left: true}
	chart.head, chart.rule = ruler(a, width, st)
	inside := utf8.RuneCountInString(chart.rule)
	for _, r := range kept {
		t := seriesTone(slices.Index(f.designs(), r.Design))
		chart.cells = append(chart.cells, cell{box(r, a, inside, st), t})
	}
	heading(b, f.rows[0].Workload+": latency",
		"box p25-p75 with the median, whiskers p5-p95", st)
	render(b, append(columns, chart), st)
}

// designs are the distinct designs in order, which fixes their colours.
func (f *frame) designs() []string {
	var out []string
	for _, r := range f.rows {
		if !slices.Contains(out, r.Design) {
			out = append(out, r.Design)
		}
	}
	return out
}

// quantile is a row's latency quantile in nanoseconds, NaN where it is unknown or infinite.
func quantile(r compare.Row, q string) float64 {
	v := float64(r.Metric("latency_" + q + "_ns").Median)
	if math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// ruler writes the axis: the tick labels and the line below them. The last label ends at the width,
// so that the line is shorter by half of it.
func ruler(a axis, width int, st Style) (labels, line string) {
	last := utf8.RuneCountInString(a.label(a.ticks))
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
		start := x - (utf8.RuneCountInString(text)-1)/2
		labels += strings.Repeat(" ", max(0, start-utf8.RuneCountInString(labels))) + text
	}
	return labels, string(signs)
}

// box draws one row. A quantile that is not known leaves its part out.
func box(r compare.Row, a axis, width int, st Style) string {
	signs := []rune(strings.Repeat(" ", width))
	at := func(q string) (int, bool) {
		v := quantile(r, q)
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
