package collect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// sources are small programs.
var sources = map[string]string{
	"work": `package main

import "os"

var sink [][]byte

func burn() (x int) {
	for i := range 30_000_000 {
		x += i ^ x
	}
	return x
}

func allocate() {
	for range 20000 {
		sink = append(sink, make([]byte, 64))
	}
}

func main() {
	done := make(chan int)
	go func() { done <- burn() }()
	allocate()
	<-done
	os.Exit(3)
}
`,
	"crash": `package main

func main() { panic("the milk is sour") }
`,
	"endless": `package main

import (
	"fmt"
	"os"
	"os/exec"
)

func main() {
	child := exec.Command("sleep", "300")
	child.Start()
	f, _ := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	fmt.Fprintln(f, os.Getpid())
	fmt.Fprintln(f, child.Process.Pid)
	if len(os.Args) > 2 {
		os.OpenFile(os.Args[2], os.O_WRONLY, 0)
	}
	for {
	}
}
`,
	"counts": `package main

import (
	"fmt"
	"io"
	"os"
)

func main() {
	text, _ := io.ReadAll(os.Stdin)
	fmt.Println(len(text))
	if string(text) != os.Args[1] {
		panic("not what was given")
	}
}
`,
	"bench": `package main

import "testing"

func BenchmarkBurn(b *testing.B) {
	for range b.N {
		burn()
	}
}

func BenchmarkTwice(b *testing.B) {
	for range b.N {
		burn()
		burn()
	}
}
`,
}

// programs returns a module with packages of the sources, and the directory of the binaries.
func programs(t *testing.T, names ...string) (root string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles")
	}
	t.Setenv("GOFLAGS", "")
	root = t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	write(t, filepath.Join(root, "go.mod"), "module example.com/shop\n\ngo 1.24\n")
	for _, name := range names {
		write(t, filepath.Join(root, name, "main.go"), sources[name])
		cmd := exec.Command("go", "build", "-o", filepath.Join(root, name+".bin"), "./"+name)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// filesBelow returns the files below a directory.
func filesBelow(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func quick() Options {
	o := DefaultOptions()
	o.CPUs, o.Duration = []int{1}, 5*time.Second
	return o
}

// functions returns the user's functions of a profile, with their values.
func functions(p evidence.Profile, value int) map[string]int64 {
	m := map[string]int64{}
	for _, s := range p.Samples {
		for _, f := range s.Stack {
			if strings.HasPrefix(f.Function, "main.") {
				m[f.Function] += s.Values[value]
				break
			}
		}
	}
	return m
}

// A program that ends by os.Exit yields all kinds of evidence, and nothing is left in its source tree or elsewhere.
func TestCommand(t *testing.T) {
	root := programs(t, "work")
	before := filesBelow(t, root)
	for _, args := range [][]string{
		{filepath.Join(root, "work.bin")}, {"go", "run", "./work"},
		{"go", "run", filepath.Join(root, "work", "main.go")},
	} {
		c, err := Command(t.Context(), root, args, quick())
		if err != nil {
			t.Fatal(args, err)
		}
		if c.Trace == nil || len(c.Trace.Classes) == 0 || c.Trace.Duration <= 0 {
			t.Errorf("%v: no trace: %+v", args, c.Notes)
		}
		found := map[evidence.ProfileKind]evidence.Profile{}
		for _, p := range c.Profiles {
			found[p.Kind] = p
		}
		if len(found) != 5 || len(c.Profiles) != 5 {
			t.Errorf("%v: %d profiles, of %d kinds", args, len(c.Profiles), len(found))
		}
		if of := functions(found[evidence.CPU], 0); of["main.burn"] < 5 {
			t.Errorf("%v: CPU samples %v", args, of)
		}
		// One of 20000 allocations of 64 bytes is sampled each 2048 bytes: 625 of them, +-4%.
		if of := functions(found[evidence.Heap], 0); of["main.allocate"] < 16000 || of["main.allocate"] > 26000 {
			t.Errorf("%v: allocations %v", args, of)
		}
		r := c.Runs[0]
		if len(c.Runs) != 1 || r.CPUs != 1 || r.Count < 3 || r.Wall <= 0 || r.User <= 0 || r.Reads <= 0 ||
			r.Metrics["/gc/heap/allocs:objects"] < 20000 {
			t.Errorf("%v: runs %+v", args, c.Runs)
		}
		if !slices.ContainsFunc(c.Escapes, func(e evidence.Escape) bool {
			return e.File == filepath.Join(root, "work", "main.go") && e.Line == 16 &&
				strings.Contains(e.Reason, "escapes to heap")
		}) {
			t.Errorf("%v: escapes %v", args, c.Escapes)
		}
		if got := c.Program.Source(filepath.Join(root, "work", "main.go"),
			16); got != "sink = append(sink, make([]byte, 64))" {
			t.Errorf("%v: line 16 is %q", args, got)
		}
		if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "exit code 3") }) {
			t.Errorf("%v: nothing is said of the exit code: %q", args, c.Notes)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if after := filesBelow(t, root); !slices.Equal(before, after) {
		t.Errorf("the tree has other files now: %q", after)
	}
	if rest := filesBelow(t, os.TempDir()); len(rest) > 0 {
		t.Errorf("left behind: %q", rest)
	}
}

// A program without source is run without a hook.
func TestWithoutSource(t *testing.T) {
	root := programs(t, "work")
	if err := os.RemoveAll(filepath.Join(root, "work")); err != nil {
		t.Fatal(err)
	}
	c, err := Command(t.Context(), root, []string{filepath.Join(root, "work.bin")}, quick())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Profiles) != 0 || c.Trace != nil || len(c.Runs) != 1 || c.Runs[0].Wall <= 0 {
		t.Errorf("%d profiles, %+v", len(c.Profiles), c.Runs)
	}
	if !slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, "StartCPUProfile") }) {
		t.Errorf("nothing says what to write: %q", c.Notes)
	}
}

