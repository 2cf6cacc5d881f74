package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
)

// winnersTitle explains the map of winners.
const winnersTitle = "and how many times as fast as the next best"

// winnersNote explains the signs in the map of winners; "" if it has none.
func winnersNote(list []compare.Winner) string {
	var notes []string
	for _, sign := range [][2]string{{compare.Equivalent, "= : equivalent"},
		{compare.Undecided, "? : undecided; more blocks would help"}} {
		if slices.ContainsFunc(list, func(w compare.Winner) bool { return w.Verdict == sign[0] }) {
			notes = append(notes, sign[1])
		}
	}
	return strings.Join(notes, "; ")
}

// winnerMaps splits winners by workload and world.
func winnerMaps(list []compare.Winner) (maps [][]compare.Winner) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(w compare.Winner) bool {
			return w.Workload != list[0].Workload || w.World != list[0].World
		})
		if n < 0 {
			n = len(list)
		}
		maps, list = append(maps, list[:n]), list[n:]
	}
	return maps
}

// winnerLevel is the level of a factor at the point of a winner.
func winnerLevel(w compare.Winner, factor string) string {
	l, ok := w.Point.Get(factor)
	if !ok {
		return noQuantile
	}
	return l.String()
}

// winnerColumns returns a map of winners as a table. The last factor varies between columns, all others between rows.
func winnerColumns(list []compare.Winner) []column {
	factors := list[0].Factors
	across, down := factors[len(factors)-1], factors[:len(factors)-1]
	var levels, rows, designs []string
	cells := map[[2]string]compare.Winner{}
	first := map[string]compare.Winner{} // of a row
	for _, w := range list {
		level, row := winnerLevel(w, across), w.Point.Only(down).String()
		if !slices.Contains(levels, level) {
			levels = append(levels, level)
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
			first[row] = w
		}
		if !slices.Contains(designs, w.Leaders[0]) {
			designs = append(designs, w.Leaders[0])
		}
		cells[[2]string{row, level}] = w
	}

	var columns []column
	for _, factor := range down {
		c := column{head: factor}
		for _, row := range rows {
			c.add(winnerLevel(first[row], factor), plain)
		}
		columns = append(columns, c)
	}
	for _, level := range levels {
		c := column{group: across, head: level, left: true}
		for _, row := range rows {
			w, ok := cells[[2]string{row, level}]
			switch {
			case !ok:
				c.add(noQuantile, dim)
			case w.Verdict == compare.Undecided:
				c.add(winnerText(w), dim)
			default:
				c.add(winnerText(w), seriesTone(slices.Index(designs, w.Leaders[0])))
			}
		}
		columns = append(columns, c)
	}
	return columns
}

// maxLeaders is the largest number of leaders that a cell names.
const maxLeaders = 2

// winnerText is a cell of the map: the leaders, and the lead of the best.
func winnerText(w compare.Winner) string {
	names := w.Leaders[:min(len(w.Leaders), maxLeaders)]
	text := strings.Join(names, map[string]string{compare.Equivalent: " = "}[w.Verdict])
	if w.Verdict == compare.Undecided {
		text = strings.Join(names, " ? ")
	}
	if more := len(w.Leaders) - len(names); more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	if w.Verdict == compare.Fastest && w.Ratio.Known() {
		text += " " + ratio(w.Ratio) + "x"
	}
	return text
}

// writeWinners writes the maps of winners.
func writeWinners(b *strings.Builder, list []compare.Winner, st Style) {
	for _, m := range winnerMaps(list) {
		writeHeading(b, m[0].Workload+": fastest design", winnersTitle, st)
		writeTable(b, winnerColumns(m), func([]column) []string {
			if note := winnersNote(m); note != "" {
				return []string{note}
			}
			return nil
		}, st)
	}
}

// markdownWinners writes the same as Markdown tables.
func markdownWinners(b *strings.Builder, list []compare.Winner) {
	for _, m := range winnerMaps(list) {
		b.WriteString("\nFastest design of " + markdownLine(m[0].Workload) + ", " + winnersTitle + ":\n\n")
		markdownTable(b, winnerColumns(m))
		if note := winnersNote(m); note != "" {
			b.WriteString("\n" + markdownLine(note) + "\n")
		}
	}
}
