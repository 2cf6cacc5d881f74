package compare

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// The decisions of a gate.
const (
	Pass  = "pass"  // the upper bound of the cost is at most the limit
	Fail  = "fail"  // the lower bound of the cost is above the limit
	Error = "error" // of a whole gate: a benchmark of the head or a trial failed
)

// Gate tests whether the new side costs more than a limit allows.
type Gate struct {
	MaxRegression float64 // 0.05 allows 5% more time, or 5% less if higher is better
	Alpha         float64 // family-wise probability of a false fail; probability of each false pass
	Layouts       int     // links of each build, each one replicate; block b has layout b modulo Layouts
	InterimBlocks []int   // planned interim analyses, ascending; the last is the maximum
	Family        int     // number of benchmarks and metrics that share Alpha for a false fail
}

// GateInterimBlocks returns the default interim analyses of a gate with at most the given number of blocks.
func GateInterimBlocks(most int) []int {
	var interims []int
	for _, n := range []int{10, 20, 30, 40, 60, 80} {
		if n < most {
			interims = append(interims, n)
		}
	}
	return append(interims, most)
}

// GateDecision is the decision of a gate on one metric of one benchmark. Its JSON is a contract.
type GateDecision struct {
	Kind          string       `json:"kind"` // "gate"
	SchemaVersion int          `json:"schema_version"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Base          result.Value `json:"base"` // medians
	Head          result.Value `json:"head"`
	Cost          result.Value `json:"cost"` // head / base; base / head if higher is better
	// lower confidence bound; family-wise error at most Alpha over all benchmarks and interim analyses
	Low           result.Value `json:"low"`
	High          result.Value `json:"high"` // upper confidence bound, error at most Alpha for each benchmark
	MaxRegression float64      `json:"limit"`
	N             int          `json:"n"` // blocks
	Exact         bool         `json:"exact,omitempty"`
	Decision      string       `json:"decision"` // pass, fail or undecided
	// if undecided, the number of further blocks that would decide if the cost stays as estimated; null above 1000
	MoreBlocks   *int   `json:"more_blocks"`
	MoreLayouts  *int   `json:"more_layouts"`          // the same in layouts, if these are the replicates
	Allowed      string `json:"allowed,omitempty"`     // if the allow-list excuses the decision: its reason
	AllowedUntil string `json:"allow_until,omitempty"` // the last day of that excuse
	AbsoluteDifference
	MoreIsBetter bool `json:"-"` // of the metric
}

// GateRecord is the overall decision of a gate. Its JSON is a contract.
type GateRecord struct {
	Kind          string             `json:"kind"` // "gate-decision"
	SchemaVersion int                `json:"schema_version"`
	Decision      string             `json:"decision"` // pass, fail, undecided, or error: see Error
	Limit         float64            `json:"limit"`
	NotJudged     []result.NotJudged `json:"not_judged"`
	Notes         []string           `json:"notes"`
}

// NewGateRecord returns the record of an overall decision.
func NewGateRecord(decision string, limit float64, notJudged []result.NotJudged, notes []string) GateRecord {
	return GateRecord{"gate-decision", result.SchemaVersion, decision, limit,
		append([]result.NotJudged{}, notJudged...), append([]string{}, notes...)}
}

// SequentialGate decides a gate in interim analyses. Each analysis tests the undecided benchmarks with all blocks
// so far. A decision is final and keeps the numbers of its analysis.
//
// The levels of the analyses add up to at most Alpha. Therefore the probability of any false fail is at most Alpha
// over all analyses and benchmarks. The probability of a false pass is at most Alpha for each benchmark.
type SequentialGate struct {
	Gate
	level   float64 // level of the current analysis; at 0 only exact counts are decided
	spent   float64 // the part of Alpha spent so far
	decided map[string]GateDecision
}

// NewSequentialGate returns a gate before its first interim analysis.
func NewSequentialGate(g Gate) *SequentialGate {
	return &SequentialGate{Gate: g, decided: map[string]GateDecision{}}
}

// Open begins the analysis after some blocks. Alpha is spent in proportion to the blocks, so that clear cases are
// decided early. With layouts it is spent with the square of the blocks, because the number of replicates does not
// grow. The last analysis spends the rest: the maximum number of blocks depends on time and not on the costs (Lan
// and DeMets: Discrete sequential boundaries for clinical trials, Biometrika 70(3), 1983).
//
// trusted is false if the blocks are unreliable because other processes were running. Then only exact counts are
// decided, and nothing is spent. The same holds before the first planned analysis, unless this one is the last.
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

// spending returns how much of Alpha may be spent up to some number of blocks.
func (g Gate) spending(blocks int) float64 {
	share := float64(blocks) / float64(g.InterimBlocks[len(g.InterimBlocks)-1])
	if g.Layouts > 1 {
		return stat.SquareSpending(g.Alpha, share)
	}
	return stat.LinearSpending(g.Alpha, share)
}

// Judge decides a metric of all benchmarks in the analysis begun by [SequentialGate.Open].
func (g *SequentialGate) Judge(pairs []Pair, metric string, direction int) []GateDecision {
	list := []GateDecision{}
	for i := range pairs {
		s := &pairs[i]
		point, _, _ := SplitPoints(s.A.Point, s.B.Point)
		key := fmt.Sprintf("%s %s %s", s.A.Design, point, metric)
		v, stands := g.decided[key]
		if !stands {
			v = GateDecision{Kind: "gate", SchemaVersion: result.SchemaVersion, Design: s.A.Design, Point: point,
				Metric: metric, MaxRegression: g.MaxRegression,
				Base: median(s.trialsB, metric), Head: median(s.trialsA, metric), Decision: Undecided,
				Cost: result.Unavailable, Low: result.Unavailable, High: result.Unavailable,
				MoreIsBetter: direction > 0}
			g.judge(&v, s, direction, max(g.Family, len(pairs)))
		}
		if v.Decision != Undecided && !v.Exact {
			g.decided[key] = v
		}
		list = append(list, v)
	}
	return list
}

// judge decides one benchmark.
func (g *SequentialGate) judge(v *GateDecision, s *Pair, direction, family int) {
	c, ok := s.compare(v.Metric, g.Layouts)
	if v.N = min(c.NA, c.NB); !ok {
		head, base, _ := s.samples(v.Metric)
		v.N = min(len(head), len(base))
	}
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

// exact decides by counts that do not vary, given two blocks or more.
func (g Gate) exact(v *GateDecision, ratio float64, direction int) {
	if direction > 0 {
		ratio = 1 / ratio
	}
	v.Cost, v.Low, v.High, v.Exact = result.Value(ratio), result.Value(ratio), result.Value(ratio), true
	v.Decision = Pass
	if ratio > 1+g.MaxRegression {
		v.Decision = Fail
	}
}

// sequential decides at the level of the current analysis. By Bonferroni's inequality the levels hold however the
// analyses depend on each other. A fail shares its level with the other benchmarks and metrics. A pass does not,
// because all benchmarks must pass.
func (g *SequentialGate) sequential(v *GateDecision, c metricComparison, direction, m int) {
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

	far := math.Exp(math.Abs(math.Log(float64(v.Cost)) - math.Log(1+g.MaxRegression)))
	need := c.Ratio.Blocks(far, 1, 2*g.Alpha/float64(m), blocksLimit)
	if need >= blocksLimit {
		return
	}

	more, least := max(need-c.Ratio.N, 1), MinGateBlocks-v.N // fewer blocks than that decide nothing
	switch {
	case g.Layouts <= 1:
		more = max(more, least)
	case least > 0:
		more = least
	default:
		v.MoreLayouts = &more
		return
	}

	v.MoreBlocks = &more
}

// MinGateBlocks is the least number of blocks by which a varying metric is decided. A median needs as many for its
// interval.
const MinGateBlocks = 6

// decide sets the bounds at a level, and the decision that follows.
func (g Gate) decide(v *GateDecision, c metricComparison, level float64, direction, m int) {
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
	case v.N < MinGateBlocks: // a coarse clock may give equal times in so few blocks
	case high <= 1+g.MaxRegression:
		v.Decision = Pass
	case low > 1+g.MaxRegression:
		v.Decision = Fail
	}
}

// OverallDecision returns the decision on all benchmarks: fail if any fails, otherwise undecided if any is undecided
// or the list is empty. Excused benchmarks do not count.
func OverallDecision(list []GateDecision) string {
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
