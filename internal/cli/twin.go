package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// casesHere refuses CPUs that this machine lacks where they cannot be predicted either.
func (o *runOptions) casesHere(w *workload.Workload, cases []plan.Case) error {
	have := runtime.NumCPU()
	for _, c := range cases {
		n := c.Point.Int("cpus")
		d, _ := w.Find(c.Design)
		switch {
		case n <= have || o.oversubscribe:
		case o.noTwin:
			return usage("--cpus %d: this machine has %d CPUs; calculate it with %s sim %s --cpus %d, or add --oversubscribe", n, have, name(), w.Name, n)
		case d.Worlds == workload.LiveOnly:
			return usage("--cpus %d: this machine has %d CPUs, and %s/%s has no virtual world in which more could be predicted: leave it out with --designs, or add --oversubscribe", n, have, w.Name, d.Name)
		case n > sim.MaxCPUs:
			return usage("--cpus %d: this machine has %d CPUs, and the simulation at most %d: give no more than those", n, have, sim.MaxCPUs)
		}
	}
	return nil
}

// twin divides cases into those that are measured and those that are predicted: both, where a case can be measured here.
// What is measured on CPUs that are not there is no prediction's business.
func (o *runOptions) twin(w *workload.Workload, cases []plan.Case) (measured, predicted []plan.Case) {
	for _, c := range cases {
		here := c.Point.Int("cpus") <= runtime.NumCPU()
		if here || o.oversubscribe {
			measured = append(measured, c)
		}
		if d, _ := w.Find(c.Design); !o.noTwin && d.Worlds != workload.LiveOnly && (here || !o.oversubscribe) {
			predicted = append(predicted, c)
		}
	}
	return measured, predicted
}

// worthTelling is how long predictions must take for the time to be announced.
const worthTelling = 10 * time.Second

// predict calculates the twin of a sweep and returns its trials: all of them before anything is measured, since
// calculating would disturb that. The twin is a run in virtual time in the directory of the run that it belongs to; what it
// holds already is not calculated again.
func (a *app) predict(ctx context.Context, s *sweep.Sweep, dir string, progress *progress) ([]result.Trial, error) {
	t, err := s.Twin()
	if t == nil || err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, "twin")
	run, err := a.openTwin(t, dir, s.Complete)
	if run == nil {
		if err == nil {
			fmt.Fprintf(a.stderr, "warning: %s is gone, and with it what was predicted\n", dir)
		}
		return nil, err
	}
	equip(t)
	began, first, told := time.Now(), len(t.Done), false
	t.Notify = func(e sweep.Event) {
		if done := e.Done - first; done > 0 && !told {
			if left := time.Since(began) / time.Duration(done) * time.Duration(e.Total-e.Done); left >= worthTelling {
				told = true
				progress.clear()
				fmt.Fprintf(a.stderr, "predictions come first; they take about %s more (--no-twin leaves them out)\n", roundDuration(left))
			}
		}
		if e.Trials == nil {
			progress.show(e)
		}
	}
	t.Store = run
	trials, err := t.Execute(ctx)
	return trials, closing(run, err)
}

// openTwin opens the run of a twin, which takes in what is there. It is nil where that of a complete run is gone.
func (a *app) openTwin(t *sweep.Sweep, dir string, complete bool) (*store.Run, error) {
	if store.Vacant(dir) == nil {
		if complete {
			return nil, nil
		}
		run, err := store.Create(dir, t.Header)
		if err != nil {
			return nil, storeError(err)
		}
		return run, nil
	}
	run, journal, err := store.Resume(dir)
	if err != nil {
		return nil, storeError(err)
	}
	a.notes(journal)
	if err := fitsPlan(dir, &t.Header, journal); err != nil {
		return nil, closing(run, err)
	}
	t.Continue(journal.Trials, journal.Blocks, journal.Ended)
	return run, nil
}
