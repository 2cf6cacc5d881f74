package compare

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Course says what a run with a budget measures after a look, and why. It goes into the journal.
type Allocation struct {
	Comparisons []ComparisonState `json:"standings"`
	Cases       []int             `json:"cases"`  // that the next blocks hold, by their place in the plan
	Blocks      int               `json:"blocks"` // how many; 0: the run is over
	Why         string            `json:"why"`
}

// The reasons of a course.
const (
	AllDecided     = "every verdict stands"
	SomeUndecided  = "the undecided comparisons go on"
	SomeAffordable = "the time left suffices for some of the undecided comparisons only: the least certain go on"
	NoTime         = "the time left does not suffice for the next interim analysis"
	NoBlocks       = "the last interim analysis was made"
)

// Standing is how a comparison stands at a look.
type ComparisonState struct {
	A         int     `json:"a"` // cases, by their place in the plan
	B         int     `json:"b"`
	Blocks    int     `json:"blocks"` // that hold both
	Interims  int     `json:"looks"`
	Level     float64 `json:"level"`     // nominal level of its last look, of its part of alpha
	Verdict   string  `json:"verdict"`   // of A beside B
	New       int     `json:"new"`       // numbers that the blocks since the look before have brought
	Certainty float64 `json:"certainty"` // how much of the interval's half-width is near enough to decide: 1 decides
	ratio     float64
	ended     bool
}

// Undecided is the number of comparisons that are not decided.
func (c *Allocation) Undecided() int {
	n := 0
	for _, s := range c.Comparisons {
		n += one(s.Verdict == Undecided)
	}
	return n
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Course decides what is measured next, by the trials so far and nothing else: the undecided comparisons
// go on to the next look of one of them. costs are the times that the cases take in a block, and left is
// the time there is. Where it does not suffice for all of them, the least certain go first, and the others
// where there is time for them too; last those whose trials failed since they were judged before, of which
// more may fail as well. A comparison whose cases are there for others' sake goes on as well.
func (j Criteria) Allocate(rows []Row, trials []result.Trial, cases []plan.Case, costs []float64, left float64) Allocation {
	place := map[string]int{}
	for i, c := range cases {
		place[c.Design+" "+c.Point.String()] = i
	}
	pairs, all := j.comparisons(rows, trials)
	list := j.states(all)
	for i, p := range pairs {
		s := &list[i]
		s.A, s.B = place[p[0].Design+" "+p[0].Point.String()], place[p[1].Design+" "+p[1].Point.String()]
		s.Verdict = directed(s.Verdict, s.ratio, measureOf(p[0]))
	}
	return j.next(list, costs, left)
}

// next decides by how all comparisons stand.
func (j Criteria) next(standings []ComparisonState, costs []float64, left float64) Allocation {
	c := Allocation{Comparisons: standings, Cases: []int{}}
	var open []ComparisonState
	for _, s := range c.Comparisons {
		if s.Verdict == Undecided {
			open = append(open, s)
		}
	}
	if len(open) == 0 {
		c.Why = AllDecided
		return c
	}
	open = slices.DeleteFunc(open, func(s ComparisonState) bool { return j.toLook(s) == 0 })
	if len(open) == 0 {
		c.Why = NoBlocks
		return c
	}
	slices.SortStableFunc(open, func(a, b ComparisonState) int {
		return cmp.Or(one(a.New == 0)-one(b.New == 0), cmp.Compare(a.Certainty, b.Certainty))
	})
	need := make([]int, len(costs)) // blocks of each case until the looks of those that go on
	skipped := false
	for _, s := range open {
		blocks, with := j.toLook(s), slices.Clone(need)
		with[s.A], with[s.B] = max(with[s.A], blocks), max(with[s.B], blocks)
		if duration(with, costs) > left {
			skipped = true
			continue
		}
		need = with
		if c.Blocks == 0 || blocks < c.Blocks {
			c.Blocks = blocks
		}
	}
	for i, n := range need {
		if n > 0 {
			c.Cases = append(c.Cases, i)
		}
	}
	switch {
	case c.Blocks == 0:
		c.Why = NoTime
	case skipped:
		c.Why = SomeAffordable
	default:
		c.Why = SomeUndecided
	}
	return c
}

// toLook is the number of blocks to the next look of a comparison; 0 where there is none.
func (j Criteria) toLook(s ComparisonState) int {
	if s.ended {
		return 0
	}
	for _, n := range j.Interims.Blocks {
		if n > s.Blocks {
			return n - s.Blocks
		}
	}
	return 0
}

// duration is the time that so many blocks of each case take.
func duration(blocks []int, costs []float64) float64 {
	sum := 0.0
	for c, n := range blocks {
		sum += float64(n) * costs[c]
	}
	return sum
}

// standings are those of all comparisons, without their cases.
func (j Criteria) states(all []series) []ComparisonState {
	judged := j.judge(all)
	list := []ComparisonState{}
	for i := range judged {
		s := &judged[i]
		list = append(list, ComparisonState{Blocks: len(all[i].blocks), Interims: len(s.looks),
			Level:   s.level(j.Alpha / float64(len(all))),
			Verdict: s.verdict, New: j.Interims.news(&all[i]), Certainty: j.certainty(s, len(all)), ratio: s.ratio.Ratio,
			ended: all[i].ended})
	}
	return list
}

// news is how many numbers the blocks since the look before have brought.
func (l *InterimPlan) news(s *series) int {
	from, n := 0, 0
	for _, look := range l.Blocks {
		if look < len(s.logs) {
			from = look
		}
	}
	for _, x := range s.logs[from:] {
		n += one(!math.IsNaN(x))
	}
	return n
}

// certainty is the distance from what would have to be excluded, by the half-width of the interval at the
// last look's level for one of m: a difference is decided where the interval excludes 1, and equivalence
// where it excludes what lies beyond the margin. 0 is no knowledge.
func (j Criteria) certainty(s *standing, m int) float64 {
	if !s.ok {
		return 0
	}
	low, high := s.ratio.Interval(1 - s.level(j.Alpha/float64(m)))
	half := math.Log(high/low) / 2
	off := math.Abs(math.Log(s.ratio.Ratio))
	near := max(off, math.Log(1+j.Margin)-off)
	if half == 0 || near > half {
		return 1 // as near as it can be; JSON has no infinity
	}
	return near / half
}
