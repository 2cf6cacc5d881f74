package gobench

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// align reduces two sides to what can be compared point by point. It removes factors from the points that a
// side has at only one level. It changes both sides. It returns the remaining differences, and notes for the
// user.
func align(older, newer *Side) (list compare.Differences, notes []string) {
	if older.Experiment == nil || newer.Experiment == nil {
		older.lowerFactors()
		newer.lowerFactors()
	}
	for _, s := range []*Side{older, newer} {
		if note := s.keepHead(); note != "" {
			notes = append(notes, note)
		}
	}
	list = differences(older, newer)
	for _, factor := range factorsOf(older, newer) {
		o, n := len(older.levels(factor)), len(newer.levels(factor))
		switch {
		case o > 1 && n > 1: // common levels are compared
		case o > 1:
			notes = append(notes, older.matchLevel(factor, newer))
		case n > 1:
			notes = append(notes, newer.matchLevel(factor, older))
		default:
			x, y := older.dropFixed(factor), newer.dropFixed(factor)
			if x.text != "" && y.text != "" && !sameLevel(factor, x.text, y.text) ||
				(x.text == "" && y.given || y.text == "" && x.given) {
				list.Add(factor, y.word(), x.word())
			}
		}
	}
	return list, notes
}

// lowerFactors converts the names of factors to lower case, as in files: GOGC of a run is gogc of a file.
func (s *Side) lowerFactors() {
	s.changePoints(func(p plan.Point) plan.Point {
		var list []plan.Setting
		for _, setting := range p.Settings() {
			list = append(list, plan.Setting{Factor: strings.ToLower(setting.Factor), Level: setting.Level})
		}
		return plan.NewPoint(list...)
	})
	alike := map[string]string{}
	for factor, level := range s.Common {
		alike[strings.ToLower(factor)] = level
	}
	s.Common = alike
}

// changePoints replaces the points of all trials and cases.
func (s *Side) changePoints(to func(plan.Point) plan.Point) {
	for i := range s.Trials {
		s.Trials[i].Point = to(s.Trials[i].Point)
	}
	for i := range s.Cases {
		s.Cases[i].Point = to(s.Cases[i].Point)
	}
}

// differences returns the differences of two runs, apart from their factors; nil if one side is a file.
func differences(older, newer *Side) (list compare.Differences) {
	x, y := older.Experiment, newer.Experiment
	if x == nil || y == nil {
		return nil
	}
	add := func(name, a, b string) {
		if a != "" && b != "" {
			list.Add(name, a, b)
		}
	}
	add("package", y.Package, x.Package)
	add("commit", y.Tree(), x.Tree())
	list.Add("benchtime", y.benchtime(), x.benchtime())
	list.Add("layouts", y.Layouts, x.Layouts)
	for _, d := range newer.Environment.MachineDifferences(older.Environment) {
		if d.Name != "fingerprint" { // a hash of the others
			add(d.Name, strings.Trim(d.A, `"`), strings.Trim(d.B, `"`))
		}
	}
	add("brewput", newer.Version, older.Version)
	return list
}

// keepHead removes the trials of the base from a side that has a base and a head, and returns a note; "" if
// there is no base.
func (s *Side) keepHead() string {
	revs := s.levels(FactorRev)
	if len(revs) != 2 || !slices.Contains(revs, Base) || !slices.Contains(revs, Head) {
		return ""
	}
	s.keepLevel(FactorRev, Head)
	how := "which has a base and a head"
	if s.Experiment != nil {
		how = "measured with the base " + s.Experiment.BaseRev
	}
	return fmt.Sprintf("of the %s, %s, only the head is compared", s.Name, how)
}

