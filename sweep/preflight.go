package sweep

import (
	"context"
	"time"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

// preflight runs a short trial of each design of a workload that asks for it, at each of its points, before a run is
// stored in dir. Points that differ only in their load, workers or CPUs share a trial. A trial that fails unexpectedly
// is a [*PreparationError].
//
// A service may fail some of its requests: a trial in which too many failed is repeated, up to preflightChances trials
// in all. It is not if its load is limited, if its design did not even start, or if it took long, as timeouts do. The
// trials have one operation and two in turn: if a server outlives them and fails each third request, these are not at
// the same place in each trial.
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
		outcome, err := s.Run(ctx, s.preflightSpec(c, 1))
		for n := 1; err == nil && outcome.RequestsFailed && n < preflightChances && !s.Workload.Limited &&
			time.Since(began) < longPreflight; n++ {
			began = time.Now()
			outcome, err = s.Run(ctx, s.preflightSpec(c, 1+int64(n%2)))
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

// preflightChances is how many trials a design has in which its operations may fail. If 1 of 20 does, and any is too
// many, 1 of 42,000 designs is refused.
const preflightChances = 4

// longPreflight is how long a trial takes that is not repeated.
const longPreflight = 10 * time.Second

// preflightSpec is a trial of some operations, in a closed loop.
func (s *Sweep) preflightSpec(c plan.Case, operations int64) trial.Spec {
	point := workload.WithoutLoad(c.Point)
	if point.Has("workers") {
		point = point.With("workers", plan.IntLevel(1))
	}
	spec := s.capacitySpec(c.Design, point, 0)
	spec.Operations, spec.Duration, spec.Warmup = operations, 0, 0
	return spec
}
