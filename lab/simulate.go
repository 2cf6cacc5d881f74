package lab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/costs"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// SimulateOptions are the options of [Simulate].
type SimulateOptions struct {
	DesignOptions
	// Precision is half of the 95 % interval of every mean, as a share of it, at which the replications are enough:
	// 0.0001 to 0.5, instead of Count; 0 for none.
	Precision float64
	// Settle finds the warm-up by pilots, of which Warmup is the least.
	Settle bool
	// Cost is what the scheduler takes, as [sim.ParseCosts] reads it; "" for what [Calibrate] found on this machine, or
	// else typical costs.
	Cost        string
	RecordCosts string // file for what real code costs; "" for none
	ReplayCosts string // file from which that is read; "" if it is measured
	// Again says that the trials will be calculated again, by [Run.Timelines] or [Run.Sensitivity], and that real code
	// must cost the same then.
	Again bool
}

// withDefaults has the defaults.
func (o SimulateOptions) withDefaults() SimulateOptions {
	if o.Count == 0 {
		o.Count = 1
	}
	if o.Duration == 0 {
		o.Duration = 10 * time.Second
	}
	if o.TimeLimit == 0 {
		o.TimeLimit = 10 * time.Minute
	}
	return o
}

// Validate refuses values that cannot be carried out, whatever the workload and the machine. It takes the options as
// they are: a count or a duration of zero, for which [Simulate] takes the default, is refused.
func (o SimulateOptions) Validate() error {
	if err := o.validate("replication"); err != nil {
		return err
	}
	switch {
	case o.Precision != 0 && !(o.Precision >= 0.0001 && o.Precision <= 0.5):
		return refuse("precision", o.Precision, "is out of range").suggest("give 0.01%% to 50%%")
	case o.RecordCosts != "" && o.ReplayCosts != "":
		return refuse("", nil, "{record-costs} and {replay-costs}: costs that are read need not be written").
			suggest("give one of them")
	case o.ReplayCosts != "" && o.Precision != 0:
		return refuse("replay-costs", o.ReplayCosts, "has the replications that it has: give {count} in place of "+
			"{precision}")
	}
	return nil
}

// Cases are the designs and points that the options ask for. It refuses what has no virtual world.
func (o SimulateOptions) Cases(w *workload.Workload) ([]plan.Case, error) {
	cases, err := o.cases(w)
	if err != nil {
		return nil, err
	}
	var live, both []string
	for _, c := range cases {
		of := &both
		if d, _ := w.Find(c.Design); d.Worlds == workload.LiveOnly {
			of = &live
		}
		if !slices.Contains(*of, c.Design) {
			*of = append(*of, c.Design)
		}
		if err := tooMany(c.Point); err != nil {
			return nil, err
		}
	}
	switch {
	case len(live) == 0:
		return cases, nil
	case !slices.ContainsFunc(w.Designs, func(d workload.Design) bool { return d.Worlds != workload.LiveOnly }):
		return nil, refuse("", nil, "no design of %s has a virtual world: they use what only a real machine has",
			w.Name).suggest("measure them with %s run %s", program(o.Program), w.Name)
	}
	r := refuse("", nil, "%s/%s has no virtual world: it uses what only a real machine has", w.Name, live[0])
	if len(both) > 0 {
		return nil, r.suggest("leave it out, with {designs} %s", strings.Join(both, ","))
	}
	return nil, r.suggest("name others with {designs}")
}

// Simulate runs designs of a workload in virtual time, in this process: the same source as [Measure] runs, on CPUs that
// a model of Go's scheduler keeps busy, as many trials at once as this machine has CPUs. The same seed gives the same
// numbers on every machine, but for real code that is measured.
//
// Errors are those of [Measure].
func Simulate(ctx context.Context, w *workload.Workload, o SimulateOptions) (*Run, error) {
	o = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	cases, err := o.Cases(w)
	if err != nil {
		return nil, err
	}
	here := host.Read()
	what, err := costsHere(o.Cost, here, o.Program)
	if err != nil {
		return nil, err
	}
	h := o.header(w, result.Virtual, here)
	h.Cases, h.Costs, h.CostsFrom, h.Warnings = cases, what.text, what.from, what.warnings
	h.Settings.Sample, h.Settings.TimeLimit = 1, sweep.Duration(o.TimeLimit)
	if o.Precision > 0 {
		h.Precision = sweep.NewPrecision(o.Precision)
		h.Blocks = h.Precision.MaxReplications
	}
	r, err := newRun(ctx, w, &o.DesignOptions, h)
	if err != nil {
		return nil, err
	}
	r.settle = o.Settle && o.Operations == 0
	if err := r.costsFrom(ctx, &o); err != nil {
		return nil, err
	}
	return r.measure(ctx)
}

// counted are the costs that a simulation counts with.
type counted struct {
	text     string // see sim.ParseCosts
	from     string // see sweep.Header
	warnings []string
}

// costsHere are those given, else those of this machine, else typical ones.
func costsHere(given string, here host.Environment, command string) (counted, error) {
	if given != "" {
		c, err := sim.ParseCosts(given)
		if err != nil {
			return counted{}, refuse("cost", given, "%w", err)
		}
		return counted{c.String(), "given", []string{}}, nil
	}
	cal, c, err := costs.Load(calibrate.CacheDir(), here.Fingerprint, here.GoVersion)
	if err != nil {
		text := sim.Typical().String()
		return counted{text, sweep.CostsTypical,
			[]string{fmt.Sprintf("the scheduler's costs are typical ones, not this machine's: %s (%v); measure them "+
				"with %s calibrate, or set them with --cost", text, err, program(command))}}, nil
	}
	return counted{c.String(), sweep.CostsCalibrated + cal.Measured.UTC().Format(time.RFC3339),
		append([]string{}, cal.Warnings...)}, nil
}
