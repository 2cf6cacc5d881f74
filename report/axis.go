package report

import (
	"math"
	"slices"
	"strconv"

	"github.com/brewput/brewput/result"
)

// axis is a linear axis from 0 with evenly spaced, round ticks.
type axis struct {
	step  float64
	ticks int // without the one at 0
	scale scale
}

// axisTo returns the axis that reaches top > 0 with 3 to 6 ticks and wastes the least space.
func axisTo(top float64, u result.Unit) axis {
	best := axis{}
	magnitude := math.Pow10(int(math.Floor(math.Log10(top))))
	for _, s := range []float64{0.2, 0.25, 0.3, 0.4, 0.5, 1, 2, 2.5, 3} {
		step := s * magnitude
		ticks := int(math.Ceil(top/step - 1e-9))
		if ticks < 3 || ticks > 6 {
			continue
		}
		if best.ticks == 0 || float64(ticks)*step <= best.end() {
			best = axis{step: step, ticks: ticks}
		}
	}
	best.scale = scaleFor(best.end(), u, digits)
	return best
}

func (a axis) end() float64 { return a.step * float64(a.ticks) }

// label is the text of the i-th tick.
func (a axis) label(i int) string {
	if i == 0 {
		return "0"
	}
	// Six decimals hide the rounding of steps such as 0.1.
	return strconv.FormatFloat(round(a.step*float64(i)/a.scale.divisor, 6), 'f', -1, 64) + a.scale.suffix
}

// positions maps increasing levels to width cells. It uses the first scale that keeps levels far enough apart: linear
// (4 cells), logarithmic (3 cells), even. The note names a scale that is not linear.
func positions(levels []float64, width int) (at []int, how string) {
	even := make([]float64, len(levels))
	logs := make([]float64, len(levels))
	for i, x := range levels {
		even[i] = float64(i)
		logs[i] = math.Log(max(x, math.SmallestNonzeroFloat64))
	}
	linear := spread(levels, width)
	if leastGap(linear) >= min(4, leastGap(spread(even, width))) {
		return linear, ""
	}
	if at = spread(logs, width); levels[0] > 0 && leastGap(at) >= 3 {
		return at, "logarithmic axis"
	}
	return spread(even, width), "levels evenly spaced"
}

// spread maps increasing numbers linearly to the cells 0 to width-1.
func spread(x []float64, width int) []int {
	at := make([]int, len(x))
	for i := range x {
		at[i] = int(math.Round((x[i] - x[0]) / (x[len(x)-1] - x[0]) * float64(width-1)))
	}
	return at
}

// leastGap is the smallest distance between neighbouring cells.
func leastGap(at []int) int {
	least := math.MaxInt
	for i := 1; i < len(at); i++ {
		least = min(least, at[i]-at[i-1])
	}
	return least
}

// sortedLevels returns a factor's distinct numeric levels in increasing order, with their texts.
func (f *frame) sortedLevels(name string) (numbers []float64, texts []string) {
	type lv struct {
		x    float64
		text string
	}
	var all []lv
	for _, r := range f.rows {
		if l, ok := r.Point.Get(name); ok {
			if x, ok := l.Number(); ok && !slices.Contains(all, lv{x, l.String()}) {
				all = append(all, lv{x, l.String()})
			}
		}
	}
	slices.SortFunc(all, func(a, b lv) int {
		if a.x < b.x {
			return -1
		}
		return 1
	})
	for _, l := range all {
		numbers, texts = append(numbers, l.x), append(texts, l.text)
	}
	return numbers, texts
}
