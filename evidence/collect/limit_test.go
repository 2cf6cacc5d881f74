package collect

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/hook"
)

// limitedCollector is a collector whose runs write an empty CPU profile.
func limitedCollector(t *testing.T, o Options) *collector {
	t.Helper()
	k := newCollector(&target{}, &Collected{Dir: t.TempDir(), Evidence: new(evidence.Evidence)}, t.TempDir(), o)
	k.runHooked = func(_ context.Context, r hook.Request, _ int) (outcome, error) {
		var profile bytes.Buffer
		err := pprof.StartCPUProfile(&profile)
		pprof.StopCPUProfile()
		return outcome{}, errors.Join(err, os.WriteFile(filepath.Join(r.Dir, "cpu.pprof"), profile.Bytes(), 0o600),
			os.WriteFile(filepath.Join(r.Dir, hook.End), []byte("wall 1\nend 0\n"), 0o600))
	}
	return k
}

// The CPU profile of short runs is repeated only until the time limit.
func TestRepetitionsTimeLimit(t *testing.T) {
	k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second})
	var steps []int
	k.opts.Step = func(done int) { steps = append(steps, done) }
	runs, do := 0, k.runHooked
	k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
		if runs++; runs == 3 {
			k.deadline = time.Now() // the limit is over now
		}
		return do(ctx, r, cpus)
	}
	if err := k.cpuProfile(t.Context(), 1); err != nil || runs != 3 ||
		!slices.Contains(k.skipped, "repetitions of the CPU profile") {
		t.Errorf("%d runs, left out %v, %v", runs, k.skipped, err)
	}
	if want := []int{0, 1, 2}; !slices.Equal(steps, want) {
		t.Errorf("steps %v, want %v", steps, want)
	}
}

