package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/timeline"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// Run is a run of designs: what [Measure], [Simulate] and [Resume] return. Its methods are for one goroutine.
type Run struct {
	Dir         string // run directory
	Header      sweep.Header
	Trials      []result.Trial    // in their order, those of earlier executions included
	Predictions []result.Trial    // of measured designs, in virtual time
	Complete    bool              // the run had been complete before, and nothing was measured
	Interrupted bool              // the context was cancelled before all was measured
	Outcome     Outcome           // of the trials, and of the predictions beyond this machine
	Conclusion  *sweep.Conclusion // why a run with a budget ended; nil without a budget

	sweep   *sweep.Sweep
	program string
	notify  Notify
	settle  bool
}

// NotKeptError is the error of a run whose last results could not be brought to the disk.
type NotKeptError struct{ Err error }

func (n *NotKeptError) Error() string { return n.Err.Error() }

// Unwrap returns the error of the disk.
func (n *NotKeptError) Unwrap() error { return n.Err }

// UnstoredError is the error of a run whose context was cancelled before it had a directory. Errors.Is finds the
// context's error.
type UnstoredError struct {
	During string // what was done, such as "capacities were measured"
	Pilots bool   // it was the search for the warm-up, which a given one saves
	Err    error
}

func (u *UnstoredError) Error() string { return u.Err.Error() + " while " + u.During }

// Unwrap returns the context's error.
func (u *UnstoredError) Unwrap() error { return u.Err }

// newRun is the run of a header before anything is measured.
func newRun(ctx context.Context, w *workload.Workload, o *DesignOptions, h sweep.Header) (*Run, error) {
	s, err := sweep.New(w, h)
	if err != nil {
		return nil, err
	}
	r := &Run{Header: h, sweep: s, program: program(o.Program), notify: o.Notify,
		Dir: store.Directory(o.Output, w.Name, h.Started)}
	s.Criteria = compare.DefaultCriteria(h.Baseline, w.InputFactors())
	s.Criteria.All = h.All
	if err := enoughForAll(s); err != nil {
		return nil, err
	}
	if h.Rule != nil {
		if s.Criteria.FamilySize(s.CaseRows()) == 0 {
			return nil, refuse("budget", nil, "goes on until designs are told apart, and here is nothing to compare: "+
				"give two designs that are no bounds, or {count} instead")
		}
		if budget, one := time.Duration(h.Rule.Budget), s.BlockTime(); one > budget {
			return nil, refuse("budget", budget, "not one block fits: its %d trials take about %v",
				len(s.Plan.Block(0)), result.Rounded(one)).
				suggest("give more time, fewer designs and points, or a shorter {duration}")
		}
		s.UseRule()
	}
	if s.Recorded, s.Header.Recorded, err = sweep.ReadArrivals(ctx, h.Cases); err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	return r, nil
}

// enoughForAll refuses to compare all pairs by fewer blocks than that takes. A run that goes on will have those of its
// plan.
func enoughForAll(s *sweep.Sweep) error {
	if !s.Criteria.All {
		return nil
	}
	blocks := s.Plan.Blocks
	if s.Complete {
		blocks = len(s.Sealed)
	}
	few, many, needed := s.Criteria.BlocksForAll(s.CaseRows())
	if blocks >= needed {
		return nil
	}
	return refuse("compare", "all", "makes %d verdicts where neighbours make %d, and takes %d blocks to find what %d "+
		"find then; there are %d: use {count} %d, fewer designs, or {compare} neighbours", many, few, needed,
		compare.InterimBlocks()[0], blocks, needed)
}

// measure begins a new run and executes it.
func (r *Run) measure(ctx context.Context) (*Run, error) {
	if err := r.capacities(ctx); err != nil {
		return nil, err
	}
	if r.settle {
		if err := store.CheckVacant(r.Dir); err != nil { // before the time is spent
			return nil, storeError(err)
		}
		r.sweep.Notify = func(e sweep.Event) { r.notify.send(Progress(e)) }
		if err := r.sweep.Settle(ctx); err != nil {
			return nil, unstored(ctx, err, "pilots showed how long a warm-up is needed", true)
		}
	}
	kept, err := store.Create(r.Dir, r.sweep.Header)
	if err != nil {
		return nil, storeError(err)
	}
	r.sweep.Store = kept
	return r, closing(kept, r.execute(ctx))
}

// unstored is the error of a run that has no directory yet.
func unstored(ctx context.Context, err error, during string, pilots bool) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return &UnstoredError{During: during, Pilots: pilots, Err: err}
	}
	return err
}

// capacities prepares the open loops of a new run: a fraction of the capacity needs the capacity, and so does the word
// unstable. Beyond the CPUs of this machine it is calculated.
func (r *Run) capacities(ctx context.Context) error {
	s := r.sweep
	t, err := s.Twin()
	if err != nil {
		return err
	}
	both := []*sweep.Sweep{s}
	if t != nil {
		t.Plan.Cases = s.Header.Beyond()
		both = append(both, t)
	}
	for _, x := range both {
		if err := r.capacitiesOf(ctx, x); err != nil {
			return err
		}
	}
	if t != nil {
		s.Header.Capacities = append(s.Header.Capacities, t.Header.Capacities...)
	}
	return nil
}

