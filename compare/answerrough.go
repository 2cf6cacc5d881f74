package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// rough ranks the designs of each contest by their medians.
func (g *answerGroup) rough(list []*contest) string {
	var parts []string
	slices.Reverse(list) // the most CPUs first
	for i, c := range list {
		if i == 3 {
			parts = append(parts, result.Count(len(list)-i, "more point")+
				map[bool]string{true: " is", false: " are"}[len(list)-i == 1]+" in the table")
			break
		}
		text := g.ranking(c)
		if at := g.where([]*contest{c}); at != "" && len(g.contests) > 1 {
			text = at + ", " + text
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, "; ")
	n, _ := blocks(list)
	if n == 1 {
		return "Rough, from 1 trial each and without verdicts: " + text + "."
	}
	return text + fmt.Sprintf(" (rough: %s).", result.Count(n, g.replicate()))
}

// aboutEqual is the ratio of speeds up to which a ranking of few blocks calls rows about equally fast.
const aboutEqual = 1.1

// ranking says how many times as fast the fastest rows of a contest are as the others, or how fast rows are relative to
// the baseline.
func (g *answerGroup) ranking(c *contest) string {
	rows := slices.Clone(c.rows)
	slices.SortStableFunc(rows, func(a, b *Row) int { // verdicts may have moved rows
		return cmp.Compare(speedRatio(b, c.rows[0]), speedRatio(a, c.rows[0]))
	})
	base := rows[0]
	for _, r := range rows {
		if r.Design == g.options.Baseline && speedRatio(rows[0], r) >= aboutEqual {
			base = r
		}
	}
	var near []string
	var others []*Row
	for _, r := range rows {
		if x := speedRatio(r, base); x < aboutEqual && x > 1/aboutEqual {
			near = append(near, c.name(r))
		} else {
			others = append(others, r)
		}
	}
	switch {
	case len(others) == 0:
		return few(near, 2) + " are about equally fast"
	case base == rows[0]:
		return c.behindFastest(near, others, base)
	}
	var words []string
	for i, r := range others {
		if i == maxNamed && len(others) > maxNamed+1 {
			words = append(words, fmt.Sprintf("%d more", len(others)-i))
			break
		}
		text := c.name(r) + " about " + roughTimes(speedRatio(r, base))
		if i == 0 {
			text += " as fast as " + few(near, 2)
		}
		words = append(words, text)
	}
	return strings.Join(words, ", ")
}

// behindFastest says how many times as fast the fastest row is as others, which are sorted by speed. Those for which
// that is the same number share it. fastest names it, and rows about as fast.
func (c *contest) behindFastest(fastest []string, others []*Row, best *Row) string {
	var ratios []string
	var names [][]string
	for _, r := range others {
		x := roughTimes(speedRatio(best, r))
		if n := len(ratios); n == 0 || ratios[n-1] != x {
			ratios, names = append(ratios, x), append(names, nil)
		}
		names[len(names)-1] = append(names[len(names)-1], c.name(r))
	}
	text := few(fastest, 2) + " "
	switch {
	case len(fastest) > 1:
		text += "are fastest, "
	case len(ratios) > 1:
		text += "is fastest, "
	}
	text += "about " + ratios[0] + " as fast as " + few(names[0], 2)
	named := len(names[0])
	for i, x := range ratios[1:] {
		if i == maxNamed-2 && len(others)-named > 1 {
			return text + fmt.Sprintf(", %d more", len(others)-named)
		}
		text += ", " + x + " " + few(names[i+1], 2)
		named += len(names[i+1])
	}
	return text
}
