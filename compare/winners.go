package compare

import (
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Winner is the fastest design at one point of a run that varies at least two factors of the job, its load or the CPUs.
// All of them together are a map of winners. Its JSON is a contract.
type Winner struct {
	Kind          string     `json:"kind"` // "winner"
	SchemaVersion int        `json:"schema_version"`
	Workload      string     `json:"workload"`
	World         string     `json:"world"`
	Metric        string     `json:"metric"`              // by which the designs are compared
	Guarantee     string     `json:"guarantee,omitempty"` // that these designs have in common
	Factors       []string   `json:"factors"`             // that vary: the same for all winners of a map
	Point         plan.Point `json:"point"`               // a level of each factor, "-" if the designs do not use it

	// Verdict is "fastest" if one design is proven faster than all others, "equivalent" if several are, and differ by
	// less than the margin, and "undecided" otherwise.
	Verdict string   `json:"verdict"`
	Leaders []string `json:"leaders"` // designs that are not proven slower than the best, the best first

	// MoreBlocks is the number of further blocks that would decide between the leaders if ratios stay as estimated; nil
	// if they are decided, if it is unknown, or if it is beyond the last analysis of a run with a budget. EnoughBlocks
	// is then the number of blocks of a run without a budget, or 0.
	MoreBlocks   *int `json:"more_blocks"`
	EnoughBlocks int  `json:"-"`

	Next  *string      `json:"next"`  // the best design that is proven slower, whatever the baseline is; nil for none
	Ratio result.Value `json:"ratio"` // how many times as fast as Next the best design is; NaN without one
}

// Fastest is the verdict of a winner that leads alone. Other verdicts are those of a [Verdict].
const Fastest = "fastest"

// noLevel is the level of a factor that the designs do not use.
const noLevel = "-"

// mappable reports whether the contests vary two factors, and a design competes with another one.
func (g *answerGroup) mappable() bool {
	return len(g.varying) > 1 && !g.predicted &&
		slices.ContainsFunc(g.contests, func(c *contest) bool { return len(c.rows) > 1 })
}

// winners returns the winner of each contest of several designs; nil without a map, and if no contest has enough blocks
// for a verdict.
func (g *answerGroup) winners() (list []Winner) {
	if decided, _ := g.competing(); len(decided) == 0 || !g.mappable() {
		return nil
	}
	factors, points := g.winnerPoints()
	for i, c := range g.contests {
		if len(c.rows) < 2 {
			continue
		}
		best := c.rows[0]
		w := Winner{Kind: "winner", SchemaVersion: result.SchemaVersion, Workload: best.Workload, World: best.World,
			Metric: measureOf(best), Guarantee: best.Guarantee, Factors: factors, Point: points[i],
			Verdict: Fastest, Leaders: c.leaderNames(),
			Ratio: result.Unavailable}
		if len(w.Leaders) > 1 {
			w.Verdict = Equivalent
			if n := BlocksToDecide(c.undecided); len(c.undecided) > 0 {
				w.Verdict, w.EnoughBlocks = Undecided, n.Enough
				if n.Known() && n.Enough == 0 {
					w.MoreBlocks = &n.More
				}
			}
		}
		if next := c.behind(""); next != nil {
			name := c.name(next)
			w.Next, w.Ratio = &name, result.Value(g.leadOver(c, next))
		}
		list = append(list, w)
	}
	return list
}

// winnerPoints returns the factors of the map and the point of each contest. No two points are equal: if the factors
// that vary do not tell contests apart, those that follow them are included, and then the rate.
func (g *answerGroup) winnerPoints() (factors []string, points []plan.Point) {
	for _, all := range [][]string{g.varying, g.contextFactors} {
		factors = g.inOrder(all)
		if points = g.pointsOf(factors); distinct(points) {
			return factors, points
		}
	}
	if factors = g.inOrder(g.varying); !slices.Contains(factors, "rate") {
		factors = append(factors, "rate")
	}
	points = g.pointsOf(factors)
	for i, c := range g.contests {
		points[i] = points[i].With("rate", plan.FloatLevel(c.rows[0].Rate))
	}
	return factors, points
}

// inOrder returns factors of the contests in the order of their points.
func (g *answerGroup) inOrder(factors []string) (list []string) {
	longest := slices.SortedStableFunc(slices.Values(g.contests), func(a, b *contest) int {
		return len(b.at.Settings()) - len(a.at.Settings())
	})
	for _, c := range longest {
		for _, s := range c.at.Only(factors).Settings() {
			if !slices.Contains(list, s.Factor) {
				list = append(list, s.Factor)
			}
		}
	}
	return list
}

// pointsOf returns the levels of factors of each contest.
func (g *answerGroup) pointsOf(factors []string) (points []plan.Point) {
	for _, c := range g.contests {
		p := plan.NewPoint()
		for _, f := range factors {
			l, ok := c.at.Get(f)
			if !ok {
				l = plan.TextLevel(noLevel)
			}
			p = p.With(f, l)
		}
		points = append(points, p)
	}
	return points
}

// distinct reports whether no two points are equal.
func distinct(points []plan.Point) bool {
	seen := map[string]bool{}
	for _, p := range points {
		seen[p.String()] = true
	}
	return len(seen) == len(points)
}
