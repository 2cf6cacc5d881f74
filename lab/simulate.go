package lab

import (
	"cmp"
	"context"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// SimulateOptions are the options of [Simulate].
type SimulateOptions struct {
	DesignOptions
	// Precision is the 95% confidence half-width of every mean, as a share of the mean, at which replications end:
	// 0.0001 to 0.5, instead of Count; 0 for none.
	Precision float64
	// FixedWarmup simulates Warmup as it is. Otherwise Warmup is the least: pilot trials find how long the slowest
	// design takes to settle.
	FixedWarmup bool
	// Cost lists the scheduler's costs, as [sim.ParseCosts] reads them; "" for those that [Calibrate] measured on this
	// machine, else typical costs.
	Cost        string
	RecordCosts string // file to write the costs of real code to; "" for none
	ReplayCosts string // file to read them from; "" to measure them
	// KeepCosts keeps the costs of real code, so that [Run.Timelines] and [Run.Sensitivity] repeat the same trials.
	KeepCosts bool
}

// withDefaults fills in the defaults.
func (o SimulateOptions) withDefaults() SimulateOptions {
	o.fill(1, 10*time.Second, time.Second)
	o.TimeLimit = cmp.Or(o.TimeLimit, 10*time.Minute)
	return o
}

// Validate refuses values that are invalid for any workload and machine. Zero values are valid.
func (o SimulateOptions) Validate() error {
	o = o.withDefaults()
	if err := o.validate("replication"); err != nil {
		return err
	}
	switch {
	case o.Precision != 0 && !(o.Precision >= 0.0001 && o.Precision <= 0.5):
		return refuse("precision", o.Precision, "is out of range").Suggest("give 0.01%% to 50%%")
	case o.RecordCosts != "" && o.ReplayCosts != "":
		return refuse("", nil, "{record-costs} and {replay-costs} exclude each other").
			Suggest("give one of them")
	case o.ReplayCosts != "" && o.Precision != 0:
		return refuse("replay-costs", o.ReplayCosts, "has a fixed number of replications: give {count} instead of "+
			"{precision}")
	}
	return nil
}

// Cases returns the chosen designs at the chosen points. It refuses designs that have no virtual world.
func (o SimulateOptions) Cases(w *workload.Workload) ([]plan.Case, error) {
	cases, err := o.cases(w)
	if err != nil {
		return nil, err
	}
	return cases, sweep.CheckVirtual(w, cases)
}

// Simulate runs designs of a workload in virtual time, in this process: the same source as [Measure], under a model of
// Go's scheduler, on any number of virtual CPUs. It runs as many trials at once as this machine has CPUs. The same seed
// gives the same results on every machine, except for designs whose real code is measured.
//
// Errors are those of [Measure]. Concurrent calls are safe if each has its own Output. A call runs trials of the
// workload concurrently, see [workload.Design].
func Simulate(ctx context.Context, w *workload.Workload, o SimulateOptions) (*Run, error) {
	if o.Count > 0 && o.Precision != 0 {
		return nil, refuse("", nil, "{count} and {precision} both set the number of replications").
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
	here := host.Read()
	what, err := sweep.CostsHere(o.Cost, here)
	if err != nil {
		return nil, err
	}
	h := o.header(w, result.Virtual, here)
	h.Cases, h.Costs, h.CostsFrom, h.Warnings = cases, what.Text, what.From, what.Warnings
	h.Settings.Sample, h.Settings.TimeLimit = 1, sweep.Duration(o.TimeLimit)
	if o.Precision > 0 {
		h.Precision = sweep.NewPrecision(o.Precision)
		h.Blocks = h.Precision.MaxReplications
	}
	r, err := newRun(ctx, w, &o.DesignOptions, h)
	if err != nil {
		return nil, err
	}
	r.findWarmup = !o.FixedWarmup && o.Operations == 0
	code := sweep.RealCode{Record: o.RecordCosts, Replay: o.ReplayCosts, Keep: o.KeepCosts}
	if err := r.sweep.UseRealCode(ctx, code); err != nil {
		return nil, unstored(ctx, err, "the costs of real code were read", false)
	}
	return r.measure(ctx)
}
