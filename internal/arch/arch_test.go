package arch

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArchitecture checks every file of the module against every rule.
func TestArchitecture(t *testing.T) {
	files := load(t)
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			for _, f := range files {
				for _, wrong := range rule(f) {
					t.Error(wrong)
				}
			}
		})
	}
	t.Run("changed variables", func(t *testing.T) {
		for _, wrong := range changes(files) {
			t.Error(wrong)
		}
	})
}

// TestPolicyIsCurrent checks that everything the policy permits exists and is used.
func TestPolicyIsCurrent(t *testing.T) {
	packages, vars, used, paths := map[string]bool{}, map[string]bool{}, map[string][]string{}, map[string]bool{}
	for _, f := range load(t) {
		key := f.pkg
		paths[f.path] = true
		if f.test {
			key = "tests"
		} else {
			packages[f.pkg] = true
			for _, v := range packageVariables(f) {
				vars[f.pkg+"."+v.name.Name] = true
			}
		}
		used[key] = append(used[key], f.imports()...)
	}
	for _, pkg := range slices.Concat(slices.Collect(maps.Keys(mayImport)), slices.Collect(maps.Keys(mayUse)),
		slices.Collect(maps.Keys(pure)), slices.Collect(maps.Keys(prints))) {
		if !packages[pkg] {
			t.Errorf("the policy names the package %q, which does not exist", pkg)
		}
	}
	for pkg, allowed := range mayImport {
		for _, other := range allowed {
			if !slices.Contains(used[pkg], strings.TrimSuffix(module+"/"+other, "/")) {
				t.Errorf("the policy lets %q import %q, which it does not", pkg, other)
			}
		}
	}
	modules := maps.Clone(mayUse)
	modules["tests"] = testsMayUse
	for pkg, allowed := range modules {
		for _, m := range allowed {
			if !slices.ContainsFunc(used[pkg], func(imp string) bool { return within(imp, []string{m}) }) {
				t.Errorf("the policy lets %q use %s, which it does not", pkg, m)
			}
		}
	}
	files := maps.Clone(liveFiles)
	maps.Copy(files, syncFiles)
	for path, reason := range files {
		if reason == "" || !paths[path] {
			t.Errorf("the policy names %s, which does not exist or has no reason", path)
		}
	}
	for name, reason := range variables {
		if !vars[name] || reason == "" {
			t.Errorf("the policy names the variable %s, which does not exist or has no reason", name)
		}
	}
}

// TestPermissionsAreUsed checks that the files that may open others do so, and that the functions that may end the
// process do so.
func TestPermissionsAreUsed(t *testing.T) {
	opening, exiting := map[string]bool{}, map[string]bool{}
	for _, f := range load(t) {
		uses(f, func(use string, _ ast.Node) { opening[f.path] = opening[f.path] || slices.Contains(opens, use) })
		ends(f, func(name, _ string, _ ast.Node) { exiting[name] = true })
	}
	for path, reason := range openers {
		if reason == "" || !opening[path] {
			t.Errorf("the policy lets %s open files, which it does not, or there is no reason", path)
		}
	}
	for name, reason := range mayExit {
		if reason == "" || !exiting[name] {
			t.Errorf("the policy lets %s end the process, which it does not, or there is no reason", name)
		}
	}
}

// TestToolsOnly checks that the command does not contain packages that only tests and tools need.
func TestToolsOnly(t *testing.T) {
	reached := []string{"cmd/brewput"}
	for i := 0; i < len(reached); i++ {
		for _, pkg := range mayImport[reached[i]] {
			if !slices.Contains(reached, pkg) {
				reached = append(reached, pkg)
			}
		}
	}
	for _, pkg := range toolsOnly {
		if _, known := mayImport[pkg]; !known || slices.Contains(reached, pkg) {
			t.Errorf("%s is not in the policy, or the command imports it", pkg)
		}
	}
	if len(reached) < 30 {
		t.Errorf("the command imports %q alone", reached)
	}
}

