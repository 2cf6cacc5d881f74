package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/brewput/brewput/result"
)

// where names the points of contests by the factors that vary, as in "on 2 to 8 CPUs".
func (g *answerGroup) where(list []*contest) string {
	if len(g.varying) == 0 {
		return ""
	}
	if len(list) == len(g.contests) && len(list) > 1 && len(g.varying) > 1 {
		if len(list) == 2 {
			return "at both points"
		}
		return fmt.Sprintf("at all %d points", len(list))
	}
	if len(list) > 3 && len(g.varying) > 1 {
		return fmt.Sprintf("at %d of %d points", len(list), len(g.contests))
	}
	if len(g.varying) == 1 {
		return g.levels(list, g.varying[0])
	}
	var points []string
	for _, c := range list {
		var words []string
		for _, s := range c.at.Settings() {
			if slices.Contains(g.varying, s.Factor) {
				words = append(words, s.Factor+" "+s.Level.String())
			}
		}
		points = append(points, strings.Join(words, ", "))
	}
	return "at " + strings.Join(points, " and ")
}

// levels names the levels of a factor in contests. Three or more neighbouring levels are a range.
func (g *answerGroup) levels(list []*contest, factor string) string {
	var levels []string
	first, last, numbers := 0, 0, true
	for i, c := range g.contests {
		if slices.Contains(list, c) {
			l, _ := c.at.Get(factor)
			if levels = append(levels, l.String()); len(levels) == 1 {
				first = i
			}
			last = i
			_, ok := l.Number()
			numbers = numbers && ok
		}
	}
	text := JoinNames(levels)
	if n := len(levels); n > 2 && last-first == n-1 && numbers {
		text = levels[0] + " to " + levels[n-1] // contests are sorted by numbers
	}
	if factor != "cpus" {
		return "at " + factor + " " + text
	}
	return "on " + text + map[bool]string{true: " CPU", false: " CPUs"}[text == "1"]
}

// scaling says up to which number of CPUs each design gets faster, if CPUs are all that varies between contests.
func (g *answerGroup) scaling() []string {
	if !slices.Equal(g.varying, []string{"cpus"}) || g.rows[0].Open {
		return nil
	}
	var designs []string
	for _, c := range g.contests {
		for _, r := range c.rows {
			if !slices.Contains(designs, r.Design) {
				designs = append(designs, r.Design)
			}
		}
	}
	if len(designs) > maxNamed { // only what matters
		last := g.contests[len(g.contests)-1]
		designs = nil
		for _, r := range last.rows[:last.leaders] {
			if !slices.Contains(designs, r.Design) && len(designs) < maxNamed {
				designs = append(designs, r.Design)
			}
		}
	}

	// Designs that scale alike share a clause.
	var order []scaled
	byScaling := map[scaled][]string{}
	for _, d := range designs {
		if how, ok := g.scalingOf(d); ok {
			if byScaling[how] == nil {
				order = append(order, how)
			}
			byScaling[how] = append(byScaling[how], d)
		}
	}
	slices.SortStableFunc(order, func(a, b scaled) int { return int(a.kind) - int(b.kind) })

	var parts []string
	kind := scalingKind(-1)
	for _, how := range order {
		names := JoinNames(byScaling[how])
		if how.kind == kind && len(parts) > 0 && kind != scalesUnclear {
			parts[len(parts)-1] += ", " + names + how.text
		} else {
			parts = append(parts, fmt.Sprintf(scalingWords[how.kind], names)+how.text)
		}
		kind = how.kind
	}
	if len(parts) == 0 {
		return nil
	}
	return []string{capitalized(strings.Join(parts, "; ")) + "."}
}

// scaled is how a design scales with CPUs.
type scaled struct {
	kind scalingKind
	text string // follows the name of the design
}

type scalingKind int

const (
	scalesUp scalingKind = iota
	scalesNot
	scalesDown
	scalesUnclear
)

// scalingWords begin a clause, by the kind of scaling.
var scalingWords = [...]string{"more CPUs help %s", "more CPUs do not help %s", "more CPUs slow down %s",
	"whether more CPUs help %s is undecided"}

// helps is the smallest gain of speed at which more CPUs help.
const helps = 1.05

