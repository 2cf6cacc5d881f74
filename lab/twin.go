package lab

import (
	"path/filepath"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// longPrediction is how long predictions must take for the time to be announced.
const longPrediction = 10 * time.Second

// twinName is the directory of a twin within that of its run.
const twinName = "twin"

// twin opens the twin of the run, which is executed with it: a run in virtual time in the run's directory. What it
// holds already is not calculated again. It is nil where there is nothing to predict, or the twin of a complete run is
// gone.
func (r *Run) twin() (*sweep.Sweep, *store.Run, error) {
	t, err := r.sweep.Twin()
	if t == nil || err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(r.Dir, twinName)
	kept, notes, err := t.Open(dir, r.sweep.Complete)
	for _, note := range notes {
		r.notify.send(Warning{note})
	}
	if kept == nil {
		if err == nil {
			r.notify.send(Warning{dir + " is gone, and with it what was predicted"})
		}
		return nil, nil, err
	}

	began, first, told := time.Now(), len(t.Done), false
	t.Notify = func(e sweep.Event) {
		if e.Trials != nil {
			r.notify.send(Predicted{inTwin(e.Trials)})
			return
		}
		if done := e.Done - first; done > 0 && !told {
			left := time.Since(began) / time.Duration(done) * time.Duration(e.Total-e.Done)
			if told = left >= longPrediction; told {
				r.notify.send(Predicting{left})
			}
		}
		r.notify.send(Progress(e))
	}
	return t, kept, nil
}

// inTwin are trials of a twin as the run shows them that it belongs to: files are named from its directory.
func inTwin(trials []result.Trial) []result.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		if t := &trials[i]; t.Failure != "" {
			t.Failure = twinName + "/" + t.Failure
		}
	}
	return trials
}
