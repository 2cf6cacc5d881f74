package lab

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// ResumeOptions are the options of [Resume]. The zero value continues a run as it began.
type ResumeOptions struct {
	Workload  string        // refuse a run of another workload; "" takes any
	TimeLimit time.Duration // another limit for trials; 0 keeps the run's
	Baseline  *string       // compare with another design, or with none; nil keeps the run's
	All       *bool         // compare all pairs, or neighbours; nil keeps the run's
	Again     bool          // as in SimulateOptions; the run must be in virtual time
	Program   string        // as in DesignOptions
	Notify    Notify        // as in DesignOptions
}

// Resume continues the run of designs in the run directory dir, or returns it again if it is complete. The workload is
// looked up among all. Trials go on with the settings that the run began with, live ones on the same machine and with
// the same program. Errors are those of [Measure]; what is wrong with dir is a [*Refusal].
func Resume(ctx context.Context, all []*workload.Workload, dir string, o ResumeOptions) (*Run, error) {
	kept, journal, err := store.Resume(dir)
	if err != nil {
		return nil, storeError(err)
	}
	r := &Run{Dir: dir, program: program(o.Program), notify: o.Notify}
	if err := r.restore(ctx, all, journal, &o); err != nil {
		return nil, closing(kept, err)
	}
	r.sweep.Store = kept
	return r, closing(kept, r.execute(ctx))
}

// closing closes a run after it was used. What its last lines met when they were brought to the disk is a result that
// could not be kept, whatever happened before.
func closing(run io.Closer, err error) error {
	if failed := run.Close(); failed != nil {
		return errors.Join(err, &NotKeptError{failed})
	}
	return err
}

// restore prepares the sweep of a journal.
func (r *Run) restore(ctx context.Context, all []*workload.Workload, journal *store.Journal, o *ResumeOptions) error {
	for _, note := range journal.Notes() {
		r.notify.send(Warning{note})
	}
	h, err := readHeader(r.Dir, journal)
	if err != nil {
		return refuse("", nil, "%w", err)
	}
	if o.Workload != "" && o.Workload != h.Workload {
		return refuse("", nil, "%s is a run of %s, not of %s", r.Dir, h.Workload, o.Workload)
	}
	w, err := workload.Find(all, h.Workload)
	if err != nil {
		return refuse("", nil, "%w", err)
	}
	p, err := h.Plan(w)
	if err != nil {
		return refuse("", nil, "%s cannot be continued: %w", r.Dir, err)
	}
	if o.Baseline != nil {
		if err := CheckBaseline(w, *o.Baseline, p.Cases); err != nil {
			return err
		}
	}
	runs := !journal.Ended || o.Again
	if runs {
		if err := sameHere(&h, r.Dir); err != nil {
			return err
		}
	}
	if o.TimeLimit > 0 {
		set := &h.Settings
		window := windowOf(time.Duration(set.Warmup), time.Duration(set.Duration), p.Cases)
		if h.World != result.Virtual {
			if err := endsAll(o.TimeLimit, window, set.Operations); err != nil {
				return err
			}
		}
		set.TimeLimit, set.Limited = sweep.Duration(o.TimeLimit), true
	}

	if r.sweep, err = sweep.New(w, h); err != nil {
		return refuse("", nil, "%s cannot be continued: %w", r.Dir, err)
	}
	r.sweep.Retry = o.TimeLimit > 0
	r.sweep.Continue(journal.Trials, journal.Blocks, journal.Ended)
	if runs {
		if err := r.sweep.RereadArrivals(ctx); err != nil {
			return refuse("", nil, "%w", err)
		}
	}
	if err := r.resumeCosts(ctx, runs, o.Again); err != nil {
		return err
	}
	return r.resumeVerdicts(journal, o)
}

// resumeVerdicts sets the judgement: what the run was asked when it began is what it gives, unless the options say
// otherwise.
func (r *Run) resumeVerdicts(j *store.Journal, o *ResumeOptions) error {
	s := r.sweep
	s.Criteria = compare.DefaultCriteria(s.Header.Baseline, s.Workload.InputFactors())
	s.Criteria.All = s.Header.All
	if o.Baseline != nil {
		s.Criteria.Baseline = *o.Baseline
	}
	if o.All != nil {
		s.Criteria.All = *o.All
	}
	rule := s.Header.Rule
	if rule == nil {
		if s.Complete && o.All == nil {
			return nil // it shows what it was asked for
		}
		return enoughForAll(s)
	}
	if o.Baseline != nil && *o.Baseline != rule.Baseline || o.All != nil && *o.All != rule.All {
		return refuse("", nil, "%s has a budget: its blocks went to the comparisons it began with, so that {baseline} "+
			"and {compare} cannot change", r.Dir).suggest("leave them out")
	}
	if err := s.ResumeRule(r.Dir, j.Interims, j.Spent); err != nil {
		return refuse("", nil, "%w", err)
	}
	return nil
}

// sameHere refuses to mix trials of two machines or two builds in one run.
func sameHere(h *sweep.Header, dir string) error {
	here := host.Read()
	if h.World == result.Virtual {
		here.Machine = h.Environment.Machine // virtual time is the same everywhere
	}
	if err := here.SameMachine(h.Environment); err != nil {
		return refuse("", nil, "%s cannot be continued on this machine: %w", dir, err).
			suggest("continue it there, or start a new run")
	}
	if err := here.SameBuild(h.Environment); err != nil {
		return refuse("", nil, "%s cannot be continued by this program: %w", dir, err).
			suggest("continue with the program that began it, or start a new run")
	}
	return nil
}
