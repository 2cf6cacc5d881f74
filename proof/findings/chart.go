package findings

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"
)

// Geometry of the charts, in pixels.
const (
	tallest  = 560 // approximate height of the highest bar
	line     = 14
	barWidth = 26
	gap      = 14
	left     = 48
	head     = 44
	foot     = 150 // room for the vertical names
	legend   = 210
)

type chart struct {
	strings.Builder
	width, height, floor int
	unit                 int // height of one program
}

func newChart(title, axis string, bars, highest, entries int) *chart {
	c := &chart{width: left + bars*(barWidth+gap) + gap + legend, unit: min(max(tallest/highest, 3), 24)}
	c.floor = head + highest*c.unit
	c.height = max(c.floor+foot, head+entries*line)
	fmt.Fprintf(c, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" data-unit="%d" font-family="sans-serif" font-size="11">`+"\n", c.width, c.height, c.width, c.height, c.unit)
	fmt.Fprintf(c, `<rect width="%d" height="%d" fill="#fff"/><text x="%d" y="20" font-size="15">%s</text>`+"\n",
		c.width, c.height, left, html.EscapeString(title))
	fmt.Fprintf(c, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n",
		(head+c.floor)/2, html.EscapeString(axis))
	step := 1
	for highest/step > 10 {
		step *= 2
		if highest/step > 10 {
			step = step / 2 * 5
		}
	}
	for n := 0; n <= highest; n += step {
		y := c.floor - n*c.unit
		fmt.Fprintf(c, `<path d="M%d %dH%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%d</text>`+"\n", left,
			y, left+bars*(barWidth+gap)+gap, left-6, y+4, n)
	}
	return c
}

// x is the left edge of bar i.
func (c *chart) x(i int) int { return left + gap + i*(barWidth+gap) }

func (c *chart) name(i int, text string) {
	fmt.Fprintf(c, `<text transform="translate(%d %d) rotate(-60)" text-anchor="end">%s</text>`+"\n",
		c.x(i)+barWidth/2+4, c.floor+14, html.EscapeString(text))
}

func (c *chart) svg() string { return c.String() + "</svg>\n" }

// Balance draws two bars for each class: the programs of that class, and the programs predicted to be of it.
func Balance(s Score, title string) string {
	names, predicted := classNames(s)
	highest := 1
	for _, n := range names {
		highest = max(highest, support(s, n), predicted[n])
	}
	c := newChart(title, "programs", len(names), highest, 2)
	for i, n := range names {
		for k, bar := range []struct {
			what, fill string
			count      int
		}{{"actual", "#4c78a8", support(s, n)}, {"predicted", "#f2a34b", predicted[n]}} {
			fmt.Fprintf(c, `<rect class="%s" data-class="%s" x="%d" y="%d" width="%d" height="%d" fill="%s"><title>%s: %d %s</title></rect>`+"\n",
				bar.what, n, c.x(i)+k*barWidth/2, c.floor-bar.count*c.unit, barWidth/2-1, bar.count*c.unit, bar.fill, n,
				bar.count, bar.what)
		}
		c.name(i, n)
	}
	x := c.x(len(names)) + 10
	fmt.Fprintf(c, `<rect x="%d" y="%d" width="10" height="10" fill="#4c78a8"/><text x="%d" y="%d">actual</text>`+"\n",
		x, head, x+16, head+9)
	fmt.Fprintf(c, `<rect x="%d" y="%d" width="10" height="10" fill="#f2a34b"/><text x="%d" y="%d">predicted</text>`+
		"\n", x, head+18, x+16, head+27)
	return c.svg()
}

// Mistakes draws a bar for each actual class. Its height is the support of the class. Its parts are the predicted
// classes, with the right one at the bottom.
func Mistakes(s Score, title string) string {
	names, predicted := classNames(s)
	all := slices.Clone(names)
	names = slices.DeleteFunc(names, func(n string) bool { return support(s, n) == 0 })
	all = slices.DeleteFunc(all, func(n string) bool { return predicted[n] == 0 })
	highest := 1
	for _, n := range names {
		highest = max(highest, support(s, n))
	}
	c := newChart(title, "programs of the class", len(names), highest, len(all))
	for i, actual := range names {
		y := c.floor
		order := slices.Concat([]string{actual},
			slices.DeleteFunc(slices.Clone(all), func(n string) bool { return n == actual }))
		for _, p := range order {
			n := s.Confusion[actual][p]
			if n == 0 {
				continue
			}
			y -= n * c.unit
			fmt.Fprintf(c, `<rect data-actual="%s" data-predicted="%s" x="%d" y="%d" width="%d" height="%d" fill="%s" stroke="#fff"><title>%s, predicted %s: %d</title></rect>`+"\n",
				actual, p, c.x(i), y, barWidth, n*c.unit, color(all, p), actual, p, n)
			if p != actual && n*c.unit >= line {
				fmt.Fprintf(c, `<text x="%d" y="%d" text-anchor="middle" fill="#fff">%d</text>`+"\n", c.x(i)+barWidth/2,
					y+n*c.unit/2+4, n)
			}
		}
		c.name(i, actual)
	}
	x := c.x(len(names)) + 10
	fmt.Fprintf(c, `<text x="%d" y="%d">predicted</text>`+"\n", x, head-6)
	for i, p := range all {
		fmt.Fprintf(c, `<rect x="%d" y="%d" width="10" height="10" fill="%s"/><text x="%d" y="%d">%s</text>`+"\n", x,
			head+i*line, color(all, p), x+16, head+9+i*line, p)
	}
	return c.svg()
}

// color is the colour of a class. Neighbours in the list have the most different colours.
func color(all []string, name string) string {
	if name == "healthy" {
		return "#9a9a9a"
	}
	i := slices.Index(all, name)
	return fmt.Sprintf("hsl(%d %d%% %d%%)", i*137%360, 55+i%3*12, 38+i%4*5)
}

// classNames returns all actual and predicted classes, in order, and how often each was predicted.
func classNames(s Score) ([]string, map[string]int) {
	predicted, seen := map[string]int{}, map[string]bool{}
	for actual, row := range s.Confusion {
		seen[actual] = true
		for p, n := range row {
			predicted[p] += n
			seen[p] = true
		}
	}
	return slices.Sorted(maps.Keys(seen)), predicted
}

func support(s Score, class string) (n int) {
	for _, k := range s.Confusion[class] {
		n += k
	}
	return n
}
