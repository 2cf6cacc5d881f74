package sweep

import (
	"context"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// probe runs a short trial of each design of a workload that asks for it, before a run is stored in dir. A trial that
// fails is a [*CapacityError].
func (s *Sweep) probe(ctx context.Context, dir string) error {
	if !s.Workload.Probe {
		return nil
	}
	if err := store.CheckVacant(dir); err != nil { // before the time is spent
		return StoreError(err)
	}
	tried := map[string]bool{}
	for _, c := range s.Plan.Cases {
		if tried[c.Design] {
			continue
		}
		tried[c.Design] = true
		outcome, err := s.Run(ctx, s.probeSpec(c))
		if err != nil {
			return err
		}
		if !outcome.Trial.Good() {
			u := &CapacityError{Design: c.Design, Point: c.Point, Trial: outcome.Trial, Failure: outcome.Failure,
				Probe: true}
			d, _ := s.Workload.Find(c.Design)
			u.Trial.Expected = trial.Expected(d.Expect, u.Trial.Status)
			return u
		}
	}
	return nil
}

// probeSpec is a trial of one operation, in a closed loop.
func (s *Sweep) probeSpec(c plan.Case) trial.Spec {
	point := workload.WithoutLoad(c.Point)
	if point.Has("workers") {
		point = point.With("workers", plan.IntLevel(1))
	}
	spec := s.capacitySpec(c.Design, point, 0)
	spec.Operations, spec.Duration, spec.Warmup = 1, 0, 0
	return spec
}
