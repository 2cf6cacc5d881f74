package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// maxNamed is the largest number of designs that a sentence names one by one.
const maxNamed = 4

// sentences returns the answer of a group.
func (g *answerGroup) sentences() []string {
	if len(g.contests) == 0 {
		return nil
	}
	var text []string
	if decided, rough := g.competing(); len(decided)+len(rough) == 0 {
		text = append(text, g.single())
	} else {
		if len(decided) > 0 {
			text = append(text, g.best(decided))
		}
		if len(rough) > 0 {
			text = append(text, g.rough(rough))
		}
		if len(decided) == 0 && g.mappable() {
			text = append(text, fmt.Sprintf("A map of winners needs at least %d %ss.", stat.MinBlocks(1-confidence),
				g.replicate()))
		}
	}
	text = append(text, g.scaling()...)
	text = append(text, g.latency()...)
	for i := range text {
		text[i] = capitalized(text[i])
		if g.predicted {
			text[i] = "Predicted: " + text[i]
		}
	}
	return text
}

// replicate is the word for what is repeated.
func (g *answerGroup) replicate() string {
	if g.rows[0].World == result.Virtual {
		return "replication"
	}
	return "block"
}

// single states the speed of designs that have nobody to compete with.
func (g *answerGroup) single() string {
	c := g.contests[len(g.contests)-1]
	for _, o := range g.contests {
		if speedRatio(o.rows[0], c.rows[0]) > 1 {
			c = o
		}
	}
	r := c.rows[0]
	list := slices.DeleteFunc(slices.Clone(g.contests), func(o *contest) bool { // as fast as the fastest
		return o.rows[0].Design != r.Design || o.rows[0].level() != r.level()
	})
	text := r.Design + " " + map[string]string{result.Throughput: "reaches ", result.WallSeconds: "takes ",
		result.ResponseP50: "responds in "}[measureOf(r)] + figure(r.level(), measureOf(r))
	if at := g.where(list); at != "" && len(g.contests) > 1 {
		text += " " + at
	}
	if b := g.bound(c); b != nil && speedRatio(b, r) > 1.05 {
		text += fmt.Sprintf("; the bound %s is %s as fast", b.Design, times(speedRatio(b, r)))
		if len(list) > 1 {
			text += " " + g.where([]*contest{c})
		}
	}
	if n, tooFew := blocks(list); tooFew {
		text += fmt.Sprintf(" (rough: %s)", result.Count(n, g.replicate()))
	}
	return text + "."
}

// bound is the fastest bound in the place of a contest, or nil.
func (g *answerGroup) bound(c *contest) *Row {
	var best *Row
	for _, r := range g.bounds {
		if r.N > 0 && measured(r.level()) && fmt.Sprint(g.context(r.Point), r.Rate) ==
			fmt.Sprint(c.at, c.rows[0].Rate) && (best == nil || speedRatio(r, best) > 1) {
			best = r
		}
	}
	return best
}

// outcome is neighbouring contests with the same result.
type outcome struct {
	contests       []*contest
	leaders, loser string
}

// best says which design is the best in contests, and at which points.
func (g *answerGroup) best(contests []*contest) string {
	var list []*outcome
	for _, c := range contests {
		o := outcome{leaders: fmt.Sprint(len(c.undecided) > 0, len(c.rows) == c.leaders, c.leaderNames())}
		if r := c.behind(g.options.Baseline); r != nil {
			o.loser = c.name(r)
		}
		anyNext := g.options.Baseline == "" && len(g.varying) > 1 // the map has the details
		i := slices.IndexFunc(list, func(x *outcome) bool {
			return x.leaders == o.leaders && (x.loser == o.loser || anyNext && x.loser != "" && o.loser != "")
		})
		if i < 0 {
			i, list = len(list), append(list, &o)
		} else if list[i].loser != o.loser {
			list[i].loser = "the next best"
		}
		list[i].contests = append(list[i].contests, c)
	}
	slices.SortStableFunc(list, func(a, b *outcome) int {
		return len(b.contests) - len(a.contests) + 1000*(order(b.loser != "")-order(a.loser != ""))
	})

	var parts []string
	for i, o := range list {
		if i == 3 {
			rest := 0
			for _, o := range list[i:] {
				rest += len(o.contests)
			}
			parts = append(parts, fmt.Sprintf("at %s the order differs", result.Count(rest, "more point"))+
				map[bool]string{true: " (see the map)"}[g.mappable()])
			break
		}
		parts = append(parts, g.outcomeText(o))
	}
	return strings.Join(parts, "; ") + "."
}

