package collect

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/hook"
)

// hooked is a runHooked that fails.
func hooked(context.Context, hook.Request, int) (outcome, error) {
	return outcome{}, errors.New("down")
}

// The number of runs follows from the constants of the collection.
func TestPlannedRuns(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name            string
		levels          int
		hooked, endless bool
		wall, cpu       time.Duration
		least, most     int
	}{
		// once as it is; CPU profiles; trace, locks and heap; without a profiler
		{"brief, idle", 2, true, false, 50 * ms, 0, 1 + 40 + 3 + 2*3, 1 + 40 + 3 + 2*10},
		{"brief", 2, true, false, 50 * ms, 100 * ms, 1 + 20 + 3 + 2*3, 1 + 20 + 3 + 2*10},
		{"half a second", 2, true, false, 500 * ms, 900 * ms, 1 + 3 + 3 + 2*3, 1 + 3 + 3 + 2*5},
		{"half a second, little CPU time", 2, true, false, 500 * ms, 10 * ms, 1 + 11 + 3 + 2*3, 1 + 11 + 3 + 2*5},
		{"long", 1, true, false, 8 * time.Second, 8 * time.Second, 1 + 1 + 3 + 3, 1 + 1 + 3 + 3},
		{"endless", 2, true, true, 3 * time.Second, 3 * time.Second, 1 + 1 + 3 + 1, 1 + 1 + 3 + 1},
		{"without a hook", 2, false, false, 500 * ms, 500 * ms, 2 * 3, 2 * 5},
		{"without a hook, endless", 2, false, true, 3 * time.Second, 0, 1, 1},
	} {
		k := &collector{target: &target{}, cpuLevels: make([]int, c.levels), endless: c.endless}
		if c.hooked {
			k.runHooked = hooked
		}
		if least, most := k.plannedRuns(c.wall, c.cpu); least != c.least || most != c.most {
			t.Errorf("%s: %d to %d runs, want %d to %d", c.name, least, most, c.least, c.most)
		}
		k.opts.Quick = true
		if _, got := k.plannedRuns(max(c.wall, time.Second), time.Second); c.hooked && got > 4 {
			t.Errorf("%s: a quick collection has %d runs", c.name, got)
		}
	}
}

func TestAnnounce(t *testing.T) {
	var lines []string
	o := DefaultOptions()
	o.Progress = func(line string) { lines = append(lines, line) }
	k := &collector{target: &target{plain: program{args: []string{"./prog", "-n", "1"}}}, opts: o, window: o.Duration,
		cpuLevels: []int{1, 2}, runHooked: hooked, ran: 28, began: time.Now()}
	k.announce("./prog")
	k.announceRest(500*time.Millisecond, time.Second)
	k.summarize()
	k.opts.Quick, k.cpuLevels = true, []int{2}
	k.announce("./prog")
	k.announceRest(500*time.Millisecond, 2*time.Second)
	want := []string{"./prog: 6 to 64 runs, depending on how long one takes, in up to 3m",
		"it takes 500ms: about 12 to 16 runs in all, in about 7.5s", "./prog -n 1: 28 runs in 0s",
		"./prog: 3 to 42 runs, depending on how long one takes, in up to 4s",
		"it takes 500ms: about 3 runs in all, in about 1s"}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s", got)
	}
}

// A quick collection takes a CPU profile and a trace at the most CPUs, and its first run counts.
func TestQuick(t *testing.T) {
	var kinds []hook.Kind
	o := Options{TimeLimit: time.Hour, Duration: time.Second, Quick: true, CPUs: []int{1, 2}}
	k := limitedCollector(t, o)
	do := k.runHooked
	k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
		kinds = append(kinds, r.Kind)
		if cpus != 2 {
			t.Errorf("it runs on %d CPUs", cpus)
		}
		return do(ctx, r, cpus)
	}
	k.runs[2] = []plainRun{{outcome{wall: time.Second}, nil}}
	k.deadline = time.Now().Add(time.Hour)
	k.limitQuick()
	if left := time.Until(k.deadline); left > QuickLimit {
		t.Errorf("%v are left", left)
	}
	k.deadline = time.Now().Add(time.Hour) // the test takes as long as it needs
	if err := k.collectAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	kinds = slices.Compact(kinds) // the empty profiles are repeated
	if want := []hook.Kind{hook.CPU, hook.Trace}; !slices.Equal(kinds, want) || len(k.Evidence.Runs) != 1 ||
		k.Evidence.Runs[0].CPUs != 2 || k.Escapes != nil {
		t.Errorf("runs %v, evidence %+v", kinds, k.Evidence.Runs)
	}
}

