// Package workload says what a job is and which designs do it.
//
// A [Workload] is a job to do with the check that its answer is right. A [Design] is one concurrent
// structure that does it: a [Stream], one operation that many workers repeat, or a [Job], a fixed
// amount of work that is run once.
package workload

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// Workload is a job to do, its factors and its designs.
type Workload struct {
	Name    string // lower case, without spaces or slashes
	Doc     string // the first line is its summary
	Factors []plan.Factor
	Designs []Design

	// Source holds the Go files of the designs, so that their lines can be counted and shown where
	// the program runs far from its source. Nil: they are looked up where they were compiled. This
	// package does not read it.
	Source fs.FS

	// Check refuses points that make no sense ("jitter above twice the stage"). It may be nil.
	Check func(p plan.Point) error

	// Quick are the levels, by factor, of a run that is to end soon (run --quick), where the user gives none.
	Quick map[string]string
}

// Design is one concurrent structure. Exactly one of Stream and Job is set; neither for a Go benchmark, which runs in a
// binary of its own and stands in no list of workloads.
type Design struct {
	Name   string
	Doc    string
	Uses   []string // the workload's factors that matter to it; a trial's point holds only these
	Stream func(e env.Env, p plan.Point) (Stream, error)
	Job    func(e env.Env, p plan.Point) (Job, error)
	Expect Expect
	Worlds Worlds

	// Peer marks somebody else's solution of the same job, a yardstick such as wc. Its answer is checked as any.
	// It is compared with the baseline, or is the baseline, but is nobody's neighbour.
	Reference bool
	// Formula predicts the wall time of a Job. It may be nil.
	Formula *Formula
}

// Type is "stream", "job" or "benchmark".
func (d Design) Type() string {
	switch {
	case d.Stream != nil:
		return "stream"
	case d.Job != nil:
		return "job"
	}
	return "benchmark"
}

// Expect is a failure that a design declares.
type Expect int

// What a design declares of itself.
const (
	Right         Expect = iota // its answer is right; anything else is an error
	Bound                       // not a solution but a bound: it keeps its number and is in no verdict
	WrongAnswer                 // its answer is wrong, as its original's was
	MayViolate                  // its stations may serve two users at once
	MayFail                     // it may crash, deadlock or hang
	expectedCount = iota
)

// String is the word of JSON and tables.
func (x Expect) String() string {
	if x < 0 || x >= expectedCount {
		return fmt.Sprintf("Expect(%d)", int(x))
	}
	return [...]string{"right", "bound", "wrong-answer", "violated", "failed"}[x]
}

// Worlds says where a design runs.
type Worlds int

// The worlds of a design.
const (
	Both     Worlds = iota // live and virtual
	LiveOnly               // a real server, a child process: nothing that virtual time could run
)

// String is the word of the list.
func (w Worlds) String() string {
	if w == LiveOnly {
		return "live"
	}
	return "live, virtual"
}

// Answer is what a trial computed, by name: {"words": 215828}. Values must be JSON numbers, strings
// or booleans.
type Answer map[string]any

// Stream is a built design whose operation many workers repeat.
type Stream struct {
	// Op serves one request. Many workers call it at once, each with its own Env and request number;
	// request numbers are the same for all designs and key the draws of env.Rand.
	Op func(e env.Env, request uint64)
	// Close stops the design's own goroutines after the last operation. It may be nil.
	Close func(e env.Env)
	// Check is called after Close with the number of operations and says whether all was right. An
	// error is a wrong answer. It may be nil.
	Check func(operations uint64) (Answer, error)
}

// Job is a built design that is run once.
type Job struct {
	// Run does the whole work. The time it takes is the trial's.
	Run func(e env.Env) error
	// Items and Bytes are the amount of work, for rates; 0 where it makes no sense.
	Items, Bytes int64
	// Check is called after Run and says whether the answer is right. It may be nil.
	Check func() (Answer, error)
	// Metrics is called after Check and returns what the job itself measured, by the names that results have: the
	// ending is the unit (see result.UnitOf). What every trial has of its own under a name stands. It may be nil.
	Metrics func() map[string]float64
}

