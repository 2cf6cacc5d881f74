package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// BudgetRule is the rule by which a run with a time budget decides what to measure next, and when to stop.
type BudgetRule struct {
	Budget Duration `json:"budget"` // for all trials of all executions together
	// numbers of blocks after which there is an interim analysis; the last is the maximum
	InterimBlocks []int `json:"looks"`
	Equivalent    int   `json:"equivalent_from"` // least number of blocks for the verdict "equivalent"
	// least number of blocks for a small difference; 0, as in older journals: any number
	Different int     `json:"different_from,omitempty"`
	Spending  string  `json:"spending"` // the spending function; t is the fraction of the blocks
	Alpha     float64 `json:"alpha"`    // family-wise error over all comparisons and interim analyses
	Margin    float64 `json:"margin"`   // equivalence margin
	Baseline  string  `json:"baseline"`
	All       bool    `json:"all"` // compare all pairs, not only neighbours
}

// NewBudgetRule returns the default rule for a budget, with the parameters of the criteria j.
func NewBudgetRule(budget time.Duration, j compare.Criteria) *BudgetRule {
	return &BudgetRule{
		Budget: Duration(budget), InterimBlocks: compare.InterimBlocks(), Equivalent: compare.EquivalentFrom,
		Different: compare.DifferentFrom, Spending: SpendingRule, Alpha: j.Alpha, Margin: j.Margin,
		Baseline: j.Baseline, All: j.All,
	}
}

// MaxBlocks returns the number of blocks at the last interim analysis.
func (r *BudgetRule) MaxBlocks() int { return slices.Max(r.InterimBlocks) }

// planInterims prepares the interim analyses of the rule in the header. It takes a few tenths of a second.
func (s *Sweep) planInterims() {
	r := s.Header.Rule
	s.Criteria.Interims = compare.NewInterimPlan(r.InterimBlocks, r.Equivalent)
	s.Criteria.Interims.Different = r.Different
}

// RestoreBudget restores the rule, the interim analyses and the spent time of a sweep that is resumed or shown
// again. It does nothing if the header has no rule. Errors name the run directory.
func (s *Sweep) RestoreBudget(dir string, decisions []json.RawMessage, spent time.Duration) (err error) {
	r := s.Header.Rule
	if r == nil {
		return nil
	}
	ascending := slices.IsSortedFunc(r.InterimBlocks, func(a, b int) int { return cmp.Or(cmp.Compare(a, b), -1) })
	if !ascending || len(r.InterimBlocks) == 0 || r.InterimBlocks[0] < 2 || r.Alpha <= 0 || r.Alpha >= 1 ||
		r.Margin <= 0 {
		return fmt.Errorf("%s is not a run of brewput: the rule of its budget is invalid", dir)
	}

	s.Criteria.Baseline, s.Criteria.All, s.Criteria.Alpha, s.Criteria.Margin = r.Baseline, r.All, r.Alpha, r.Margin
	s.planInterims()
	if s.Interims, err = ReadInterims(decisions); err != nil {
		return fmt.Errorf("%s cannot be continued: %w", dir, err)
	}

	s.Spent = spent
	return nil
}

// InterimBlocks returns the numbers of blocks after which a run with a budget is analysed; nil without a budget.
func (h *Header) InterimBlocks() []int {
	if h.Rule == nil {
		return nil
	}
	return h.Rule.InterimBlocks
}

// SpendingRule names the alpha-spending function of package compare, as stored in headers.
const SpendingRule = "alpha t^2"

// InterimDecision is the decision of an interim analysis: what is measured next.
type InterimDecision struct {
	After int      `json:"after"` // number of blocks before it
	Spent Duration `json:"spent"`
	compare.Allocation
}

// ReadInterims decodes the interim decisions of a journal.
func ReadInterims(records []json.RawMessage) ([]InterimDecision, error) {
	var decisions []InterimDecision
	for i, r := range records {
		var l InterimDecision
		if err := json.Unmarshal(r, &l); err != nil {
			return nil, fmt.Errorf("interim analysis %d of the journal cannot be read: %w", i+1, err)
		}
		decisions = append(decisions, l)
	}
	return decisions, nil
}

// reserve is the fraction of the remaining time that a decision plans for. Times vary from block to block, and an
// interim analysis that lacks one block is lost.
const reserve = 0.97

// budget is the control law of a run with a time budget.
type budget struct {
	sweep    *Sweep
	began    time.Time
	before   time.Duration // spent by earlier executions
	now      func() time.Time
	recorded []InterimDecision // decisions of earlier executions that this one has not reached yet
}

func (s *Sweep) newBudget() *budget {
	p := &budget{sweep: s, now: s.Now, recorded: s.Interims}
	if p.now == nil {
		p.now = time.Now
	}
	p.began, p.before = p.now(), s.spentBefore()
	return p
}

// allCases returns the indices of all cases.
func (s *Sweep) allCases() []int {
	var cases []int
	for i := range s.Plan.Cases {
		cases = append(cases, i)
	}
	return cases
}

// spentBefore returns how much of the budget earlier executions spent: the time stored with the last complete block,
// plus the time of the trials after it.
func (s *Sweep) spentBefore() time.Duration {
	spent := s.Spent
	for _, t := range s.Done {
		if !s.CompleteBlocks[t.Block] {
			spent += s.trialTime(&t) + trialOverhead
		}
	}
	return spent
}

