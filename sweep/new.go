package sweep

import (
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/plugin"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// New returns the sweep of a header, with the runner of the header's world and the default criteria of comparisons.
// Live trials run in processes of their own. Trials in virtual time run in this process, ahead and several at once. The
// sweep stores nothing and reports no progress until Store and Notify are set. Errors name the invalid part of the
// header.
func New(w *workload.Workload, h Header) (*Sweep, error) {
	p, err := h.Plan(w)
	if err != nil {
		return nil, err
	}

	if _, err := compare.ParseSLO(h.SLO); h.SLO != "" && err != nil {
		return nil, err
	}
	if h.Programs == nil {
		h.Programs = plugin.Records(w, p.Cases)
	}
	s := &Sweep{Workload: w, Header: h, Plan: p, Store: Discard{}}
	s.Criteria = compare.DefaultCriteria(h.Baseline, w.InputFactors())
	s.Criteria.All, s.Criteria.BaselineOnly, s.Criteria.FurtherMetrics = h.All, h.BaselineOnly, w.FurtherMetrics
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
		r := trial.Runner{TimeLimit: limit}
		s.Run, s.BurnRatio = r.RunnerOf(w), calibrate.BurnRatio
		return s, nil
	}

	s.Run, s.Ahead = s.pool.Run, s.pool.Ahead
	return s, nil
}

// notify calls Notify if it is set.
func (s *Sweep) notify(e Event) {
	if s.Notify != nil {
		s.Notify(e)
	}
}