// Find returns the design of that name.
func (w *Workload) Find(name string) (Design, bool) {
	for _, d := range w.Designs {
		if d.Name == name {
			return d, true
		}
	}
	return Design{}, false
}

// Factor returns the factor of that name: the workload's own or one of [Common].
func (w *Workload) Factor(name string) (plan.Factor, bool) {
	for _, f := range w.AllFactors() {
		if f.Name == name {
			return f, true
		}
	}
	return plan.Factor{}, false
}

// AllFactors are [Common] and the workload's own, in the order of tables.
func (w *Workload) AllFactors() []plan.Factor {
	return append(Common(), w.Factors...)
}

// InputFactors are the names of the factors whose levels are different jobs rather than choices, so that no verdict
// compares them.
func (w *Workload) InputFactors() []string {
	var names []string
	for _, f := range w.AllFactors() {
		if f.Input {
			names = append(names, f.Name)
		}
	}
	return names
}

// mostWorkers is more than anybody has use for, and fits into memory: in virtual time each takes some 6 kB.
const mostWorkers = 1_000_000

// Common are the factors that every workload has: cpus, and for streams workers and what their load is.
// Without rate, load and recorded arrivals that is a closed loop.
func Common() []plan.Factor {
	return []plan.Factor{
		{Name: "cpus", Doc: "CPUs the design may use (GOMAXPROCS)", Kind: plan.Int, Default: "all", Min: 1,
			Input: true},
		{Name: "workers", Doc: "callers that repeat the operation of a stream, or who serve an open loop",
			Kind: plan.Int, Default: "cpus", Min: 1, Max: mostWorkers, Input: true},
		{Name: "rate", Doc: "open loop: customers a second", Kind: plan.Float, Input: true},
		{Name: "load", Doc: "open loop: customers as a fraction of the capacity, which is measured first",
			Kind: plan.Float, Input: true},
		{Name: "arrivals", Doc: "open loop: poisson, constant, or a file with one time a line (default poisson)",
			Kind: plan.Text, Input: true},
		{Name: "queue-limit", Doc: "open loop: customers who may wait; more are dropped (default no limit)",
			Kind: plan.Int, Input: true},
		{Name: "patience", Doc: "open loop: how long a customer waits before it gives up (default for ever)",
			Kind: plan.Duration, Input: true},
	}
}

// GOGC is the name of the factor that [Collecting] is.
const GOGC = "gogc"

// Collecting is a factor for designs that make garbage: the trial sets it, for a process of its own, before the design
// begins. In virtual time nothing is collected, and it changes nothing.
func Collecting() plan.Factor {
	return plan.Factor{Name: GOGC, Doc: "GOGC: per cent that garbage may add to what is in use before it is collected",
		Kind: plan.Int, Default: "100", Min: 1, Max: 1_000_000}
}

// loadFactors are the factors of Common that make an open loop.
var loadFactors = []string{"rate", "load", "arrivals", "queue-limit", "patience"}

// IsLoad reports whether a factor is one of an open loop.
func IsLoad(factor string) bool { return slices.Contains(loadFactors, factor) }

