package sweep

import (
	"context"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// preflight runs a trial of one operation of each design of a workload that asks for it, at each of its points, before
// a run is stored in dir. Points that differ only in their load, workers or CPUs share a trial. A trial that fails
// unexpectedly is a [*PreparationError].
//
// A service may fail some of its requests: a trial whose request failed is repeated, up to preflightChances trials in
// all. It is not if its load is limited, if its design did not even start, or if it took long, as timeouts do.
func (s *Sweep) preflight(ctx context.Context, dir string) error {
	if !s.Workload.Preflight {
		return nil
	}
	if err := store.CheckVacant(dir); err != nil { // before the time is spent
		return StoreError(err)
	}
	s.preflightTimes = map[string]time.Duration{}
	tried := map[string]bool{}
	for _, c := range s.Plan.Cases {
		different := workload.WithoutLoad(c.Point).Without("workers").Without("cpus")
		name := caseName(plan.Case{Design: c.Design, Point: different})
		if tried[name] {
			continue
		}
		tried[name] = true
		began := time.Now()
		outcome, err := s.Run(ctx, s.preflightSpec(c))
		for n := 1; err == nil && outcome.AllFailed && n < preflightChances && !s.Workload.Limited &&
			time.Since(began) < longPreflight; n++ {
			began = time.Now()
			outcome, err = s.Run(ctx, s.preflightSpec(c))
		}
		if err != nil {
			return err
		}
		s.preflightTimes[c.Design] = time.Since(began)
		// A design may declare that its answer is wrong.
		if d, _ := s.Workload.Find(c.Design); !trial.Expected(d.Expect, outcome.Trial.Status) {
			return &PreparationError{Design: c.Design, Point: c.Point, Trial: outcome.Trial, Failure: outcome.Failure,
				Preflight: true}
		}
	}
	return nil
}

// preflightChances is how many trials a design has in which its one request may fail. If 1 of 20 requests fails, 1 of
// 8,000 runs is refused.
const preflightChances = 3

// longPreflight is how long a trial takes that is not repeated.
const longPreflight = 10 * time.Second

// preflightSpec is a trial of one operation, in a closed loop.
func (s *Sweep) preflightSpec(c plan.Case) trial.Spec {
	point := workload.WithoutLoad(c.Point)
	if point.Has("workers") {
		point = point.With("workers", plan.IntLevel(1))
	}
	spec := s.capacitySpec(c.Design, point, 0)
	spec.Operations, spec.Duration, spec.Warmup = 1, 0, 0
	return spec
}
