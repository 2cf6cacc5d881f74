package hook

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The hook collects what the environment requests, ends once, and is hidden from child processes.
func TestFromEnvironment(t *testing.T) {
	for kind, file := range map[Kind]string{Undisturbed: "", CPU: "cpu.pprof", Locks: "block.pprof", Heap: "heap.pprof",
		Trace: "trace.out"} {
		dir := t.TempDir()
		name, value, _ := strings.Cut(Request{Kind: kind, Duration: time.Hour, Bytes: 1 << 20, Dir: dir}.Variable(),
			"=")
		t.Setenv(name, value)
		var end func()
		if !brewputFromEnvironment(func(f func()) { end = f }) || end == nil {
			t.Fatalf("%s: nothing begins", kind)
		}
		if os.Getenv(name) != "" {
			t.Errorf("%s: others would collect too", kind)
		}
		end()
		end()
		text, err := os.ReadFile(filepath.Join(dir, End))
		if err != nil || !strings.Contains(string(text), "metric /gc/heap/allocs:objects ") ||
			!strings.Contains(string(text), "histogram /sched/latencies:seconds") {
			t.Errorf("%s: %v\n%.100s", kind, err, text)
		}
		if file != "" {
			if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if why, err := os.ReadFile(filepath.Join(dir, Error)); err == nil {
			t.Errorf("%s: %s", kind, why)
		}
	}
	if brewputFromEnvironment(nil) {
		t.Error("it collects though nobody asks")
	}
}

// A trace stops at its size limit and reports when.
func TestTraceLimit(t *testing.T) {
	dir := t.TempDir()
	end := Start(Request{Kind: Trace, Bytes: 1, Dir: dir})
	for began, c := time.Now(), make(chan int); time.Since(began) < 30*time.Second; {
		go func() { c <- 1 }()
		<-c
		if info, err := os.Stat(filepath.Join(dir, "trace.out")); err == nil && info.Size() > 0 {
			break
		}
	}
	end()
	text, err := os.ReadFile(filepath.Join(dir, End))
	if err != nil || !strings.Contains(string(text), "\nstopped ") {
		t.Errorf("%v: %.300s", err, text)
	}
}

// The source for a program is valid Go of its package, and its imports have unusual names.
func TestSource(t *testing.T) {
	for name, text := range map[string]string{"hook.go": Source("main"), "exit.go": ExitFile} {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if name == "exit.go" {
			continue
		}
		if f.Name.Name != "main" {
			t.Errorf("package %s", f.Name.Name)
		}
		for _, imp := range f.Imports {
			if imp.Name == nil || !strings.HasPrefix(imp.Name.Name, "hook") {
				t.Errorf("import %s could meet a name of the program", imp.Path.Value)
			}
		}
		for name := range f.Scope.Objects {
			if name != "_" && !strings.HasPrefix(name, "brewput") {
				t.Errorf("%s could meet a name of the program", name)
			}
		}
	}
}
