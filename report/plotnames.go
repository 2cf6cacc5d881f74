package report

import (
	"strings"

	"github.com/brewput/brewput/internal/quote"
)

// endNames returns the names to write at the ends of the lines. It returns nil if a legend serves better: if a line
// ends before the last level, or the names take too much of the width.
func endNames(list []series, last, width int, st Style) []string {
	var names []string
	for i, s := range list {
		if n := len(s.points); n == 0 || s.points[n-1].level != last {
			return nil
		}
		names = append(names, letter(i)+" "+st.text(s.name))
	}
	if 3*nameWidth(names) > width {
		return nil
	}
	return names
}

// nameWidth is the room that names take.
func nameWidth(names []string) int {
	widest := 0
	for _, n := range names {
		widest = max(widest, quote.Width(n))
	}
	return widest + 1
}

// nameShift is the largest distance in rows of a name from the end of its line.
const nameShift = 1

// label puts the names of the series at the rows where their lines end, or next to them. It reports whether all names
// have room.
func (c *canvas) label(list []series, names []string) bool {
	c.names = map[int][]cell{}
	for i, s := range list {
		end, found := c.row(s.points[len(s.points)-1].y), false
		for _, shift := range []int{0, -nameShift, nameShift} {
			r := end + shift
			if _, taken := c.names[r]; !taken && r > 0 && r <= c.height {
				c.names[r], found = []cell{{" " + strings.TrimSpace(names[i]), seriesTone(i)}}, true
				break
			}
		}
		if !found {
			c.names = nil
			return false
		}
	}
	return true
}
