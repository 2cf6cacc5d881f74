package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/plan"
)

// contest is the designs that do the same job on the same CPUs at the same load, each at its levels of the other
// factors.
type contest struct {
	at      plan.Point // levels of the context factors
	rows    []*Row     // the best first
	linked  []*Row     // rows that verdicts may link: also of designs that failed, and references
	leaders int        // number of rows that lead: the best, and those that are not proven slower

	undecided []Verdict // on the best and each leader that is not proven equal to it; zero without a verdict
}

// relation is how the best row compares with another one.
type relation int

const (
	relationUndecided relation = iota
	relationEqual
	relationAhead
)

// compete fills in the contests and who leads them.
func (g *answerGroup) compete() {
	ranked := slices.DeleteFunc(slices.Clone(g.rows), func(r *Row) bool { return !r.ranked() })
	own := slices.DeleteFunc(slices.Clone(ranked),
		func(r *Row) bool { return r.Reference && r.Design != g.options.Baseline })
	if len(own) > 0 {
		ranked = own
	}

	g.findContext(ranked)
	byKey := map[string]*contest{}
	for _, r := range ranked {
		at := g.context(r.Point)
		id := fmt.Sprint(at, r.Rate)
		c := byKey[id]
		if c == nil {
			c = &contest{at: at}
			byKey[id] = c
			g.contests = append(g.contests, c)
		}
		c.rows = append(c.rows, r)
	}
	for _, r := range g.rows {
		if c := byKey[fmt.Sprint(g.context(r.Point), r.Rate)]; c != nil {
			c.linked = append(c.linked, r)
		}
	}
	for _, c := range g.contests {
		g.rank(c)
	}
	g.vary()
}

// vary finds the factors in which the contests differ. If that is one factor with numbers, the contests are sorted by
// it, because the designs may not have run at the same levels.
func (g *answerGroup) vary() {
	for _, c := range g.contests {
		for _, s := range c.at.Settings() {
			if l, ok := g.contests[0].at.Get(s.Factor); (!ok || l.String() != s.Level.String()) &&
				!slices.Contains(g.varying, s.Factor) && !g.follows(s.Factor) {
				g.varying = append(g.varying, s.Factor)
			}
		}
	}
	if len(g.varying) != 1 {
		return
	}
	number := func(c *contest) (float64, bool) {
		l, _ := c.at.Get(g.varying[0])
		return l.Number()
	}
	if slices.ContainsFunc(g.contests, func(c *contest) bool { _, ok := number(c); return !ok }) {
		return
	}
	slices.SortStableFunc(g.contests, func(a, b *contest) int {
		x, _ := number(a)
		y, _ := number(b)
		return cmp.Compare(x, y)
	})
}

// follows reports whether a factor always has the same level as one that is known to vary, as workers follow CPUs.
func (g *answerGroup) follows(factor string) bool {
	return slices.ContainsFunc(g.varying, func(other string) bool {
		return !slices.ContainsFunc(g.contests, func(c *contest) bool {
			l, ok := c.at.Get(factor)
			o, _ := c.at.Get(other)
			return ok && l.String() != o.String()
		})
	})
}

// index finds the rows of the verdicts.
func (g *answerGroup) index(verdicts []Verdict) {
	g.verdicts = map[[2]*Row]*Verdict{}
	find := func(v *Verdict, design string, only plan.Point) *Row {
		for _, r := range g.rows {
			if r.Design == design && r.World == v.World && r.Workload == v.Workload && measureOf(r) == v.Metric &&
				sameLevels(r.Point, v.Point, only) {
				return r
			}
		}
		return nil
	}
	for i := range verdicts {
		v := &verdicts[i]
		if a, b := find(v, v.A, v.OnlyA), find(v, v.B, v.OnlyB); a != nil && b != nil {
			g.verdicts[[2]*Row{a, b}] = v
		}
	}
}

