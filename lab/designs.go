package lab

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// DesignOptions are the options that [Measure] and [Simulate] share. Their zero values are the defaults.
type DesignOptions struct {
	Designs []string // default all of the workload
	// Levels are the levels of factors by name, as in {"cpus": "1,2", "buffer": "0..16"}; other factors have their
	// defaults, and cpus all of this machine.
	Levels map[string]string
	// CaseList is designs at points, instead of Designs and Levels. Factors that a point lacks have their defaults.
	CaseList   []plan.Case
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
	Notify     Notify        // gets [Note], [Started], [Progress], [Predicting], [Predicted] and [Warning]
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
	if o.CaseList != nil {
		return o.given(w)
	}
	designs, err := w.Select(o.Designs)
	if err != nil {
		return nil, refuse("", nil, "%w", err)
	}

	choices := defaultCPUs()
	var earlier []string
	for _, f := range w.AllFactors() {
		if expr, ok := o.Levels[f.Name]; ok && !(f.Name == "cpus" && expr == "all") {
			choice, err := f.Parse(expr, earlier)
			if err != nil {
				return nil, refuse("", nil, "%w", err)
			}
			if choices[f.Name], err = resolved(f, choice); err != nil {
				return nil, err
			}
		}
		earlier = append(earlier, f.Name)
	}

	for _, f := range w.AllFactors() {
		if _, ok := o.Levels[f.Name]; ok && !w.Uses(designs, f.Name) {
			return nil, refuse(f.Name, nil, "changes nothing: of the designs %s none uses it",
				strings.Join(designs, ", "))
		}
	}
	for name := range o.Levels {
		if !slices.Contains(earlier, name) {
			return nil, refuse("levels", name, "is no factor of %s: its factors are %s", w.Name,
				strings.Join(earlier, ", "))
		}
	}

	points, err := o.points(w, choices)
	if err != nil {
		return nil, err
	}
	cases := plan.Cases(designs, func(design string) []string {
		d, _ := w.Find(design)
		return w.FactorsOf(d)
	}, points)
	return cases, CheckBaseline(w, o.Baseline, cases)
}

// defaultCPUs are the CPUs that this process may use, the limit of its container included.
func defaultCPUs() map[string]plan.Choice {
	return map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(runtime.GOMAXPROCS(0))}}}
}

// points are the points of the choices. It refuses those that cannot be run.
func (o *DesignOptions) points(w *workload.Workload, choices map[string]plan.Choice) ([]plan.Point, error) {
	points, err := plan.Points(w.AllFactors(), choices)
	if err != nil {
		return nil, refuse("", nil, "%w", err)
	}
	for _, p := range points {
		if err := o.checkLoad(p); err != nil {
			return nil, err
		}
		if w.Check != nil {
			if err := w.Check(p); err != nil {
				return nil, refuse("", nil, "%w", err)
			}
		}
	}
	return points, nil
}

// CheckBaseline refuses, by a [*Refusal], a baseline that is not among the cases, or that is no solution.
func CheckBaseline(w *workload.Workload, baseline string, cases []plan.Case) error {
	if baseline == "" {
		return nil
	}
	_, err := w.Select([]string{baseline})
	d, _ := w.Find(baseline)
	switch {
	case err != nil:
		return refuse("", nil, "%w", err)
	case d.Expect == workload.Bound:
		return refuse("baseline", baseline, "it is a bound, not a solution, and stands in no comparison")
	case !slices.ContainsFunc(cases, func(c plan.Case) bool { return c.Design == baseline }):
		return refuse("baseline", baseline, "is not measured").suggest("add it to {designs}")
	}
	return nil
}

// checkLoad refuses a load that says nothing or two things. A point that holds none of its factors is that of a closed
// loop.
func (o *DesignOptions) checkLoad(p plan.Point) error {
	if !workload.OpenLoop(p) {
		return nil
	}
	recorded := p.Has("arrivals") && !slices.Contains([]string{load.Poisson, load.Constant}, p.Text("arrivals"))
	switch {
	case p.Has("rate") && p.Has("load"):
		return refuse("", nil, "{rate} and {load} both say how many customers come").suggest("give one of them")
	case !p.Has("rate") && !p.Has("load") && !recorded:
		return refuse(workload.LoadFactors(p)[0], nil, "has no effect without customers: add {load} 0.8, a fraction "+
			"of the capacity, or {rate} 100, customers a second")
	case p.Has("rate") && p.Float("rate") == 0:
		return refuse("rate", 0, "sends no customer").suggest("give customers a second, such as 100")
	case p.Has("rate") && p.Float("rate") > load.MaxRate:
		return refuse("rate", p.Float("rate"), "is more than the %.0f customers a second that the load loop can send",
			load.MaxRate)
	case p.Has("load") && p.Float("load") == 0:
		return refuse("load", 0, "sends no customer").suggest("give a fraction of the capacity, such as 0.8")
	case p.Has("patience") && p.Duration("patience") == 0:
		return refuse("patience", "0s", "nobody would wait at all").
			suggest("leave it out, or use {queue-limit} 0 to drop who cannot be served at once")
	case o.Operations > 0:
		return refuse("operations", nil, "is for closed loops: an open loop measures the customers who arrive within "+
			"{duration}")
	}
	return nil
}

// windowOf is how long a trial of a stream takes at most if nothing hangs.
func windowOf(warmup, duration time.Duration, cases []plan.Case) time.Duration {
	if slices.ContainsFunc(cases, func(c plan.Case) bool { return workload.OpenLoop(c.Point) }) {
		duration *= 2 // in which those are served who came in the window
	}
	return warmup + duration
}

// tooMany refuses more CPUs than a simulation can have.
func tooMany(p plan.Point) error {
	if n := p.Int("cpus"); n > sim.MaxCPUs {
		return refuse("cpus", n, "the simulation has at most %d CPUs", sim.MaxCPUs).suggest("give fewer")
	}
	return nil
}

// resolved makes the levels of a path absolute: a run may go on from another directory.
func resolved(f plan.Factor, c plan.Choice) (plan.Choice, error) {
	if !f.Path {
		return c, nil
	}
	for i, l := range c.Levels {
		path, err := filepath.Abs(l.String())
		if err != nil {
			return c, refuse(f.Name, l, "%w", err)
		}
		c.Levels[i] = plan.TextLevel(path)
	}
	return c, nil
}
