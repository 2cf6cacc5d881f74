package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// posing makes the test binary behave as a program with a certain fault, or with none ("well").
const posing = "BREWPUT_TEST_EXTRA"

func TestMain(m *testing.M) {
	switch as := os.Getenv(posing); as {
	case "":
		os.Exit(m.Run())
	case "hangs":
		time.Sleep(time.Hour)
	case "floods":
		for {
			fmt.Println(strings.Repeat("x", 1<<16))
		}
	case "crashes":
		panic("oh no")
	case "older":
		fmt.Println(`{"protocol":99,"version":"v9.9.9","workloads":null}`)
	case "other version":
		fmt.Println(`{"protocol":1,"version":"v9.9.9","build":{"Go":"go1.1"},"workloads":null}`)
	case "garbage":
		fmt.Println("Usage: brewput-extra")
	case "silent":
	case "leaves a child":
		c := exec.Command(os.Args[0])
		c.Env, c.Stdout = append(os.Environ(), posing+"=hangs"), os.Stdout
		if err := c.Start(); err != nil {
			panic(err)
		}
	case "interrupts":
		parent, _ := os.FindProcess(os.Getppid())
		parent.Signal(os.Interrupt)
		time.Sleep(time.Hour)
	case "other build":
		m, _ := manifest([]*workload.Workload{core()}, []*workload.Workload{peers()})
		m.Build["-race"] = "maybe"
		json.NewEncoder(os.Stdout).Encode(m)
	case "well":
		Main([]*workload.Workload{core()}, []*workload.Workload{peers()})
	case "other source":
		c := core()
		c.Source = fstest.MapFS{"work.go": {Data: []byte("package work // changed\n")}}
		Main([]*workload.Workload{c}, []*workload.Workload{peers()})
	case "same name":
		p := peers()
		p.Designs[0].Name = "plain"
		Main([]*workload.Workload{core()}, []*workload.Workload{p})
	}
}

// core is a workload of the program that asks.
func core() *workload.Workload {
	return &workload.Workload{Name: "work", Doc: "Work.",
		Factors: []plan.Factor{{Name: "items", Doc: "how many", Kind: plan.Int, Default: "1", Min: 1, Max: 9}},
		Source:  fstest.MapFS{"work.go": {Data: []byte("package work\n")}},
		Designs: []workload.Design{{Name: "plain", Doc: "plain", Uses: []string{"items"}, Job: newJob}}}
}

func newJob(env.Env, plan.Point) (workload.Job, error) {
	return workload.Job{Run: func(env.Env) error { return nil }}, nil
}

// peers is the workload of the program that adds a design.
func peers() *workload.Workload {
	w := core()
	w.Source = fstest.MapFS{"peer.go": {Data: []byte("package peer\n\n// newJob works.\nfunc newJob() {}\n")}}
	w.Designs = []workload.Design{{Name: "peer", Doc: "another author's", Uses: []string{"items"}, Job: newJob,
		Worlds: workload.LiveOnly, Expect: workload.MayBreak, Guarantee: "survives kill"}}
	return w
}

// asked asks the test binary for its manifest.
func asked(t *testing.T, as string, limit time.Duration) (map[string][]workload.Design, error) {
	t.Helper()
	t.Setenv(posing, as)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return ask(t.Context(), exe, []*workload.Workload{core()}, limit)
}

// TestAsk checks that the designs of a program join the workloads.
func TestAsk(t *testing.T) {
	more, err := asked(t, "well", time.Minute)
	if err != nil || len(more["work"]) != 1 {
		t.Fatalf("%+v, %v", more, err)
	}
	exe, _ := os.Executable()
	sum, err := input.Sum(t.Context(), exe, input.Program)
	if err != nil {
		t.Fatal(err)
	}
	d := more["work"][0]
	p := d.Program
	switch {
	case d.Name != "peer" || d.Doc != "another author's" || d.Type() != "job" || d.Expect != workload.MayBreak ||
		d.Worlds != workload.LiveOnly || !d.OnRequest || len(d.Uses) != 1 ||
		d.Guarantee != "survives kill":
		t.Errorf("%+v", d)
	case p.File != exe || p.SHA256 != sum || p.Version != Version() || !strings.HasSuffix(p.Package, "/plugin"):
		t.Errorf("%+v", p)
	case !strings.Contains(p.Source, "func newJob("):
		t.Errorf("source %q", p.Source)
	}
	if _, err := d.Job(env.Env{}, plan.Point{}); !errors.Is(err, errElsewhere) {
		t.Errorf("its constructor: %v", err)
	}
}

