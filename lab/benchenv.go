package lab

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/gobench"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// compiled are variables that the go command reads, and no binary.
var compiled = []string{"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64",
	"GORISCV64", "GOWASM", "GOFLAGS", "GOEXPERIMENT", "GOTOOLCHAIN", "CGO_ENABLED"}

// variables reads variables with their levels, as in GOGC=100,50,200.
func variables(texts []string) ([]gobench.Variable, error) {
	var list []gobench.Variable
	for _, text := range texts {
		name, levels, ok := strings.Cut(text, "=")
		switch {
		case !ok || !variableName.MatchString(name) || levels == "":
			return nil, refuse("env", text, "give a variable with its levels, as in GOGC=100,50,200")
		case slices.Contains(compiled, name):
			return nil, refuse("env", text, "%s is read when the binary is built, and would change nothing afterwards",
				name).suggest("measure once for each level with it in the environment")
		case name == "GOMAXPROCS":
			return nil, refuse("env", name, "give the levels by {cpus}")
		case slices.ContainsFunc(taken(list), func(n string) bool { return strings.EqualFold(n, name) }):
			return nil, refuse("env", text,
				"files in the Go benchmark format, which know small letters only, have a key of that name already")
		}
		v := gobench.Variable{Name: name}
		for l := range strings.SplitSeq(levels, ",") {
			if slices.Contains(v.Levels, l) {
				return nil, refuse("env", text, "the level %q is there twice", l)
			}
			if want := wanted(name, l); want != "" {
				return nil, refuse("env", text, "%q is no level of %s", l, name).suggest("give %s", want)
			}
			v.Levels = append(v.Levels, l)
		}
		list = append(list, v)
	}
	return list, nil
}

// taken are the names that no further variable may have: the factors, and what files in the Go benchmark format say of
// the machine and the package.
func taken(list []gobench.Variable) []string {
	names := []string{"cpus", gobench.FactorRev, gobench.FactorGo, gobench.FactorPGO, "pkg", "cpu", "toolchain", "side"}
	for _, v := range list {
		names = append(names, v.Name)
	}
	return names
}

// wanted says what a variable that Go's runtime reads may be, where this is no level of it: GOGC would then silently be
// 100, or off where it is negative; with GOMEMLIMIT no benchmark would start. It is "" where all is well.
func wanted(name, level string) string {
	switch name {
	case "GOGC":
		if _, err := strconv.ParseUint(level, 10, 31); err != nil && level != "off" {
			return "a whole number of per cent from 0 on, or off"
		}
	case "GOMEMLIMIT":
		if _, ok := gobench.MemoryLimit(level); !ok {
			return "a whole number with B, KiB, MiB, GiB or TiB, such as 512MiB, or off"
		}
	}
	return ""
}