// The first answer comes within three runs: after the first one, a CPU profile and a trace.
func TestFirstAnswer(t *testing.T) {
	var first []evidence.Run
	var kinds, before []hook.Kind
	k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1, 2}})
	do := k.runHooked
	k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
		kinds = append(kinds, r.Kind)
		e, err := do(ctx, r, cpus)
		for _, name := range []string{"mutex.pprof", "block.pprof", "heap.pprof", "goroutine.pprof"} { // empty
			profile, _ := os.ReadFile(filepath.Join(r.Dir, "cpu.pprof"))
			err = errors.Join(err, os.WriteFile(filepath.Join(r.Dir, name), profile, 0o600))
		}
		return e, err
	}
	k.opts.First = func(c *Collected) {
		before, first = slices.Clone(kinds), c.Runs
		if len(c.Profiles) != 1 {
			t.Errorf("profiles %+v", c.Profiles)
		}
	}
	if err := k.answerFirst(t.Context(), 2); err != nil || before != nil {
		t.Errorf("an answer without a profile: %v, %v", before, err)
	}
	k.first = &plainRun{outcome{wall: time.Second}, nil}
	if err := k.collectAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []hook.Kind{hook.CPU, hook.Trace}; !slices.Equal(before, want) || len(first) != 1 ||
		first[0].Wall != time.Second || first[0].CPUs != 2 {
		t.Errorf("runs %v before an answer from %+v", before, first)
	}
	// The first run had no hook, so that it is none of those without a profiler.
	if r := k.Evidence.Runs; len(r) != 2 || r[0].Wall == time.Second || r[0].Count != settledRuns ||
		r[1].Count != settledRuns {
		t.Errorf("runs %+v", r)
	}
	// The profile goes on after the answer.
	if n := len(k.cpu.runs); n != maxRepeats || len(k.Evidence.Profiles) == 0 ||
		k.Evidence.Profiles[0].Kind != evidence.CPU || slices.ContainsFunc(k.Evidence.Profiles[1:],
		func(p evidence.Profile) bool { return p.Kind == evidence.CPU }) {
		t.Errorf("%d runs with a CPU profile: %+v", n, k.Evidence.Profiles)
	}
}

// The first run of benchmarks only looks for their number of operations, so that their first answer has the times of
// the run with a CPU profile.
func TestFirstAnswerOfBenchmarks(t *testing.T) {
	var first []evidence.Run
	k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1, 2}})
	do := k.runHooked
	k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
		e, err := do(ctx, r, cpus)
		e.wall, e.user, e.system = 500*time.Millisecond, 700*time.Millisecond, 40*time.Millisecond
		const end = "wall 1\nend 100000000\n" // 100 ms after the program
		return e, errors.Join(err, os.WriteFile(filepath.Join(r.Dir, hook.End), []byte(end), 0o600))
	}
	k.opts.First = func(c *Collected) { first = c.Runs }
	for _, step := range []func(context.Context, int) error{k.firstProfile, k.answerFirst} {
		if err := step(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	if len(first) != 1 || first[0].User != 700*time.Millisecond || first[0].System != 40*time.Millisecond ||
		first[0].Wall != 400*time.Millisecond {
		t.Errorf("runs %+v", first)
	}
}

// If there is no time for a run without a profiler after the profiles, the first run of the program takes its place.
func TestUndisturbedTooLate(t *testing.T) {
	for _, c := range []struct {
		name          string
		left          time.Duration
		hasFirst      bool
		endless       bool
		runs, counted int // of the program; how many of those that count are its first one
	}{
		{"too late", -time.Hour, true, false, 0, 1},
		{"enough time", time.Hour, true, false, 1, 0},
		{"too late for benchmarks", -time.Hour, false, false, 1, 0},
		{"too late, endless", -time.Hour, true, true, 1, 0},
	} {
		k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{2}})
		k.deadline, k.endless = time.Now().Add(c.left), c.endless
		if c.hasFirst {
			k.first = &plainRun{outcome{wall: 700 * time.Millisecond}, nil}
		}
		if err := k.undisturbedRun(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
		counted := 0
		for _, r := range k.runs[2] {
			if r.wall == 700*time.Millisecond {
				counted++
			}
		}
		if k.ran != c.runs || len(k.runs[2]) != 1 || counted != c.counted {
			t.Errorf("%s: %d runs, of which count %+v", c.name, k.ran, k.runs[2])
		}
	}
}

// Runs without a profiler end when their times agree at each number of CPUs.
func TestSettled(t *testing.T) {
	const ms = time.Millisecond
	same := []time.Duration{400 * ms, 400 * ms, 400 * ms, 400 * ms, 400 * ms}
	for _, c := range []struct {
		name        string
		walls, used map[int][]time.Duration // of the runs in turn
		want        map[int]int             // runs
	}{
		{"they agree", map[int][]time.Duration{1: {800 * ms, 810 * ms, 790 * ms}, 2: {400 * ms, 406 * ms, 394 * ms}},
			nil, map[int]int{1: 3, 2: 3}},
		{"not on one CPU", map[int][]time.Duration{1: {800 * ms, 815 * ms, 790 * ms, 800 * ms, 800 * ms}, 2: same},
			nil, map[int]int{1: 5, 2: 5}},
		{"not on two", map[int][]time.Duration{1: same, 2: {400 * ms, 413 * ms, 400 * ms, 400 * ms, 400 * ms}},
			nil, map[int]int{1: 5, 2: 5}},
		{"CPU times differ", map[int][]time.Duration{1: same, 2: same},
			map[int][]time.Duration{1: same, 2: {700 * ms, 722 * ms, 700 * ms, 700 * ms, 700 * ms}},
			map[int]int{1: 5, 2: 5}},
		{"short CPU times differ", map[int][]time.Duration{1: same, 2: same},
			map[int][]time.Duration{1: {10 * ms, 12 * ms, 20 * ms}, 2: {10 * ms, 12 * ms, 20 * ms}},
			map[int]int{1: 3, 2: 3}},
	} {
		k := limitedCollector(t, Options{TimeLimit: time.Hour, Duration: time.Second, CPUs: []int{1, 2}})
		do, n := k.runHooked, map[int]int{}
		k.runHooked = func(ctx context.Context, r hook.Request, cpus int) (outcome, error) {
			_, err := do(ctx, r, cpus)
			e := outcome{wall: c.walls[cpus][n[cpus]]}
			if c.used != nil {
				e.user = c.used[cpus][n[cpus]]
			}
			n[cpus]++
			return e, err
		}
		if err := k.repeat(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(n, c.want) {
			t.Errorf("%s: runs %v, want %v", c.name, n, c.want)
		}
	}
}
