package host

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/brewput/brewput/result"
)

func TestRead(t *testing.T) {
	e := Read()
	if e.GoVersion != runtime.Version() || e.GOOS != runtime.GOOS || e.GOARCH != runtime.GOARCH {
		t.Errorf("got %s %s/%s", e.GoVersion, e.GOOS, e.GOARCH)
	}
	if e.CPUs != runtime.NumCPU() || e.GOMAXPROCS != runtime.GOMAXPROCS(0) || e.GOMAXPROCSFrom == "" {
		t.Errorf("got %d CPUs, GOMAXPROCS %d from %q", e.CPUs, e.GOMAXPROCS, e.GOMAXPROCSFrom)
	}
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(e.Fingerprint) {
		t.Errorf("fingerprint %q", e.Fingerprint)
	}
	if want := gogcFrom(e.GOGC, os.Getenv("GOGC")); e.GOGCFrom != want {
		t.Errorf("GOGC from %q, want %q", e.GOGCFrom, want)
	}
	if e.ExeSHA256 == nil || len(*e.ExeSHA256) != 64 {
		t.Errorf("executable %v", e.ExeSHA256)
	}
	if again := Read(); again.Fingerprint != e.Fingerprint || again.SameMachine(e) != nil || again.SameBuild(e) != nil {
		t.Errorf("read twice: %v, %v", again.SameMachine(e), again.SameBuild(e))
	}
	// An unknown value must not be 0 or "".
	v := reflect.ValueOf(e)
	for _, f := range reflect.VisibleFields(v.Type()) {
		p := v.FieldByIndex(f.Index)
		if p.Kind() == reflect.Pointer && !p.IsNil() && p.Elem().Kind() != reflect.Bool && p.Elem().IsZero() {
			t.Errorf("%s is zero; unknown is null", f.Name)
		}
	}
	if runtime.GOOS == "linux" && (e.Kernel == nil || e.MemoryBytes == nil || e.OnlineCPUs == nil ||
		e.AffinityCPUs == nil) {
		t.Errorf("linux without its files: %+v", e.Machine)
	}
}

func TestEnvironmentJSON(t *testing.T) {
	e := Read()
	var back result.Environment
	if err := json.Unmarshal([]byte(jsonOf(t, e)), &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(back, e) {
		t.Errorf("through JSON: %+v, want %+v", back, e)
	}
	name := regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[result.Environment]()) {
		if !f.Anonymous && !name.MatchString(f.Tag.Get("json")) {
			t.Errorf("%s has the JSON name %q", f.Name, f.Tag.Get("json"))
		}
	}
}

func TestProcsFrom(t *testing.T) {
	for _, x := range []struct {
		procs  int
		env    string
		cpus   int
		online *int
		quota  *float64
		want   string
	}{
		{4, "4", 8, new(8), nil, "env"},
		{4, "5", 8, new(8), nil, "program"},
		{8, "junk", 8, new(8), nil, "cpus"},
		{8, "0", 8, new(8), nil, "cpus"},
		{8, "", 8, nil, nil, "cpus"},
		{4, "", 4, new(8), nil, "affinity"},
		{3, "", 8, new(8), new(2.5), "cgroup"},
		{2, "", 8, new(8), new(0.5), "cgroup"}, // the runtime rounds up to 2
		{8, "", 8, new(8), new(2.5), "cpus"},   // GODEBUG=containermaxprocs=0
		{2, "", 2, new(2), new(9.), "cpus"},
		{3, "", 8, new(8), nil, "program"},
	} {
		m := result.Machine{CPUs: x.cpus, OnlineCPUs: x.online, CgroupCPUs: x.quota}
		if got := procsFrom(x.procs, x.env, m); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

func TestGOGCFrom(t *testing.T) {
	for _, x := range []struct{ gogc, env, want string }{
		{"100", "", "default"},
		{"400", "", "program"},
		{"off", "", "program"},
		{"100", "100", "env"},
		{"50", "50", "env"},
		{"100", "50", "program"},
		{"off", "off", "env"},
		{"off", "-3", "env"},
		{"100", "junk", "env"},
	} {
		if got := gogcFrom(x.gogc, x.env); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

func TestBuildSettings(t *testing.T) {
	hash := func(name string) *string {
		if name == "/src/default.pgo" {
			return new("abc")
		}
		return nil
	}
	b := result.Build{BuildFlags: []string{}}
	applySettings(&b, nil, hash)
	if got, want := jsonOf(t, b), `{"go_version":"","goexperiment":null,"goamd64":null,"goarm64":null,"pgo":null,`+
		`"build_flags":[],`+
		`"race":false,"cover":false,"vcs_revision":null,"vcs_modified":null,"exe_sha256":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	b = result.Build{BuildFlags: []string{}}
	applySettings(&b, []debug.BuildSetting{{Key: "-race", Value: "true"}, {Key: "-cover", Value: "true"},
		{Key: "-tags", Value: "a,b"},
		{Key: "-ldflags", Value: "-s -w"}, {Key: "-pgo", Value: "/src/default.pgo"}, {Key: "GOEXPERIMENT", Value: "x"},
		{Key: "GOAMD64", Value: "v3"},
		{Key: "vcs.revision", Value: "49d7"}, {Key: "vcs.modified", Value: "true"}, {Key: "vcs.time", Value: "now"}},
		hash)
	if got, want := jsonOf(t, b), `{"go_version":"","goexperiment":"x","goamd64":"v3","goarm64":null,`+
		`"pgo":"sha256:abc","build_flags":["-tags=a,b","-ldflags=-s -w"],"race":true,"cover":true,`+
		`"vcs_revision":"49d7","vcs_modified":true,"exe_sha256":null}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, want := range map[string]string{"/gone/x.pgo": "x.pgo", "x.pgo": "x.pgo", `C:\src\x.pgo`: "x.pgo"} {
		if got := pgo(name, hash); got == nil || *got != want {
			t.Errorf("profile %q: %s, want %q", name, jsonOf(t, got), want)
		}
	}
}

func TestGCSettings(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	if gogc, limit := gcSettings(); gogc != "50" || limit != "1099511627776" {
		t.Errorf("got GOGC %s, GOMEMLIMIT %s", gogc, limit)
	}
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(1<<63 - 1)
	if gogc, limit := gcSettings(); gogc != "off" || limit != "off" {
		t.Errorf("got GOGC %s, GOMEMLIMIT %s; want off", gogc, limit)
	}
}

func TestJoinSettings(t *testing.T) {
	for _, x := range [][3]string{{"", "", ""}, {"a=1", "", "a=1"}, {"", "b=2", "b=2"}, {"a=1", "b=2", "a=1,b=2"}} {
		if got := joinSettings(x[0], x[1]); got != x[2] {
			t.Errorf("%q and %q: %q, want %q", x[0], x[1], got, x[2])
		}
	}
}
