package doctor

import (
	"slices"
	"strings"
)

// The checks of this program and of the runtime's settings.

func (r Readings) build() Check {
	race, ok := r.Race.Get()
	cover, _ := r.Cover.Get()
	if !ok {
		return missing("build", r.Race, "the program does not record how it was built; it may "+
			"contain the race detector")
	}
	var wrong []string
	if race {
		wrong = append(wrong, "-race")
	}
	if cover {
		wrong = append(wrong, "-cover")
	}
	for _, f := range r.BuildFlags {
		if slows(f) {
			wrong = append(wrong, f)
		}
	}
	if len(wrong) == 0 {
		return word("build", Good, "optimised", "optimized, without race detector").claim(
			"designs run as fast as in production", "")
	}
	return word("build", Bad, flat(wrong), "built with "+flat(wrong)).claim("the program is many times slower than in "+
		"production, above all its locks", "build it without "+flat(wrong))
}

// slows reports whether a build flag, written -name=value, makes code much slower.
func slows(flag string) bool {
	name, value, _ := strings.Cut(flag, "=")
	switch name {
	case "-asan", "-msan":
		return value == "true"
	case "-gcflags": // -N: no optimization; -l: no inlining. A pattern may precede them: all=-N
		words := strings.FieldsFunc(value, func(c rune) bool { return c == ' ' || c == '=' || c == '"' || c == '\'' })
		return slices.Contains(words, "-N") || slices.Contains(words, "-l")
	}
	return false
}

func (r Readings) godebug() Check {
	if r.GODEBUG == "" {
		return word("godebug", Good, "none", "not set").claim("the runtime has its default behavior", "")
	}
	return word("godebug", Caution, r.GODEBUG, r.GODEBUG).claim("this changes the runtime, also in trials, and may "+
		"make it print", "unset GODEBUG")
}

func (r Readings) gc() Check {
	set := "GOGC=" + r.GOGC + ", GOMEMLIMIT=" + r.GOMEMLIMIT
	if r.GOGC == "100" && r.GOMEMLIMIT == "off" {
		return word("gc", Good, r.GOGC, set).claim("the garbage collector has its default settings", "")
	}
	return word("gc", Caution, r.GOGC, set).claim("the garbage collector costs more or less here than by "+
		"default", "unset GOGC GOMEMLIMIT")
}

func (r Readings) costs() Check {
	c, ok := r.Costs.Get()
	switch {
	case !ok:
		return missing("costs", r.Costs, "it is unknown whether the scheduler's costs were measured here")
	case c.Missing != "":
		return word("costs", Caution, "typical", c.Missing).claim("predictions use the scheduler costs of a typical "+
			"machine, not of this one", r.Program+" calibrate")
	}
	return word("costs", Good, "calibrated", "calibrated on "+c.Measured.Format("2006-01-02")).claim(
		"predictions use the scheduler costs of this machine", "")
}
