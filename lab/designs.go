package lab

import (
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// DesignOptions are the options that [Measure] and [Simulate] share. Their zero values are the defaults.
type DesignOptions struct {
	Designs []string // default all of the workload
	// Levels are the levels of factors by name, as in {"cpus": "1,2", "buffer": "0..16"}; other factors have their
	// defaults, and cpus all of this machine.
	Levels     map[string]string
	Count      int           // blocks, or replications in virtual time; default 10, or 1
	Operations int64         // of each trial, instead of Duration; 0 for a duration
	Duration   time.Duration // that each trial of a stream measures; default 1 s, or 10 s of virtual time
	Warmup     time.Duration // before it
	TimeLimit  time.Duration // of real time, after which a trial counts as hung; 0 for a default
	Seed       uint64        // of the order of trials and of all draws
	Baseline   string        // design with which all others are compared; "" for none
	All        bool          // every pair of designs is compared, not neighbours only
	Output     string        // run directory to make; default brewput-runs/WORKLOAD-TIME
	Args       []string      // that the run's header notes, such as the command line
	Version    string        // of the program, which the header notes
	Program    string        // what users type to run the program, for suggestions; default "brewput"
	Notify     func(Event)   // gets [Note], [Started], [Progress], [Predicting], [Predicted] and [Warning]
}

// program is what users type.
func program(name string) string {
	if name == "" {
		return "brewput"
	}
	return name
}

// validate refuses values that cannot be carried out, whatever the workload and the machine. what is counted is named
// by each.
func (o *DesignOptions) validate(what string) error {
	switch {
	case o.Count < 1:
		return refuse("count", o.Count, "at least one %s is needed", what)
	case o.Duration <= 0:
		return refuse("duration", o.Duration, "is not a positive time")
	case o.Warmup < 0:
		return refuse("warmup", o.Warmup, "is negative")
	case o.Operations < 0:
		return refuse("operations", o.Operations, "is negative")
	case o.TimeLimit < 0:
		return refuse("time-limit", o.TimeLimit, "is negative")
	}
	return nil
}

// endsAll refuses a time limit that would end every trial of a stream that takes as long as window.
func endsAll(limit, window time.Duration, operations int64) error {
	if limit > 0 && operations == 0 && limit <= window {
		return refuse("time-limit", limit, "would end every trial of a stream: it must be longer than {warmup} and "+
			"{duration} together, or in an open loop twice {duration}, %v", window)
	}
	return nil
}

// cases are the designs and points that the options ask for.
func (o *DesignOptions) cases(w *workload.Workload) ([]plan.Case, error) {
	return sweep.Choice{Designs: o.Designs, Levels: o.Levels, Baseline: o.Baseline, Operations: o.Operations}.Cases(w)
}
