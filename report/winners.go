package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// The heading of a map of winners, and what explains it.
const (
	winnersHeading = "%s: fastest design"
	winnersTitle   = "and how many times as fast as the next best"
)

// winnersNotes explain the signs in a map of winners, as far as it has them.
func winnersNotes(list []compare.Winner) (notes []string) {
	g := newWinnerGrid(list)
	verdicts, more := map[string]bool{}, map[int]bool{}
	for _, w := range list {
		verdicts[w.Verdict] = true
		if n := len(w.Leaders) - maxLeaders; n > 0 {
			more[n] = true
		}
	}
	if verdicts[compare.Undecided] {
		notes = append(notes, "a ? b: undecided"+moreToDecide(list))
	}
	if verdicts[compare.Equivalent] {
		notes = append(notes, "a = b: equivalent")
	}
	switch len(more) {
	case 0:
	case 1:
		for n := range more {
			notes = append(notes, fmt.Sprintf("+%d: %s may be as fast", n, result.Count(n, "more design")))
		}
	default:
		notes = append(notes, "+n: n more designs may be as fast")
	}
	if len(g.rows)*len(g.levels) > len(list) {
		notes = append(notes, noQuantile+": no two designs to compare")
	}
	return notes
}

// winnersNote is all notes in one line.
func winnersNote(list []compare.Winner) string { return strings.Join(winnersNotes(list), "; ") }

// moreToDecide says how many more blocks, or which count without a budget, would decide all cells, or those where that
// is known. It is "" if it is unknown for all.
func moreToDecide(list []compare.Winner) string {
	var most compare.BlocksNeeded
	end := " would decide"
	for _, w := range list {
		switch {
		case w.Verdict != compare.Undecided:
		case w.EnoughBlocks > 0:
			most.Enough = max(most.Enough, w.EnoughBlocks)
		case w.MoreBlocks != nil:
			most.More = max(most.More, *w.MoreBlocks)
		default:
			end = " would decide some"
		}
	}
	if !most.Known() {
		return ""
	}
	return ", " + most.Text(replicate(list[0].World)) + end
}

// winnerMaps splits winners by workload, world, metric and guarantee.
func winnerMaps(list []compare.Winner) (maps [][]compare.Winner) {
	for len(list) > 0 {
		n := slices.IndexFunc(list, func(w compare.Winner) bool {
			return w.Workload != list[0].Workload || w.World != list[0].World || w.Metric != list[0].Metric ||
				w.Guarantee != list[0].Guarantee
		})
		if n < 0 {
			n = len(list)
		}
		maps, list = append(maps, list[:n]), list[n:]
	}
	return maps
}

// winnerTitles returns a heading for each map, of a format for its workload. It has what tells the map from others of
// its workload.
func winnerTitles(maps [][]compare.Winner, format string) (titles []string) {
	for _, m := range maps {
		var words []string
		differs := func(of func(compare.Winner) string) bool {
			return slices.ContainsFunc(maps, func(o []compare.Winner) bool {
				return o[0].Workload == m[0].Workload && of(o[0]) != of(m[0])
			})
		}
		if differs(func(w compare.Winner) string { return w.World }) {
			words = append(words, m[0].World)
		}
		if differs(func(w compare.Winner) string { return w.Metric }) {
			words = append(words, "by "+measureHeading(m[0].Metric))
		}
		if m[0].Guarantee != "" { // a design with another guarantee may have no map
			words = append(words, m[0].Guarantee)
		} else if differs(func(w compare.Winner) string { return w.Guarantee }) {
			words = append(words, "no guarantee declared")
		}
		title := fmt.Sprintf(format, m[0].Workload)
		if len(words) > 0 {
			title += " (" + strings.Join(words, ", ") + ")"
		}
		titles = append(titles, title)
	}
	return titles
}

// winnerLevel is the level of a factor at the point of a winner.
func winnerLevel(w compare.Winner, factor string) string {
	l, ok := w.Point.Get(factor)
	if !ok {
		return noQuantile
	}
	return l.String()
}

// winnerGrid is a map of winners. The last factor varies between columns, all others between rows.
type winnerGrid struct {
	down         []string // factors
	across       string
	rows, levels []string // points of the factors down, and levels of the one across
	designs      []string // that win somewhere or may do so
	cells        map[[2]string]compare.Winner
}

func newWinnerGrid(list []compare.Winner) *winnerGrid {
	n := len(list[0].Factors) - 1
	g := &winnerGrid{down: list[0].Factors[:n], across: list[0].Factors[n], cells: map[[2]string]compare.Winner{}}
	add := func(names *[]string, name string) {
		if !slices.Contains(*names, name) {
			*names = append(*names, name)
		}
	}
	for _, w := range list {
		level, row := winnerLevel(w, g.across), w.Point.Only(g.down).String()
		add(&g.levels, level)
		add(&g.rows, row)
		add(&g.designs, w.Leaders[0])
		g.cells[[2]string{row, level}] = w
	}
	return g
}

// at returns the winner in a cell. ok is false if there is none.
func (g *winnerGrid) at(row, level int) (w compare.Winner, ok bool) {
	w, ok = g.cells[[2]string{g.rows[row], g.levels[level]}]
	return w, ok
}

// hue is the number of a winner's colour; -1 for grey.
func (g *winnerGrid) hue(w compare.Winner) int {
	if len(w.Leaders) == 0 || w.Verdict == compare.Undecided {
		return -1
	}
	return slices.Index(g.designs, w.Leaders[0])
}

// winnerColumns returns a map of winners as a table.
func winnerColumns(list []compare.Winner) []column {
	g := newWinnerGrid(list)
	var columns []column
	for _, factor := range g.down {
		c := column{head: factor}
		for row := range g.rows {
			for level := range g.levels { // any that was measured
				if w, ok := g.at(row, level); ok {
					c.add(winnerLevel(w, factor), plain)
					break
				}
			}
		}
		columns = append(columns, c)
	}
	for level, name := range g.levels {
		c := column{group: g.across, head: name, left: true}
		for row := range g.rows {
			w, ok := g.at(row, level)
			switch hue := g.hue(w); {
			case !ok:
				c.add(noQuantile, dim)
			case hue < 0:
				c.add(winnerText(w), dim)
			default:
				c.add(winnerText(w), seriesTone(hue))
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
	maps := winnerMaps(list)
	for i, title := range winnerTitles(maps, winnersHeading) {
		m := maps[i]
		writeHeading(b, title, winnersTitle, st)
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
	maps := winnerMaps(list)
	for i, title := range winnerTitles(maps, "Fastest design of %s") {
		m := maps[i]
		b.WriteString("\n" + markdownLine(title) + ", " + winnersTitle + ":\n\n")
		markdownTable(b, winnerColumns(m))
		if note := winnersNote(m); note != "" {
			b.WriteString("\n" + markdownLine(note) + "\n")
		}
	}
}