// TestRefused checks the error of each fault of a program.
func TestRefused(t *testing.T) {
	for as, want := range map[string][]string{
		"hangs":          {"no manifest within", Build},
		"floods":         {"more than 4 MB", Build},
		"silent":         {"it is not brewput-extra", "check " + Variable, Build},
		"leaves a child": {"a child of it holds its output open", Build},
		"other build":    {"-race is ", " in this program and maybe in that one", Build},
		"crashes":        {"oh no", Build},
		"older":          {"v9.9.9 with protocol 99", Version() + " with protocol 1", Build},
		"garbage":        {"cannot be read", Build},
		"other source":   {"whose workloads have another source", "version " + Version(), Build},
		"same name":      {`two designs are called "plain"`, Build},
		"other version":  {"Go is " + runtime.Version() + " in this program and go1.1 in that one", Build},
	} {
		t.Run(as, func(t *testing.T) {
			limit := time.Minute
			if as == "hangs" {
				limit = 100 * time.Millisecond
			}
			more, err := asked(t, as, limit)
			if err == nil || more != nil {
				t.Fatalf("%+v", more)
			}
			for _, part := range want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%v: want %q", err, part)
				}
			}
		})
	}
}

// TestOtherProtocol checks that a program that is asked with another protocol prints its own and no designs, whose
// declarations the other side may not know.
func TestOtherProtocol(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for asked, want := range map[string]int{"99 v9": 0, fmt.Sprint(Protocol, " v9"): 1} {
		c := exec.Command(exe)
		c.Env = append(os.Environ(), posing+"=well", Sentinel+"="+asked)
		text, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		m, err := Parse(text)
		if err != nil || m.Protocol != Protocol || m.Version != Version() || len(m.Workloads) != want {
			t.Errorf("asked with %q: %+v, %v", asked, m, err)
		}
	}
}

func TestDiffer(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"v1.2.3", "v1.2.3", false}, {"v1.2.3", "v1.2.4", true}, {"(devel)", "v1.2.4", false},
		{"(unknown)", "(devel) abc", false}, {"(devel) abc", "(devel) abd", true},
		{"(devel) abc+changes", "(devel) abc", false},
	} {
		if differ(c.a, c.b) != c.want || differ(c.b, c.a) != c.want {
			t.Errorf("%s and %s", c.a, c.b)
		}
	}
}

