package lab

import (
	"context"

	"github.com/brewput/brewput/compare"
)

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
