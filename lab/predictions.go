package lab

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// longPrediction is the estimate from which on the time left is announced.
const longPrediction = 10 * time.Second

// predictionsName is the directory of the predictions in a run directory.
const predictionsName = "twin"

// openPredictions opens the predictions of the run: a run in virtual time, in a directory of the run directory. Stored
// trials are not simulated again. It is nil if there is nothing to predict, or if those of a complete run are gone.
func (r *Run) openPredictions() (*sweep.Sweep, *store.Run, error) {
	t, err := r.sweep.PredictionSweep()
	if t == nil || err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(r.Dir, predictionsName)
	kept, notes, err := t.OpenStore(dir, r.sweep.Complete)
	for _, note := range notes {
		r.notify.send(Warning{note})
	}
	switch {
	case err != nil && kept != nil:
		return nil, nil, closing(kept, err)
	case err != nil:
		return nil, nil, err
	case kept == nil:
		r.notify.send(Warning{dir + " is missing, so there are no predictions"})
		return nil, nil, nil
	}

	began, first, told := time.Now(), len(t.Done), false
	t.Notify = func(e sweep.Event) {
		if e.Trials != nil {
			r.notify.send(Predicted{storedInTwin(e.Trials)})
			return
		}
		if done := e.Done - first; done > 0 && !told {
			left := time.Since(began) / time.Duration(done) * time.Duration(e.Total-e.Done)
			if told = left >= longPrediction; told {
				r.notify.send(PredictionEstimate{left})
			}
		}
		r.notify.send(Progress(e))
	}
	return t, kept, nil
}

// storedInTwin returns predictions with the names of their files relative to the run directory.
func storedInTwin(trials []result.Trial) []result.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		if t := &trials[i]; t.Failure != "" {
			t.Failure = predictionsName + "/" + t.Failure
		}
	}
	return trials
}
