package sweep

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/workload"
)

// Outlook is what a sweep still has to measure, estimated before it is executed. Its times leave out trials whose time
// is not known, such as jobs.
type Estimate struct {
	Done       int           // trials that earlier executions stored
	Total      int           // trials of the plan, those included; with a budget, if it has all its blocks
	Block      time.Duration // for a block of all cases
	Remaining  time.Duration // for what is left of the plan
	BudgetLeft time.Duration // of the budget; 0 without one
	Jobs       bool          // some design is a job, so that the times are too short
}

// Outlook estimates what the sweep still has to measure. Call it before Execute.
func (s *Sweep) Estimate() Estimate {
	o := Estimate{Done: len(s.Done), Total: s.TotalTrials(), Block: s.BlockTime(), Remaining: s.Remaining(), Jobs: s.HasJobs()}
	if s.Header.Rule != nil {
		o.BudgetLeft = max(0, time.Duration(s.Header.Rule.Budget)-s.SpentBefore())
	}
	return o
}

// Conclusion is why a sweep with a budget ended.
type Conclusion struct {
	Blocks        int
	Spent, Budget time.Duration
	Undecided     int // verdicts, at the last look that judged any
	Verdicts      int
	Reason        string // it ended
}

// Conclusion says why the sweep ended. Call it after Execute; it is nil without a budget, or before the first look.
func (s *Sweep) Conclusion() *Conclusion {
	if s.Header.Rule == nil || len(s.Interims) == 0 {
		return nil
	}
	last, all := s.Interims[len(s.Interims)-1], s.Criteria.FamilySize(s.CaseRows())
	c := &Conclusion{Blocks: last.After, Spent: time.Duration(last.Spent), Budget: time.Duration(s.Header.Rule.Budget),
		Undecided: all, Verdicts: all, Reason: last.Reason}
	for i := len(s.Interims) - 1; i >= 0; i-- {
		if l := s.Interims[i]; len(l.Comparisons) > 0 {
			c.Undecided, c.Verdicts = l.Undecided(), len(l.Comparisons)
			break
		}
	}
	return c
}

// CaseRows are rows of the cases before any is measured.
func (s *Sweep) CaseRows() []compare.Row {
	var rows []compare.Row
	for _, c := range s.Plan.Cases {
		d, _ := s.Workload.Find(c.Design)
		rows = append(rows, compare.Row{
			Workload: s.Workload.Name, Design: c.Design, World: s.Header.World, Point: c.Point,
			Bound: d.Expect == workload.Bound, Reference: d.Reference, Job: d.Job != nil, Open: workload.OpenLoop(c.Point),
		})
	}
	return rows
}
