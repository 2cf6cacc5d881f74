package cli

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/gobench"
)

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// compiled are variables that the go command reads, and no binary.
var compiled = []string{"GOOS", "GOARCH", "GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM", "GOFLAGS",
	"GOEXPERIMENT", "GOTOOLCHAIN", "CGO_ENABLED"}

// variables reads --env.
func (o *benchOptions) variables() ([]gobench.Variable, error) {
	var list []gobench.Variable
	for _, text := range o.env {
		name, levels, ok := strings.Cut(text, "=")
		switch {
		case !ok || !variableName.MatchString(name) || levels == "":
			return nil, usage("--env %s: give a variable with its levels, as in GOGC=100,50,200", text)
		case slices.Contains(compiled, name):
			return nil, usage("--env %s: %s is read when the binary is built, and would change nothing afterwards; measure once for each level with it in the environment", text, name)
		case name == "GOMAXPROCS":
			return nil, usage("--env GOMAXPROCS: give the levels by --cpus")
		case slices.ContainsFunc(taken(list), func(n string) bool { return strings.EqualFold(n, name) }):
			return nil, usage("--env %s: files in the Go benchmark format, which know small letters only, have a key of that name already", text)
		}
		v := gobench.Variable{Name: name}
		for l := range strings.SplitSeq(levels, ",") {
			if slices.Contains(v.Levels, l) {
				return nil, usage("--env %s: the level %q is there twice", text, l)
			}
			if want := wanted(name, l); want != "" {
				return nil, usage("--env %s: %q is no level of %s; give %s", text, l, name, want)
			}
			v.Levels = append(v.Levels, l)
		}
		list = append(list, v)
	}
	return list, nil
}

// taken are the names that no further variable may have: the factors, and what files in the Go benchmark format say of the
// machine and the package.
func taken(list []gobench.Variable) []string {
	names := []string{"cpus", gobench.FactorRev, gobench.FactorGo, gobench.FactorPGO, "pkg", "cpu", "toolchain", "side"}
	for _, v := range list {
		names = append(names, v.Name)
	}
	return names
}

// wanted says what a variable that Go's runtime reads may be, where this is no level of it: GOGC would then silently be 100, or
// off where it is negative; with GOMEMLIMIT no benchmark would start. It is "" where all is well.
func wanted(name, level string) string {
	switch name {
	case "GOGC":
		if _, err := strconv.ParseUint(level, 10, 31); err != nil && level != "off" {
			return "a whole number of per cent from 0 on, or off"
		}
	case "GOMEMLIMIT":
		if _, ok := memoryLimit(level); !ok {
			return "a whole number with B, KiB, MiB, GiB or TiB, such as 512MiB, or off"
		}
	}
	return ""
}

// memoryLimit is a level of GOMEMLIMIT in bytes, or off; ok is false where it is none.
func memoryLimit(level string) (bytes string, ok bool) {
	if level == "off" {
		return level, true
	}
	number, shift := strings.TrimSuffix(level, "B"), 0
	for i, unit := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if rest, found := strings.CutSuffix(level, unit); found {
			number, shift = rest, 10*(i+1)
		}
	}
	n, err := strconv.ParseUint(number, 10, 63-shift)
	return strconv.FormatUint(n<<shift, 10), err == nil
}
