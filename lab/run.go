package lab

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/timeline"
	"github.com/brewput/brewput/workload"
)

// Run is a run of designs, the result of [Measure], [Simulate] and [Resume]. Its methods are not safe for concurrent
// use.
type Run struct {
	Dir         string // run directory
	Header      sweep.Header
	Trials      []result.Trial    // in order of execution, including those of earlier executions
	Predictions []result.Trial    // trials in virtual time that predict measured cases, or cases with more CPUs
	Complete    bool              // the run was complete before the call, which measured nothing
	Interrupted bool              // the context was cancelled before the last trial
	Outcome     result.Outcome    // the worst outcome of the trials and of cases that are only predicted
	Conclusion  *sweep.Conclusion // why a run with a budget ended; nil without a budget

	sweep      *sweep.Sweep
	program    string
	notify     notifier
	findWarmup bool
}

// StorageError is the error of a run whose last results may not be on disk.
type StorageError struct{ Err error }

// Error returns the message of the disk's error.
func (e *StorageError) Error() string { return e.Err.Error() }

// Unwrap returns the error of the disk.
func (e *StorageError) Unwrap() error { return e.Err }

// CanceledError is the error of a call whose context was cancelled before it ran or stored a trial. It wraps the
// context's error.
type CanceledError struct {
	During string // the step that was interrupted, such as "capacities were measured"
	Pilots bool   // that step was the search for a warm-up, which a given warm-up avoids
	Err    error
}

// Error names the step that was interrupted.
func (e *CanceledError) Error() string { return e.Err.Error() + " while " + e.During }

func (e *CanceledError) Unwrap() error { return e.Err }

// newRun prepares the run of a header.
func newRun(ctx context.Context, w *workload.Workload, o *DesignOptions, h sweep.Header) (*Run, error) {
	s, err := sweep.New(w, h)
	if err != nil {
		return nil, err
	}
	r := &Run{Header: h, sweep: s, program: program(o.Program), notify: o.Notify, Dir: o.Output}
	if err := s.EnoughForAll(); err != nil {
		return nil, err
	}
	if err := s.PlanBudget(); err != nil {
		return nil, err
	}
	all := slices.Concat(h.Cases, h.PredictedCases)
	if s.Arrivals, s.Header.ArrivalFiles, err = sweep.ReadArrivals(ctx, all); err != nil {
		return nil, unstored(ctx, asRefusal(ctx, err), "arrivals were read", false)
	}
	if s.Header.Inputs, err = sweep.WorkloadInputs(ctx, w); err != nil {
		return nil, asRefusal(ctx, err)
	}
	return r, nil
}

// measure creates the run directory and executes the run.
func (r *Run) measure(ctx context.Context) (*Run, error) {
	r.Dir = store.Directory(r.Dir, r.Header.Workload, r.Header.Started)
	defer store.Discard(r.Dir) // if it holds no run
	if err := r.capacities(ctx); err != nil {
		return nil, err
	}
	if r.findWarmup {
		if err := store.CheckVacant(r.Dir); err != nil { // before time is spent on pilots
			return nil, sweep.StoreError(err)
		}
		r.sweep.Notify = func(e sweep.Event) { r.notify.send(Progress(e)) }
		if err := r.sweep.FindWarmup(ctx); err != nil {
			return nil, unstored(ctx, err, "pilot trials determined the warm-up", true)
		}
	}
	kept, err := store.Create(r.Dir, r.sweep.Header)
	if err != nil {
		return nil, sweep.StoreError(err)
	}
	r.sweep.Store = kept
	return r, closing(kept, r.execute(ctx))
}

// unstored makes a CanceledError of an error if the context is cancelled, unless the disk failed.
func unstored(ctx context.Context, err error, during string, pilots bool) error {
	if err != nil && ctx.Err() != nil && !store.IsStorageFailure(err) {
		return &CanceledError{During: during, Pilots: pilots, Err: ctx.Err()}
	}
	return err
}

// capacities measures the capacities of open loops, which a load of a fraction of the capacity needs.
func (r *Run) capacities(ctx context.Context) error {
	err := r.sweep.PrepareRun(ctx, r.Dir,
		func() { r.notify.send(Note{r.sweep.Workload.Name + ": measuring capacities in a closed loop first"}) },
		func(c plan.Case, done, total int) {
			r.notify.send(Progress(sweep.Event{Case: c, Done: done, Total: total}))
		})
	return unstored(ctx, err, r.sweep.Preparing(), false)
}

