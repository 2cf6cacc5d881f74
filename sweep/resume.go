package sweep

import (
	"encoding/json"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// SameHere refuses to mix trials of two machines or two builds in the run in dir. Virtual time is the same everywhere.
func (h *Header) SameHere(dir string) error {
	here := host.Read()
	if h.World == result.Virtual {
		here.Machine = h.Environment.Machine
	}
	if err := here.SameMachine(h.Environment); err != nil {
		return plan.Refuse("", nil, "%s cannot be continued on this machine: %w", dir, err).
			Suggest("continue it there, or start a new run")
	}
	if err := here.SameBuild(h.comparedEnvironment()); err != nil {
		return plan.Refuse("", nil, "%s cannot be continued by this program: %w", dir, err).
			Suggest("continue with the program that began it, or start a new run")
	}
	return nil
}

// comparedEnvironment is the environment of the run, with where GOGC came from only if an open loop may depend on it.
func (h *Header) comparedEnvironment() result.Environment {
	e := h.Environment
	if h.World == result.Virtual || !haveOpenLoop(h.Cases) {
		e.GOGCFrom = ""
	}
	return e
}

// FindWorkload returns the workload of the run in dir, with the designs that other programs ran. To continue the run,
// these must be the programs that it began with; to read it, the designs are those that the header declares. Errors are
// a [*plan.Refusal].
func (h *Header) FindWorkload(dir string, all []*workload.Workload, runs bool) (*workload.Workload, error) {
	w, err := workload.Find(all, h.Workload)
	if err == nil {
		w, err = w.With(h.Given)
	}
	if err != nil {
		return nil, plan.Refuse("", nil, "%w", err)
	}
	if runs {
		if err := plugin.Check(w, h.Programs); err != nil {
			return nil, plan.Refuse("", nil, "%s cannot be continued: %w", dir, err)
		}
		return w, nil
	}
	if w, err = plugin.Recorded(w, h.Programs); err != nil {
		return nil, plan.Refuse("", nil, "%s: the programs in its header cannot be read: %w", dir, err)
	}
	return w, nil
}

// LimitTrials gives the trials of a run that is resumed a new time limit; 0 keeps the run's. It refuses, by a
// [*plan.Refusal], a limit that would end every live trial.
func (h *Header) LimitTrials(w *workload.Workload, limit time.Duration, cases []plan.Case) error {
	if limit == 0 {
		return nil
	}
	set := &h.Settings
	load := longestLoad(w, cases, time.Duration(set.Warmup), time.Duration(set.Duration), set.Operations)
	switch {
	case h.World == result.Virtual:
	case w.Limited && limit <= load:
		return plan.Refuse("time-limit", limit, "would end every trial: it must be longer than "+
			longestWords(w)+", %v", load)
	case !w.Limited:
		if err := CheckLimit(limit, load, set.Operations); err != nil {
			return err
		}
	}
	set.TimeLimit, set.Limited = Duration(limit), true
	return nil
}

// ResumeCriteria sets the criteria of the run in dir that is resumed or shown again: those of the first execution,
// unless a baseline or all is given. interims and spent are those of the journal. Errors are a [*plan.Refusal].
func (s *Sweep) ResumeCriteria(dir string, baseline *string, all *bool, interims []json.RawMessage,
	spent time.Duration) error {
	if baseline != nil {
		s.Criteria.Baseline = *baseline
	}
	if all != nil {
		s.Criteria.All = *all
	}
	rule := s.Header.Rule
	if rule == nil {
		if s.Complete && all == nil {
			return nil // the comparison was accepted when the run began
		}
		return s.EnoughForAll()
	}
	if baseline != nil && *baseline != rule.Baseline || all != nil && *all != rule.All {
		return plan.Refuse("", nil, "%s has a budget: its blocks went to the comparisons it began with, so "+
			"{baseline} and {compare} cannot change", dir).Suggest("leave them out")
	}
	if err := s.RestoreBudget(dir, interims, spent); err != nil {
		return plan.AsRefusal(err)
	}
	return nil
}
