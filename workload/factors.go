package workload

import (
	"slices"

	"github.com/brewput/brewput/plan"
)

// maxWorkers limits the memory of a trial in virtual time, in which a worker takes about 6 kB.
const maxWorkers = 1_000_000

// Common returns the factors that every workload has: cpus, and for streams the number of workers and the load. A
// stream without load factors runs in a closed loop.
func Common() []plan.Factor {
	return []plan.Factor{
		{Name: "cpus", Doc: "CPUs the design may use (GOMAXPROCS)", Kind: plan.Int, Default: "all", Min: 1,
			Input: true},
		{Name: "workers", Doc: "callers that repeat the operation of a stream, or serve an open loop",
			Kind: plan.Int, Default: "cpus", Min: 1, Max: maxWorkers, Input: true},
		{Name: "rate", Doc: "open loop: requests a second", Kind: plan.Float, Input: true},
		{Name: "load", Doc: "open loop: requests as a fraction of the capacity, which is measured first",
			Kind: plan.Float, Input: true},
		{Name: "arrivals", Doc: "open loop: poisson, constant, or a file with one time a line (default poisson)",
			Kind: plan.Text, Input: true},
		{Name: "queue-limit", Doc: "open loop: requests that may wait; excess arrivals are dropped (default no limit)",
			Kind: plan.Int, Input: true},
		{Name: "patience", Doc: "open loop: how long a request waits before it gives up (default for ever)",
			Kind: plan.Duration, Input: true},
	}
}

// GOGC is the name of the factor of [GOGCFactor].
const GOGC = "gogc"

// GOGCFactor returns a factor for designs that produce garbage. Before the design starts, the trial sets the GOGC of
// its process to the level, in percent. In virtual time the factor has no effect, because nothing is collected.
func GOGCFactor() plan.Factor {
	return plan.Factor{Name: GOGC, Doc: "GOGC: per cent that garbage may add to what is in use before it is collected",
		Kind: plan.Int, Default: "100", Min: 1, Max: 1_000_000}
}

// loadFactors are the factors of Common that describe the load of an open loop.
var loadFactors = []string{"rate", "load", "arrivals", "queue-limit", "patience"}

// IsLoadFactor reports whether the factor with that name describes the load of an open loop.
func IsLoadFactor(factor string) bool { return slices.Contains(loadFactors, factor) }

// LoadFactors returns the names of the load factors that p contains. A closed loop has none.
func LoadFactors(p plan.Point) []string {
	var names []string
	for _, name := range loadFactors {
		if p.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// OpenLoop reports whether the point has a load factor, so that its trials run in an open loop.
func OpenLoop(p plan.Point) bool { return len(LoadFactors(p)) > 0 }

// WithoutLoad returns the point without load factors, at which the same design runs in a closed loop.
func WithoutLoad(p plan.Point) plan.Point {
	var names []string
	for _, s := range p.Settings() {
		if !IsLoadFactor(s.Factor) {
			names = append(names, s.Factor)
		}
	}
	return p.Only(names)
}

// Reserved returns the names that a factor cannot have: flags of the verbs, including planned ones, and columns of
// results.
func Reserved() []string {
	return []string{
		// flags
		"after", "allow", "base", "baseline", "before", "bench", "budget", "compare", "cost", "count",
		"designs", "duration", "env", "format", "full", "go", "goal", "help", "layouts", "max-regression", "metric",
		"no-capacity", "no-twin", "o", "operations", "output", "oversubscribe", "pgo", "pprof", "precision", "profile",
		"quick", "quiet", "record-costs", "replay-costs", "resume", "sample", "seed", "sensitivity", "show", "slo",
		"time-limit", "timeline", "timeline-span", "twin", "verbose", "version", "warmup",
		// columns
		"block", "bound", "design", "error", "kind", "lines", "order", "peer", "rev", "status", "trial", "type",
		"wall_seconds", "workload", "world",
	}
}

// Factor returns the factor with that name, which is one of the workload's own or of [Common].
func (w *Workload) Factor(name string) (plan.Factor, bool) {
	for _, f := range w.AllFactors() {
		if f.Name == name {
			return f, true
		}
	}
	return plan.Factor{}, false
}

// AllFactors returns the factors of [Common] and then the workload's own, which is the order of tables.
func (w *Workload) AllFactors() []plan.Factor {
	return append(Common(), w.Factors...)
}

// InputFactors returns the names of the factors whose levels are different jobs. No verdict compares their levels.
func (w *Workload) InputFactors() []string {
	var names []string
	for _, f := range w.AllFactors() {
		if f.Input {
			names = append(names, f.Name)
		}
	}
	return names
}

// FactorsOf returns the names of the factors that d uses, including those of [Common], in table order.
func (w *Workload) FactorsOf(d Design) []string {
	uses := map[string]bool{"cpus": true, "workers": d.Stream != nil}
	for _, name := range loadFactors {
		uses[name] = d.Stream != nil
	}
	for _, name := range d.Uses {
		uses[name] = true
	}
	var names []string
	for _, f := range w.AllFactors() {
		if uses[f.Name] {
			names = append(names, f.Name)
		}
	}
	return names
}