// snippets are small files with a part of the expected violation, or "" if there is none.
var snippets = []struct{ path, src, want string }{
	{"newroom/a.go", `package a`, "not in the policy"},
	{"plan/a.go", "package a\n\n//" + strings.Repeat(" word", 23), ""},
	{"plan/a.go", "package a\n\n//" + strings.Repeat(" word", 24), "plan/a.go:3 has 122 columns"},
	{"plan/a.go", "package a\n\nfunc f() {\n\t\t//" + strings.Repeat(" word", 23) + "\n}", "has 125 columns"},
	{"plan/a.go", "package a\n\n// https://example.com" + strings.Repeat(" word", 24), ""},
	{"plan/a.go", "package a\n\nconst c = `" + strings.Repeat(" word", 24) + "`", ""},
	{"plan/a.go", `package a; import "strings"; var _ = strings.Cut`, ""},
	{"plan/a.go", `package a; import _ "github.com/brewput/brewput/result"`, "of this module"},
	{"plan/a_test.go", `package a; import _ "github.com/brewput/brewput/result"`, ""},
	{"trial/a.go", `package a; import _ "github.com/brewput/brewput"`, "of this module"},
	{"trial/a.go", `package a; import _ "github.com/brewput/brewput/catalog"`, "of this module"},
	{"explain/a_test.go", `package a; import _ "github.com/brewput/brewput/proof/findings/corpus"`,
		"without the campaigns"},
	{"proof/record/a_test.go", `package a; import _ "github.com/brewput/brewput/proof/findings/corpus"`, ""},

	{"internal/hist/a.go", `package a; import _ "github.com/HdrHistogram/hdrhistogram-go"`, ""},
	{"internal/stat/a.go", `package a; import _ "github.com/HdrHistogram/hdrhistogram-go"`, "of other modules"},
	{"trial/a.go", `package a; import _ "github.com/spf13/cobra"`, "of other modules"},
	{"env/live/a.go", `package a; import _ "golang.org/x/sys/windows"`, ""},
	{"env/live/a.go", `package a; import _ "golang.org/x/systems"`, "of other modules"},
	{"env/a.go", `package a; import "C"`, "of other modules"},
	{"plan/a.go", `package a; import _ "pgregory.net/rapid"`, "of other modules"},
	{"plan/a_test.go", `package a; import _ "pgregory.net/rapid"`, ""},
	{"plan/a_test.go", `package a; import _ "github.com/stretchr/testify/assert"`, "of other modules"},
	{"report/a.go", `package a; import . "strings"`, "with a dot"},
	{"evidence/collect/a.go", `package a; import "os"; func f() { os.ReadFile("x") }`, "read it with package internal/input"},
	{"internal/cli/a.go", `package a; import system "os"; func f() { system.Open("x") }`,
		"read it with package internal/input"},
	{"evidence/collect/a_test.go", `package a; import "os"; func f() { os.ReadFile("x") }`, ""},

	{"lab/a.go", `package a; const c = "use a longer --duration"`, "the flag --duration in a library"},
	{"lab/a.go", `package a; const c = "--%s is not possible"`, "the flag --%s in a library"},
	{"lab/a.go", `package a; const c = "a -- b, a--b, ---"`, ""},
	{"lab/a_test.go", `package a; const c = "--duration"`, ""},
	{"internal/cli/a.go", `package a; const c = "--duration"`, ""},
	{"catalog/words/peers.go", `package a; const c = "--version"`, ""},
	{"catalog/words/peers.go", `package a; const c = "--versions"`, "the flag --versions in a library"},

	{"lab/a.go", `package a; import "os"; func f() { os.Exit(1) }`, "only main packages end the process"},
	{"trial/child.go", `package trial; import "os"; func Main() { os.Exit(1) }`, ""},
	{"trial/child.go", `package trial; import "os"; func f() { os.Exit(1) }`, "only main packages end"},
	{"proof/record/a.go", `package main; import "os"; func f() { os.Exit(1) }`, ""},

	{"plan/a.go", `package a; import _ "net/http"`, "is pure"},
	{"compare/a.go", `package a; import _ "log/slog"`, "is pure"},
	{"result/a.go", `package a; import _ "runtime/debug"`, "is pure"},
	{"workload/a.go", `package a; import _ "os"`, "is pure"},
	{"explain/a.go", `package a; import _ "os"`, "is pure"},
	{"workload/a.go", `package a; import _ "math/rand/v2"`, "is pure"},
	{"workload/a.go", `package a; import _ "github.com/brewput/brewput/env"`, ""},
	{"plan/a.go", `package a; import "time"; func f() { time.AfterFunc(0, f) }`, "time.AfterFunc in"},
	{"plan/a.go", `package a; import clock "time"; func f() { clock.Now() }`, "time.Now in"},
	{"plan/a.go", `package a; import "time"; func f() any { return time.NewTicker }`, "time.NewTicker in"},
	{"plan/a.go", `package a; type t struct{ Now int }; func f(time t) int { return time.Now }`, ""},
	{"plan/a_test.go", `package a; import "time"; func f() { time.Now() }`, ""},
	{"trial/a.go", `package a; import "time"; func f() { time.Now() }`, ""},

	{"sim/a.go", `package a; import "math"; const c = math.MaxInt64`, ""},
	{"sim/a.go", `package a; import "math"; var _ = int(math.MinInt32)`, ""},
	{"sim/a.go", `package a; import m "math"; func f() { m.Log(2) }`, "math.Log in"},
	{"sim/a.go", `package a; import "math"; var _ = int(math.Max(1, 2))`, "math.Max in"},
	{"sim/a.go", `package a; func f() (x float64) { return }`, "float64 in"},
	{"sim/a_test.go", `package a; func f() (x float64) { return }`, ""},
	{"load/a.go", `package a; func f() (x float64) { return }`, ""},
	{"report/a.go", `package a; import "fmt"; func f() { fmt.Println() }`, "only the command prints"},
	{"report/a.go", `package a; import p "fmt"; func f() { p.Printf("") }`, "only the command prints"},
	{"sweep/a.go", `package a; import "os"; func f() any { return os.Stderr }`, "only the command prints"},
	{"sweep/a.go", `package a; import "log/slog"; func f() { slog.Info("") }`, "only the command prints"},
	{"sweep/a.go", `package a; func f() { println() }`, "only the command prints"},
	{"internal/cli/a.go", `package a; import "fmt"; func f() { fmt.Println() }`, ""},

	{"catalog/null/a.go", `package a; import ("cmp"; "math/bits"; "time"); var _, _, _ = cmp.Less[int], bits.Len, time.Second`, ""},
	{"catalog/null/a.go", `package a; import _ "sync/atomic"`, "a design may import only"},
	{"catalog/null/a.go", `package a; import _ "os/exec"`, "a design may import only"},
	{"catalog/words/peers.go", `package a; import _ "os/exec"`, ""},
	{"catalog/words/peers.go", `package a; import _ "sync"`, "a design may import only"},
	{"catalog/words/peers.go", `package a; func f() { go f() }`, "native go statement"},
	{"catalog/null/a.go", `package a; import _ "context"`, "a design may import only"},
	{"catalog/null/a.go", `package a; import _ "embed"`, "a design may import only"},
	{"catalog/catalog.go", `package a; import _ "embed"`, ""},
	{"catalog/null/a.go", `package a; import "time"; func f() { time.NewTimer(0) }`, "its time from env"},
	{"catalog/null/a.go", `package a; import t "time"; func f() { t.Tick(0) }`, "its time from env"},
	{"catalog/null/a.go", `package a; import "time"; func f(d time.Duration) { _ = d }`, ""},
	{"catalog/null/a.go", `package a; func f() { go f() }`, "native go statement"},
	{"catalog/null/a.go", `package a; func f(c chan int) {}`, "native channel"},
	{"catalog/null/a.go", `package a; func f() { select {} }`, "native select"},
	{"catalog/null/a.go", `package a; func f() { g() <- 1 }`, "native send"},
	{"catalog/null/a.go", `package a; func f() int { return <-g() }`, "native receive"},
	{"catalog/null/a.go", `package a; func f() int { return -g() }`, ""},
	{"catalog/null/a.go", `package a; var table = []int{1}`, "would share it"},

	{"env/a.go", `package a; import "errors"; var ErrX = errors.New("x")`, ""},
	{"env/a.go", `package a; import e "errors"; var errX = e.New("x")`, ""},
	{"env/a.go", `package a; import "regexp"; var x = regexp.MustCompile("x")`, ""},
	{"env/a.go", `package a; type i interface{}; var _ i = 1`, ""},
	{"env/a.go", "package a; import \"embed\"\n//go:embed a\nvar x embed.FS", ""},
	{"env/a.go", `package a; var names = [...]string{"a"}; var units = map[string]int{}`, ""},
	{"env/a.go", `package a; var Names = []string{"a"}`, "add it to the policy's variables"},
	{"env/a.go", `package a; var count int`, "add it to the policy's variables"},
	{"env/a.go", `package a; import "sync"; var lock sync.Mutex`, "add it to the policy's variables"},
	{"env/a.go", `package a; var a = f()`, "add it to the policy's variables"},
	{"env/a.go", `package a; var Default = Case{}`, ""},
	{"env/a_test.go", `package a; var count int`, ""},
	{"env/a.go", `package a; var x = map[int]int{}; func f() { x[1] = 2 }`, "env.x is changed"},
	{"env/a.go", `package a; var x = map[int]int{}; func f() { delete(x, 1) }`, "env.x is changed"},
	{"env/a.go", `package a; var x = []int{1}; func f() { x[0]++ }`, "env.x is changed"},
	{"env/a.go", `package a; var x = []int{1}; func f() { (x) = nil }`, "env.x is changed"},
	{"env/a.go", `package a; var x = []int{1}; func f() { for _, x[0] = range x {} }`, "env.x is changed"},
	{"env/a.go", `package a; var x = []int{1}; func f() *int { return &x[0] }`, "env.x is changed"},
	{"env/a.go", `package a; var x = []int{1}; func f() int { y := x; return y[0] + x[0] }`, ""},

	{"env/a.go", `package a; func init() {}`, "an init function"},
	{"env/a.go", `package a; type t int; func (t) init() {}`, ""},
	{"env/a.go", "package a; func f() {" + strings.Repeat("\n", maxFunctionLines) + "}", "more than 60"},
	{"env/a.go", "package a; func f() {" + strings.Repeat("\n", maxFunctionLines-1) + "}", ""},
	{"env/a.go", "package a" + strings.Repeat("\n", maxFileLines+1), "split it by purpose"},
	{"env/a_test.go", "package a" + strings.Repeat("\n", maxFileLines+1), ""},
}

