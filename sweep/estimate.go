package sweep

import "time"

// Estimate is the work that a sweep still has to do. Its times leave out trials of unknown length, such as jobs.
type Estimate struct {
	Done       int           // trials stored by earlier executions
	Total      int           // trials of the plan, including Done; with a budget, up to the maximum number of blocks
	Block      time.Duration // expected time of a block of all cases
	Remaining  time.Duration // expected time of the rest of the plan
	BudgetLeft time.Duration // remaining budget; 0 without one
	Jobs       bool          // some designs are jobs, so the times are too short
}

// Estimate estimates the remaining work. Call it before Execute.
func (s *Sweep) Estimate() Estimate {
	o := Estimate{Done: len(s.Done), Total: s.TotalTrials(), Block: s.blockTime(), Remaining: s.Remaining(),
		Jobs: s.hasJobs()}
	if s.Header.Rule != nil {
		o.BudgetLeft = max(0, time.Duration(s.Header.Rule.Budget)-s.spentBefore())
	}
	return o
}

// Conclusion says why a sweep with a budget ended.
type Conclusion struct {
	Blocks, Most  int // Most is the maximum
	Spent, Budget time.Duration
	Block         time.Duration // time of a block of all cases: the mean until the first interim analysis
	Undecided     int           // undecided verdicts at the last interim analysis that had any
	Verdicts      int
	Reason        string // why the sweep ended; see compare.Allocation
}

// Conclusion returns why the sweep ended. Call it after Execute. It is nil without a budget or before the first
// interim analysis.
func (s *Sweep) Conclusion() *Conclusion {
	if s.Header.Rule == nil || len(s.Interims) == 0 {
		return nil
	}
	first, last, all := s.Interims[0], s.Interims[len(s.Interims)-1], s.Criteria.FamilySize(s.caseRows())
	c := &Conclusion{Blocks: last.After, Most: s.Header.Rule.MaxBlocks(), Spent: time.Duration(last.Spent),
		Budget: time.Duration(s.Header.Rule.Budget), Undecided: all, Verdicts: all, Reason: last.Reason,
		Block: time.Duration(first.Spent) / time.Duration(max(1, first.After))}
	for i := len(s.Interims) - 1; i >= 0; i-- {
		if l := s.Interims[i]; len(l.Comparisons) > 0 {
			c.Undecided, c.Verdicts = l.Undecided(), len(l.Comparisons)
			break
		}
	}
	return c
}