func order(x bool) int {
	if x {
		return 1
	}
	return 0
}

// outcomeText says who leads in some contests, and by how much.
func (g *answerGroup) outcomeText(o *outcome) string {
	c := o.contests[0]
	names := c.leaderNames()
	subject := JoinNames(names)
	if len(names) > maxNamed {
		subject = fmt.Sprintf("%d designs, such as %s,", len(names), names[0])
	}
	text := ""
	switch all := c.leaders == len(c.rows); {
	case all && len(c.undecided) == 0:
		text = subject + map[bool]string{true: " are", false: " is"}[len(names) > 1] + " equally fast"
		if len(names) == 1 {
			text += " at all levels"
		}
	case len(names) == 1 && len(c.undecided) > 0: // all levels of one design, with or without others behind it
		text = subject + map[bool]string{true: ": the", false: " is fastest, but the"}[all] +
			" order of its levels is undecided" + g.moreText(o)
	case all:
		text = "the order of " + subject + " is undecided" + g.moreText(o)
	case len(names) == 1 && len(c.undecided) == 0:
		text = subject + " is fastest"
	case len(c.undecided) == 0:
		text = subject + " are fastest, and equally fast"
	default:
		text = "the fastest is one of " + strings.TrimSuffix(subject, ",") + ", undecided" + g.moreText(o)
	}
	if at := g.where(o.contests); at != "" && len(g.varying) > 0 {
		text = at + ", " + text
	}
	if o.loser != "" {
		text += ": " + g.leadText(o)
	}
	return text
}

// leadText is the lead over the next design, or the baseline.
func (g *answerGroup) leadText(o *outcome) string {
	low, high := 0.0, 0.0
	for _, c := range o.contests {
		x := g.lead(c)
		if low == 0 || x < low {
			low = x
		}
		high = max(high, x)
	}
	text, change := times(low), ""
	if times(low) != times(high) {
		text += " to " + times(high)
	} else if low < 1.995 {
		change = " (" + decimal.Change(low-1) + ")"
	}
	switch measureOf(o.contests[0].rows[0]) {
	case result.Throughput:
		return text + " the throughput of " + o.loser + change
	case result.ResponseP50:
		return "it responds " + text + " as fast as " + o.loser + change
	}
	return text + " as fast as " + o.loser + change
}

// lead is the speed of the best row relative to the row behind, by their verdict if there is one.
func (g *answerGroup) lead(c *contest) float64 { return g.leadOver(c, c.behind(g.options.Baseline)) }

// leadOver is the speed of the best row relative to another one.
func (g *answerGroup) leadOver(c *contest, r *Row) float64 {
	v, flipped := g.verdict(c.rows[0], r)
	switch {
	case v == nil || !v.Ratio.Known():
		return speedRatio(c.rows[0], r)
	case flipped:
		return asSpeed(1/float64(v.Ratio), v.Metric)
	}
	return asSpeed(float64(v.Ratio), v.Metric)
}

// moreText says how many more blocks would decide, if that is known.
func (g *answerGroup) moreText(o *outcome) string {
	var list []Verdict
	for _, c := range o.contests {
		list = append(list, c.undecided...)
	}
	if n := BlocksToDecide(list); n.Known() {
		return fmt.Sprintf(" (%s would decide)", n.Text(g.replicate()))
	}
	return ""
}
