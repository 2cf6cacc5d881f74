package sweep

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Rule is the rule by which a run with a budget decides what it measures, and when it stops.
type Rule struct {
	Budget Duration `json:"budget"` // for everything, the trials of all executions together
	// blocks at which a comparison is judged; the last is the most
	InterimBlocks []int `json:"looks"`
	Equivalent    int   `json:"equivalent_from"` // blocks from which on designs may be called equivalent
	// blocks from which on small differences are judged; 0, as in older journals: all
	Different int     `json:"different_from,omitempty"`
	Spending  string  `json:"spending"` // how alpha is spent, t being the share of the blocks
	Alpha     float64 `json:"alpha"`    // for all comparisons and looks together
	Margin    float64 `json:"margin"`   // of equivalence
	Baseline  string  `json:"baseline"`
	All       bool    `json:"all"` // every pair is compared, not neighbours only
}

// NewRule is the usual rule for a budget, by which a judgement's comparisons are decided.
func NewRule(budget time.Duration, j compare.Criteria) *Rule {
	return &Rule{
		Budget: Duration(budget), InterimBlocks: compare.InterimBlocks(), Equivalent: compare.EquivalentFrom,
		Different: compare.DifferentFrom, Spending: Spending, Alpha: j.Alpha, Margin: j.Margin,
		Baseline: j.Baseline, All: j.All,
	}
}

// Most is the number of blocks at the last look.
func (r *Rule) Most() int { return slices.Max(r.InterimBlocks) }

// UseRule plans the interim analyses of the rule in the header. It takes some tenths of a second.
func (s *Sweep) UseRule() {
	r := s.Header.Rule
	s.Criteria.Interims = compare.NewInterimPlan(r.InterimBlocks, r.Equivalent)
	s.Criteria.Interims.Different = r.Different
}

// ResumeRule restores the rule, the interim analyses and the spent time of a sweep that is continued or shown again. It
// does nothing if the header has no rule. Errors name the run directory.
func (s *Sweep) ResumeRule(dir string, looks []json.RawMessage, spent time.Duration) (err error) {
	r := s.Header.Rule
	if r == nil {
		return nil
	}
	if !slices.IsSorted(r.InterimBlocks) || len(r.InterimBlocks) == 0 || r.InterimBlocks[0] < 2 || r.Alpha <= 0 || r.Alpha >= 1 ||
		r.Margin <= 0 {
		return fmt.Errorf("%s is not a run of brewput: the rule of its budget makes no sense", dir)
	}
	s.Criteria.Baseline, s.Criteria.All, s.Criteria.Alpha, s.Criteria.Margin = r.Baseline, r.All, r.Alpha, r.Margin
	s.UseRule()
	if s.Interims, err = ReadInterims(looks); err != nil {
		return fmt.Errorf("%s cannot be continued: %w", dir, err)
	}
	s.Spent = spent
	return nil
}

// InterimBlocks are the blocks at which a run with a budget is judged; nil for another.
func (h *Header) InterimBlocks() []int {
	if h.Rule == nil {
		return nil
	}
	return h.Rule.InterimBlocks
}

// Spending is the name of what compare does with alpha.
const Spending = "alpha t^2"

// Look is a decision on what is measured next.
type Interim struct {
	After int      `json:"after"` // blocks
	Spent Duration `json:"spent"`
	compare.Allocation
}

// ReadInterims reads the looks of a journal.
func ReadInterims(records []json.RawMessage) ([]Interim, error) {
	var looks []Interim
	for i, r := range records {
		var l Interim
		if err := json.Unmarshal(r, &l); err != nil {
			return nil, fmt.Errorf("interim analysis %d of the journal cannot be read: %w", i+1, err)
		}
		looks = append(looks, l)
	}
	return looks, nil
}

// reserve is the share of the time left that a decision disposes of: times differ a little from block to
// block, and a look that is one block short is none.
const reserve = 0.97

// stretch is a number of blocks that hold the same cases.
type stretch struct {
	cases []int
	until int // the block after the last one
}

// pace leads through a run with a budget.
type pace struct {
	sweep    *Sweep
	began    time.Time
	before   time.Duration // spent by earlier executions
	now      func() time.Time
	recorded []Interim // decisions of earlier executions that lie ahead
	stretch
}

func (s *Sweep) newPace() *pace {
	p := &pace{sweep: s, now: s.Now, recorded: s.Interims}
	if p.now == nil {
		p.now = time.Now
	}
	p.began, p.before = p.now(), s.Before()
	p.stretch = stretch{s.all(), s.Header.Rule.InterimBlocks[0]}
	return p
}

// all are the numbers of all cases.
func (s *Sweep) all() []int {
	var cases []int
	for i := range s.Plan.Cases {
		cases = append(cases, i)
	}
	return cases
}