// execute executes the sweep and its predictions.
func (r *Run) execute(ctx context.Context) error {
	s := r.sweep
	r.Header, r.Complete = s.Header, s.Complete
	r.notify.send(Started{Dir: r.Dir, Header: s.Header, Estimate: s.Estimate(), Complete: s.Complete})
	s.Notify = func(e sweep.Event) { r.notify.send(Progress(e)) }
	r.Trials = s.Done
	predictions, kept, err := r.openPredictions()
	if err == nil {
		r.Predictions, r.Trials, err = s.ExecuteWithPrediction(ctx, predictions)
		r.Predictions = storedInTwin(r.Predictions)
	}
	if kept != nil {
		err = closing(kept, err)
	}
	if err == nil {
		err = r.writeCosts()
	}
	r.Interrupted = err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
	r.Outcome, r.Conclusion = result.OutcomeOf(r.Checked()), s.Conclusion()
	return err
}

// Total is the number of trials of the plan; with a budget or a precision, the most there can be.
func (r *Run) Total() int { return r.sweep.TotalTrials() }

// PredictedOnly returns the predictions of cases that this machine cannot measure.
func (r *Run) PredictedOnly() []result.Trial {
	cases := r.Header.PredictedOnly()
	return slices.DeleteFunc(slices.Clone(r.Predictions), func(t result.Trial) bool {
		return !slices.ContainsFunc(cases,
			func(c plan.Case) bool { return c.Design == t.Design && c.Point.String() == t.Point.String() })
	})
}

// Checked returns the trials that decide the outcome: those that were measured, and those of PredictedOnly.
func (r *Run) Checked() []result.Trial { return slices.Concat(r.Trials, r.PredictedOnly()) }

// Analyze computes the rows, verdicts, predictions and warnings of the run. The sensitivity is that of
// [Run.Sensitivity], if it is known.
func (r *Run) Analyze(sensitivity ...compare.Sensitivity) *Analysis {
	return Analyze(r.Trials, AnalyzeOptions{
		Workload: r.sweep.Workload, Cases: r.sweep.Plan.Cases, Criteria: r.sweep.Criteria,
		InterimBlocks: r.Header.InterimBlocks(), Predictions: r.Predictions, PredictedCases: r.Header.PredictedCases,
		CostsFrom: r.Header.CostsFrom, HeaderWarnings: r.Header.Warnings, Program: r.program, Sensitivity: sensitivity,
	})
}

// LeastPrecise returns the metric of a case, an index of Header.Cases, whose mean is least precise, in a run with a
// precision. half is the half-width of its 95% confidence interval as a share of the mean; infinite before an
// interval exists, NaN without a mean.
func (r *Run) LeastPrecise(c int) (metric string, half float64) {
	return r.sweep.LeastPreciseMean(r.Trials, c)
}

// Timelines simulates the first trial of every case again, for at most span after the warm-up, and returns the
// timelines in the order of the cases. It is nil for a case whose measurement did not begin. Only runs in virtual time
// have timelines; others, and a span that is not positive, are a [*Refusal].
func (r *Run) Timelines(ctx context.Context, span time.Duration) ([]*timeline.Timeline, error) {
	if err := r.virtualOnly("timelines"); err != nil {
		return nil, err
	}
	if span <= 0 {
		return nil, refuse("timeline-span", span, "is not a positive time")
	}
	return r.sweep.Timelines(ctx, span)
}

// virtualOnly refuses to simulate the trials of a run again that were measured.
func (r *Run) virtualOnly(what string) error {
	if r.sweep.Header.World == result.Virtual {
		return nil
	}
	return refuse("", nil, "%s was measured live, and only runs in virtual time have %s", r.Dir, what)
}

// writeCosts writes the recorded costs of real code after the last trial.
func (r *Run) writeCosts() error {
	note, err := r.sweep.WriteRealCode()
	if note != "" {
		r.notify.send(Note{note})
	}
	return err
}

// Sensitivity simulates all trials again with each of the scheduler's costs halved and doubled. Trials that do not
// repeat themselves are also simulated with one burn prolonged. It returns by how much the results change, for
// [Run.Analyze]. Only runs in virtual time have a sensitivity; others get a [*Refusal].
func (r *Run) Sensitivity(ctx context.Context) ([]compare.Sensitivity, error) {
	if err := r.virtualOnly("a sensitivity"); err != nil {
		return nil, err
	}
	variants, notes, err := r.sweep.Variants(r.Trials)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		r.notify.send(Note{note})
	}
	before := r.sweep.Costs.Sections()
	list, err := r.sweep.Sensitivities(ctx, r.Trials, variants)
	if err == nil && r.sweep.Costs.Sections() > before { // a faster variant does more operations
		err = r.writeCosts()
	}
	return list, err
}