// A module may be of an older version of the language than the hook.
func TestOldModule(t *testing.T) {
	root := programs(t, "work")
	write(t, filepath.Join(root, "go.mod"), "module example.com/shop\n\ngo 1.12\n")
	write(t, filepath.Join(root, "work", "main.go"), strings.NewReplacer("range 30_000_000", "0; i < 30000000; i++",
		"range 20000", "i := 0; i < 20000; i++").Replace(sources["work"]))
	c, err := Command(t.Context(), root, []string{filepath.Join(root, "work.bin")}, quick())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Profiles) == 0 {
		t.Errorf("no profile: %q", c.Notes)
	}
}

func TestFirstError(t *testing.T) {
	for text, want := range map[string]string{"# shop\nmain.go:3: syntax error\n": "main.go:3: syntax error",
		"no Go files": "no Go files", "# shop": "# shop",
		"go: downloading example.com/x v1.2.3\ngo: warning: ignoring\ngo: example.com/x@v1.2.3: not found": "go: " +
			"example.com/x@v1.2.3: not found"} {
		if got := firstError(errors.New(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestBenchmark(t *testing.T) {
	root := programs(t, "work")
	write(t, filepath.Join(root, "work", "work_test.go"), sources["bench"])
	c, err := Command(t.Context(), root, []string{"go", "test", "./work", "-bench=Burn", "-benchtime", "5x"}, quick())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Runs[0].Operations != 5 || c.Program.Name != "BenchmarkBurn" || c.Trace == nil {
		t.Errorf("%s: %+v", c.Program.Name, c.Runs)
	}
	// benchmarks that run for a time do more on more CPUs
	for time, levels := range map[string]int{"10ms": 1, "5x": 2} {
		o := quick()
		o.CPUs = []int{1, 2}
		c, err := Command(t.Context(), root, []string{"go", "test", "./work", "-bench=.", "-benchtime", time}, o)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if len(c.Runs) != levels || !c.Program.MultipleBenchmarks {
			t.Errorf("two benchmarks for %s: %+v", time, c.Runs)
		}
	}
	if _, err := Command(t.Context(), root, []string{"go", "test", "./work", "-bench=Nothing"}, quick()); err == nil ||
		!strings.Contains(err.Error(), "no benchmark") {
		t.Errorf("no benchmark matches, and the error is %v", err)
	}
}

func TestCrash(t *testing.T) {
	root := programs(t, "crash")
	_, err := Command(t.Context(), root, []string{filepath.Join(root, "crash.bin")}, quick())
	var f *Failure
	if !errors.As(err, &f) || !strings.Contains(err.Error(), "panic: the milk is sour") {
		t.Errorf("%v", err)
	}
	if rest := filesBelow(t, os.TempDir()); len(rest) > 0 {
		t.Errorf("left behind: %q", rest)
	}
}

// ended waits until the processes whose IDs are in a file have ended. Zombies count as ended.
func gone(t *testing.T, pids string) {
	t.Helper()
	text, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		t.Fatal("nothing ran")
	}
	for _, field := range fields {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		if stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); strings.Contains(string(stat), ") Z ") {
			continue
		}
		if syscall.Kill(pid, 0) == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

// A program without end is watched for a time, and then ended with its child processes.
func TestEndless(t *testing.T) {
	root := programs(t, "endless")
	pids := filepath.Join(root, "pids")
	o := quick()
	o.Duration = 300 * time.Millisecond
	c, err := Command(t.Context(), root, []string{filepath.Join(root, "endless.bin"), pids}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.Trace == nil || len(c.Profiles) != 5 {
		t.Errorf("trace %t, %d profiles: %q", c.Trace != nil, len(c.Profiles), c.Notes)
	}
	gone(t, pids)
}

// An interrupt ends the program with its child processes.
func TestInterrupted(t *testing.T) {
	root := programs(t, "endless")
	pids := filepath.Join(root, "pids")
	ctx, cancel := context.WithCancel(t.Context())
	o := quick()
	ready := filepath.Join(root, "ready")
	if err := syscall.Mkfifo(ready, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() { // opening waits until the program opens it too
		if f, err := os.Open(ready); err == nil {
			f.Close()
		}
		cancel()
	}()
	if _, err := Command(ctx, root, []string{filepath.Join(root, "endless.bin"), pids, ready}, o); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	gone(t, pids)
	if rest := filesBelow(t, os.TempDir()); len(rest) > 0 {
		t.Errorf("left behind: %q", rest)
	}
}

// Every run reads the same standard input.
func TestStdin(t *testing.T) {
	root := programs(t, "counts")
	in, err := os.Open(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	want, _ := os.ReadFile(in.Name())
	path, remark, err := copyStdin(t.Context(), in, t.TempDir())
	if err != nil || remark != "" {
		t.Fatal(remark, err)
	}
	o := quick()
	o.Stdin = path
	c, err := Command(t.Context(), root, []string{filepath.Join(root, "counts.bin"), string(want)}, o)
	if err != nil {
		t.Fatal(err)
	}
	c.Close()

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w.WriteString("beans")
	w.Close()
	path, remark, err = copyStdin(t.Context(), r, t.TempDir())
	if got, _ := os.ReadFile(path); err != nil || remark != "" || string(got) != "beans" {
		t.Errorf("a pipe: %q, %q, %v", got, remark, err)
	}
	r, w, err = os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	defer r.Close()
	if path, remark, err = copyStdin(t.Context(), r, t.TempDir()); path != "" ||
		!strings.Contains(remark, "was empty for a second") || err != nil {
		t.Errorf("an open pipe: %q, %q, %v", path, remark, err)
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	if path, remark, err = copyStdin(t.Context(), null, t.TempDir()); path != "" || remark != "" || err != nil {
		t.Errorf("nothing: %q, %q, %v", path, remark, err)
	}
}
