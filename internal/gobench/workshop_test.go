package gobench

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository creates a repository of files, given by path and text in turn, commits them, and returns its root.
func repository(t *testing.T, files ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, kv := range []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b", "GOFLAGS="} {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, files...)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "base"}} {
		if _, err := git(t.Context(), root, args...); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func write(t *testing.T, root string, files ...string) {
	t.Helper()
	for i := 0; i < len(files); i += 2 {
		path := filepath.Join(root, files[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// worktrees returns the number of worktrees of a repository, including its own.
func worktrees(t *testing.T, root string) int {
	t.Helper()
	out, err := git(t.Context(), root, "worktree", "list")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(out), "\n")
}

// TestLeftBehind checks that the worktree of a killed process is removed by the next workshop, for any run. A
// running process keeps its own.
func TestLeftBehind(t *testing.T) {
	root := repository(t, "a.txt", "a")
	t.Setenv("GIT_DIR", filepath.Join(t.TempDir(), "other")) // as if a git hook started this process
	t.Setenv("GIT_INDEX_FILE", filepath.Join(t.TempDir(), "index"))
	cache := t.TempDir()
	open := func(key string) *Workshop {
		w, err := OpenWorkshop(t.Context(), cache, key)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	checkout := func(w *Workshop) string {
		tree, err := w.Checkout(t.Context(), Repo{root}, "HEAD")
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	working, killed := open("working"), open("killed")
	kept, left := checkout(working), checkout(killed)
	os.Mkdir(filepath.Join(left, "made"), 0o777)
	os.WriteFile(filepath.Join(left, "made", "file"), nil, 0o666)
	os.Chmod(filepath.Join(left, "made"), 0o555)
	killed.lock.Close() // as the kernel does when the process dies
	if n := worktrees(t, root); n != 3 {
		t.Fatalf("%d worktrees", n)
	}
	next := open("next")
	if exists(left) || exists(killed.Dir) || !exists(kept) || worktrees(t, root) != 2 {
		t.Errorf("left behind: %v, of the other: %v, worktrees %d", exists(left), exists(kept), worktrees(t, root))
	}
	// A cancelled context does not prevent the cleanup.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, w := range []*Workshop{working, next} {
		if err := w.Close(ctx); err != nil {
			t.Error(err)
		}
	}
	if exists(kept) || worktrees(t, root) != 1 {
		t.Errorf("%d worktrees after all were closed", worktrees(t, root))
	}
	if entries, _ := os.ReadDir(filepath.Join(cache, "bench")); len(entries) > 0 {
		t.Errorf("%v is left", entries)
	}
}

// TestSameKey checks that a continued run gets the same workshop, and that two processes cannot have it at
// once.
func TestSameKey(t *testing.T) {
	cache := t.TempDir()
	a, err := OpenWorkshop(t.Context(), cache, "run")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // only one attempt
	if _, err := OpenWorkshop(ctx, cache, "run"); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a second: %v", err)
	}
	dir := a.Dir
	a.Close(t.Context())
	b, err := OpenWorkshop(t.Context(), cache, "run")
	if err != nil || b.Dir != dir {
		t.Fatalf("%v, not %v: %v", b, dir, err)
	}
	b.Close(t.Context())
}

// TestCheckouts checks that modules beside the repository, workspaces and vendored modules are found from the
// worktree. Modules within the repository come from the base.
func TestCheckouts(t *testing.T) {
	const test = "package p\n\nimport (\"testing\"; \"example.com/in\"; \"example.com/out\")\n\nfunc BenchmarkB(b " +
		"*testing.B) { for b.Loop() { _ = in.N + out.N }; b.ReportMetric(in.N, \"in\"); " +
		"b.ReportMetric(out.N, \"out\") }\n"
	const in, out = "module example.com/in\n\ngo 1.24\n", "module example.com/out\n\ngo 1.24\n"
	const replaced = "module example.com/p\n\ngo 1.24\n\nrequire (\n\texample.com/in v0.0.0\n\texample.com/out " +
		"v0.0.0\n)\n\nreplace (\n\texample.com/in => ../in\n\texample.com/out => ../../outside/out\n)\n"
	const vendored = "# example.com/in v0.0.0 => ../in\n## explicit; go 1.24\nexample.com/in\n# example.com/out " +
		"v0.0.0 => ../../outside/out\n## explicit; go 1.24\nexample.com/out\n" +
		"# example.com/in => ../in\n# example.com/out => ../../outside/out\n"
	for name, c := range map[string]struct {
		changed string // the file of package in that the head has changed
		files   []string
	}{
		"replace": {"in/in.go", []string{"p/go.mod", replaced, "in/go.mod", in}},
		"work": {"in/in.go", []string{"p/go.mod", "module example.com/p\n\ngo 1.24\n", "go.work",
			"go 1.24\n\nuse (\n\t./p\n\t./in\n\t../outside/out\n)\n", "in/go.mod", in}},
		"vendor": {"p/vendor/example.com/in/in.go", []string{"p/go.mod", replaced, "p/vendor/modules.txt", vendored,
			"p/vendor/example.com/out/out.go", "package out\n\nconst N = 7\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := repository(t, append(c.files, "r/p.go", "package r\n", "p/p_test.go", test, c.changed,
				"package in\n\nconst N = 1\n")...)
			outside := filepath.Join(filepath.Dir(root), "outside")
			if name != "vendor" {
				write(t, outside, "out/go.mod", out, "out/out.go", "package out\n\nconst N = 7\n")
			}
			write(t, root, c.changed, "package in\n\nconst N = 2\n")
			w, err := OpenWorkshop(t.Context(), t.TempDir(), "k")
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close(t.Context())
			x := &Experiment{Package: "./p", Dir: root, Pattern: ".", BaseRev: "HEAD", Layouts: 1, Time: 1e6,
				Limit: 60e9}
			b, err := Prepare(t.Context(), x, w, func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			for rev, want := range map[string]float64{Base: 1, Head: 2} {
				binary := Binary{filepath.Join(w.Dir, Variant{Rev: rev}.file()), b.checkouts[rev].Dir, w.Dir}
				e, err := binary.run(t.Context(), nil, 60e9, "-test.bench=.", "-test.run=^$", "-test.benchtime=1x",
					"-test.cpu=1", "-test.v")
				lines := Parse(e.stdout, 1)
				if err != nil || len(lines) != 1 || lines[0].Values["in"] != want || lines[0].Values["out"] != 7 {
					t.Errorf("%s: %+v %v %s", rev, lines, err, e.stderr)
				}
			}
			if status, _ := git(t.Context(), root, "status", "--porcelain"); string(status) != " M "+c.changed+"\n" {
				t.Errorf("the tree changed: %s", status)
			}
		})
	}
}

// TestOwnersWorktree checks that a worktree of the user that is missing while a workshop comes and goes is not
// forgotten.
func TestOwnersWorktree(t *testing.T) {
	root := repository(t, "a", "1")
	repo, ctx := Repo{root}, t.Context()
	theirs := filepath.Join(filepath.Dir(root), filepath.Base(root)+"-theirs")
	away := theirs + "-away"
	t.Cleanup(func() { os.RemoveAll(theirs); os.RemoveAll(away) })
	if _, err := git(ctx, root, "worktree", "add", "-q", "--detach", theirs, "HEAD"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(theirs, away); err != nil {
		t.Fatal(err)
	}
	w, err := OpenWorkshop(ctx, t.TempDir(), "key")
	if err != nil {
		t.Fatal(err)
	}
	commit, err := repo.Commit(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := w.Checkout(ctx, repo, commit)
	if err != nil {
		t.Fatal(err)
	}
	if n := worktrees(t, root); n != 3 {
		t.Fatalf("%d worktrees, want 3", n)
	}
	// Git does not remove this by itself, because its tree is gone.
	if err := os.RemoveAll(tree); err != nil {
		t.Fatal(err)
	}
	if _, err := git(ctx, root, "worktree", "lock", tree); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if n := worktrees(t, root); n != 2 {
		t.Errorf("%d worktrees afterwards, want 2: the repository's and the owner's", n)
	}
	if err := os.Rename(away, theirs); err != nil {
		t.Fatal(err)
	}
	if _, err := git(ctx, theirs, "status"); err != nil {
		t.Errorf("the owner's worktree is lost: %v", err)
	}
}

// TestNewModuleInWorkspace checks that the workspace of the base leaves out a directory that is no module there yet.
func TestNewModuleInWorkspace(t *testing.T) {
	root := repository(t, "go.mod", "module example.com/m\n\ngo 1.24\n", "x/x.go", "package x\n")
	work := filepath.Join(root, "go.work")
	write(t, root, "x/go.mod", "module example.com/m/x\n\ngo 1.24\n", "go.work", "go 1.24\n\nuse (\n\t.\n\t./x\n)\n")
	w, err := OpenWorkshop(t.Context(), t.TempDir(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	repo, err := FindRepo(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	commit, err := repo.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := w.Checkout(t.Context(), repo, commit)
	if err != nil {
		t.Fatal(err)
	}
	file, err := workFile(t.Context(), w, repo, tree, work)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), tree, []string{"GOWORK=" + file}, "go", "list", "./..."); err != nil {
		t.Error(err)
	}
}

// TestNewModule checks that a package that another module has in the base is found there.
func TestNewModule(t *testing.T) {
	root := repository(t, "go.mod", "module example.com/m\n\ngo 1.24\n", "x/x.go", "package x\n")
	w, err := OpenWorkshop(t.Context(), t.TempDir(), "k")
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	at := Target{Dir: filepath.Join(root, "x"), GoMod: filepath.Join(root, "x", "go.mod")}
	c, err := at.Base(t.Context(), w, Repo{Root: root}, root) // a worktree without x/go.mod
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(t.Context(), c.Dir, c.env, "go", "list", "-m")
	if err != nil || strings.TrimSpace(string(out)) != "example.com/m" {
		t.Errorf("%s, %v", out, err)
	}
}