// saveOld writes files to a directory as an earlier collection and the user do.
func saveOld(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{"cpu.pprof", "cpu-2.pprof", "cpu-40.pprof", "cpu-old.pprof", "heap.pprof",
		"mutex.pprof", "block.pprof", "goroutine.pprof", "trace.out", "text", "cmdline"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("user's"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// namesIn returns the names of the files in a directory.
func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A directory that keeps the files of a second collection has none of the first. Files of the user stay. A program
// without a hook may have written such files itself.
func TestKeptTwice(t *testing.T) {
	for _, c := range []struct {
		name    string
		collect func(*collector) error
		want    []string
	}{
		{"failed after the CPU profile", func(k *collector) error { return k.cpuProfile(t.Context(), 1) },
			[]string{"cmdline", "cpu-old.pprof", "cpu.pprof", "text"}},
		{"only the runs fit", func(k *collector) error { k.deadline = time.Now(); return k.collectAll(t.Context()) },
			[]string{"cmdline", "cpu-old.pprof", "text"}},
		{"no hook", func(k *collector) error {
			k.runHooked, k.runs[1] = nil, []plainRun{{}}
			return k.collectAll(t.Context())
		}, []string{"block.pprof", "cmdline", "cpu-2.pprof", "cpu-40.pprof", "cpu-old.pprof", "cpu.pprof",
			"goroutine.pprof", "heap.pprof", "mutex.pprof", "text", "trace.out"}},
	} {
		o := Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1}}
		k := limitedCollector(t, o)
		k.endless = true // one run is enough
		saveOld(t, k.Dir)
		if err := c.collect(k); err != nil {
			t.Fatal(err)
		}
		if names := namesIn(t, k.Dir); !slices.Equal(names, c.want) {
			t.Errorf("%s: %q, want %q", c.name, names, c.want)
		}
	}
}

// A directory with the name of a profile is refused before anything runs. What cannot be removed later is a note.
func TestKeptBesideDirectory(t *testing.T) {
	k := limitedCollector(t, Options{TimeLimit: time.Hour})
	at := filepath.Join(k.Dir, "trace.out")
	if err := os.MkdirAll(filepath.Join(at, "user's"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := newCollected(Options{Dir: k.Dir}, evidence.Program{}); err == nil ||
		!strings.Contains(err.Error(), at+" is a directory") {
		t.Errorf("%v", err)
	}
	k.deadline = time.Now()
	if err := k.collectAll(t.Context()); err != nil || !slices.ContainsFunc(k.Notes,
		func(n string) bool { return strings.Contains(n, "still there") && strings.Contains(n, at) }) {
		t.Errorf("notes %q, %v", k.Notes, err)
	}
}

// If no profile can be taken, a note names the older files, which are not of this run.
func TestKeptWithoutHook(t *testing.T) {
	k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1}})
	k.endless, k.runHooked, k.runs[1] = true, nil, []plainRun{{}}
	saveOld(t, k.Dir)
	for _, name := range []string{"cpu.pprof", "trace.out", "text"} {
		old := k.began.Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(k.Dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"heap.pprof", "mutex.pprof"} { // as the program writes them
		now := k.began.Add(time.Second)
		if err := os.Chtimes(filepath.Join(k.Dir, name), now, now); err != nil {
			t.Fatal(err)
		}
	}
	if err := k.collectAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := "these files in " + k.Dir + " are older: trace.out, "
	if i := slices.IndexFunc(k.Notes, func(n string) bool { return strings.Contains(n, want) }); i < 0 ||
		!strings.Contains(k.Notes[i], "cpu.pprof") || strings.Contains(k.Notes[i], "heap") ||
		strings.Contains(k.Notes[i], "text") {
		t.Errorf("notes %q", k.Notes)
	}
}

// A trace that cannot be read is a note, and not a file of the collection: there is no timeline.
func TestUnreadableTrace(t *testing.T) {
	k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second})
	k.runHooked = func(_ context.Context, r hook.Request, _ int) (outcome, error) {
		return outcome{}, errors.Join(os.WriteFile(filepath.Join(r.Dir, "trace.out"), []byte("milk"), 0o600),
			os.WriteFile(filepath.Join(r.Dir, hook.End), []byte("wall 1\nend 0\n"), 0o600))
	}
	if err := k.trace(t.Context(), 1); err != nil || len(k.Notes) != 1 ||
		!strings.Contains(k.Notes[0], "the trace cannot be used") {
		t.Errorf("notes %q, %v", k.Notes, err)
	}
	if line, err := k.Timeline(t.Context()); line != nil || err != nil || len(k.Files) > 0 {
		t.Errorf("files %v, timeline %v, %v", k.Files, line, err)
	}
}

// A run that was cut is no run of the whole program: its times are not compared with those of others.
func TestCutRuns(t *testing.T) {
	for _, c := range []struct {
		name    string
		cut     func(cpus, run int) bool
		endless bool
		want    map[int]int // runs by number of CPUs
	}{
		{"it ends", func(int, int) bool { return false }, false, map[int]int{1: 3, 2: 3}},
		{"too slow on one CPU", func(cpus, _ int) bool { return cpus == 1 }, false, map[int]int{2: 3}},
		{"once too slow on one CPU", func(cpus, run int) bool { return cpus == 1 && run == 2 }, false,
			map[int]int{2: 3}},
		{"once too slow on two", func(cpus, run int) bool { return cpus == 2 && run == 2 }, false,
			map[int]int{1: 3, 2: 3}},
		{"always too slow", func(int, int) bool { return true }, false, map[int]int{2: 1}},
		{"it does not end", func(int, int) bool { return true }, true, map[int]int{2: 1}},
	} {
		o := Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1, 2}}
		k := limitedCollector(t, o)
		if k.endless = c.endless; c.endless {
			k.cpuLevels = []int{2} // as firstRun sets it
		}
		runs, do := map[int]int{}, k.runHooked
		k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
			runs[cpus]++
			_, err := do(ctx, r, cpus)
			return outcome{wall: time.Second, cut: c.cut(cpus, runs[cpus])}, err
		}
		if err := errors.Join(k.runPlain(t.Context(), 2), k.repeat(t.Context())); err != nil {
			t.Fatal(err)
		}
		k.finish(2)
		got := map[int]int{}
		for _, r := range k.Evidence.Runs {
			got[r.CPUs] = r.Count
		}
		left := slices.ContainsFunc(k.Notes, func(n string) bool { return strings.Contains(n, "on 1 CPU: these runs") })
		if !maps.Equal(got, c.want) || left == (c.endless || c.want[1] > 0) {
			t.Errorf("%s: runs %v, want %v; notes %q", c.name, got, c.want, k.Notes)
		}
		if (k.Unfinished == time.Second) != left {
			t.Errorf("%s: a run on one CPU did not end within %v", c.name, k.Unfinished)
		}
	}
}

