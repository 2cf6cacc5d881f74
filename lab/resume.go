package lab

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"time"

	"github.com/brewput/brewput/internal/command"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// ResumeOptions are the options of [Resume]. The zero value continues a run unchanged.
type ResumeOptions struct {
	Workload  string        // refuse a run of another workload; "" takes any
	TimeLimit time.Duration // new time limit of this and later resumptions; 0 keeps the run's
	Baseline  *string       // new baseline, "" for none; nil keeps the run's
	AllPairs  *bool         // compare all pairs, or only neighbours; nil keeps the run's
	KeepCosts bool          // as in SimulateOptions; the run must be in virtual time
	ReadOnly  bool          // run and write nothing: return what is stored, even of an incomplete run
	Program   string        // as in DesignOptions
	Notify    func(Event)   // as in DesignOptions
}

// Resume continues the run of designs in the run directory dir, or returns it if it is complete. The run's workload
// must be one of all. Trials use the settings of the first execution. A live run requires the same machine, and every
// run the same program. Errors and concurrency are those of [Measure] and [Simulate]; a dir that cannot be continued,
// or that another call writes, is a [*Refusal].
func Resume(ctx context.Context, all []*workload.Workload, dir string, o ResumeOptions) (*Run, error) {
	r := &Run{Dir: dir, program: program(o.Program), notify: o.Notify}
	if o.ReadOnly {
		return r.read(ctx, all, &o)
	}
	if o.TimeLimit < 0 {
		return nil, refuse("time-limit", o.TimeLimit, "is negative")
	}
	kept, journal, err := store.Resume(dir)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	if err := r.restore(ctx, all, journal, &o); err != nil {
		return nil, closing(kept, err)
	}
	r.sweep.Store = kept
	if o.TimeLimit > 0 && !journal.Ended { // later resumptions keep it
		if err := kept.Settings(r.sweep.Header.Settings); err != nil {
			return nil, closing(kept, err)
		}
	}
	return r, closing(kept, r.execute(ctx))
}

// read takes the trials and predictions from the run directory.
func (r *Run) read(ctx context.Context, all []*workload.Workload, o *ResumeOptions) (*Run, error) {
	journal, err := store.Open(r.Dir)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	if err := r.restore(ctx, all, journal, o); err != nil {
		return nil, err
	}
	s := r.sweep
	r.Header, r.Complete, r.Trials = s.Header, s.Complete, s.Done
	predictions, notes, err := s.ReadPredictions(filepath.Join(r.Dir, predictionsName))
	for _, note := range notes {
		r.notify.send(Warning{note})
	}
	if err != nil {
		return nil, err
	}
	r.Predictions = storedInTwin(predictions)
	r.Outcome, r.Conclusion = result.OutcomeOf(r.Checked()), s.Conclusion()
	return r, nil
}

// closing closes a run after use. If that fails, results may not be on disk: a StorageError, whatever err is.
func closing(run io.Closer, err error) error {
	if failed := run.Close(); failed != nil {
		return errors.Join(err, &StorageError{failed})
	}
	return err
}

// restore prepares the sweep from a journal.
func (r *Run) restore(ctx context.Context, all []*workload.Workload, journal *store.Journal, o *ResumeOptions) error {
	for _, note := range journal.Notes() {
		r.notify.send(Warning{note})
	}
	h, err := sweep.HeaderOf(r.Dir, journal)
	if err != nil {
		return refuse("", nil, "%w", err)
	}
	if o.Workload != "" && o.Workload != h.Workload {
		return refuse("", nil, "%s is a run of %s, not of %s", r.Dir, h.Workload, o.Workload)
	}
	runner, all, err := command.Restore(r.Dir, &h, all, r.note)
	if err != nil {
		return refuse("", nil, "%w", err)
	}
	runs := !o.ReadOnly && (!journal.Ended || o.KeepCosts)
	w, err := h.FindWorkload(r.Dir, all, runs)
	if err != nil {
		return err
	}
	p, err := h.Plan(w)
	if err != nil {
		return refuse("", nil, "%s cannot be continued: %w", r.Dir, err)
	}
	if o.Baseline != nil {
		if err := sweep.CheckBaseline(w, *o.Baseline, p.Cases); err != nil {
			return err
		}
	}
	if runs {
		if err := cmp.Or(h.SameHere(r.Dir), runner.Check()); err != nil {
			return err
		}
	}
	if err := h.LimitTrials(w, o.TimeLimit, p.Cases); err != nil {
		return err
	}
	if r.sweep, err = sweep.New(w, h); err != nil {
		return refuse("", nil, "%s cannot be continued: %w", r.Dir, err)
	}
	runner.Equip(r.sweep)
	r.sweep.LimitChanged = journal.Settings != nil || o.TimeLimit > 0
	if r.sweep.RetryLimited = journal.Changed; o.TimeLimit > 0 {
		r.sweep.RetryLimited = math.MaxInt
	}
	r.sweep.Restore(journal.Trials, journal.Blocks, journal.Ended)
	if runs {
		if err := r.sweep.ReloadInputs(ctx); err != nil {
			return asRefusal(ctx, err)
		}
	}
	if !o.ReadOnly {
		if err := r.sweep.ResumeRealCode(ctx, r.Dir, runs, o.KeepCosts); err != nil {
			return err
		}
	}
	return r.sweep.ResumeCriteria(r.Dir, o.Baseline, o.AllPairs, journal.Interims, journal.Spent)
}