// trialTime returns how long a trial ran within its process.
func (s *Sweep) trialTime(t *result.Trial) time.Duration {
	switch {
	case strings.HasPrefix(t.Error, notRunPrefix):
		return 0
	case t.Limited:
		return time.Duration(s.Header.Settings.TimeLimit)
	}
	return time.Duration(s.Header.Settings.Warmup) + time.Duration(t.WallSeconds*float64(time.Second))
}

// spent returns how much of the budget all executions together have spent.
func (p *budget) spent() time.Duration { return p.before + p.now().Sub(p.began) }

func (p *budget) left() time.Duration { return time.Duration(p.sweep.Header.Rule.Budget) - p.spent() }

// next implements controlLaw. It follows the decisions of earlier executions instead of deciding again.
func (p *budget) next(current segment, b int, trials []result.Trial) (segment, error) {
	if b == 0 {
		current = segment{cases: p.sweep.allCases(), until: p.sweep.Header.Rule.InterimBlocks[0]}
	}

	if len(p.recorded) > 0 && p.recorded[0].After == b {
		// There are two if the time ended within the first block after an interim analysis: the later one counts.
		var decision InterimDecision
		for len(p.recorded) > 0 && p.recorded[0].After == b {
			decision, p.recorded = p.recorded[0], p.recorded[1:]
		}
		return p.follow(decision)
	}

	if len(p.recorded) > 0 && b == current.until {
		return segment{}, fmt.Errorf("the journal's next interim analysis is after block %d, but one is due after "+
			"block %d: it is damaged; start a new run", p.recorded[0].After, b)
	}

	costs := p.costs(trials)
	switch {
	case b == current.until:
		return p.decide(InterimDecision{After: b, Spent: Duration(p.spent()), Allocation: p.sweep.Criteria.Allocate(
			compare.Rows(trials, p.sweep.Plan.Cases), trials, p.sweep.Plan.Cases, seconds(costs),
			reserve*p.left().Seconds())})
	case !p.sweep.CompleteBlocks[b] && p.left() < sumCosts(costs, current.cases):
		return segment{}, p.stop(b)
	}
	return current, nil
}

// stop stores that the run ends because the time is over.
func (p *budget) stop(b int) error {
	decision := InterimDecision{After: b, Spent: Duration(p.spent())}
	decision.Reason, decision.Cases, decision.Comparisons = compare.NoTime, []int{}, []compare.ComparisonState{}
	_, err := p.decide(decision)
	return err
}

// decide stores a decision and follows it.
func (p *budget) decide(decision InterimDecision) (segment, error) {
	if err := p.sweep.Store.Interim(decision); err != nil {
		return segment{}, err
	}
	p.sweep.Interims = append(p.sweep.Interims, decision)
	return p.follow(decision)
}

// follow returns the blocks that a decision asks for. A damaged journal may name cases that do not exist.
func (p *budget) follow(decision InterimDecision) (segment, error) {
	for _, c := range decision.Cases {
		if c < 0 || c >= len(p.sweep.Plan.Cases) {
			return segment{}, fmt.Errorf("the journal's interim analysis after block %d names case %d, which the "+
				"plan does not have: it is damaged; start a new run", decision.After, c)
		}
	}
	return segment{cases: decision.Cases, until: decision.After + decision.Blocks}, nil
}

// costs estimates how long each case takes in a block, from its trials so far. To the time within a trial it adds
// the mean time that trials take beyond it. Before a case has trials it uses the expected time of its design, or 0
// if that is unknown. A case that does not run again, because it reached the time limit, takes 0.
func (p *budget) costs(trials []result.Trial) []time.Duration {
	costs, counts := make([]time.Duration, len(p.sweep.Plan.Cases)), make([]int, len(p.sweep.Plan.Cases))
	index := map[string]int{}
	for i, c := range p.sweep.Plan.Cases {
		index[c.Design+" "+c.Point.String()] = i
	}

	var inside time.Duration
	ran := 0 // number of trials
	for i := range trials {
		t := &trials[i]
		inside += p.sweep.trialTime(t)
		if strings.HasPrefix(t.Error, notRunPrefix) {
			continue
		}
		ran++
		if !t.Limited { // if its case runs again, then with another limit
			c := index[t.Design+" "+t.Point.String()]
			costs[c] += p.sweep.trialTime(t)
			counts[c]++
		}
	}

	extra := trialOverhead
	if ran > 0 {
		extra = max(0, p.spent()-inside) / time.Duration(ran)
	}

	each := time.Duration(p.sweep.trialsPerCase())
	for i, c := range p.sweep.Plan.Cases {
		switch {
		case p.sweep.limited[caseName(c)] != nil:
			costs[i] = 0
		case counts[i] == 0:
			costs[i] = each * p.sweep.expectedTime(c)
		default:
			costs[i] = each * (costs[i]/time.Duration(counts[i]) + extra)
		}
	}
	return costs
}

// trialsPerCase returns the number of trials of a case in a block: 2 with instrumented trials, otherwise 1.
func (s *Sweep) trialsPerCase() int {
	if s.Plan.Instrumented {
		return 2
	}
	return 1
}

func sumCosts(costs []time.Duration, cases []int) time.Duration {
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

// blockTime returns the expected time of a block of all cases. Trials of unknown length count as 0.
func (s *Sweep) blockTime() time.Duration {
	var d time.Duration
	for _, c := range s.Plan.Cases {
		d += time.Duration(s.trialsPerCase()) * s.expectedTime(c)
	}
	return d
}
