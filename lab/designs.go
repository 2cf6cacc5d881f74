package lab

import (
	"cmp"
	"strconv"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// DesignOptions are the options that [Measure] and [Simulate] share. If two defaults are given, the second is that of
// Simulate.
type DesignOptions struct {
	Designs []string // default: all designs of the workload
	// Levels are the levels of factors by name, as in {"cpus": "1,2", "buffer": "0..16"}. Other factors have their
	// defaults; cpus has all CPUs that this process may use.
	Levels map[string]string
	// CaseList is a list of designs at points, instead of Designs and Levels, for grids that are no cross product.
	// Factors that a point lacks have their defaults.
	CaseList   []plan.Case
	Count      int           // blocks, or replications in virtual time; default 10, or 1
	Operations int64         // operations of each trial, instead of Duration; 0 to use Duration
	Duration   time.Duration // measured time of each trial of a stream; default 1 s, or 10 s of virtual time
	Warmup     time.Duration // time before the measurement; default 100 ms, or 1 s of virtual time; negative for none
	// TimeLimit is the time until a trial counts as hung; default 10 min, or for measured streams 30 s beyond Warmup
	// and Duration.
	TimeLimit time.Duration
	Seed      *uint64     // seed of the order of trials and of all random draws; default 1
	SLO       string      // objectives that [compare.ParseSLO] reads, stored in the header; "" for none
	Baseline  string      // design that all others are compared with, in addition to neighbours; "" for none
	AllPairs  bool        // compare every pair of designs, not only neighbours
	Output    string      // run directory to create; default brewput-runs/WORKLOAD-TIME
	Args      []string    // stored in the run's header, such as the command line
	Config    []string    // settings of configuration files that apply, stored in the header
	Version   string      // version of the program, stored in the header
	Program   string      // name of the command in messages; default "brewput"
	Notify    func(Event) // receives all events except [Interim]; may be nil
}

// program is the name of the command in messages.
func program(name string) string { return cmp.Or(name, "brewput") }

// fill fills in the defaults of a world. A warm-up that is given as none becomes 0.
func (o *DesignOptions) fill(count int, duration, warmup time.Duration) {
	o.Count, o.Duration = cmp.Or(o.Count, count), cmp.Or(o.Duration, duration)
	o.Warmup = max(cmp.Or(o.Warmup, warmup), 0)
}

// seedText is a seed as headers hold it.
func seedText(seed *uint64) string {
	if seed == nil {
		return "1"
	}
	return strconv.FormatUint(*seed, 10)
}

// validate refuses values that are invalid for any workload and machine. what names the unit of Count.
func (o *DesignOptions) validate(what string) error {
	switch {
	case o.Count < 1:
		return refuse("count", o.Count, "at least one %s is needed", what)
	case o.Duration <= 0:
		return refuse("duration", o.Duration, "is not a positive time")
	case o.Operations < 0:
		return refuse("operations", o.Operations, "is negative")
	case o.TimeLimit < 0:
		return refuse("time-limit", o.TimeLimit, "is negative")
	}
	return nil
}

// cases returns the chosen designs at the chosen points.
func (o *DesignOptions) cases(w *workload.Workload) ([]plan.Case, error) {
	if w == nil {
		return nil, refuse("workload", nil, "is needed")
	}
	if err := w.Validate(); err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	return sweep.Selection{Designs: o.Designs, Levels: o.Levels, CaseList: o.CaseList, Baseline: o.Baseline,
		Operations: o.Operations}.Cases(w)
}
