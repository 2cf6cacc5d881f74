package gobench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// benchmarkFile is a test file of a package with one benchmark.
func benchmarkFile(pkg, name string) string {
	return "package " + pkg + "\n\nimport \"testing\"\n\nfunc Benchmark" + name +
		"(b *testing.B) {\n\tfor b.Loop() {\n\t}\n}\n"
}

// TestRemovedPackages checks that packages that have benchmarks only in the base are listed as removed, also if one
// package is left, and that those that are a module of their own now are not. A run continues although its packages do
// not compile any more, or are gone.
func TestRemovedPackages(t *testing.T) {
	root := repository(t, "go.mod", "module example.com/m\n\ngo 1.24\n", "a/a_test.go", benchmarkFile("a", "A"),
		"b/b.go", "package b\n", "b/b_test.go", benchmarkFile("b", "B"), "c/c_test.go", benchmarkFile("c", "C"),
		"d/d_test.go", benchmarkFile("d", "D"))
	write(t, root, "d/go.mod", "module example.com/m/d\n\ngo 1.24\n")
	for _, gone := range []string{"b/b_test.go", "c"} {
		if err := os.RemoveAll(filepath.Join(root, gone)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, c := range map[string]struct {
		pkg     string // in names
		removed []string
	}{
		"./...": {pkg: "a", removed: []string{"b.B", "c.C"}},
		"./a":   {},
	} {
		os.Remove(filepath.Join(root, "a", "a.go")) // which does not compile
		cache := t.TempDir()
		w, err := OpenWorkshop(t.Context(), cache, "k")
		if err != nil {
			t.Fatal(err)
		}
		x := &Experiment{Patterns: []string{pattern}, Dir: root, Pattern: ".", BaseRev: "HEAD", Layouts: 1, Time: 1e6,
			Limit: 60e9}
		moved := 0
		b, err := Prepare(t.Context(), x, w, func(note string) {
			if strings.HasPrefix(note, "not measured: d belongs to another module") {
				moved++
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		var removed []string
		for _, n := range x.NotCompared() {
			removed = append(removed, n.Design)
			if n.Reason != result.Removed {
				t.Errorf("%s: %+v", pattern, n)
			}
		}
		if !slices.Equal(removed, c.removed) || len(x.Broken) > 0 || moved != min(1, len(removed)) {
			t.Errorf("%s: removed %q, broken %v, %d notes", pattern, removed, x.Broken, moved)
		}
		kept := filepath.Join(cache, "kept")
		if err := b.Keep(t.Context(), kept); err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		w.Close(t.Context())

		write(t, root, "a/a.go", "package a\n\nimport _ \"example.com/none\"\n")
		stored, err := ExperimentOf("run", &sweep.Header{Bench: raw})
		if err != nil {
			t.Fatal(err)
		}
		if w, err = OpenWorkshop(t.Context(), cache, "k"); err != nil {
			t.Fatal(err)
		}
		again, err := Restore(t.Context(), stored, w, kept, func(string) {})
		if err != nil {
			t.Fatalf("%s: %v", pattern, err)
		}
		tree, err := filepath.EvalSymlinks(filepath.Join(w.Dir, treeName))
		if err != nil {
			t.Fatal(err)
		}
		for rev, want := range map[string]string{Head: root, Base: tree} {
			if got := again.binary(Variant{Rev: rev, Package: c.pkg}).Dir; got != filepath.Join(want, "a") {
				t.Errorf("%s: the %s runs in %s", pattern, rev, got)
			}
		}
		w.Close(t.Context())
	}
}

// TestClaimedWhileClosed checks that closing a workshop leaves another process alone that claims it as soon as the lock
// is released.
func TestClaimedWhileClosed(t *testing.T) {
	cache := t.TempDir()
	a, err := OpenWorkshop(t.Context(), cache, "run")
	if err != nil {
		t.Fatal(err)
	}
	var next *Workshop
	lock := a.lock
	a.lock = closer(func() error {
		if err := lock.Close(); err != nil {
			return err
		}
		if next, err = OpenWorkshop(t.Context(), cache, "run"); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(next.Dir, "binary"), nil, 0o666)
	})
	if err := a.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !exists(filepath.Join(next.Dir, "binary")) || !exists(filepath.Join(next.Dir, lockName)) {
		t.Error("the files of the new owner are gone")
	}
	if err := next.Close(t.Context()); err != nil || exists(next.Dir) {
		t.Error(err)
	}
}

type closer func() error

func (c closer) Close() error { return c() }
