package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// align leaves of two sides what can be compared point by point, and takes out of the points what each has at one level
// throughout. It returns in what the two differ beside that, and what else is to be said.
func align(older, newer *benchSide) (facts []report.Fact, notes []string) {
	if older.experiment == nil || newer.experiment == nil {
		older.lower()
		newer.lower()
	}
	for _, s := range []*benchSide{older, newer} {
		if note := s.headOnly(); note != "" {
			notes = append(notes, note)
		}
	}
	facts = differences(older, newer)
	for _, factor := range factorsOf(older, newer) {
		o, n := len(older.levels(factor)), len(newer.levels(factor))
		switch {
		case o > 1 && n > 1: // levels that both have are compared
		case o > 1:
			notes = append(notes, older.varies(factor, newer))
		case n > 1:
			notes = append(notes, newer.varies(factor, older))
		default:
			x, y := older.settles(factor), newer.settles(factor)
			if x.text != "" && y.text != "" && !sameLevel(factor, x.text, y.text) ||
				(x.text == "" && y.given || y.text == "" && x.given) {
				facts = append(facts, report.Fact{Name: factor, A: y.word(), B: x.word()})
			}
		}
	}
	return facts, notes
}

// lower writes factors in small letters, as files have them: a run's GOGC is a file's gogc.
func (s *benchSide) lower() {
	s.change(func(p plan.Point) plan.Point {
		var list []plan.Setting
		for _, setting := range p.Settings() {
			list = append(list, plan.Setting{Factor: strings.ToLower(setting.Factor), Level: setting.Level})
		}
		return plan.NewPoint(list...)
	})
	alike := map[string]string{}
	for factor, level := range s.Alike {
		alike[strings.ToLower(factor)] = level
	}
	s.Alike = alike
}

// change changes all points.
func (s *benchSide) change(to func(plan.Point) plan.Point) {
	for i := range s.Trials {
		s.Trials[i].Point = to(s.Trials[i].Point)
	}
	for i := range s.Cases {
		s.Cases[i].Point = to(s.Cases[i].Point)
	}
}

// differences are those of two runs beside their factors.
func differences(older, newer *benchSide) (facts []report.Fact) {
	x, y := older.experiment, newer.experiment
	if x == nil || y == nil {
		return nil
	}
	add := func(name string, a, b any) {
		if s, t := fmt.Sprint(a), fmt.Sprint(b); s != t && s != "" && t != "" {
			facts = append(facts, report.Fact{Name: name, A: s, B: t})
		}
	}
	add("package", y.Package, x.Package)
	add("commit", y.Tree(), x.Tree())
	add("benchtime", y.Time, x.Time)
	add("layouts", y.Layouts, x.Layouts)
	for _, d := range newer.header.Environment.MachineDifferences(older.header.Environment) {
		if d.Name != "fingerprint" { // a hash of others
			add(d.Name, strings.Trim(d.A, `"`), strings.Trim(d.B, `"`))
		}
	}
	add("brewput", newer.header.Version, older.header.Version)
	return facts
}

// headOnly leaves of a base and a head the head, which a run with a base is about, and says so; "" where there is no
// base.
func (s *benchSide) headOnly() string {
	revs := s.levels(gobench.FactorRev)
	if len(revs) != 2 || !slices.Contains(revs, gobench.Base) || !slices.Contains(revs, gobench.Head) {
		return ""
	}
	s.only(gobench.FactorRev, gobench.Head)
	how := "which has a base and a head"
	if s.experiment != nil {
		how = "made with --base " + s.experiment.BaseRev
	}
	return fmt.Sprintf("of the %s, %s, the head is compared", s.name, how)
}