// factorsOf returns the factors of the sides except cpus, then the other settings in headers of runs.
func factorsOf(sides ...*Side) []string {
	var list []string
	for _, s := range sides {
		for _, c := range s.Cases {
			for _, setting := range c.Point.Settings() {
				list = append(list, setting.Factor)
			}
		}
		list = append(list, slices.Sorted(maps.Keys(s.Common))...)
	}
	list = append(list, FactorGo, FactorPGO, "GOGC", "GOMEMLIMIT", "GODEBUG")
	var distinct []string
	for _, factor := range list {
		if factor != "cpus" && !slices.ContainsFunc(distinct,
			func(d string) bool { return strings.EqualFold(d, factor) }) {
			distinct = append(distinct, factor)
		}
	}
	return distinct
}

// levels returns the levels of a factor, in order of appearance.
func (s *Side) levels(factor string) []string {
	var list []string
	for _, c := range s.Cases {
		if l, ok := c.Point.Get(factor); ok && !slices.Contains(list, l.String()) {
			list = append(list, l.String())
		}
	}
	return list
}

// keepLevel removes trials and cases at other levels of a factor, or without a level. It removes the factor
// from the points of the rest.
func (s *Side) keepLevel(factor, level string) {
	other := func(p plan.Point) bool {
		l, ok := p.Get(factor)
		return !ok || l.String() != level
	}
	s.Trials = slices.DeleteFunc(s.Trials, func(t result.Trial) bool { return other(t.Point) })
	s.Cases = slices.DeleteFunc(s.Cases, func(c plan.Case) bool { return other(c.Point) })
	s.changePoints(func(p plan.Point) plan.Point { return p.Without(factor) })
}

// fixedLevel is the only level of a factor on one side.
type fixedLevel struct {
	text  string // "" if unknown
	given bool   // on the command line or in a file
}

// word returns the level for a message.
func (l fixedLevel) word() string {
	if l.text == "" {
		return "not given"
	}
	return l.text
}

// dropFixed returns the level of a factor that a side does not vary, and removes the factor from its points.
func (s *Side) dropFixed(factor string) fixedLevel {
	if levels := s.levels(factor); len(levels) == 1 {
		s.keepLevel(factor, levels[0])
		return fixedLevel{levels[0], true}
	}
	if level := s.Common[factor]; level != "" || s.Experiment == nil {
		return fixedLevel{level, level != ""}
	}
	switch env := s.Environment; strings.ToLower(factor) {
	case FactorGo:
		return fixedLevel{text: s.Experiment.Toolchain}
	case "gogc":
		return fixedLevel{text: env.GOGC}
	case "gomemlimit":
		return fixedLevel{text: env.GOMEMLIMIT}
	case "godebug":
		if env.GODEBUG == nil {
			return fixedLevel{text: "none"}
		}
		return fixedLevel{text: *env.GODEBUG}
	}
	return fixedLevel{}
}

// matchLevel handles a factor that this side varies and the other does not. It keeps the level at which the
// other was measured, if that is known and among the levels; otherwise it keeps all levels. It returns a note.
func (s *Side) matchLevel(factor string, other *Side) string {
	levels, at := s.levels(factor), other.dropFixed(factor).text // "" means unknown, even if it is a level
	all := factor + " (" + strings.Join(levels, ", ") + ")"
	if i := slices.IndexFunc(levels, func(l string) bool { return at != "" && sameLevel(factor, l, at) }); i >= 0 {
		s.keepLevel(factor, levels[i])
		return fmt.Sprintf("the %s varies %s; only %s=%s is compared, at which the %s was "+
			"measured", s.Name, all, factor,
			levels[i], other.Name)
	}
	why := "the level of the " + other.Name + " is unknown"
	if at != "" {
		why = "the " + other.Name + " was measured at " + factor + "=" + at
	}
	return fmt.Sprintf("only the %s varies %s, and %s: each level is compared with it in a separate table, with its "+
		"own geometric mean", s.Name, all, why)
}

// sameLevel reports whether two levels of a factor are equal. Headers of runs have memory limits in bytes.
func sameLevel(factor, a, b string) bool {
	if !strings.EqualFold(factor, "GOMEMLIMIT") {
		return a == b
	}
	x, okA := MemoryLimit(a)
	y, okB := MemoryLimit(b)
	return okA && okB && x == y
}
