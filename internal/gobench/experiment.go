package gobench

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// The revisions of an experiment.
const (
	Head = "head" // the user's tree, including uncommitted changes
	Base = "base"
)

// The factors of an experiment, apart from cpus and environment variables.
const (
	FactorRev = "rev"
	FactorGo  = "go"
	FactorPGO = "pgo"
)

// Experiment describes a run of benchmarks. It is stored in the header of the run's journal.
type Experiment struct {
	Package    string    `json:"package"`
	Dir        string    `json:"dir"`
	Patterns   []string  `json:"-"`                   // of packages, if they are to be found; else Package is
	Packages   []Package `json:"packages,omitempty"`  // of a run over several
	Pattern    string    `json:"pattern"`             // of -bench
	Commit     string    `json:"commit,omitempty"`    // of the head; "" outside a repository
	Modified   bool      `json:"modified,omitempty"`  // the head has uncommitted changes
	Untracked  bool      `json:"untracked,omitempty"` // these are only untracked files
	BaseRev    string    `json:"base_rev,omitempty"`  // as it was given
	BaseCommit string    `json:"base_commit,omitempty"`

	Layouts int           `json:"layouts"` // links of each build; block b uses number b modulo layouts
	Time    time.Duration `json:"benchtime_ns"`
	Limit   time.Duration `json:"time_limit_ns"`
	// operations of each trial, in place of Time; 0 for none
	Iterations int        `json:"iterations,omitempty"`
	Go         []string   `json:"go,omitempty"`
	PGO        []string   `json:"pgo,omitempty"`
	Env        []Variable `json:"env,omitempty"`
	ByFirst    bool       `json:"by_first,omitempty"` // levels are compared with the first, not with their neighbour

	Benchmarks []Benchmark       `json:"benchmarks"`
	Broken     []result.Broken   `json:"broken,omitempty"`
	Skipped    []result.Skipped  `json:"skipped,omitempty"`
	Binaries   map[string]string `json:"binaries,omitempty"` // SHA-256 by file name
	// Go version that compiled the head, if the go factor does not have it
	Toolchain string `json:"toolchain,omitempty"`
	Unprobed  string `json:"unprobed,omitempty"` // why there is no helper; "" if there is one
}

// Variable is an environment variable as a factor.
type Variable struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels"`
}

// Benchmark is a benchmark that can be measured, with the revisions that have it.
type Benchmark struct {
	Name    string   `json:"name"`              // with its package if there are several
	Package string   `json:"package,omitempty"` // see [Package.Name]
	Revs    []string `json:"revs"`
	Metrics []string `json:"metrics,omitempty"` // metrics that it reports in all revisions when it runs once
}

// NotCompared lists the benchmarks that cannot be compared with the base, the failed ones first. A benchmark
// that the base can measure and the head cannot is a failure of the head, even if other parts of the same
// function fail in both.
func (x *Experiment) NotCompared() []result.NotJudged {
	var list []result.NotJudged
	add := func(name, reason, said string) {
		if !slices.ContainsFunc(list, func(n result.NotJudged) bool { return n.Design == name }) {
			list = append(list, result.NotJudged{Design: name, Reason: reason, Output: said})
		}
	}
	for _, rev := range []string{Head, Base} {
		for _, b := range x.Broken {
			alone := !x.failsIn(otherRev(rev), b.Name) ||
				rev == Head && slices.ContainsFunc(x.Benchmarks, func(o Benchmark) bool {
					return slices.Equal(o.Revs, []string{Base}) && x.partOf(o.Name, b.Name)
				})
			switch {
			case b.Rev != rev:
			case !alone:
				add(b.Name, result.BothFail, b.Error)
			default:
				add(b.Name, map[string]string{Head: result.HeadFails, Base: result.BaseFails}[rev], b.Error)
			}
		}
	}
	for _, s := range x.Skipped {
		reason := map[string]string{Head: result.HeadSkips, Base: result.BaseSkips}[s.Rev]
		if x.skipsIn(otherRev(s.Rev), s.Name) {
			reason = result.BothSkip
		}
		add(s.Name, reason, s.Reason)
	}
	for _, b := range x.Benchmarks {
		// If the other side failed or was skipped, the benchmark is listed above, perhaps by the name of its
		// function.
		if len(b.Revs) == 1 && !x.failsIn(otherRev(b.Revs[0]), b.Name) && !x.skipsIn(otherRev(b.Revs[0]), b.Name) {
			add(b.Name, map[string]string{Head: result.Added, Base: result.Removed}[b.Revs[0]], "")
		}
	}
	return list
}

// failsIn reports whether a benchmark, or one that it is part of, fails in a revision.
func (x *Experiment) failsIn(rev, name string) bool {
	return slices.ContainsFunc(x.Broken, func(b result.Broken) bool { return b.Rev == rev && x.partOf(name, b.Name) })
}

