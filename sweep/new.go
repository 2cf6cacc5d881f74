package sweep

import (
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// New is the sweep of a header. It runs trials as the header's world asks for: live ones in processes of their own,
// those in virtual time ahead of their turn and several at once. It stores nothing and tells nobody until it has a
// Store and a Notify. Errors name what of the header makes no sense.
func New(w *workload.Workload, h Header) (*Sweep, error) {
	p, err := h.Plan(w)
	if err != nil {
		return nil, err
	}
	s := &Sweep{Workload: w, Header: h, Plan: p, Store: Discard{}}
	switch limit := time.Duration(h.Settings.TimeLimit); {
	case h.Predicts:
		s.pool = trial.NewPredictions(h.Costs, limit)
	case h.World == result.Virtual:
		costs, err := sim.ParseCosts(h.Costs)
		if err != nil {
			return nil, err
		}
		s.pool = trial.NewSimulations(w, costs, limit)
	default:
		s.Run, s.BurnRatio = (&trial.Runner{TimeLimit: limit}).Run, calibrate.BurnRatio
		return s, nil
	}
	s.Run, s.Ahead = s.pool.Run, s.pool.Ahead
	return s, nil
}

// tell notifies, if anybody is to be notified.
func (s *Sweep) notify(e Event) {
	if s.Notify != nil {
		s.Notify(e)
	}
}
