package lab

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// longPrediction is how long predictions must take for the time to be announced.
const longPrediction = 10 * time.Second

// TwinName is the directory of a twin within that of its run.
const TwinName = "twin"

// twin opens the twin of the run, which is executed with it: a run in virtual time in the run's directory. What it
// holds already is not calculated again. It is nil where there is nothing to predict, or the twin of a complete run is
// gone.
func (r *Run) twin() (*sweep.Sweep, *store.Run, error) {
	t, err := r.sweep.Twin()
	if t == nil || err != nil {
		return nil, nil, err
	}
	dir := filepath.Join(r.Dir, TwinName)
	kept, err := r.openTwin(t, dir)
	if kept == nil {
		if err == nil {
			r.notify.send(Warning{dir + " is gone, and with it what was predicted"})
		}
		return nil, nil, err
	}
	t.Store = kept

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

// openTwin opens the run of a twin, which takes in what is there. It is nil where that of a complete run is gone.
func (r *Run) openTwin(t *sweep.Sweep, dir string) (*store.Run, error) {
	if store.CheckVacant(dir) == nil {
		if r.sweep.Complete {
			return nil, nil
		}
		kept, err := store.Create(dir, t.Header)
		if err != nil {
			return nil, storeError(err)
		}
		return kept, nil
	}

	kept, journal, err := store.Resume(dir)
	if err != nil {
		return nil, storeError(err)
	}
	for _, note := range journal.Notes() {
		r.notify.send(Warning{note})
	}
	var h sweep.Header
	if err := json.Unmarshal(journal.Header, &h); err != nil {
		err = refuse("", nil, "%s is not a run of brewput: its header cannot be read: %w", dir, err)
		return nil, closing(kept, err)
	}
	err = sweep.IsTwin(dir, &h, &t.Header, !journal.Checked)
	if err == nil {
		err = t.Header.Fits(dir, journal.Trials, journal.Blocks, journal.Interims, !journal.Checked)
	}
	if err != nil {
		return nil, closing(kept, refuse("", nil, "%w", err))
	}
	t.Continue(journal.Trials, journal.Blocks, journal.Ended)
	return kept, nil
}

// inTwin are trials of a twin as the run shows them that it belongs to: files are named from its directory.
func inTwin(trials []result.Trial) []result.Trial {
	trials = slices.Clone(trials)
	for i := range trials {
		if t := &trials[i]; t.Failure != "" {
			t.Failure = TwinName + "/" + t.Failure
		}
	}
	return trials
}