// violations returns all violations of the rules in the files.
func violations(files ...*file) (wrong []string) {
	for _, rule := range rules {
		for _, f := range files {
			wrong = append(wrong, rule(f)...)
		}
	}
	return append(wrong, changes(files)...)
}

// TestRules checks that each rule finds its violations, and that no other rule does.
func TestRules(t *testing.T) {
	for _, s := range snippets {
		f, err := parse(s.path, []byte(s.src))
		if err != nil {
			t.Fatal(err)
		}
		wrong := violations(f)
		switch {
		case s.want == "" && len(wrong) > 0:
			t.Errorf("%s: %s\nis fine, but: %q", s.path, s.src, wrong)
		case s.want != "" && (len(wrong) != 1 || !strings.Contains(wrong[0], s.want)):
			t.Errorf("%s: %s\nwant one complaint with %q, got %q", s.path, s.src, s.want, wrong)
		}
	}
}

// TestChangesElsewhere checks that changes of a variable are found in other files and packages too.
func TestChangesElsewhere(t *testing.T) {
	declared, err := parse("result/a.go", []byte(`package result; var Quantiles = []struct{ Q float64 }{{1}}`))
	if err != nil {
		t.Fatal(err)
	}
	for path, src := range map[string]string{
		"result/b.go": `package result; func f() { Quantiles[0].Q = 2 }`,
		"trial/b.go":  `package trial; import r "github.com/brewput/brewput/result"; func f() { r.Quantiles[0].Q = 2 }`,
	} {
		f, err := parse(path, []byte(src))
		if err != nil {
			t.Fatal(err)
		}
		if wrong := violations(declared, f); len(wrong) != 1 ||
			!strings.Contains(wrong[0], path+":1: the package-level variable result.Quantiles is changed") {
			t.Errorf("%s: %q", path, wrong)
		}
	}
}

