package gobench

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/plan"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// compiled are variables that the go command reads, and no binary.
var compiled = []string{"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64",
	"GORISCV64", "GOWASM", "GOFLAGS", "GOEXPERIMENT", "GOFIPS140", "GOTOOLCHAIN", "CGO_ENABLED"}

// ParseVariables reads environment variables with their levels, as in GOGC=100,50,200. Errors are a [*plan.Refusal].
func ParseVariables(texts []string) ([]Variable, error) {
	var list []Variable
	for _, text := range texts {
		name, levels, ok := strings.Cut(text, "=")
		switch {
		case !ok || !variableName.MatchString(name) || levels == "":
			return nil, plan.Refuse("env", text, "give a variable with its levels, as in GOGC=100,50,200")
		case slices.Contains(compiled, name):
			return nil, plan.Refuse("env", text, "%s is read when the binary is built, and would have no effect "+
				"afterwards", name).Suggest("measure once for each level with it in the environment")
		case name == "GOMAXPROCS":
			return nil, plan.Refuse("env", name, "give the levels by {cpus}")
		case slices.ContainsFunc(taken(list), func(n string) bool { return strings.EqualFold(n, name) }):
			return nil, plan.Refuse("env", text,
				"the Go benchmark format, whose keys are lower-case, already has a key of that name")
		}
		v := Variable{Name: name}
		for l := range strings.SplitSeq(levels, ",") {
			if slices.Contains(v.Levels, l) {
				return nil, plan.Refuse("env", text, "the level %q is there twice", l)
			}
			if want := wanted(name, l); want != "" {
				return nil, plan.Refuse("env", text, "%q is no level of %s", l, name).Suggest("give %s", want)
			}
			v.Levels = append(v.Levels, l)
		}
		list = append(list, v)
	}
	return list, nil
}

// CheckDistinct refuses, by a [*plan.Refusal], an option with a level twice: it would be measured twice, and compared
// with nothing.
func CheckDistinct(option string, levels []string) error {
	for i, l := range levels {
		if slices.Contains(levels[:i], l) {
			return plan.Refuse(option, l, "is there twice")
		}
	}
	return nil
}

// taken returns the names that no further variable may have: the factors, and the keys by which files in the Go
// benchmark format describe the machine and the package.
func taken(list []Variable) []string {
	names := []string{"cpus", FactorRev, FactorGo, FactorPGO, "pkg", "cpu", "toolchain", "side"}
	for _, v := range list {
		names = append(names, v.Name)
	}
	return names
}

// wanted describes the valid levels of a variable of Go's runtime if this level is invalid; otherwise it returns "".
// The runtime silently replaces an invalid GOGC by 100, or by off if it is negative. With an invalid GOMEMLIMIT no
// benchmark starts.
func wanted(name, level string) string {
	switch name {
	case "GOGC":
		if _, err := strconv.ParseUint(level, 10, 31); err != nil && level != "off" {
			return "a whole number of percent, 0 or more, or off"
		}
	case "GOMEMLIMIT":
		if _, ok := MemoryLimit(level); !ok {
			return "a whole number with B, KiB, MiB, GiB or TiB, such as 512MiB, or off"
		}
	}
	return ""
}
