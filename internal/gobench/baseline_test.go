package gobench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/plan"
)

// TestConcurrentSaves checks that saves at the same time do not take each other's temporary files, that those of killed
// saves are removed, and that those of saves under way are not.
func TestConcurrentSaves(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n", "brewput-runs/baselines/.old.1.tmp", "",
		"brewput-runs/baselines/.new.2.tmp", "", "brewput-runs/baselines/.partial", "")
	dir := filepath.Join(root, "brewput-runs", "baselines")
	past := time.Now().Add(-25 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, ".old.1.tmp"), past, past); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	var group sync.WaitGroup
	for name := range strings.SplitSeq("a b c d e f g h", " ") {
		group.Go(func() {
			for range 50 {
				if _, err := SaveBaseline(name, filepath.Join("brewput-runs", name)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()

	var names []string
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
		text, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		if name := e.Name(); len(name) == 1 && string(text) != name+"\n" {
			t.Errorf("%s is %q", name, text)
		}
	}
	if got := strings.Join(names, " "); err != nil || got != ".new.2.tmp .partial a b c d e f g h" {
		t.Errorf("%s, %v", got, err)
	}
}

// TestBaselineOfOtherPackage checks that a baseline is refused if none of its benchmarks can be measured again, and
// only then.
func TestBaselineOfOtherPackage(t *testing.T) {
	root := t.TempDir()
	test := "package p\n\nimport \"testing\"\n\nfunc Benchmark"
	write(t, root, "go.mod", "module example.com/m\n", "a/a_test.go", test+"A(b *testing.B) {}\n",
		"b/b_test.go", test+"B(b *testing.B) {}\n", "renamed/a_test.go", test+"A(b *testing.B) {}\n",
		"c/c_test.go", test+"CaféÄ(b *testing.B) {}\n")
	ofA := &Experiment{Package: "example.com/m/a", Benchmarks: []Benchmark{{Name: "A/size=1"}}}
	ofC := &Experiment{Package: "example.com/m/c", Benchmarks: []Benchmark{{Name: "CaféÄ"}}}
	ofAll := &Experiment{Package: "example.com/m/...", Benchmarks: []Benchmark{{Name: "a.A/x.y/z", Package: "a"}}}
	for _, c := range []struct {
		baseline *Experiment
		patterns string
		want     string // of the refusal; "" for none
	}{
		{ofA, "./a", ""},
		{ofA, "./renamed", ""},
		{ofC, "./c", ""},
		{ofA, "./b", "it is of example.com/m/a, and example.com/m/b has none of its benchmarks"},
		{ofA, "./...", "it is of example.com/m/a, and example.com/m/... has none of its benchmarks"},
		{ofA, "./missing", ""},
		{ofAll, "./...", ""},
		{ofAll, "./a ./b", ""},
		{ofAll, "./b ./renamed", "it is of example.com/m/..., and example.com/m/... has none of its benchmarks"},
	} {
		err := c.baseline.checkCommon(t.Context(), "against", "main",
			&Experiment{Patterns: strings.Fields(c.patterns), Dir: root})
		r := (*plan.Refusal)(nil)
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &r) || r.Field != "against" ||
			!strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %s: %v, want %q", c.baseline.Package, c.patterns, err, c.want)
		}
	}
}

// TestUnreadableBaseline checks that a baseline, or a package, that cannot be read is refused, and that an interrupt is
// not.
func TestUnreadableBaseline(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n", "brewput-runs/baselines/main/x", "", "a/a_test.go",
		"package a\n", "a/b_test.go/x", "")
	t.Chdir(root)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, unreadable := Baseline(t.Context(), "against", "main", nil, false)
	_, interrupted := Baseline(ctx, "against", "main", nil, false)
	directory := (&Experiment{Package: "example.com/m/a"}).checkCommon(t.Context(), "against", "main",
		&Experiment{Patterns: []string{"./a"}, Dir: root})
	for _, err := range []error{unreadable, directory} {
		if !errors.As(err, new(*plan.Refusal)) {
			t.Errorf("%v is not refused", err)
		}
	}
	if !errors.Is(interrupted, context.Canceled) || errors.As(interrupted, new(*plan.Refusal)) {
		t.Errorf("an interrupt: %v", interrupted)
	}
}

// TestBaselineOnFailedDisk checks that a baseline that a disk fails to read is not refused.
func TestBaselineOnFailedDisk(t *testing.T) {
	root := t.TempDir()
	write(t, root, "go.mod", "module example.com/m\n", "brewput-runs/baselines/run", "damaged\n",
		"brewput-runs/damaged/x", "")
	const failing = "/proc/self/mem" // no process has its first page, so that reading it fails with EIO
	err := errors.Join(os.Symlink(failing, filepath.Join(root, "brewput-runs", "baselines", "name")),
		os.Symlink(failing, filepath.Join(root, "brewput-runs", "damaged", "journal.ndjson")))
	if _, missing := os.Stat(failing); missing != nil || err != nil {
		t.Skip("this system has no file that cannot be read: ", missing, err)
	}
	t.Chdir(root)
	for _, name := range []string{"name", "run"} {
		_, err := Baseline(t.Context(), "against", name, nil, false)
		if !errors.Is(err, syscall.EIO) || errors.As(err, new(*plan.Refusal)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
