package buildinfo

import (
	"encoding/json"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// dependency is the build of a user's program in which a module replaces brewput.
func dependency(by debug.Module) *debug.BuildInfo {
	return &debug.BuildInfo{Main: debug.Module{Path: "example.com/mine"},
		Deps: []*debug.Module{{Path: Module, Version: "v0.0.0", Replace: &by}}}
}

func TestFrom(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "6a2e919"}, {Key: "vcs.modified", Value: "true"}}
	platform := runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	for name, c := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"none":   {nil, "brewput (unknown) " + platform},
		"go run": {&debug.BuildInfo{Main: debug.Module{Path: Module}}, "brewput (devel) " + platform},
		"installed": {&debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3"}},
			"brewput v1.2.3 " + platform},
		"checkout": {&debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3+dirty"}, Settings: vcs},
			"brewput v1.2.3+dirty " + platform + ", revision 6a2e919, with uncommitted changes"},
		"clean": {&debug.BuildInfo{Main: debug.Module{Path: Module, Version: "v1.2.3"}, Settings: vcs[:1]},
			"brewput v1.2.3 " + platform + ", revision 6a2e919"},
		// The revision is that of the user's program.
		"dependency": {&debug.BuildInfo{Main: debug.Module{Path: "example.com/mine", Version: "v9.9.9"}, Settings: vcs,
			Deps: []*debug.Module{{Path: Module, Version: "v1.2.3"}}}, "brewput v1.2.3 " + platform},
		"checkout as dependency": {dependency(debug.Module{Path: "/src/brewput"}), "brewput (devel) " + platform},
		"other version as dependency": {dependency(debug.Module{Path: Module, Version: "v1.2.4"}),
			"brewput v1.2.4 " + platform},
		"fork as dependency": {dependency(debug.Module{Path: "example.com/fork", Version: "v9.9.9"}),
			"brewput (devel) " + platform},
	} {
		if got := From(c.info).String(); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestContract(t *testing.T) {
	b, err := json.Marshal(From(nil))
	want := `{"kind":"version","schema_version":1,"version":"(unknown)","revision":null,"modified":null,"go":"`
	if err != nil || !strings.HasPrefix(string(b), want) {
		t.Errorf("%s, %v", b, err)
	}
}
