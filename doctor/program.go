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
		return missing("build", r.Race, "how the program was built is not recorded in it: it may "+
			"hold the race detector")
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
		return word("build", Good, "optimised", "optimised, without race detector").claim(
			"designs run as they would in use", "")
	}
	return word("build", Bad, flat(wrong), "built with "+flat(wrong)).claim("the program is many times slower than in "+
		"use, and not evenly so: locks and channels suffer most", "build it without "+flat(wrong))
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
		return word("godebug", Good, "none", "not set").claim("the runtime behaves as it does by default", "")
	}
	return word("godebug", Caution, r.GODEBUG, r.GODEBUG).claim("the runtime behaves otherwise than by default, in "+
		"trials too, and some settings print while they run", "unset GODEBUG")
}

func (r Readings) gc() Check {
	set := "GOGC=" + r.GOGC + ", GOMEMLIMIT=" + r.GOMEMLIMIT
	if r.GOGC == "100" && r.GOMEMLIMIT == "off" {
		return word("gc", Good, r.GOGC, set).claim("memory is collected as it is by default", "")
	}
	return word("gc", Caution, r.GOGC, set).claim("memory is collected otherwise than by default: designs that "+
		"allocate much look better or worse than they do elsewhere", "unset GOGC GOMEMLIMIT")
}

func (r Readings) costs() Check {
	c, ok := r.Costs.Get()
	switch {
	case !ok:
		return missing("costs", r.Costs, "whether virtual time has the scheduler's costs of this machine is not known")
	case c.Missing != "":
		return word("costs", Caution, "typical", c.Missing).claim("virtual time counts what the scheduler takes on a "+
			"typical machine, not what it takes here", r.Program+" calibrate")
	}
	return word("costs", Good, "calibrated", "calibrated on "+c.Measured.Format("2006-01-02")).claim(
		"virtual time counts what the scheduler takes here", "")
}
