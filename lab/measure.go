package lab

import (
	"cmp"
	"context"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// MeasureOptions are the options of [Measure].
type MeasureOptions struct {
	DesignOptions
	Budget        time.Duration // time for all trials, instead of Count; 0 for none
	Sample        int           // time only every n-th operation; default 1
	Profile       bool          // instrumented trials take a CPU profile instead of metering resources
	Oversubscribe bool          // measure more CPUs than this machine has, on those that it has
	NoCapacity    bool          // skip the closed loops at full load that measure capacities; needs rates
	NoPredictions bool          // skip the simulated predictions
	Cost          string        // scheduler costs of predictions, as in SimulateOptions
	Quick         string        // what was shortened for a rough answer, in words; stored in the header
}

// withDefaults fills in the defaults.
func (o MeasureOptions) withDefaults() MeasureOptions {
	o.fill(10, time.Second, 100*time.Millisecond)
	o.Sample = cmp.Or(o.Sample, 1)
	return o
}

// Validate refuses values that are invalid for any workload and machine. Zero values are valid.
func (o MeasureOptions) Validate() error {
	o = o.withDefaults()
	if err := o.validate("block"); err != nil {
		return err
	}
	switch {
	case o.Budget < 0:
		return refuse("budget", o.Budget, "is negative").Suggest("give a time such as 10m")
	case o.Sample < 1:
		return refuse("sample", o.Sample, "1 times every operation, 10 every tenth")
	}
	return sweep.CheckLimit(o.TimeLimit, o.Warmup+o.Duration, o.Operations)
}

// Cases returns the chosen designs at the chosen points. It refuses CPUs that this machine lacks and that cannot be
// predicted either.
func (o MeasureOptions) Cases(w *workload.Workload) ([]plan.Case, error) {
	cases, err := o.cases(w)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	return cases, sweep.Live{Warmup: o.Warmup, Duration: o.Duration, Operations: o.Operations, TimeLimit: o.TimeLimit,
		Sample: o.Sample, Oversubscribe: o.Oversubscribe, NoCapacity: o.NoCapacity,
		Predicts: !o.NoPredictions, Program: program(o.Program)}.CheckCases(w, cases)
}

// Measure measures designs of a workload on this machine. Each trial runs in a fresh process. A block holds every
// design at every point once, in random order. Measure also simulates every case in virtual time, as a prediction;
// cases with more CPUs than this machine has are only predicted.
//
// Invalid options are a [*Refusal]. If a design fails while its capacity is measured, the error is a
// [*sweep.PreparationError]. If ctx is cancelled before the first trial, it is a [*CanceledError]. The run is nil if
// nothing is stored. Otherwise it has the trials so far, and [Resume] continues it; a [*StorageError] says that the
// last ones may be lost. Concurrent calls are safe but disturb each other's measurements.
func Measure(ctx context.Context, w *workload.Workload, o MeasureOptions) (*Run, error) {
	if o.Count > 0 && o.Budget > 0 {
		return nil, refuse("", nil, "{count} and {budget} both set the number of blocks").
			Suggest("give one of them")
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	cases, err := o.Cases(w)
	if err != nil {
		return nil, err
	}
	o = o.withDefaults()
	h, err := o.header(w, cases)
	if err != nil {
		return nil, err
	}
	r, err := newRun(ctx, w, &o.DesignOptions, h)
	if err != nil {
		return nil, err
	}
	return r.measure(ctx)
}

// header describes the run and the machine.
func (o *MeasureOptions) header(w *workload.Workload, cases []plan.Case) (sweep.Header, error) {
	measured, predicted := sweep.SplitCases(w, cases, !o.NoPredictions, o.Oversubscribe)
	environment := host.Read()
	burn, err := calibrate.ForSweep(calibrate.CacheDir(), environment.Fingerprint)
	if err != nil {
		return sweep.Header{}, err
	}
	h := o.DesignOptions.header(w, result.Live, environment)
	h.Instrumented, h.Cases, h.PredictedCases, h.Burn, h.Quick = true, measured, predicted, burn, o.Quick
	h.Settings.Sample, h.Settings.Profile, h.Settings.NoCapacity = o.Sample, o.Profile, o.NoCapacity
	limit := cmp.Or(o.TimeLimit, sweep.DefaultTimeLimit(w, cases, o.Warmup, o.Duration, o.Operations))
	h.Settings.TimeLimit, h.Settings.Limited = sweep.Duration(limit), o.TimeLimit > 0
	if o.Budget > 0 {
		j := compare.DefaultCriteria(o.Baseline, nil)
		j.All = o.AllPairs
		h.Rule = sweep.NewBudgetRule(o.Budget, j)
		h.Blocks = h.Rule.MaxBlocks()
	}
	if len(predicted) > 0 {
		what, err := sweep.CostsHere(o.Cost, environment)
		if err != nil {
			return sweep.Header{}, err
		}
		h.Costs, h.CostsFrom = what.Text, what.From
	}
	if o.Oversubscribe {
		h.Warnings = append(h.Warnings, sweep.OversubscribedWarnings(cases)...)
	}
	return h, nil
}

// header returns the part of the header that both worlds share.
func (o *DesignOptions) header(w *workload.Workload, world string, here result.Environment) sweep.Header {
	return sweep.Header{
		Workload: w.Name, Given: w.Given, World: world, Args: o.Args, Config: o.Config, Version: o.Version,
		Started: time.Now(), Seed: seedText(o.Seed), Blocks: o.Count, Baseline: o.Baseline, All: o.AllPairs,
		Settings: sweep.Settings{Duration: sweep.Duration(o.Duration), Warmup: sweep.Duration(o.Warmup),
			Operations: o.Operations},
		Environment: here, Warnings: []string{}, SLO: o.SLO,
	}
}
