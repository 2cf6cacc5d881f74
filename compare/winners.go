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
	Factors       []string   `json:"factors"` // that vary, in the order of the points
	Point         plan.Point `json:"point"`   // levels of these factors

	// Verdict is "fastest" if one design is proven faster than all others, "equivalent" if several are, and differ by
	// less than the margin, and "undecided" otherwise.
	Verdict string   `json:"verdict"`
	Leaders []string `json:"leaders"` // designs that are not proven slower than the best, the best first

	// MoreBlocks is the number of further blocks that would decide between the leaders if ratios stay as estimated; nil
	// if they are decided, or if it is unknown.
	MoreBlocks *int `json:"more_blocks"`

	Next  *string      `json:"next"`  // the baseline or the best design that is proven slower; nil for none
	Ratio result.Value `json:"ratio"` // how many times as fast as Next the best design is; NaN without one
}

// Fastest is the verdict of a winner that leads alone. Other verdicts are those of a [Verdict].
const Fastest = "fastest"

// mappable reports whether the contests vary two factors, and a design competes with another one.
func (g *answerGroup) mappable() bool {
	return len(g.varying) > 1 && !g.predicted &&
		slices.ContainsFunc(g.contests, func(c *contest) bool { return len(c.rows) > 1 })
}

// winners returns the winner of each contest; nil without a map, and if no contest has enough blocks for a verdict.
func (g *answerGroup) winners() (list []Winner) {
	if decided, _ := g.competing(); len(decided) == 0 || !g.mappable() {
		return nil
	}
	for _, c := range g.contests {
		best := c.rows[0]
		w := Winner{Kind: "winner", SchemaVersion: result.SchemaVersion, Workload: best.Workload, World: best.World,
			Point: c.at.Only(g.varying), Verdict: Fastest, Leaders: c.leaderNames(), Ratio: result.Unavailable}
		for _, s := range w.Point.Settings() {
			w.Factors = append(w.Factors, s.Factor)
		}
		if len(w.Leaders) > 1 {
			w.Verdict = Equivalent
			if c.open > 0 {
				w.Verdict, w.MoreBlocks = Undecided, c.more
			}
		}
		if next := c.behind(g.options.Baseline); next != nil {
			name := c.name(next)
			w.Next, w.Ratio = &name, result.Value(g.lead(c))
		}
		list = append(list, w)
	}
	return list
}
