package sweep

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/workload"
)

// Outlook is what is still to be measured, as far as it is known before.
type Outlook struct {
	Done  int           // trials that earlier executions stored
	Total int           // trials of the plan, those included; with a budget, if it has all its blocks
	Block time.Duration // that a block of all cases takes, without the trials of which nobody knows
	All   time.Duration // that what is left of the plan takes, without them
	Left  time.Duration // of the budget; 0 without one
	Jobs  bool          // some design is a job, whose time nobody knows
}

// Outlook is that of the sweep before it is executed.
func (s *Sweep) Outlook() Outlook {
	o := Outlook{Done: len(s.Done), Total: s.Total(), Block: s.BlockTime(), All: s.Foresee(), Jobs: s.HasJobs()}
	if s.Header.Rule != nil {
		o.Left = max(0, time.Duration(s.Header.Rule.Budget)-s.Before())
	}
	return o
}

// Conclusion is why a sweep with a budget ended.
type Conclusion struct {
	Blocks        int
	Spent, Budget time.Duration
	Undecided     int // verdicts, at the last look that judged any
	Verdicts      int
	Why           string // it ended
}

// Conclusion is that of a sweep that was executed; nil without a budget, or before the first look.
func (s *Sweep) Conclusion() *Conclusion {
	if s.Header.Rule == nil || len(s.Looks) == 0 {
		return nil
	}
	last, all := s.Looks[len(s.Looks)-1], s.Judgement.Size(s.CaseRows())
	c := &Conclusion{Blocks: last.After, Spent: time.Duration(last.Spent), Budget: time.Duration(s.Header.Rule.Budget),
		Undecided: all, Verdicts: all, Why: last.Why}
	for i := len(s.Looks) - 1; i >= 0; i-- {
		if l := s.Looks[i]; len(l.Standings) > 0 {
			c.Undecided, c.Verdicts = l.Undecided(), len(l.Standings)
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
			Bound: d.Expect == workload.Bound, Peer: d.Peer, Job: d.Job != nil, Open: workload.OpenLoop(c.Point),
		})
	}
	return rows
}