// Before is what earlier executions have spent of the budget: what the last complete block says, and the
// time of the trials that came after it.
func (s *Sweep) Before() time.Duration {
	spent := s.Spent
	for _, t := range s.Done {
		if !s.Sealed[t.Block] {
			spent += s.took(&t) + overhead
		}
	}
	return spent
}

// took is the time of a trial within its process.
func (s *Sweep) took(t *result.Trial) time.Duration {
	return time.Duration(s.Header.Settings.Warmup) + time.Duration(t.WallSeconds*float64(time.Second))
}

// spent is what all executions together have spent of the budget.
func (p *pace) spent() time.Duration { return p.before + p.now().Sub(p.began) }

func (p *pace) left() time.Duration { return time.Duration(p.sweep.Header.Rule.Budget) - p.spent() }

// next are the cases of block b, of which whole says that it is stored already; false ends the run. What
// an earlier execution decided is not decided again.
func (p *pace) next(b int, trials []result.Trial, whole bool) (cases []int, more bool, err error) {
	if len(p.recorded) > 0 && p.recorded[0].After == b {
		look := p.recorded[0]
		p.recorded = p.recorded[1:]
		return p.follow(look)
	}
	if len(p.recorded) > 0 && b == p.until {
		return nil, false, fmt.Errorf("the journal's next interim analysis is after block %d, but one is due after block %d: it "+
			"is damaged; start a new run", p.recorded[0].After, b)
	}
	costs := p.costs(trials)
	switch {
	case b == p.until:
		look := Interim{After: b, Spent: Duration(p.spent()), Allocation: p.sweep.Criteria.Allocate(
			compare.Rows(trials, p.sweep.Plan.Cases), trials, p.sweep.Plan.Cases, seconds(costs),
			reserve*p.left().Seconds())}
		return p.decide(look)
	case !whole && p.left() < sum(costs, p.cases):
		return p.stop(b)
	}
	return p.cases, true, nil
}

// stop ends the run because the time is over.
func (p *pace) stop(b int) (cases []int, more bool, err error) {
	look := Interim{After: b, Spent: Duration(p.spent())}
	look.Why, look.Cases, look.Comparisons = compare.NoTime, []int{}, []compare.ComparisonState{}
	return p.decide(look)
}

// decide stores a decision and follows it.
func (p *pace) decide(look Interim) (cases []int, more bool, err error) {
	if err := p.sweep.Store.Interim(look); err != nil {
		return nil, false, err
	}
	p.sweep.Interims = append(p.sweep.Interims, look)
	return p.follow(look)
}

func (p *pace) follow(look Interim) (cases []int, more bool, err error) {
	for _, c := range look.Cases {
		if c < 0 || c >= len(p.sweep.Plan.Cases) {
			return nil, false, fmt.Errorf("the journal's interim analysis after block %d names case %d, which the plan does not "+
				"have: it is damaged; start a new run", look.After, c)
		}
	}
	p.stretch = stretch{look.Cases, look.After + look.Blocks}
	return p.cases, look.Blocks > 0, nil
}

// costs are the times that the cases take in a block: by their trials so far, with what each trial took
// beside its window; before there are any, by what is known of the designs, 0 where nothing is.
func (p *pace) costs(trials []result.Trial) []time.Duration {
	costs, blocks := make([]time.Duration, len(p.sweep.Plan.Cases)), make([]int, len(p.sweep.Plan.Cases))
	place := map[string]int{}
	for i, c := range p.sweep.Plan.Cases {
		place[c.Design+" "+c.Point.String()] = i
	}
	var inside time.Duration
	for i := range trials {
		c := place[trials[i].Design+" "+trials[i].Point.String()]
		costs[c] += p.sweep.took(&trials[i])
		inside += p.sweep.took(&trials[i])
		blocks[c] += 1
	}
	beside := overhead
	if len(trials) > 0 {
		beside = max(0, p.spent()-inside) / time.Duration(len(trials))
	}
	each := time.Duration(p.sweep.each())
	for i, c := range p.sweep.Plan.Cases {
		if blocks[i] == 0 {
			costs[i] = each * p.sweep.guess(c.Design)
			continue
		}
		costs[i] = each * (costs[i]/time.Duration(blocks[i]) + beside)
	}
	return costs
}

// each is the number of trials of a case in a block.
func (s *Sweep) each() int {
	if s.Plan.Instrumented {
		return 2
	}
	return 1
}

func sum(costs []time.Duration, cases []int) time.Duration {
	var d time.Duration
	for _, c := range cases {
		d += costs[c]
	}
	return d
}

func seconds(costs []time.Duration) []float64 {
	var list []float64
	for _, d := range costs {
		list = append(list, d.Seconds())
	}
	return list
}

// BlockTime is how long a block of all cases will take, without the trials of which nobody knows.
func (s *Sweep) BlockTime() time.Duration {
	var d time.Duration
	for _, c := range s.Plan.Cases {
		d += time.Duration(s.each()) * s.guess(c.Design)
	}
	return d
}
