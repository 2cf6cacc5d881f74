package sweep

import (
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/result"
)

// Gate is the control law of a gate: it decides by interim analyses how many blocks a sweep of two revisions has, and
// ends the sweep once every benchmark is decided. Make one with [Sweep.UseGate].
type Gate struct {
	// Allow lets an exception turn a decision into an allowed one; nil: there are no exceptions.
	Allow func(*compare.GateDecision)
	// Notify gets each interim analysis; nil ignores them.
	Notify func(GateAnalysis)

	// The results so far.
	Decisions   []compare.GateDecision // by metric and benchmark
	LoadWarning *compare.Warning       // other processes ran, so that no time is decided; nil if none ran
	BudgetEnded *BudgetEnded           // the budget ended before the planned blocks; nil if it did not
	BlockTime   time.Duration          // mean time of a block

	sweep    *Sweep
	analyses *compare.SequentialGate
	metrics  []string
	budget   time.Duration // 0: there is none
	now      func() time.Time
	began    time.Time
	ahead    []int // numbers of blocks of the interim analyses to come
}

// GateAnalysis counts the decisions of a gate at an interim analysis.
type GateAnalysis struct {
	Blocks    int // blocks so far
	Decisions int // one for each metric of each benchmark
	Undecided int // of these decisions
}

// BudgetEnded describes a budget that ended before a decision.
type BudgetEnded struct {
	Budget time.Duration
	Blocks int           // blocks that fit into it
	Each   time.Duration // mean time of a block
}

// UseGate lets a gate on metrics decide how many blocks the sweep has. A budget of 0 is none.
func (s *Sweep) UseGate(c compare.Gate, metrics []string, budget time.Duration) *Gate {
	g := &Gate{sweep: s, analyses: compare.NewSequentialGate(c), metrics: metrics, budget: budget, now: s.Now}
	if g.now == nil {
		g.now = time.Now
	}
	if g.ahead = g.analyses.InterimBlocks; g.ahead[0] > 1 {
		g.ahead = append([]int{1}, g.ahead...) // which alone shows how long the others take
	}
	s.Next = g.next
	return g
}

// next judges the trials of n blocks and decides how many more follow. The first block alone shows how long the others
// take.
func (g *Gate) next(n int, trials []result.Trial) (more int, err error) {
	if n == 0 {
		g.began = g.now()
		return g.ahead[0], nil
	}
	elapsed := g.now().Sub(g.began)
	each := elapsed / time.Duration(n)
	g.BlockTime = each
	var short bool
	if g.ahead, short = withinBudget(n, g.ahead[1:], each, elapsed, g.budget); short {
		g.BudgetEnded = &BudgetEnded{g.budget, slices.Max(append(g.ahead, n)), each}
	}
	last, sound := len(g.ahead) == 0, result.OutcomeOf(trials) == result.Sound
	if n >= g.analyses.InterimBlocks[0] || last || !sound {
		if err := g.analyse(n, trials, last); err != nil {
			return 0, err
		}
		if last || !sound || compare.OverallDecision(g.Decisions) != compare.Undecided {
			return 0, nil
		}
	}
	return g.ahead[0] - n, nil
}

// withinBudget returns the numbers of blocks of the analyses to come, after some blocks that took a time each. If the
// budget ends before the next planned analysis, short is true, and there is one analysis after the blocks that fit, or
// none.
func withinBudget(done int, planned []int, each, elapsed, budget time.Duration) (ahead []int, short bool) {
	if len(planned) == 0 || budget <= 0 || each <= 0 {
		return planned, false
	}
	fit := done + int(reserve*max(0, float64(budget-elapsed))/float64(each))
	switch {
	case fit >= planned[0]:
		return planned, false
	case fit > done:
		return []int{fit}, true
	}
	return nil, true
}

// analyse judges the trials of n blocks and stores the decisions. No analysis follows the last one.
func (g *Gate) analyse(n int, trials []result.Trial, last bool) error {
	if err := g.judge(n, trials, last); err != nil {
		return err
	}
	open := 0
	for _, v := range g.Decisions {
		if v.Decision == compare.Undecided && v.Allowed == "" {
			open++
		}
	}
	if g.Notify != nil {
		g.Notify(GateAnalysis{Blocks: n, Decisions: len(g.Decisions), Undecided: open})
	}
	return g.sweep.Store.Interim(g.Decisions)
}

// judge decides by the trials of n blocks.
func (g *Gate) judge(n int, trials []result.Trial, last bool) error {
	sides := g.sweep.Criteria.PairLevels(compare.Rows(trials, g.sweep.Plan.Cases), trials)
	declared := compare.DeclaredDirections(trials)
	g.Decisions, g.LoadWarning, g.analyses.Family = nil, nil, 0
	have := make([][]compare.Pair, len(g.metrics))
	for i, metric := range g.metrics {
		for _, s := range sides {
			_, a := s.A.Metrics[metric]
			_, b := s.B.Metrics[metric]
			if a && b {
				have[i] = append(have[i], s)
			}
		}
		if len(have[i]) == 0 && len(sides) > 0 && result.OutcomeOf(trials) == result.Sound { // it did when it ran once
			return fmt.Errorf("the metric %s: no benchmark of both revisions reported it when it was measured", metric)
		}
		g.analyses.Family += len(have[i])
	}
	for _, w := range compare.Warnings(trials, nil) {
		if w.Warning == compare.WarnOtherProcesses {
			g.LoadWarning = &w
		}
	}
	g.analyses.Open(n, last, g.LoadWarning == nil)
	for i, metric := range g.metrics {
		g.Decisions = append(g.Decisions, g.analyses.Judge(have[i], metric, compare.Direction(metric, declared))...)
	}
	for i := range g.Decisions {
		v := &g.Decisions[i]
		if g.LoadWarning != nil && v.Decision == compare.Undecided { // more blocks under this load decide nothing
			v.MoreBlocks, v.MoreLayouts = nil, nil
		}
		if g.Allow != nil {
			g.Allow(v)
		}
	}
	return nil
}
