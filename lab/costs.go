package lab

import (
	"context"

	"github.com/brewput/brewput/compare"
)

// writeCosts writes what the real code of a run cost, once all of it is simulated.
func (r *Run) writeCosts() error {
	note, err := r.sweep.WriteRealCode()
	if note != "" {
		r.notify.send(Note{note})
	}
	return err
}

// Sensitivity calculates all trials again with each of the scheduler's costs x 1/2 and x 2, and those that do not
// repeat themselves with one burn that lasts longer, and says by how much the results change. Only runs in virtual time
// have one. The result goes to [Run.Analyze].
func (r *Run) Sensitivity(ctx context.Context) ([]compare.Sensitivity, error) {
	variants, notes, err := r.sweep.Variants(r.Trials)
	if err != nil {
		return nil, err
	}
	for _, note := range notes {
		r.notify.send(Note{note})
	}
	before := r.sweep.Costs.Sections()
	list, err := r.sweep.Vary(ctx, r.Trials, variants)
	if err == nil && r.sweep.Costs.Sections() > before { // where it goes faster more is done
		err = r.writeCosts()
	}
	return list, err
}