// capacitiesOf measures the capacities of the open loops of one sweep.
func (r *Run) capacitiesOf(ctx context.Context, s *sweep.Sweep) error {
	if !slices.ContainsFunc(s.Plan.Cases, func(c plan.Case) bool { return workload.OpenLoop(c.Point) }) {
		return nil
	}
	if err := store.CheckVacant(r.Dir); err != nil { // before the time is spent
		return storeError(err)
	}
	if err := s.CheckRates(); err != nil {
		return refuse("", nil, "%w", err)
	}
	if !s.Header.Predicts {
		r.notify.send(Note{s.Workload.Name + ": measuring capacities in a closed loop first"})
	}
	err := s.MeasureCapacities(ctx, func(c plan.Case, done, total int) {
		r.notify.send(Progress(sweep.Event{Case: c, Done: done, Total: total}))
	})
	if err != nil {
		return unstored(ctx, err, "capacities were measured", false)
	}

	err = s.CheckRates()
	var u *sweep.Unserved
	if err == nil || errors.As(err, &u) && OutcomeOf([]result.Trial{u.Trial}) != Sound {
		return err
	}
	return refuse("", nil, "%w", err)
}

// execute runs the sweep with its twin to its end.
func (r *Run) execute(ctx context.Context) error {
	s := r.sweep
	r.Header, r.Complete = s.Header, s.Complete
	r.notify.send(Started{Dir: r.Dir, Header: s.Header, Estimate: s.Estimate(), Complete: s.Complete})
	s.Notify = func(e sweep.Event) { r.notify.send(Progress(e)) }
	r.Trials = s.Done
	twin, kept, err := r.twin()
	if err == nil {
		r.Predictions, r.Trials, err = s.ExecuteWithTwin(ctx, twin)
		r.Predictions = inTwin(r.Predictions)
	}
	if kept != nil {
		err = closing(kept, err)
	}
	if err == nil {
		err = r.writeCosts()
	}
	r.Interrupted = err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
	r.Outcome, r.Conclusion = OutcomeOf(r.Judged()), s.Conclusion()
	return err
}

// Total is the number of trials of the plan; with a budget, up to its first analysis.
func (r *Run) Total() int { return r.sweep.Total() }

// Beyond are the predictions of what could not be measured.
func (r *Run) Beyond() []result.Trial {
	cases := r.Header.Beyond()
	return slices.DeleteFunc(slices.Clone(r.Predictions), func(t result.Trial) bool {
		return !slices.ContainsFunc(cases,
			func(c plan.Case) bool { return c.Design == t.Design && c.Point.String() == t.Point.String() })
	})
}

// Judged are the trials that say whether all went well: those measured, and the predictions of what could not be.
func (r *Run) Judged() []result.Trial { return slices.Concat(r.Trials, r.Beyond()) }

// Analyze computes rows, verdicts, predictions and warnings of the run. Sensitivity is that of [Run.Sensitivity], or
// nil.
func (r *Run) Analyze(sensitivity []compare.Sensitivity) *Analysis {
	return Analyze(r.Trials, AnalyzeOptions{
		Workload: r.sweep.Workload, Cases: r.sweep.Plan.Cases, Criteria: r.sweep.Criteria,
		InterimBlocks: r.Header.InterimBlocks(), Predictions: r.Predictions, PredictedCases: r.Header.Twin,
		CostsFrom: r.Header.CostsFrom, CalibrateCommand: r.program + " calibrate", Sensitivity: sensitivity,
	})
}

// Widest is the metric of a case whose mean is known least well, and half of the 95 % interval of the mean as a share
// of it, for a run with a precision; NaN if it has no mean.
func (r *Run) Widest(c int) (metric string, half float64) { return r.sweep.Widest(r.Trials, c) }

// Timelines calculate the first trial of every case again, for at most span from the end of the warm-up on: who ran,
// waited and queued, in the order of the cases. A case whose trial has none, since its measured time did not begin,
// has nil. Only runs in virtual time have timelines.
func (r *Run) Timelines(ctx context.Context, span time.Duration) ([]*timeline.Timeline, error) {
	specs := r.sweep.First()
	for i := range specs {
		specs[i].Timeline = span
		if specs[i].Operations == 0 {
			specs[i].Duration = min(specs[i].Duration, span)
		}
	}
	again, err := sweep.New(r.sweep.Workload, r.Header)
	if err != nil {
		return nil, err
	}
	again.Ahead(specs)
	byCase := map[string]*timeline.Timeline{}
	for _, spec := range specs {
		outcome, err := again.Run(ctx, spec)
		if err != nil {
			return nil, err
		}
		byCase[caseName(spec)] = outcome.Timeline
	}
	var all []*timeline.Timeline
	for _, c := range r.Header.Cases {
		title := c.Design + " " + c.Point.String()
		if t := byCase[title]; t != nil {
			t.Title = title
		}
		all = append(all, byCase[title])
	}
	return all, nil
}

func caseName(spec trial.Spec) string { return fmt.Sprint(spec.Design, " ", spec.Point) }
