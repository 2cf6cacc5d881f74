package report

import (
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
)

// maxSeries is the number of series up to which a plot is readable.
const maxSeries = 12

// series is one design at one setting of the other factors, along the factor of the x axis.
type series struct {
	name   string
	points []mark // by increasing level
}

// mark is a median with its interval, or a mean in virtual time. Low and high equal y if there is no interval.
type mark struct {
	level        int // index of the x level
	y, low, high float64
	predicted    bool // other marks are measured
}

// xFactor is the factor to plot against: cpus or, in an open loop, load or rate. Otherwise it is the first numeric
// factor that varies, or "" if none does.
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

// series returns the metric's medians along a factor. It leaves out rows without a number, and returns the names of
// designs that do not use the factor.
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

// seriesName is the design and the levels that distinguish the row's series.
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
