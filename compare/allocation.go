package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Allocation is the decision of an interim analysis of a run with a budget: what to measure next, and why. The
// journal stores it.
type Allocation struct {
	Comparisons []ComparisonState `json:"standings"`
	Cases       []int             `json:"cases"`  // in the next blocks, by index in the plan
	Blocks      int               `json:"blocks"` // number of next blocks; 0 ends the run
	Reason      string            `json:"why"`
}

// The reasons of an allocation.
const (
	AllDecided     = "all comparisons are decided"
	SomeUndecided  = "undecided comparisons continue"
	SomeAffordable = "the remaining time is enough for only some undecided comparisons: the least certain continue"
	NoTime         = "the remaining time is too short for the next interim analysis"
	NoBlocks       = "the last interim analysis is done"
	LostResponses  = "further blocks would not help, because earlier blocks lost responses"
)

// ComparisonState is the state of a comparison at an interim analysis.
type ComparisonState struct {
	A         int     `json:"a"` // cases, by index in the plan
	B         int     `json:"b"`
	Blocks    int     `json:"blocks"` // blocks that hold both
	Interims  int     `json:"looks"`
	Level     float64 `json:"level"`     // nominal level of its last analysis, after the correction for the family
	Verdict   string  `json:"verdict"`   // on A compared with B
	NewBlocks int     `json:"new"`       // blocks with a ratio since the previous analysis
	Certainty float64 `json:"certainty"` // 1 decides; see Criteria.certainty
	ratio     float64
	ended     bool
}

// Undecided returns the number of undecided comparisons.
func (c *Allocation) Undecided() int {
	n := 0
	for _, s := range c.Comparisons {
		n += boolToInt(s.Verdict == Undecided)
	}
	return n
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Allocate decides what to measure next, from the trials so far only. Undecided comparisons continue until the next
// interim analysis of one of them. costs are the times of the cases in a block, and left is the remaining time,
// both in seconds.
//
// If the time is too short for all undecided comparisons, the least certain come first, and others follow if they
// still fit. Comparisons whose trials failed since their last analysis come last, because more may fail.
// Comparisons that share cases with a running one also continue.
func (c Criteria) Allocate(rows []Row, trials []result.Trial, cases []plan.Case, costs []float64,
	left float64) Allocation {
	index := map[string]int{}
	for i, x := range cases {
		index[x.Design+" "+x.Point.String()] = i
	}
	pairs, all := c.comparisons(rows, trials)
	list := c.states(all)
	for i, p := range pairs {
		s := &list[i]
		s.A, s.B = index[p[0].Design+" "+p[0].Point.String()], index[p[1].Design+" "+p[1].Point.String()]
		s.Verdict = directedVerdict(s.Verdict, s.ratio, measureOf(p[0]))
	}
	return c.allocateBlocks(list, costs, left)
}

// allocateBlocks decides what to measure next from the states of all comparisons.
func (c Criteria) allocateBlocks(states []ComparisonState, costs []float64, left float64) Allocation {
	next := Allocation{Comparisons: states, Cases: []int{}}
	var open []ComparisonState
	for _, s := range next.Comparisons {
		if s.Verdict == Undecided {
			open = append(open, s)
		}
	}

	if len(open) == 0 {
		next.Reason = AllDecided
		return next
	}

	waiting := slices.ContainsFunc(open, func(s ComparisonState) bool { return !s.ended })
	open = slices.DeleteFunc(open, func(s ComparisonState) bool { return c.blocksToInterim(s) == 0 })
	if len(open) == 0 {
		next.Reason = map[bool]string{true: NoBlocks, false: LostResponses}[waiting]
		return next
	}

	// Comparisons without new values come last, because their trials fail; before them the least certain come first.
	slices.SortStableFunc(open, func(a, b ComparisonState) int {
		return cmp.Or(boolToInt(a.NewBlocks == 0)-boolToInt(b.NewBlocks == 0), cmp.Compare(a.Certainty, b.Certainty))
	})
	// Each comparison continues if its blocks still fit into the time left.
	need := make([]int, len(costs)) // blocks of each case until the next analyses of the comparisons that continue
	skipped := false
	for _, s := range open {
		blocks, with := c.blocksToInterim(s), slices.Clone(need)
		with[s.A], with[s.B] = max(with[s.A], blocks), max(with[s.B], blocks)
		if duration(with, costs) > left {
			skipped = true
			continue
		}
		need = with
		if next.Blocks == 0 || blocks < next.Blocks {
			next.Blocks = blocks
		}
	}

	for i, n := range need {
		if n > 0 {
			next.Cases = append(next.Cases, i)
		}
	}

	switch {
	case next.Blocks == 0:
		next.Reason = NoTime
	case skipped:
		next.Reason = SomeAffordable
	default:
		next.Reason = SomeUndecided
	}
	return next
}

// blocksToInterim returns the number of blocks to the next analysis of a comparison; 0 if there is none.
func (c Criteria) blocksToInterim(s ComparisonState) int {
	if s.ended {
		return 0
	}
	for _, n := range c.Interims.Blocks {
		if n > s.Blocks {
			return n - s.Blocks
		}
	}
	return 0
}

// duration returns the time that the given numbers of blocks of each case take.
func duration(blocks []int, costs []float64) float64 {
	sum := 0.0
	for c, n := range blocks {
		sum += float64(n) * costs[c]
	}
	return sum
}

// states returns the states of all comparisons, without their cases.
func (c Criteria) states(all []blockSeries) []ComparisonState {
	judged := c.judge(all)
	list := []ComparisonState{}
	for i := range judged {
		s := &judged[i]
		list = append(list, ComparisonState{Blocks: len(all[i].blocks), Interims: len(s.analyses),
			Level:   s.level(c.Alpha / float64(len(all))),
			Verdict: s.verdict, NewBlocks: c.Interims.newValues(&all[i]), Certainty: c.certainty(s, len(all)),
			ratio: s.ratio.Ratio,
			ended: all[i].truncated})
	}
	return list
}

// newValues returns how many ratios the blocks since the previous analysis have added.
func (p *InterimPlan) newValues(s *blockSeries) int {
	from, n := 0, 0
	for _, blocks := range p.Blocks {
		if blocks < len(s.logs) {
			from = blocks
		}
	}
	for _, x := range s.logs[from:] {
		n += boolToInt(!math.IsNaN(x))
	}
	return n
}

// certainty returns the distance of the estimate from the nearest value that must be excluded, divided by the
// half-width of the interval. The interval has the level of the last analysis for one of m comparisons. It decides
// a difference if it excludes 1, and equivalence if it excludes everything beyond the margin. 0 means no
// information.
func (c Criteria) certainty(s *sequentialState, m int) float64 {
	if !s.ok {
		return 0
	}
	low, high := s.ratio.Interval(1 - s.level(c.Alpha/float64(m)))
	half := math.Log(high/low) / 2
	off := math.Abs(math.Log(s.ratio.Ratio))
	near := max(off, math.Log(1+c.Margin)-off)
	if half == 0 || near > half {
		return 1 // the maximum; JSON has no infinity
	}
	return near / half
}