// scalingOf says how the fastest rows of a design scale with CPUs. ok is false if it ran on one number of CPUs.
func (g *answerGroup) scalingOf(design string) (how scaled, ok bool) {
	var rows []*Row // by growing CPUs
	for _, c := range g.contests {
		if i := slices.IndexFunc(c.rows, func(r *Row) bool { return r.Design == design }); i >= 0 {
			rows = append(rows, c.rows[i])
		}
	}
	if len(rows) < 2 {
		return how, false
	}
	cpus := func(r *Row) int { return levelOf(r.Point, "cpus") }
	slices.SortStableFunc(rows, func(a, b *Row) int { return cpus(a) - cpus(b) })
	first, last := rows[0], rows[len(rows)-1]
	best, unclear, gains := first, false, false
	for _, r := range rows[1:] {
		gains = gains || !(mostSpeedup(r, first) <= helps) && !agrees(r, first)
		switch x := speedRatio(r, best); {
		case x > helps && clearly(r, best):
			best, unclear = r, false
		case x > helps:
			unclear = true
		}
	}
	slower := speedRatio(last, best) < 1/helps && clearly(last, best)
	gain := func(r *Row) string { return times(speedRatio(r, first)) }
	switch {
	case unclear && best == first:
		return scaled{kind: scalesUnclear}, true
	case best == first && !slower && gains: // the intervals also allow a gain
		return scaled{kind: scalesUnclear}, true
	case best == first && slower:
		return scaled{scalesDown, fmt.Sprintf(" (%s on %s)", gain(last), result.Count(cpus(last), "CPU"))}, true
	case best == first:
		return scaled{kind: scalesNot}, true
	case best == last:
		return scaled{scalesUp, fmt.Sprintf(" up to the %d %s (%s from %d)", cpus(best),
			map[bool]string{true: "simulated", false: "tried"}[g.predicted], gain(best), cpus(first))}, true
	case slower:
		return scaled{scalesUp, fmt.Sprintf(" up to %d (%s from %d; slower beyond)", cpus(best), gain(best),
			cpus(first))}, true
	}
	return scaled{scalesUp, fmt.Sprintf(" %sup to %d (%s from %d)", map[bool]string{true: "at least "}[unclear],
		cpus(best), gain(best), cpus(first))}, true
}

// clearly reports whether the intervals of two rows do not overlap. Rows without an interval must differ by half, or by
// a fifth if they are simulations of 1000 requests or more, which vary little.
func clearly(a, b *Row) bool {
	x, y := a.interval(), b.interval()
	if x[0] <= 0 || y[0] <= 0 {
		least := 1.5
		if long(a) && long(b) {
			least = 1.2
		}
		r := speedRatio(a, b)
		return r > least || r < 1/least
	}
	return x[1] < y[0] || y[1] < x[0]
}

// long reports whether a row is a simulation of 1000 requests or more: fewer have no p99.
func long(r *Row) bool {
	return r.World == result.Virtual && measured(r.Metric("latency_p99_ns").Median)
}

// agreement is the largest relative difference of two simulations that agree.
const agreement = 0.005

// agrees reports whether two simulations are equally fast although they may have no interval, as single replications.
// If one is in fact [helps] times as fast, they agree with a probability of at most 5%, however much replications vary:
// the log of their ratio is then normal around log(1.05), and at most 5% of it is within 0.005 of 0.
func agrees(a, b *Row) bool {
	return a.World == result.Virtual && math.Abs(speedRatio(a, b)-1) <= agreement
}

// mostSpeedup is the upper end of the 95% interval of how many times as fast a is as b. It assumes that their errors
// are independent, and is NaN if a row has no interval.
func mostSpeedup(a, b *Row) float64 {
	x, y := a.interval(), b.interval()
	if x[0] <= 0 || y[0] <= 0 {
		return math.NaN()
	}
	up, down := math.Log(x[1]/float64(a.level())), math.Log(float64(b.level())/y[0])
	if !result.LargerIsBetter(measureOf(a)) {
		up, down = math.Log(float64(a.level())/x[0]), math.Log(y[1]/float64(b.level()))
	}
	return speedRatio(a, b) * math.Exp(math.Hypot(up, down))
}

// latencyMatters is the ratio of latencies from which on a faster design's latency is worth a sentence.
const latencyMatters = 1.5

// latency says what the fastest design of a stream costs in latency, compared with the one behind it. A lower latency
// is no news, because it follows from the throughput.
func (g *answerGroup) latency() []string {
	if measureOf(g.rows[0]) != result.Throughput || len(g.contests) == 0 {
		return nil
	}
	c := g.contests[len(g.contests)-1]
	behind := c.behind(g.options.Baseline)
	if behind == nil {
		return nil
	}
	for _, m := range []struct{ metric, name string }{{"latency_p99_ns", "p99 latency"},
		{"latency_p95_ns", "p95 latency"}, {result.LatencyMean, "mean latency"}} {
		a, b := c.rows[0].Metric(m.metric).Median, behind.Metric(m.metric).Median
		if measured(a) && measured(b) && b > 0 {
			if a/b < latencyMatters {
				return nil
			}
			at := g.where([]*contest{c})
			return []string{strings.TrimSuffix(fmt.Sprintf("But the %s of %s is %s that of %s %s", m.name,
				c.name(c.rows[0]), times(float64(a/b)), c.name(behind), at), " ") + "."}
		}
	}
	return nil
}