// TestFind checks where the program is searched, and which files are refused.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, mode)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	exe := write("bin/brewput", 0o755)
	next := write(filepath.Join("bin", fileName()), 0o755)
	given := write(filepath.Join("given", fileName()), 0o755)
	renamed := write("given/renamed", 0o755)
	lone, data := write("lone/brewput", 0o755), write(filepath.Join("data", fileName()), 0o644)
	if err := os.MkdirAll(filepath.Join(dir, "folder", fileName()), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join(dir, "given")) // never searched
	t.Setenv("PATH", filepath.Join(dir, "given"))
	absent := ErrAbsent.Error()
	for _, c := range []struct{ variable, exe, path, err string }{
		{"", exe, next, ""},
		{filepath.Join(dir, "given"), exe, given, ""},
		{given, exe, given, ""},
		{renamed, exe, renamed, ""},
		{filepath.Join(dir, "lone"), exe, "", "there is no " + fileName() + " in " + Variable + "=" + dir},
		{"", lone, "", absent},
		{"", "", "", absent},
		{"given", exe, "", "relative path"},
		{".", exe, "", "relative path"},
		{filepath.Join(dir, "none"), exe, "", "or unset it"},
		{filepath.Join(dir, "folder"), exe, "", "not a regular file"},
		{filepath.Join(dir, "data"), exe, "", "not executable"},
		{data, exe, "", "not executable"},
	} {
		if runtime.GOOS == "windows" && c.err == "not executable" {
			continue
		}
		path, err := find(c.variable, c.exe)
		switch {
		case c.err == "" && (err != nil || path != c.path):
			t.Errorf("%+v: %q, %v", c, path, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%+v: %q, %v", c, path, err)
		case c.err == absent && !errors.Is(err, ErrAbsent), c.err != absent && errors.Is(err, ErrAbsent):
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestAttach checks that a program with a fault concerns only the designs that this program does not have.
func TestAttach(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(posing, "crashes")
	t.Setenv(Variable, exe)
	attach := func() *workload.Workload {
		return attach([]*workload.Workload{core()}, []KnownDesign{{Workload: "work"}}, time.Minute)[0]
	}
	w := attach()
	if _, err := w.Select([]string{"plain"}); err != nil {
		t.Error(err)
	}
	if names, err := w.Select(nil); err != nil || len(names) != 1 {
		t.Errorf("%q, %v", names, err)
	}
	_, err = w.Select([]string{"peer"})
	for _, part := range []string{`has no design "peer"`, exe + " cannot be used", "oh no"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: want %q", err, part)
		}
	}
	if l := List([]*workload.Workload{w}); l.Problem == nil || len(l.Missing) > 0 || len(l.Workloads[0].Designs) != 1 {
		t.Errorf("%+v", l)
	}

	t.Setenv(posing, "well")
	w = attach()
	if names, err := w.Select([]string{"plain", "peer"}); err != nil || len(names) != 2 {
		t.Errorf("%q, %v", names, err)
	}
	if names, err := w.Select(nil); err != nil || len(names) != 1 {
		t.Errorf("without names: %q, %v", names, err)
	}
	if l := List([]*workload.Workload{w}); l.Problem != nil || len(l.Workloads[0].Designs) != 2 || len(w.Designs) != 1 {
		t.Errorf("%+v", l)
	}
}

// TestInterrupt checks that an interrupt ends a program that hangs, and that a workload without designs there never
// starts it.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no process can interrupt another one")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(posing, "interrupts")
	t.Setenv(Variable, exe)
	none := attach([]*workload.Workload{core()}, Known(), time.Hour)[0]
	if l := List([]*workload.Workload{none}); none.More != nil || l.Problem != nil {
		t.Errorf("a workload of which no designs are known: %+v", l)
	}
	_, err = attach([]*workload.Workload{core()}, []KnownDesign{{Workload: "work"}}, time.Hour)[0].More()
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestLimit checks that a completion waits less than other commands.
func TestLimit(t *testing.T) {
	for args, want := range map[string]time.Duration{"brewput": askLimit, "brewput list set": askLimit,
		"brewput __complete source x": completionLimit, "brewput __completeNoDesc run": completionLimit} {
		if got := limitFor(strings.Fields(args)); got != want {
			t.Errorf("%s: %v", args, got)
		}
	}
}

// TestPrivate checks that a file that others can change is refused, and one in a directory that they can change.
func TestPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	dir := t.TempDir()
	exe, path := filepath.Join(dir, "brewput"), filepath.Join(dir, Name)
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	check := func(what, variable, want string) {
		t.Helper()
		_, err := find(variable, exe)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	chmod := func(path string, mode os.FileMode) {
		t.Helper()
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	check("private", "", "")
	chmod(path, 0o757)
	check("file", "", "every user can write to "+path)
	check("given file", path, "every user can write to "+path)
	chmod(path, 0o755)
	for _, mode := range []os.FileMode{0o777, 0o777 | os.ModeSticky} {
		chmod(dir, mode)
		check("directory", "", "every user can write to "+dir)
		check("given directory", path, "")
	}
	chmod(dir, 0o755)
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		check("owner", "", path+" belongs to another user")
		check("given owner", path, path+" belongs to another user")
	}
}

// TestFacts checks what differs between builds.
func TestFacts(t *testing.T) {
	plain := factsOf(nil)
	for _, c := range []struct{ key, value, want string }{
		{"-race", "true", "-race is not set in this program and true in that one"},
		{"-race", "false", ""},
		{"GOAMD64", "v3", "GOAMD64 is not set in this program and v3 in that one"},
		{"GOEXPERIMENT", "simd", "GOEXPERIMENT is not set in this program and simd in that one"},
		{"vcs.time", "now", ""},
		{"CGO_ENABLED", "1", ""},
	} {
		if got := plain.differences(factsOf([]debug.BuildSetting{{Key: c.key, Value: c.value}})); got != c.want {
			t.Errorf("%s=%s: %q", c.key, c.value, got)
		}
	}
}

// TestParse checks the errors of text that a terminal could act on.
func TestParse(t *testing.T) {
	const version, doc, pkg, value = `v1`, `fine`, `example.com/x`, `on`
	text := func(version, doc, pkg, value string) []byte {
		return fmt.Appendf(nil, `{"protocol":1,"version":"%s","build":{"-race":"%s"},`+
			`"workloads":[{"name":"work","designs":[`+
			`{"name":"peer","type":"job","expect":"right","worlds":"live","doc":"%s","package":"%s"}]}]}`, version, value,
			doc, pkg)
	}
	if _, err := Parse(text(version, doc, pkg, value)); err != nil {
		t.Error(err)
	}
	for _, bad := range [][]byte{text(`v\u001b[2J`, doc, pkg, value), text(version, `a\u202eb`, pkg, value),
		text(version, doc, `x\n`, value), text(version, doc, pkg, `\u0007`)} {
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), "printed") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestAbsent checks what a list shows if the program is not installed.
func TestAbsent(t *testing.T) {
	t.Setenv(Variable, "")
	w := Attach([]*workload.Workload{{Name: "identity", Designs: core().Designs}, core()})
	l := List(w)
	if l.Problem != nil || len(l.Missing) == 0 || l.Missing[0][0] != "identity/protoactor" {
		t.Errorf("%+v", l)
	}
	if s := Status(w); s != "" {
		t.Error(s)
	}
	if s := Status([]*workload.Workload{core()}); s != "" {
		t.Errorf("a program without these workloads: %q", s)
	}
	_, err := w[0].Select([]string{"protoactor"})
	for _, part := range []string{"not installed", "it may have the design", Build, Variable} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: want %q", err, part)
		}
	}
}

