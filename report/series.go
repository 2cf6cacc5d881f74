package report

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
)

// maxSeries is how many series a plot can hold and stay readable.
const maxSeries = 12

// series is one design at one setting of the other factors, along the factor of the x axis.
type series struct {
	name   string
	points []mark // by increasing level
}

// mark is a median with its interval; in virtual time a mean. Low and high equal y where there is none.
type mark struct {
	level        int // index of the x level
	y, low, high float64
	predicted    bool // where others are measured
}

// xFactor is the factor to plot against: cpus where it varies, in an open loop what is offered; otherwise
// the first number that varies.
// It is "" where none does.
func (f *frame) xFactor() string {
	found := ""
	for _, name := range f.varying {
		if f.hasTextLevels(name) {
			continue
		}
		if name == "cpus" && !f.open || f.open && (name == "load" || name == "rate") {
			return name
		}
		if found == "" {
			found = name
		}
	}
	return found
}

// series gathers the metric's medians along a factor. It leaves out rows without a number, and names
// the designs that do not use the factor.
func (f *frame) series(factor, metric string, levels []string) (list []series, without []string) {
	for _, r := range f.rows {
		s := withMean(r.Metric(metric))
		y := float64(s.Median)
		if math.IsNaN(y) || math.IsInf(y, 0) {
			continue
		}
		at := slices.Index(levels, level(r, factor))
		name := f.seriesName(r, factor)
		if at < 0 {
			if !slices.Contains(without, name) {
				without = append(without, name)
			}
			continue
		}
		m := mark{level: at, y: y, low: y, high: y, predicted: f.predicted(r)}
		if low, high := float64(s.Low), float64(s.High); low <= y && y <= high && !math.IsInf(high, 0) {
			m.low, m.high = low, high
		}
		i := slices.IndexFunc(list, func(s series) bool { return s.name == name })
		if i < 0 {
			list = append(list, series{name: name})
			i = len(list) - 1
		}
		list[i].points = append(list[i].points, m)
	}
	for _, s := range list {
		slices.SortStableFunc(s.points, func(a, b mark) int { return a.level - b.level })
	}
	return list, without
}

// seriesName is the design and what else tells the row's series apart.
func (f *frame) seriesName(r compare.Row, factor string) string {
	words := []string{r.Design}
	for _, name := range f.varying {
		l := level(r, name)
		switch {
		case name == factor || l == "":
		default:
			words = append(words, name+"="+l)
		}
	}
	if r.Bound {
		words = append(words, "(bound)")
	}
	return strings.Join(words, " ")
}
