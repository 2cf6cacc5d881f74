package sweep

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// OpenStore makes dir the store of the sweep, which holds the predictions of a run, and restores what an earlier
// execution stored there. The result is nil if dir holds nothing and the run is complete. The caller prints the notes
// and closes the run, also after an error. Errors about dir are a [*plan.Refusal].
func (s *Sweep) OpenStore(dir string, complete bool) (run *store.Run, notes []string, err error) {
	if store.CheckVacant(dir) == nil {
		if complete {
			return nil, nil, nil
		}
		if run, err = store.Create(dir, s.Header); err != nil {
			return nil, nil, StoreError(err)
		}
		s.Store = run
		return run, nil, nil
	}

	run, journal, err := store.Resume(dir)
	if err != nil {
		return nil, nil, StoreError(err)
	}
	if err := s.continueFrom(dir, journal); err != nil {
		return run, journal.Notes(), plan.AsRefusal(err)
	}
	s.Store = run
	return run, journal.Notes(), nil
}

// ReadPredictions returns the predictions of s that an execution stored in dir, with notes on them. It is no error if
// there are none. Errors about dir are a [*plan.Refusal].
func (s *Sweep) ReadPredictions(dir string) (predicted []result.Trial, notes []string, err error) {
	t, err := s.PredictionSweep()
	if t == nil || err != nil {
		return nil, nil, err
	}
	if !store.HoldsRun(dir) {
		return nil, []string{dir + " holds no predictions of this run"}, nil
	}
	journal, err := store.Open(dir)
	if err != nil {
		return nil, nil, StoreError(err)
	}
	if err := t.continueFrom(dir, journal); err != nil {
		return nil, journal.Notes(), plan.AsRefusal(err)
	}
	return t.Done, journal.Notes(), nil
}

// continueFrom takes in the journal of the predictions of this run.
func (s *Sweep) continueFrom(dir string, journal *store.Journal) error {
	var h Header
	if err := json.Unmarshal(journal.Header, &h); err != nil {
		return fmt.Errorf("%s is not a run of brewput: its header cannot be read: %w", dir, err)
	}
	if err := checkPredictionHeader(dir, &h, &s.Header, !journal.Checked); err != nil {
		return err
	}
	err := s.Header.checkStored(dir, journal.Trials, journal.Blocks, journal.Interims, !journal.Checked)
	if err != nil {
		return err
	}
	s.Restore(journal.Trials, journal.Blocks, journal.Ended)
	return nil
}

// checkPredictionHeader compares h, the header of the stored prediction in dir, with the header that the run
// expects. The time limit may differ. old marks a prediction from before journals had checksums; then only the
// start time of its run is compared.
func checkPredictionHeader(dir string, h, want *Header, old bool) error {
	fixed := func(s Settings) string {
		s.TimeLimit, s.Limited = 0, false
		text, _ := json.Marshal(s) // cannot fail: only numbers and strings
		return string(text)
	}

	wrong := ""
	switch at := func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }; {
	case !h.Started.Equal(want.Started):
		wrong = fmt.Sprintf("its run began at %s, and this one at %s", at(h.Started), at(want.Started))
	case old:
	case h.Workload != want.Workload || h.World != want.World || !h.Predicts || h.Seed != want.Seed:
		wrong = fmt.Sprintf("it is of %s in a world that is %s, with the seed %s", h.Workload, h.World, h.Seed)
	case fixed(h.Settings) != fixed(want.Settings):
		wrong = fmt.Sprintf("its settings are %s, and those of the run %s", fixed(h.Settings), fixed(want.Settings))
	case h.Costs != want.Costs || h.CostsFrom != want.CostsFrom:
		wrong = fmt.Sprintf("its costs are %s (%s), and those of the run %s (%s)", h.Costs, h.CostsFrom, want.Costs,
			want.CostsFrom)
	case h.Burn != want.Burn:
		wrong = "its burn loop was calibrated, and a prediction has none"
	}

	if wrong == "" {
		return nil
	}

	return fmt.Errorf("%s does not hold the predictions of this run: %s; restore the original file, or remove %s: "+
		"an incomplete run is predicted again, and a complete one is shown without predictions", dir, wrong, dir)
}