// TestAskedOnce checks that the program is started at most once, and only for a name that is none of an own design: a
// program that hangs takes its limit once, and delays nothing else.
func TestAskedOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script")
	}
	dir := t.TempDir()
	path, starts := filepath.Join(dir, Name), filepath.Join(dir, "starts")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho start >>"+starts+"\nexec sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, path)
	started := func() int {
		text, _ := os.ReadFile(starts)
		return strings.Count(string(text), "start\n")
	}
	other := core()
	other.Name = "more work"
	all := attach([]*workload.Workload{core(), other}, []KnownDesign{{Workload: "work"}, {Workload: other.Name}},
		time.Second)
	for _, w := range all {
		if _, err := w.Select([]string{"plain"}); err != nil {
			t.Error(err)
		}
		w.Select(nil)
	}
	if n := started(); n != 0 {
		t.Errorf("designs of this program started the other one %d times", n)
	}
	for _, w := range all {
		if _, err := w.Select([]string{"atomic", "peer"}); err == nil ||
			!strings.Contains(err.Error(), "no manifest within 1s") {
			t.Error(err)
		}
		w.AllDesigns()
	}
	if n := started(); n != 1 {
		t.Errorf("unknown designs started the program %d times", n)
	}
}

// TestRecords checks that a run continues only with the programs that it began with, and is shown without them.
func TestRecords(t *testing.T) {
	t.Setenv(Variable, "") // a program that is installed is another one
	w := core()
	sha := strings.Repeat("ab", 32)
	w.More = func() ([]workload.Design, error) {
		d := Design{Name: "peer", Type: "job", Expect: "right", Worlds: "live", Uses: []string{"items"},
			Guarantee: "survives kill"}
		x, err := d.design(workload.Program{File: "/opt/extra", SHA256: sha, Version: "v1"})
		return []workload.Design{x}, err
	}
	if r := Records(w, []plan.Case{{Design: "plain"}}); r != nil {
		t.Errorf("a run without a program: %s", r)
	}
	r := Records(w, []plan.Case{{Design: "plain"}, {Design: "peer"}, {Design: "peer"}})
	if err := Check(w, r); err != nil {
		t.Errorf("%v, %s", err, r)
	}
	if err := Check(w, nil); err != nil {
		t.Error(err)
	}

	faster := strings.Replace(string(r), runtime.Version(), "go1.1", 1)
	if err := Check(w, []byte(faster)); err == nil || !strings.Contains(err.Error(), "go1.1 in that one") {
		t.Errorf("another build: %v", err)
	}
	sha = strings.Repeat("cd", 32)
	if err := Check(w, r); err == nil || !strings.Contains(err.Error(), "abababababab") ||
		!strings.Contains(err.Error(), "cdcdcdcdcdcd") || !strings.Contains(err.Error(), "start a new run") {
		t.Errorf("another checksum: %v", err)
	}
	w.More = nil
	if err := Check(w, r); err == nil || !strings.Contains(err.Error(), "/opt/extra (version v1") {
		t.Errorf("no program: %v", err)
	}
	shown, err := Recorded(w, r)
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := shown.Find("peer"); !ok || d.Program.File != "/opt/extra" || d.Guarantee != "survives kill" ||
		len(w.Designs) != 1 {
		t.Errorf("%+v", d)
	}
	w.Designs[0].Name = "peer" // a later version has the design itself
	if err := Check(w, r); err == nil || !strings.Contains(err.Error(), "runs work/peer itself") {
		t.Error(err)
	}
}