// Escape analysis ends by the time limit, or is left out.
func TestEscapesTimeLimit(t *testing.T) {
	k := limitedCollector(t, Options{TimeLimit: time.Hour})
	k.buildConfig, k.deadline = &buildConfig{dir: t.TempDir()}, time.Now().Add(-time.Second)
	k.addEscapes(t.Context())
	if k.Escapes != nil || !slices.Contains(k.skipped, "escape analysis") {
		t.Errorf("%v, left out %v", k.Escapes, k.skipped)
	}
}

// Builds count towards the time limit, with the hook and without, and the error names the limit.
func TestBuildTimeLimit(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.com/p\n\ngo 1.24\n"),
		0o600),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.TimeLimit = time.Nanosecond
	for _, args := range [][]string{{"go", "run", "."}, {"go", "test", "-bench", "."}} {
		if _, err := Command(t.Context(), dir, args, o); err == nil ||
			!strings.HasPrefix(err.Error(), "time-limit 1ns was over before") {
			t.Errorf("%q: %v", args, err)
		}
	}
	k := limitedCollector(t, o)
	k.buildConfig, k.deadline = &buildConfig{dir: dir, packages: []string{"."}}, time.Now().Add(-time.Second)
	if err := k.prepare(t.Context()); err == nil ||
		!strings.HasPrefix(err.Error(), "time-limit 1ns was over before") {
		t.Errorf("with a hook: %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("signal"))
	o.TimeLimit = time.Hour
	if _, err := Command(ctx, dir, []string{"go", "run", "."}, o); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// endingContext is cancelled once its error has been read some times.
type endingContext struct {
	context.Context
	left atomic.Int64
}

func (c *endingContext) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// untilDone calls do with contexts that end after more and more steps, until one lasts to the end. Every other call
// must fail with the error of its context.
func untilDone(t *testing.T, do func(context.Context) (done bool, err error)) {
	t.Helper()
	for steps := range int64(1000) {
		ctx := &endingContext{Context: t.Context()}
		ctx.left.Store(steps)
		done, err := do(ctx)
		if done != (err == nil) || err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("cancelled after %d steps: done %t, %v", steps, done, err)
		}
		if done {
			return
		}
	}
	t.Error("it never ends")
}

// An interrupt at any moment while a target is read is an error, and never a target without content.
func TestInterruptedReading(t *testing.T) {
	dir := saveEvidence(t)
	untilDone(t, func(ctx context.Context) (bool, error) {
		c, err := Files(ctx, []string{filepath.Join(dir, "a")})
		return c != nil, err
	})
	untilDone(t, func(ctx context.Context) (bool, error) {
		s, err := resolve(ctx, "", dir, []string{os.Args[0]}, nil)
		return s != nil, err
	})
}

// The first run leaves half of the time limit to the runs with evidence.
func TestFirstRunTimeLimit(t *testing.T) {
	path, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	o := Options{TimeLimit: 300 * time.Millisecond, Duration: time.Minute, CPUs: []int{1, 2}}
	k := limitedCollector(t, o)
	k.plain.path, k.plain.args = path, []string{"sleep", "5"}
	var steps []int
	k.opts.Step = func(done int) { steps = append(steps, done) }
	if err := k.firstRun(t.Context()); err != nil || !k.endless || k.window > o.TimeLimit ||
		!slices.Equal(steps, []int{0}) || !slices.Equal(k.cpuLevels, []int{2}) {
		t.Errorf("it was watched to its end: %v; other runs are watched for %v, on %v CPUs; steps %v; %v", !k.endless,
			k.window, k.cpuLevels, steps, err)
	}
}