// factorsOf are the factors of either side, but for cpus, and the settings that runs tell beside.
func factorsOf(sides ...*benchSide) []string {
	var list []string
	for _, s := range sides {
		for _, c := range s.Cases {
			for _, setting := range c.Point.Settings() {
				list = append(list, setting.Factor)
			}
		}
		list = append(list, slices.Sorted(maps.Keys(s.Alike))...)
	}
	list = append(list, gobench.FactorGo, gobench.FactorPGO, "GOGC", "GOMEMLIMIT", "GODEBUG")
	var distinct []string
	for _, factor := range list {
		if factor != "cpus" && !slices.ContainsFunc(distinct,
			func(d string) bool { return strings.EqualFold(d, factor) }) {
			distinct = append(distinct, factor)
		}
	}
	return distinct
}

// levels are those of a factor, in order of appearance.
func (s *benchSide) levels(factor string) []string {
	var list []string
	for _, c := range s.Cases {
		if l, ok := c.Point.Get(factor); ok && !slices.Contains(list, l.String()) {
			list = append(list, l.String())
		}
	}
	return list
}

// only leaves what was measured at one level of a factor, which is then in no point. What has no level of it is of
// another point.
func (s *benchSide) only(factor, level string) {
	other := func(p plan.Point) bool {
		l, ok := p.Get(factor)
		return !ok || l.String() != level
	}
	s.Trials = slices.DeleteFunc(s.Trials, func(t result.Trial) bool { return other(t.Point) })
	s.Cases = slices.DeleteFunc(s.Cases, func(c plan.Case) bool { return other(c.Point) })
	s.change(func(p plan.Point) plan.Point { return p.Without(factor) })
}

// settled is the one level that a side has of a factor.
type settled struct {
	text  string // "" where it is not known
	given bool   // on the command line, or in a file
}

func (s settled) word() string {
	if s.text == "" {
		return "not given"
	}
	return s.text
}

// settles is the level of a factor that a side does not vary, which is then in no point.
func (s *benchSide) settles(factor string) settled {
	if levels := s.levels(factor); len(levels) == 1 {
		s.only(factor, levels[0])
		return settled{levels[0], true}
	}
	if level := s.Alike[factor]; level != "" || s.experiment == nil {
		return settled{level, level != ""}
	}
	switch env := s.header.Environment; strings.ToLower(factor) {
	case gobench.FactorGo:
		return settled{text: s.experiment.Toolchain}
	case "gogc":
		return settled{text: env.GOGC}
	case "gomemlimit":
		return settled{text: env.GOMEMLIMIT}
	case "godebug":
		if env.GODEBUG == nil {
			return settled{text: "none"}
		}
		return settled{text: *env.GODEBUG}
	}
	return settled{}
}

// varies leaves of a factor that the other side does not vary the level at which that one was measured, if it is known
// and there; otherwise all levels stand beside it. It says which.
func (s *benchSide) varies(factor string, other *benchSide) string {
	levels, at := s.levels(factor), other.settles(factor).text // "" is not known, though it may be a level
	all := factor + " (" + strings.Join(levels, ", ") + ")"
	if i := slices.IndexFunc(levels, func(l string) bool { return at != "" && sameLevel(factor, l, at) }); i >= 0 {
		s.only(factor, levels[i])
		return fmt.Sprintf("of the %s, which varies %s, %s=%s is compared: so was the %s measured", s.name, all, factor,
			levels[i], other.name)
	}
	why := "at what the " + other.name + " was measured is not known"
	if at != "" {
		why = "the " + other.name + " was measured at " + factor + "=" + at
	}
	return fmt.Sprintf("only the %s varies %s, and %s: each level stands beside it in a table of its own, with a "+
		"geometric mean of its own", s.name, all, why)
}

// sameLevel reports whether two levels of a factor are the same. Of limits of memory a run tells the bytes.
func sameLevel(factor, a, b string) bool {
	if !strings.EqualFold(factor, "GOMEMLIMIT") {
		return a == b
	}
	x, okA := gobench.MemoryLimit(a)
	y, okB := gobench.MemoryLimit(b)
	return okA && okB && x == y
}