// TestChangedFile checks that a run does not continue with a file that has changed, and that this file is not executed.
func TestChangedFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a script")
	}
	dir := t.TempDir()
	path, ran := filepath.Join(dir, Name), filepath.Join(dir, "ran")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho >"+ran+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, path)
	w := Attach([]*workload.Workload{{Name: "identity", Designs: core().Designs}})[0]
	r := fmt.Sprintf(`[{"file":%q,"sha256":%q,"version":"v1","designs":[{"name":"protoactor","type":"job",`+
		`"expect":"right","worlds":"live"}]}]`, path, strings.Repeat("ab", 32))
	sum, err := input.Sum(t.Context(), path, input.Program)
	if err != nil {
		t.Fatal(err)
	}
	err = Check(w, []byte(r))
	for _, part := range []string{"has changed", "abababababab", sum[:12], "start a new run"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: want %q", err, part)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the changed file was executed")
	}
}

// FuzzParse checks that a manifest of any bytes gives an error or designs that can be declared.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"protocol":1,"version":"v1","workloads":[{"name":"work","designs":[{"name":"peer","type":"job",` +
		`"expect":"right","worlds":"live"}]}]}`))
	f.Add([]byte(`{"protocol":2,"version":"v2"}`))
	f.Add([]byte(`{} {}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse(text)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\x1b\x00") {
				t.Errorf("%q", err)
			}
			return
		}
		if m.Protocol < 1 || m.Version == "" {
			t.Errorf("%+v", m)
		}
		more, err := join(m, []*workload.Workload{core()}, workload.Program{})
		for _, d := range more["work"] {
			if (d.Job == nil) == (d.Stream == nil) || d.Program == nil {
				t.Errorf("%+v, %v", d, err)
			}
		}
		if _, err := readRecords(text); err != nil && len(err.Error()) > 10_000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}

// TestDeclared checks a workload that declares designs which another program runs, because they depend on options.
func TestDeclared(t *testing.T) {
	declared := func(name string) *workload.Workload {
		return &workload.Workload{Name: "calls", Options: []workload.Option{{Name: "name", Value: "NAME"}},
			Designs: []workload.Design{{Name: name, Worlds: workload.LiveOnly, Program: &workload.Program{File: Name},
				Job: func(env.Env, plan.Point) (workload.Job, error) { return workload.Job{}, nil }}}}
	}
	w := declared("server")
	w.Make = func(g workload.Given) (*workload.Workload, error) { return declared(g.Get("name")), nil }

	// The program is not installed.
	t.Setenv(Variable, "")
	Attach([]*workload.Workload{w})
	made, err := w.With(workload.Given{"name": {"mine"}})
	if err != nil {
		t.Fatal(err)
	}
	if d, ok := made.Find("mine"); !ok || !d.Absent() {
		t.Errorf("%+v", d)
	}
	_, err = made.More()
	if !errors.Is(err, ErrAbsent) || !strings.Contains(err.Error(), "calls needs it. To build it, type "+Build) ||
		!strings.Contains(err.Error(), Variable) {
		t.Error(err)
	}

	// It is installed.
	program := &workload.Program{File: "/bin/x", SHA256: "1"}
	made.More = func() ([]workload.Design, error) {
		return found(made, []workload.Design{{Name: "server", Program: program}}), nil
	}
	if d, ok := made.Find("mine"); !ok || d.Absent() || d.Program != program || len(made.AllDesigns()) != 1 {
		t.Errorf("%+v", made.AllDesigns())
	}

	// A stored run has the program in its records.
	records := Records(made, []plan.Case{{Design: "mine"}})
	shown, err := Recorded(made, records)
	if err != nil {
		t.Fatal(err)
	}
	if d, _ := shown.Find("mine"); d.Absent() || d.Program.File != "/bin/x" || len(shown.Designs) != 1 {
		t.Errorf("%+v", shown.Designs)
	}
	if !made.Designs[0].Absent() {
		t.Error("the declaration has changed")
	}
}