// TestInternalShare checks that most of the module is public.
func TestInternalShare(t *testing.T) {
	internal, all := 0, 0
	for _, f := range load(t) {
		if f.test {
			continue
		}
		all += f.lines
		if slices.Contains(strings.Split(f.pkg, "/"), "internal") {
			internal += f.lines
		}
	}

	if share := float64(internal) / float64(all); share > maxInternalShare {
		t.Errorf("%d of %d lines are in internal folders: %.2f%%, more than %.0f%%; move what others can use",
			internal, all, 100*share, 100*maxInternalShare)
	}
}

// TestArchitectureListsFolders checks that ARCHITECTURE.md lists each package, and no folder that does not exist.
func TestArchitectureListsFolders(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]bool{}
	for _, f := range load(t) {
		packages[cmp.Or(f.pkg, ".")] = true
	}
	packages["examples/library"] = true // a module of its own

	for _, wrong := range folderErrors(string(page), packages) {
		t.Error(wrong)
	}
}

// folderErrors compares the tables of folders in ARCHITECTURE.md with the packages of the module. The first cell of
// each line names the packages that the line describes.
func folderErrors(page string, packages map[string]bool) (wrong []string) {
	_, tables, _ := strings.Cut(page, "\n## Folders\n")
	tables, _, _ = strings.Cut(tables, "\n## ")
	listed := map[string]bool{}
	for line := range strings.Lines(tables) {
		cell, isRow := strings.CutPrefix(line, "| `")
		if !isRow {
			continue
		}
		cell, _, _ = strings.Cut(cell, "` |")
		for name := range strings.SplitSeq(cell, "`, `") {
			if !packages[name] {
				wrong = append(wrong, fmt.Sprintf("ARCHITECTURE.md lists %s, which is no package", name))
			}
			listed[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		if !listed[name] {
			wrong = append(wrong, "ARCHITECTURE.md does not list the package "+name)
		}
	}
	return wrong
}

// TestFolderErrors checks that every missing and every excess package is reported.
func TestFolderErrors(t *testing.T) {
	page := "`z`\n\n## Folders\n\n| package | purpose |\n|---|---|\n| `a`, `a/b` | uses `c` |\n| `gone` | x |\n\n" +
		"## B\n\n| `d` | y |\n"
	want := []string{"ARCHITECTURE.md lists gone, which is no package", "ARCHITECTURE.md does not list the package c",
		"ARCHITECTURE.md does not list the package d"}
	got := folderErrors(page, map[string]bool{"a": true, "a/b": true, "c": true, "d": true})
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
