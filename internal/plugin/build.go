package plugin

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Facts are the settings of a build on which times and errors depend, by name. Settings that are off are absent. The
// profile of a PGO build is not among them, because builds record only its path.
type Facts map[string]string

// here returns the facts of this program.
func here() Facts {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return factsOf(info.Settings)
}

// factsOf returns the facts of a build with settings, of this Go version and architecture.
func factsOf(settings []debug.BuildSetting) Facts {
	f := Facts{"Go": runtime.Version(), "GOARCH": runtime.GOARCH}
	for _, s := range settings {
		switch s.Key {
		case "-race", "-cover", "-asan", "-msan", "-gcflags", "-tags", "GOAMD64", "GOARM64", "GOEXPERIMENT":
			if s.Value != "" && s.Value != "false" {
				f[s.Key] = s.Value
			}
		}
	}
	return f
}

// differences names the facts in which this program and another one differ; "" if there are none.
func (f Facts) differences(other Facts) string {
	names := maps.Clone(f)
	maps.Copy(names, other)
	var all []string
	for _, n := range slices.Sorted(maps.Keys(names)) {
		if f[n] != other[n] {
			all = append(all, fmt.Sprintf("%s is %s in this program and %s in that one", n, shown(f[n]),
				shown(other[n])))
		}
	}
	return strings.Join(all, ", ")
}

// shown is the value of a fact in an error.
func shown(value string) string {
	if value == "" {
		return "not set"
	}
	return value
}