// LoadFactors are the names of the factors of p that make an open loop; a closed loop has none.
func LoadFactors(p plan.Point) []string {
	var names []string
	for _, name := range loadFactors {
		if p.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// OpenLoop reports whether a point asks for an open loop.
func OpenLoop(p plan.Point) bool { return len(LoadFactors(p)) > 0 }

// Unloaded is a point without the factors of an open loop: that of the closed loop at the same design.
func Unloaded(p plan.Point) plan.Point {
	var names []string
	for _, s := range p.Settings() {
		if !IsLoad(s.Factor) {
			names = append(names, s.Factor)
		}
	}
	return p.Only(names)
}

// Reserved are the names that a factor cannot have: the flags of the verbs, those foreseen included, and
// the columns of results.
func Reserved() []string {
	return []string{
		"after", "allow", "base", "baseline", "before", "bench", "budget", "compare", "cost", "count", "designs",
		"duration", "env", "format", "go",
		"goal", "help", "layouts", "max-regression", "metric", "no-twin", "o", "operations", "output", "oversubscribe",
		"peer",
		"pgo", "pprof", "precision", "profile", "quick", "record-costs", "replay-costs", "resume", "rev", "sample",
		"seed", "sensitivity",
		"slo", "time-limit",
		"timeline", "timeline-span", "twin", "warmup",
		"block", "bound", "design", "error", "kind", "lines", "order", "status", "trial", "type", "wall_seconds",
		"workload", "world",
	}
}

// FactorsOf are the names of the factors that matter to d, in table order.
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

// Recast gives the levels of a point that came as JSON the kinds that the factors declare.
func (w *Workload) Recast(p plan.Point) (plan.Point, error) {
	settings := make([]plan.Setting, 0, len(p.Settings()))
	for _, s := range p.Settings() {
		f, ok := w.Factor(s.Factor)
		if !ok {
			return p, fmt.Errorf("workload %s has no factor %q", w.Name, s.Factor)
		}
		l, err := f.Recast(s.Level)
		if err != nil {
			return p, err
		}
		settings = append(settings, plan.Setting{Factor: s.Factor, Level: l})
	}
	return plan.NewPoint(settings...), nil
}

// Validate reports what is wrong with the workload's declaration.
func (w *Workload) Validate() error {
	if w.Name == "" || strings.ContainsAny(w.Name, " /=,") {
		return fmt.Errorf("workload %q: a name must not be empty nor hold a space, slash, comma or =", w.Name)
	}
	if len(w.Designs) == 0 {
		return fmt.Errorf("workload %s has no design", w.Name)
	}
	seen := map[string]bool{}
	for _, f := range w.AllFactors() {
		if seen[f.Name] {
			return fmt.Errorf("workload %s: two factors are called %q", w.Name, f.Name)
		}
		if slices.Contains(Reserved(), f.Name) {
			return fmt.Errorf("workload %s: a factor cannot be called %q, which is a flag or a column of results",
				w.Name, f.Name)
		}
		seen[f.Name] = true
		if err := f.Validate(); err != nil {
			return fmt.Errorf("workload %s: %w", w.Name, err)
		}
	}
	names := map[string]bool{}
	for _, d := range w.Designs {
		if err := w.validateDesign(d, seen); err != nil {
			return err
		}
		if names[d.Name] {
			return fmt.Errorf("workload %s: two designs are called %q", w.Name, d.Name)
		}
		names[d.Name] = true
	}
	return w.validateQuick()
}

func (w *Workload) validateQuick() error {
	for name, levels := range w.Quick {
		f, ok := w.Factor(name)
		if !ok {
			return fmt.Errorf("workload %s: Quick has a level of %q, which is no factor", w.Name, name)
		}
		if _, err := f.Parse(levels, nil); err != nil {
			return fmt.Errorf("workload %s: Quick: %w", w.Name, err)
		}
	}
	return nil
}

func (w *Workload) validateDesign(d Design, factors map[string]bool) error {
	if d.Name == "" || strings.ContainsAny(d.Name, " /=,") {
		return fmt.Errorf("workload %s: design %q: a name must not be empty nor hold a space, slash, comma or =",
			w.Name, d.Name)
	}
	if (d.Stream == nil) == (d.Job == nil) {
		return fmt.Errorf("%s/%s: exactly one of Stream and Job must be set", w.Name, d.Name)
	}
	if d.Reference && d.Expect == Bound {
		return fmt.Errorf("%s/%s is a reference, which solves the job, and a bound, which does not: it can be one of them",
			w.Name, d.Name)
	}
	if err := d.Formula.validate(d); err != nil {
		return fmt.Errorf("%s/%s: %w", w.Name, d.Name, err)
	}
	for _, name := range d.Uses {
		if !factors[name] {
			return fmt.Errorf("%s/%s uses the factor %q, which the workload does not have", w.Name, d.Name, name)
		}
	}
	return nil
}