// findContext finds the factors that are not a choice: inputs, CPUs and the load. One that only some designs have does
// not keep them from competing with the others if it has one level wherever the others agree, as workers that follow
// CPUs.
func (g *answerGroup) findContext(rows []*Row) {
	var partial []string
	for _, name := range append([]string{"cpus", "load", "rate"}, g.options.Inputs...) {
		n := 0
		for _, r := range rows {
			if r.Point.Has(name) {
				n++
			}
		}
		switch {
		case n == len(rows):
			g.contextFactors = append(g.contextFactors, name)
		case n > 0:
			partial = append(partial, name)
		}
	}
	shared := slices.Clone(g.contextFactors)
	for _, name := range partial {
		levels := map[string]string{} // by the shared settings
		if slices.ContainsFunc(rows, func(r *Row) bool {
			l, ok := r.Point.Get(name)
			if !ok {
				return false
			}
			at := r.Point.Only(shared).String()
			before, known := levels[at]
			levels[at] = l.String()
			return known && before != l.String()
		}) {
			g.contextFactors = append(g.contextFactors, name)
		}
	}
}

// context returns the settings of the factors that are not a choice.
func (g *answerGroup) context(p plan.Point) plan.Point { return p.Only(g.contextFactors) }

// rank sorts the rows of a contest and finds the leaders.
func (g *answerGroup) rank(c *contest) {
	slices.SortStableFunc(c.rows, func(a, b *Row) int {
		if speedRatio(a, b) > 1 {
			return -1
		} else if speedRatio(a, b) < 1 {
			return 1
		}
		return 0
	})

	// Medians of close rows may contradict the paired verdict, which is the better evidence.
	for i := 1; i < len(c.rows); i++ {
		if v, flipped := g.verdict(c.rows[i], c.rows[0]); v != nil && (v.Verdict == Faster) != flipped &&
			(v.Verdict == Faster || v.Verdict == Slower) {
			best := c.rows[i]
			c.rows = slices.Insert(slices.Delete(c.rows, i, i+1), 0, best)
		}
	}

	var lead, rest []*Row
	for i, r := range c.rows {
		if i == 0 {
			lead = append(lead, r)
			continue
		}
		switch how, v := g.relationOf(c, c.rows[0], r); how {
		case relationAhead:
			rest = append(rest, r)
		case relationEqual:
			lead = append(lead, r)
		default:
			lead = append(lead, r)
			c.undecided = append(c.undecided, *cmp.Or(v, &Verdict{}))
		}
	}
	c.rows, c.leaders = append(lead, rest...), len(lead)
}

// verdict returns the verdict on two rows. flipped means that it compares b with a.
func (g *answerGroup) verdict(a, b *Row) (v *Verdict, flipped bool) {
	if v = g.verdicts[[2]*Row{a, b}]; v != nil {
		return v, false
	}
	return g.verdicts[[2]*Row{b, a}], true
}

// name is a row's design with the levels in which it differs from other rows of its design in the contest.
func (c *contest) name(r *Row) string {
	var words []string
	for _, s := range r.Point.Settings() {
		if slices.ContainsFunc(c.rows, func(o *Row) bool {
			l, ok := o.Point.Get(s.Factor)
			return o.Design == r.Design && ok && l.String() != s.Level.String()
		}) {
			words = append(words, s.Factor+" "+s.Level.String())
		}
	}
	if len(words) == 0 {
		return r.Design
	}
	return r.Design + " (" + strings.Join(words, ", ") + ")"
}

// leaderNames names the leaders. A design all of whose levels lead is named once.
func (c *contest) leaderNames() []string {
	var names []string
	for _, r := range c.rows[:c.leaders] {
		name := c.name(r)
		if !slices.ContainsFunc(c.rows[c.leaders:], func(o *Row) bool { return o.Design == r.Design }) {
			name = r.Design
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// behind is the row with which the best is compared: the baseline, or the next best; nil if all lead.
func (c *contest) behind(baseline string) *Row {
	for _, r := range c.rows[c.leaders:] {
		if r.Design == baseline {
			return r
		}
	}
	if c.leaders < len(c.rows) {
		return c.rows[c.leaders]
	}
	return nil
}
