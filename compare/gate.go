package compare

import (
	"math"
	"slices"

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
	Max     float64 // 0.05 allows 5 % more time, or 5 % less of what there should be more of
	Alpha   float64 // chance of any false fail; of each false pass
	Layouts int     // see Sides.Contrast
	Looks   []int   // blocks after which it may decide, ascending; the last is the most there can be
	Family  int     // benchmarks and metrics that it decides together: a false fail of any of them is one
}

// GateLooks are the usual looks of a gate.
func GateLooks(most int) []int {
	var looks []int
	for _, n := range []int{10, 20, 30, 40, 60, 80} {
		if n < most {
			looks = append(looks, n)
		}
	}
	return append(looks, most)
}

// Gated is what a gate says of one metric of one benchmark. Its JSON is a contract.
type Gated struct {
	Kind          string       `json:"kind"` // "gate"
	SchemaVersion int          `json:"schema_version"`
	Design        string       `json:"design"`
	Point         plan.Point   `json:"point"`
	Metric        string       `json:"metric"`
	Base          result.Value `json:"base"` // medians
	Head          result.Value `json:"head"`
	Cost          result.Value `json:"cost"` // head / base, or base / head of what there should be more of
	Low           result.Value `json:"low"`  // below which the cost is not, but for Alpha of all benchmarks at all looks
	High          result.Value `json:"high"` // above which it is not, but for Alpha of each
	Limit         float64      `json:"limit"`
	N             int          `json:"n"` // blocks
	Exact         bool         `json:"exact,omitempty"`
	Decision      string       `json:"decision"`              // pass, fail or undecided
	MoreBlocks    *int         `json:"more_blocks"`           // undecided: how many more would decide if the cost stays the one seen; null where 1000 would not
	MoreLayouts   *int         `json:"more_layouts"`          // the same where layouts are the replicates
	Allowed       string       `json:"allowed,omitempty"`     // not a pass, and the allow-list lets it be: its reason
	Waived        string       `json:"allow_until,omitempty"` // the last day that it does
}

// Judge decides by the blocks so far, at the looks that they reach. What a look has decided stands.
func (g Gate) Judge(sides []Sides, metric string, direction int) []Gated {
	list := []Gated{}
	for i := range sides {
		c, ok := sides[i].Contrast(metric, g.Layouts)
		s := &sides[i]
		v := Gated{Kind: "gate", SchemaVersion: result.SchemaVersion, Design: s.A.Design, Metric: metric, Limit: g.Max,
			Base: median(s.trialsB, metric), Head: median(s.trialsA, metric), Decision: Undecided,
			Cost: result.Unavailable, Low: result.Unavailable, High: result.Unavailable, N: min(c.NA, c.NB)}
		v.Point, _, _ = Split(s.A.Point, s.B.Point)
		switch {
		case !ok:
		case c.Exact:
			g.exact(&v, c.Exactly, direction)
		default:
			g.sequential(&v, s, direction, max(g.Family, len(sides)))
		}
		list = append(list, v)
	}
	return list
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
func (g Gate) exact(v *Gated, ratio float64, direction int) {
	if math.IsNaN(ratio) { // nothing of nothing
		ratio = 1
	}
	if direction > 0 {
		ratio = 1 / ratio
	}
	v.Cost, v.Low, v.High, v.Exact = result.Value(ratio), result.Value(ratio), result.Value(ratio), true
	v.Decision = Pass
	if ratio > 1+g.Max {
		v.Decision = Fail
	}
}

// sequential decides at the first look that shows it. Alpha is spent over the looks in proportion to the blocks, so that
// what is clear is soon decided and what is not has many more blocks; with layouts, of which more blocks bring no more,
// with their square; and by Bonferroni's inequality, which layouts that all blocks share ask for. A fail also shares it with the other
// benchmarks and metrics; passing needs no such share, since all must pass.
func (g Gate) sequential(v *Gated, s *Sides, direction, m int) {
	spend := stat.Linear
	if g.Layouts > 1 {
		spend = stat.Square
	}
	looks := stat.LooksApart(spend, g.Looks, g.Looks[len(g.Looks)-1])
	var c Contrasted
	level := 0.0
	for k, n := range g.Looks {
		cut := s.first(n)
		if n > s.blocks() {
			break
		}
		now, ok := cut.Contrast(v.Metric, g.Layouts)
		if !ok || now.Exact {
			continue
		}
		c, level = now, looks.Level(g.Alpha, k)
		if g.decide(v, c, level, direction, m); v.Decision != Undecided {
			return
		}
	}
	if level == 0 { // before the first look
		c, _ = s.Contrast(v.Metric, g.Layouts)
		g.decide(v, c, looks.Level(g.Alpha, 0), direction, m)
		v.Decision = Undecided
	}
	far := math.Exp(math.Abs(math.Log(float64(v.Cost)) - math.Log(1+g.Max)))
	need := c.Ratio.Blocks(far, 1, 2*g.Alpha/float64(m), blocksLimit)
	if need >= blocksLimit {
		return
	}
	more := max(need-c.Ratio.N, 1)
	switch {
	case v.N < LeastGated:
		more = LeastGated - v.N // by which nothing may be decided yet
	case g.Layouts > 1:
		v.MoreLayouts = &more
		return
	}
	v.MoreBlocks = &more
}

// LeastGated is the fewest blocks by which what varies is judged: those that a median's interval takes.
const LeastGated = 6

// decide sets the bounds at a level, and what they come to.
func (g Gate) decide(v *Gated, c Contrasted, level float64, direction, m int) {
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
	case g.Layouts > 1 && c.Ratio.N < leastLayouts:
	case v.N < LeastGated: // a coarse clock may tell all of so few the same
	case high <= 1+g.Max:
		v.Decision = Pass
	case low > 1+g.Max:
		v.Decision = Fail
	}
}

// blocks is the number of blocks that hold both sides.
func (s *Sides) blocks() int {
	in := map[int]bool{}
	for _, t := range s.trialsA {
		in[t.Block] = true
	}
	n := 0
	for _, t := range s.trialsB {
		n += one(in[t.Block])
	}
	return n
}

// first are the sides in the first n blocks that hold both.
func (s *Sides) first(n int) *Sides {
	in := map[int]bool{}
	for _, t := range s.trialsA {
		in[t.Block] = true
	}
	var common []int
	for _, t := range s.trialsB {
		if in[t.Block] {
			common = append(common, t.Block)
		}
	}
	slices.Sort(common)
	if len(common) <= n {
		return s
	}
	last := common[n-1]
	keep := func(trials []*result.Trial) []*result.Trial {
		return slices.DeleteFunc(slices.Clone(trials), func(t *result.Trial) bool { return t.Block > last })
	}
	cut := *s
	cut.trialsA, cut.trialsB = keep(s.trialsA), keep(s.trialsB)
	return &cut
}

// Decided is what all benchmarks come to: fail where one does, else undecided where one is, or where there is none.
func Decided(list []Gated) string {
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