// skipsIn reports whether a benchmark, or one that it is part of, skips itself in a revision.
func (x *Experiment) skipsIn(rev, name string) bool {
	return slices.ContainsFunc(x.Skipped, func(s result.Skipped) bool { return s.Rev == rev && x.partOf(name, s.Name) })
}

// partOf reports whether a benchmark is whole, or a sub-benchmark of it, or in a package that is whole. A benchmark of
// the package v1.beta is not in v1, although its name begins with v1 and a dot.
func (x *Experiment) partOf(name, whole string) bool {
	if pkg, ok := strings.CutSuffix(whole, everyOf); ok && strings.HasPrefix(name, pkg+".") {
		return !slices.ContainsFunc(x.Packages, func(p Package) bool {
			return strings.HasPrefix(p.Name, pkg+".") && strings.HasPrefix(name, p.Name+".")
		})
	}
	return name == whole || strings.HasPrefix(name, whole+"/")
}

// otherRev returns the other revision.
func otherRev(rev string) string {
	if rev == Head {
		return Base
	}
	return Head
}

// Revs returns the revisions, the base first, because it is the baseline.
func (x *Experiment) Revs() []string {
	if x.BaseCommit == "" {
		return []string{Head}
	}
	return []string{Base, Head}
}

// Factors returns the factors except cpus, in the order of tables.
func (x *Experiment) Factors() []plan.Factor {
	var list []plan.Factor
	add := func(name, doc string) { list = append(list, plan.Factor{Name: name, Doc: doc, Kind: plan.Text}) }
	if len(x.Go) > 0 {
		add(FactorGo, "version of Go")
	}
	if len(x.PGO) > 0 {
		add(FactorPGO, "profile that guides optimization")
	}
	for _, v := range x.Env {
		add(v.Name, "variable of the environment")
	}
	if x.BaseCommit != "" {
		add(FactorRev, "revision")
	}
	return list
}

// FirstLevels returns the first levels of the factors that have several, such as GOGC=100. They are the
// baselines.
func (x *Experiment) FirstLevels() []string {
	var list []string
	add := func(factor string, levels []string) {
		if len(levels) > 1 {
			list = append(list, factor+"="+levels[0])
		}
	}
	add(FactorGo, x.Go)
	add(FactorPGO, x.PGO)
	for _, v := range x.Env {
		add(v.Name, v.Levels)
	}
	return list
}

// Workload returns the benchmarks as a workload. Only this package can run its designs.
func (x *Experiment) Workload() *workload.Workload {
	w := &workload.Workload{Name: x.Package, Doc: "Go benchmarks.", Factors: x.Factors()}
	var uses []string
	for _, f := range w.Factors {
		uses = append(uses, f.Name)
	}
	for _, b := range x.Benchmarks {
		w.Designs = append(w.Designs, workload.Design{Name: b.Name, Uses: uses})
	}
	return w
}

// Cases returns every benchmark at every point, at the given numbers of CPUs.
func (x *Experiment) Cases(cpus []plan.Level) ([]plan.Case, error) {
	factors := append([]plan.Factor{{Name: "cpus", Kind: plan.Int, Min: 1, Input: true}}, x.Factors()...)
	choices := map[string]plan.Choice{"cpus": {Levels: cpus}}
	words := func(name string, levels []string) {
		var c plan.Choice
		for _, l := range levels {
			c.Levels = append(c.Levels, plan.TextLevel(l))
		}
		if len(levels) > 0 {
			choices[name] = c
		}
	}
	words(FactorGo, x.Go)
	words(FactorPGO, x.PGO)
	for _, v := range x.Env {
		words(v.Name, v.Levels)
	}
	if x.BaseCommit != "" {
		words(FactorRev, x.Revs())
	}
	points, err := plan.Points(factors, choices)
	if err != nil {
		return nil, err
	}
	var cases []plan.Case
	for _, b := range x.Benchmarks {
		for _, p := range points {
			if slices.Contains(b.Revs, revOf(p)) {
				cases = append(cases, plan.Case{Design: b.Name, Point: p})
			}
		}
	}
	return cases, nil
}

// benchtime is the value of -benchtime.
func (x *Experiment) benchtime() string {
	if x.Iterations > 0 {
		return strconv.Itoa(x.Iterations) + "x"
	}
	return x.Time.String()
}

// levelText returns a factor's level at a point, or a default.
func levelText(p plan.Point, factor, otherwise string) string {
	if l, ok := p.Get(factor); ok {
		return l.String()
	}
	return otherwise
}

// revOf returns the revision of a point; Head if it has none.
func revOf(p plan.Point) string { return levelText(p, FactorRev, Head) }

// env returns the environment variables that a point sets.
func (x *Experiment) env(p plan.Point) []string {
	var list []string
	for _, v := range x.Env {
		if l, ok := p.Get(v.Name); ok {
			list = append(list, v.Name+"="+l.String())
		}
	}
	return list
}
