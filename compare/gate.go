package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// What a gate comes to.
const (
	Pass  = "pass"  // the upper bound of the cost lies at or under the limit
	Fail  = "fail"  // its lower bound lies over it
	Error = "error" // of a whole gate: a benchmark goes wrong in the head, or a trial went wrong
)

// Gate asks whether the new side costs more than a limit allows.
type Gate struct {
	Max           float64 // 0.05 allows 5 % more time, or 5 % less of what there should be more of
	Alpha         float64 // chance of any false fail; of each false pass
	Layouts       int     // see Sides.Contrast
	InterimBlocks []int   // blocks after which it may decide, ascending; the last is the most there can be
	Family        int     // benchmarks and metrics that it decides together: a false fail of any of them is one
}

// GateInterimBlocks are the usual looks of a gate.
func GateInterimBlocks(most int) []int {
	var looks []int
	for _, n := range []int{10, 20, 30, 40, 60, 80} {
		if n < most {
			looks = append(looks, n)
		}
	}
	return append(looks, most)
}

// Gated is what a gate says of one metric of one benchmark. Its JSON is a contract.
type GateResult struct {
	Kind          string       `json:"kind"` // "gate"
	SchemaVersion int          `json:"schema_version"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Base          result.Value `json:"base"` // medians
	Head          result.Value `json:"head"`
	Cost          result.Value `json:"cost"` // head / base, or base / head of what there should be more of
	// below which the cost is not, but for Alpha of all benchmarks at all looks
	Low      result.Value `json:"low"`
	High     result.Value `json:"high"` // above which it is not, but for Alpha of each
	Limit    float64      `json:"limit"`
	N        int          `json:"n"` // blocks
	Exact    bool         `json:"exact,omitempty"`
	Decision string       `json:"decision"` // pass, fail or undecided
	// undecided: how many more would decide if the cost stays the one seen; null where 1000 would not
	MoreBlocks  *int   `json:"more_blocks"`
	MoreLayouts *int   `json:"more_layouts"`          // the same where layouts are the replicates
	Allowed     string `json:"allowed,omitempty"`     // not a pass, and the allow-list lets it be: its reason
	Waived      string `json:"allow_until,omitempty"` // the last day that it does
	AbsoluteDifference
}

// Interim carries a gate through its interim analyses. Each judges what is still undecided by all blocks so far; what
// it decides stands, with the numbers of that analysis, and no later analysis judges the blocks of an earlier one
// again. The chance of a false fail is at most Alpha over all analyses and benchmarks together, and that of a false
// pass at most Alpha for each benchmark, because the levels of the analyses add up to at most Alpha.
type SequentialGate struct {
	Gate
	level   float64 // of the analysis under way; 0: it shows how things stand and decides only by exact counts
	spent   float64 // of Alpha
	decided map[string]GateResult
}

// NewSequentialGate begins the interim analyses of a gate.
func NewSequentialGate(g Gate) *SequentialGate {
	return &SequentialGate{Gate: g, decided: map[string]GateResult{}}
}

// Open begins the analysis after some blocks. Alpha is spent over the analyses in proportion to the blocks, so that
// what is clear is soon decided and what is not has many more blocks; with layouts, of which more blocks bring no
// more, with their square. A last analysis spends all that is left: what ends the blocks is the time, not the
// costs (Lan and DeMets: Discrete sequential boundaries for clinical trials, Biometrika 70(3), 1983).
//
// trusted is false if the blocks cannot be judged by times, because other processes were busy: nothing that varies is
// decided then, and nothing is spent. Nor is it before the first planned analysis, unless it is the last.
func (g *SequentialGate) Open(blocks int, last, trusted bool) {
	g.level = 0
	switch {
	case !trusted:
	case last || blocks >= g.InterimBlocks[len(g.InterimBlocks)-1]:
		g.level = g.Alpha - g.spent
	case blocks >= g.InterimBlocks[0]:
		g.level = g.spending(blocks) - g.spent
	}
	g.spent += g.level
}

// spending is the part of Alpha that may be spent after some blocks.
func (g Gate) spending(blocks int) float64 {
	share := float64(blocks) / float64(g.InterimBlocks[len(g.InterimBlocks)-1])
	if g.Layouts > 1 {
		return stat.SquareSpending(g.Alpha, share)
	}
	return stat.LinearSpending(g.Alpha, share)
}

// Judge judges a metric of all benchmarks in the analysis that [Interim.Open] has begun.
func (g *SequentialGate) Judge(sides []Pair, metric string, direction int) []GateResult {
	list := []GateResult{}
	for i := range sides {
		s := &sides[i]
		point, _, _ := SplitPoints(s.A.Point, s.B.Point)
		key := fmt.Sprintf("%s %s %s", s.A.Design, point, metric)
		v, stands := g.decided[key]
		if !stands {
			v = GateResult{Kind: "gate", SchemaVersion: result.SchemaVersion, Design: s.A.Design, Point: point,
				Metric: metric, Limit: g.Max,
				Base: median(s.trialsB, metric), Head: median(s.trialsA, metric), Decision: Undecided,
				Cost: result.Unavailable, Low: result.Unavailable, High: result.Unavailable}
			g.judge(&v, s, direction, max(g.Family, len(sides)))
		}
		if v.Decision != Undecided && !v.Exact {
			g.decided[key] = v
		}
		list = append(list, v)
	}
	return list
}

// judge judges one benchmark.
func (g *SequentialGate) judge(v *GateResult, s *Pair, direction, family int) {
	c, ok := s.Compare(v.Metric, g.Layouts)
	v.N = min(c.NA, c.NB)
	switch {
	case !ok || !c.judgeable():
	case c.Exact:
		g.exact(v, c.Exactly, direction)
	default:
		g.sequential(v, c, direction, family)
	}
	if c.NoRatio != "" {
		v.withoutRatio(c)
	}
}

func median(trials []*result.Trial, metric string) result.Value {
	var xs []float64
	for _, t := range trials {
		if v := t.Metrics.Get(metric); measured(v) {
			xs = append(xs, float64(v))
		}
	}
	if len(xs) == 0 {
		return result.Unavailable
	}
	return result.Value(stat.Median(xs))
}

// exact decides by counts that never vary, once two blocks have said so.
func (g Gate) exact(v *GateResult, ratio float64, direction int) {
	if direction > 0 {
		ratio = 1 / ratio
	}
	v.Cost, v.Low, v.High, v.Exact = result.Value(ratio), result.Value(ratio), result.Value(ratio), true
	v.Decision = Pass
	if ratio > 1+g.Max {
		v.Decision = Fail
	}
}

// sequential decides at the level of the analysis, which by Bonferroni's inequality holds whatever the analyses have in
// common. A fail also shares it with the other benchmarks and metrics; passing needs no such share, since
// all must pass.
func (g *SequentialGate) sequential(v *GateResult, c MetricComparison, direction, m int) {
	level := g.level
	if level == 0 {
		level = g.spending(g.InterimBlocks[0])
	}
	if g.decide(v, c, level, direction, m); g.level == 0 {
		v.Decision = Undecided
	}
	if v.Decision != Undecided {
		return
	}

	far := math.Exp(math.Abs(math.Log(float64(v.Cost)) - math.Log(1+g.Max)))
	need := c.Ratio.Blocks(far, 1, 2*g.Alpha/float64(m), blocksLimit)
	if need >= blocksLimit {
		return
	}
	more := max(need-c.Ratio.N, 1)
	switch {
	case v.N < MinGateBlocks:
		more = MinGateBlocks - v.N // by which nothing may be decided yet
	case g.Layouts > 1:
		v.MoreLayouts = &more
		return
	}
	v.MoreBlocks = &more
}

// MinGateBlocks is the fewest blocks by which what varies is judged: those that a median's interval takes.
const MinGateBlocks = 6

// decide sets the bounds at a level, and what they come to.
func (g Gate) decide(v *GateResult, c MetricComparison, level float64, direction, m int) {
	low, _ := c.Ratio.Interval(1 - 2*level/float64(m))
	_, high := c.Ratio.Interval(1 - 2*level)
	cost := c.Ratio.Ratio
	if direction > 0 {
		l, _ := c.Ratio.Interval(1 - 2*level)
		_, h := c.Ratio.Interval(1 - 2*level/float64(m))
		cost, low, high = 1/cost, 1/h, 1/l
	}
	v.Cost, v.Low, v.High, v.N = result.Value(cost), result.Value(low), result.Value(high), min(c.NA, c.NB)
	switch {
	case g.Layouts > 1 && c.Ratio.N < minLayouts:
	case v.N < MinGateBlocks: // a coarse clock may tell all of so few the same
	case high <= 1+g.Max:
		v.Decision = Pass
	case low > 1+g.Max:
		v.Decision = Fail
	}
}

// Decided is what all benchmarks come to: fail where one does, else undecided where one is, or where there is none.
func GateDecision(list []GateResult) string {
	decision := Pass
	if len(list) == 0 {
		return Undecided
	}
	for _, v := range list {
		switch {
		case v.Allowed != "":
		case v.Decision == Fail:
			return Fail
		case v.Decision == Undecided:
			decision = Undecided
		}
	}
	return decision
}
