package gobench

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// The revisions of an experiment.
const (
	Head = "head" // the user's tree, uncommitted changes included
	Base = "base"
)

// The factors of an experiment, beside cpus and the variables of the environment.
const (
	FactorRev = "rev"
	FactorGo  = "go"
	FactorPGO = "pgo"
)

// Experiment is what a run of benchmarks is about. It stands in the header of the run's journal.
type Experiment struct {
	Package    string `json:"package"`
	Dir        string `json:"dir"`
	Pattern    string `json:"pattern"`               // of -bench
	Commit     string `json:"commit,omitempty"`      // of the head; "" outside of a repository
	Modified   bool   `json:"modified,omitempty"`    // the head has changes that are not committed
	BaseRev    string `json:"base_rev,omitempty"`    // as it was given
	BaseCommit string `json:"base_commit,omitempty"` //

	Layouts int           `json:"layouts"` // links of each build; block b has the one of number b modulo layouts
	Time    time.Duration `json:"benchtime_ns"`
	Limit   time.Duration `json:"time_limit_ns"`
	Go      []string      `json:"go,omitempty"`
	PGO     []string      `json:"pgo,omitempty"`
	Env     []Variable    `json:"env,omitempty"`
	ByFirst bool          `json:"by_first,omitempty"` // levels are compared with the first, not with their neighbour

	Benchmarks []Benchmark       `json:"benchmarks"`
	Broken     []result.Broken   `json:"broken,omitempty"`
	Skipped    []result.Skipped  `json:"skipped,omitempty"`
	Binaries   map[string]string `json:"binaries,omitempty"` // SHA-256 by file name
	// version of Go that compiled the head, where Go does not say it
	Toolchain string `json:"toolchain,omitempty"`
	Unprobed  string `json:"unprobed,omitempty"` // why the helper is not there
}

// Variable is a variable of the environment as a factor.
type Variable struct {
	Name   string   `json:"name"`
	Levels []string `json:"levels"`
}

// Benchmark is one that can be measured, with the revisions that have it.
type Benchmark struct {
	Name    string   `json:"name"`
	Revs    []string `json:"revs"`
	Metrics []string `json:"metrics,omitempty"` // that it reports in all of them when it runs once
}

// NotCompared lists the benchmarks that cannot be compared with the base, the failed ones first. What the base could
// measure and the head breaks is the head's failure, whatever else of the same function goes wrong in both.
func (x *Experiment) NotCompared() []result.NotJudged {
	var list []result.NotJudged
	add := func(name, reason, said string) {
		if !slices.ContainsFunc(list, func(n result.NotJudged) bool { return n.Design == name }) {
			list = append(list, result.NotJudged{Design: name, Reason: reason, Said: said})
		}
	}
	for _, rev := range []string{Head, Base} {
		for _, b := range x.Broken {
			alone := !x.failsIn(other(rev), b.Name) ||
				rev == Head && slices.ContainsFunc(x.Benchmarks, func(o Benchmark) bool {
					return slices.Equal(o.Revs, []string{Base}) && partOf(o.Name, b.Name)
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
		if x.skipsIn(other(s.Rev), s.Name) {
			reason = result.BothSkip
		}
		add(s.Name, reason, s.Reason)
	}
	for _, b := range x.Benchmarks {
		// One whose other side went wrong or skipped itself is named above, perhaps as the function that it is in.
		if len(b.Revs) == 1 && !x.failsIn(other(b.Revs[0]), b.Name) && !x.skipsIn(other(b.Revs[0]), b.Name) {
			add(b.Name, map[string]string{Head: result.Added, Base: result.Removed}[b.Revs[0]], "")
		}
	}
	return list
}

// failsIn reports whether a benchmark, or one that it is part of, goes wrong in a revision.
func (x *Experiment) failsIn(rev, name string) bool {
	return slices.ContainsFunc(x.Broken, func(b result.Broken) bool { return b.Rev == rev && partOf(name, b.Name) })
}

// skipsIn reports the same of one that skips itself.
func (x *Experiment) skipsIn(rev, name string) bool {
	return slices.ContainsFunc(x.Skipped, func(s result.Skipped) bool { return s.Rev == rev && partOf(name, s.Name) })
}

// partOf reports whether a benchmark is another one, or part of it.
func partOf(name, whole string) bool { return name == whole || strings.HasPrefix(name, whole+"/") }

func other(rev string) string {
	if rev == Head {
		return Base
	}
	return Head
}

// Revs are the revisions, the base first: it is what the head is compared with.
func (x *Experiment) Revs() []string {
	if x.BaseCommit == "" {
		return []string{Head}
	}
	return []string{Base, Head}
}

// Factors are those beside cpus, in the order of tables.
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

// First are the first levels of the factors that have several, as in GOGC=100: what the others are compared with.
func (x *Experiment) First() []string {
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

// Workload is the benchmarks as a workload, whose designs nobody but this package runs.
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

// Cases are every benchmark at every point, at these numbers of CPUs.
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

// text is a factor's level at a point, or a default.
func text(p plan.Point, factor, otherwise string) string {
	if l, ok := p.Get(factor); ok {
		return l.String()
	}
	return otherwise
}

func revOf(p plan.Point) string { return text(p, FactorRev, Head) }

// variant is the build that a point asks for in a block.
func (x *Experiment) variant(p plan.Point, block int) Variant {
	v := Variant{Rev: revOf(p), Go: text(p, FactorGo, ""), PGO: text(p, FactorPGO, "")}
	if x.Layouts > 1 {
		v.Layout = block%x.Layouts + 1
	}
	return v
}

// variants are all builds of the experiment.
func (x *Experiment) variants() []Variant {
	var list []Variant
	or := func(levels []string) []string {
		if len(levels) == 0 {
			return []string{""}
		}
		return levels
	}
	for _, rev := range x.Revs() {
		for _, g := range or(x.Go) {
			for _, p := range or(x.PGO) {
				for layout := range max(1, x.Layouts) {
					v := Variant{Rev: rev, Go: g, PGO: p}
					if x.Layouts > 1 {
						v.Layout = layout + 1
					}
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// env are the variables that a point sets.
func (x *Experiment) env(p plan.Point) []string {
	var list []string
	for _, v := range x.Env {
		if l, ok := p.Get(v.Name); ok {
			list = append(list, v.Name+"="+l.String())
		}
	}
	return list
}

// Title says what is measured.
func (x *Experiment) Title() string {
	switch {
	case x.Commit == "":
		return x.Package
	case x.BaseCommit == "":
		return fmt.Sprintf("%s at %s", x.Package, x.Tree())
	}
	return fmt.Sprintf("%s: head is %s, base is %s (%s)", x.Package, x.Tree(), short(x.BaseCommit), x.BaseRev)
}

// Tree names the head; "" outside of a repository.
func (x *Experiment) Tree() string {
	switch {
	case x.Commit == "":
		return ""
	case x.Modified:
		return short(x.Commit) + " with uncommitted changes"
	}
	return short(x.Commit)
}
