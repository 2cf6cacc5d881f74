package sweep

import (
	"context"
	"errors"

	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// PrepareRun runs the preflight of a new sweep that is to be stored in dir, if its workload asks for one. Then it
// measures the capacities of its open loops, unless the run has NoCapacity, because a fraction of the capacity needs
// the capacity, and so does the verdict unstable. Beyond the CPUs of this machine they are simulated. begin is called
// before the first of these measurements, tell before each of their trials.
//
// Rates that cannot be offered are a [*plan.Refusal]. A design that fails in the preflight or in a closed loop is a
// [*PreparationError].
func (s *Sweep) PrepareRun(ctx context.Context, dir string, begin func(), tell func(plan.Case, int, int)) error {
	if err := s.checkRates(); err != nil { // before any load
		return plan.AsRefusal(err)
	}
	if err := s.preflight(ctx, dir); err != nil {
		return err
	}
	s.preflown = true
	t, err := s.PredictionSweep()
	if err != nil {
		return err
	}
	both := []*Sweep{s}
	if t != nil {
		t.Plan.Cases = s.Header.PredictedOnly()
		both = append(both, t)
	}
	for _, x := range both {
		if err := x.capacities(ctx, dir, begin, tell); err != nil {
			return err
		}
	}
	if t != nil {
		s.Header.Capacities = append(s.Header.Capacities, t.Header.Capacities...)
	}
	return nil
}

// Preparing names the step of [Sweep.PrepareRun] that runs, or ran last.
func (s *Sweep) Preparing() string {
	if s.Workload.Preflight && !s.preflown {
		return "each design was tried"
	}
	return "capacities were measured"
}

// capacities measures the capacities of the open loops of one sweep.
func (s *Sweep) capacities(ctx context.Context, dir string, begin func(), tell func(plan.Case, int, int)) error {
	if !haveOpenLoop(s.Plan.Cases) {
		return nil
	}
	if err := store.CheckVacant(dir); err != nil { // before the time is spent
		return StoreError(err)
	}
	if err := s.checkRates(); err != nil {
		return plan.AsRefusal(err)
	}
	if s.Workload.Limited || s.Header.Settings.NoCapacity {
		return nil
	}
	if !s.Header.Predicts && begin != nil {
		begin()
	}
	if err := s.measureCapacities(ctx, tell); err != nil {
		return err
	}

	err := s.checkRates()
	var u *PreparationError
	if err == nil || errors.As(err, &u) && result.OutcomeOf([]result.Trial{u.Trial}) != result.Sound {
		return err
	}
	return plan.AsRefusal(err)
}
