package cli_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/brewput/brewput/tools/repository"
)

// benchRepository makes a repository with a benchmark whose base differs from the head.
func benchRepository(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles")
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	root := t.TempDir()
	files := map[string]string{"go.mod": "module example.com/r\n\ngo 1.24\n",
		"r_test.go": "package r\n\nimport \"testing\"\n\nfunc BenchmarkR(b *testing.B) { for b.Loop() {} }\n"}
	err := errors.Join(repository.Make(t.Context(), root, files),
		repository.Write(root, map[string]string{"r.go": "package r\n"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	t.Setenv("GOFLAGS", "")
	return root
}

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// TestBenchStopped checks that a run of benchmarks that is interrupted or killed leaves no process and can be
// continued. The worktree of its base is removed at once, or by the next run.
func TestBenchStopped(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		code   int // -1: it was killed
		left   int // worktrees other than the repository's own
	}{{"interrupt", syscall.SIGINT, 130, 0}, {"kill", syscall.SIGKILL, -1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			root := benchRepository(t)
			t.Setenv("XDG_CACHE_HOME", cacheFor(t))
			dir := filepath.Join(t.TempDir(), "run")
			cmd, markOf := command(t, "bench", "--base", "HEAD", "--cpus", "1", "--count", "3", "--duration", "300ms",
				"--save", "before", "-o", dir)
			stderr := begun(t, cmd, "stored in")
			cmd.Process.Signal(c.signal)
			said, _ := io.ReadAll(stderr)
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.code {
				t.Fatalf("exit %d:\n%s", got, said)
			}
			if strings.Contains(string(said), "stored in") {
				t.Errorf("it claims to be complete:\n%s", said)
			}
			hint := " bench --resume " + dir + " --save before\n"
			if c.code == 130 && !strings.Contains(string(said), hint) {
				t.Errorf("it does not say %q:\n%s", hint, said)
			}
			wantNoOrphan(t, markOf)
			if n := strings.Count(gitIn(t, root, "worktree", "list"), "\n") - 1; n != c.left {
				t.Errorf("%d worktrees are left", n)
			}
			again, _ := command(t, "bench", "--resume", dir, "--save", "before")
			out, err := again.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range []string{"later changes of the source are not measured",
				"saved as baseline before in "} {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q:\n%s", want, out)
				}
			}
			wantWhole(t, dir, 3, 2)
			if n := strings.Count(gitIn(t, root, "worktree", "list"), "\n"); n != 1 {
				t.Errorf("%d worktrees in the end", n)
			}
			if status := gitIn(t, root, "status", "--porcelain"); status != "?? r.go\n" {
				t.Errorf("the tree changed:\n%s", status)
			}
		})
	}
}

// TestBenchAgainstStopped checks that an interrupted run can be compared with its baseline when it continues, although
// the source no longer has a benchmark of the baseline.
func TestBenchAgainstStopped(t *testing.T) {
	root := benchRepository(t)
	t.Setenv("XDG_CACHE_HOME", cacheFor(t))
	dir := t.TempDir()
	saved, _ := command(t, "bench", "--cpus", "1", "--count", "2", "--duration", "1ms", "--save", "before", "-o",
		filepath.Join(dir, "before"))
	if out, err := saved.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := filepath.Join(dir, "run")
	cmd, _ := command(t, "bench", "--cpus", "1", "--count", "3", "--duration", "300ms", "--against", "before", "-o",
		run)
	stderr := begun(t, cmd, "stored in")
	cmd.Process.Signal(syscall.SIGINT)
	said, _ := io.ReadAll(stderr)
	cmd.Wait()
	if hint := " bench --resume " + run + " --against before\n"; !strings.Contains(string(said), hint) {
		t.Errorf("it does not say %q:\n%s", hint, said)
	}
	// If the comparison itself fails, the advice is not to repeat it.
	other := filepath.Join(dir, "other")
	failing, _ := command(t, "bench", "--count", "1", "--cpus", "1", "--duration", "1ms", "--against", "before",
		"--save", "after", "-o", other)
	out, err := failing.CombinedOutput()
	if advice := " bench --resume " + other + " --save after\n"; err == nil || !strings.Contains(string(out), advice) {
		t.Errorf("%v; it does not say %q:\n%s", err, advice, out)
	}

	if err := repository.Write(root, map[string]string{"r_test.go": "package r\n\nimport \"testing\"\n\n" +
		"func BenchmarkNew(b *testing.B) {}\n"}); err != nil {
		t.Fatal(err)
	}
	again, _ := command(t, "bench", "--resume", run, "--against", "before")
	if out, err := again.CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "compared with baseline before, ") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestBenchStoppedEarly checks that an interrupt during compilation names that step, and leaves neither worktree nor
// run directory.
func TestBenchStoppedEarly(t *testing.T) {
	t.Run("bench", func(t *testing.T) { stopEarly(t, "bench") })
	t.Run("gate", func(t *testing.T) { stopEarly(t, "gate", "--max-regression", "5%") })
}

func stopEarly(t *testing.T, args ...string) {
	root := benchRepository(t)
	cache := cacheFor(t)
	t.Setenv("XDG_CACHE_HOME", cache)
	dir := filepath.Join(t.TempDir(), "run")
	cmd, markOf := command(t, append(args, "--base", "HEAD", "-o", dir)...)
	stderr := begun(t, cmd, "\nbuilding")
	cmd.Process.Signal(syscall.SIGINT)
	said, _ := io.ReadAll(stderr)
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Fatalf("exit %d:\n%s", got, said)
	}
	want := "brewput: interrupted while the benchmarks were built; nothing is stored yet\n"
	if !strings.HasSuffix(string(said), "\n"+want) {
		t.Errorf("it prints %q at the end, want %q", said, want)
	}
	wantNoOrphan(t, markOf)
	if n := strings.Count(gitIn(t, root, "worktree", "list"), "\n"); n != 1 {
		t.Errorf("%d worktrees are left", n)
	}
	left, _ := filepath.Glob(filepath.Join(cache, "brewput", "bench", "*"))
	if _, err := os.Stat(dir); err == nil || len(left) > 0 {
		t.Errorf("%s is there (%v), in the cache there is %v", dir, err, left)
	}
}

// cacheFor returns a cache directory of the test's own that shares the go command's build cache.
func cacheFor(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	return t.TempDir()
}
