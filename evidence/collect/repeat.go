package collect

import (
	"context"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/result"
)

// plainRun is one run: its times and counts, and what the hook wrote.
type plainRun struct {
	outcome
	hook *hookOutput // nil if there is no hook
}

// rounds returns how often the program runs without a profiler at each number of CPUs, given the elapsed time of one
// run.
func (k *collector) rounds(wall time.Duration) int {
	switch {
	case k.endless:
		return 1
	case wall < 100*time.Millisecond:
		return 10
	case wall < time.Second:
		return 5
	}
	return 3
}

// undisturbedRun runs the program once without a profiler, after its profiles. If there is no time for that, the first
// run of the program takes its place.
func (k *collector) undisturbedRun(ctx context.Context, cpus int) error {
	if k.first != nil && !k.endless && k.isTooLate("a run without a profiler", k.first.wall) {
		k.record(cpus, *k.first)
		return nil
	}
	return k.runPlain(ctx, cpus)
}

// runPlain runs the program once without a profiler.
func (k *collector) runPlain(ctx context.Context, cpus int) error {
	if k.runHooked == nil {
		if cpus == k.top() && len(k.runs[cpus]) == 1 && k.rounds(k.runs[cpus][0].wall) == 1 {
			return nil
		}
		k.step()
		e, err := k.plain.withCPUs(cpus).run(ctx, k.timeLeft(k.window), k.timeLeft(k.window), nil)
		if err == nil {
			err = k.checkCrash(e)
		}
		k.record(cpus, plainRun{e, nil})
		return err
	}

	e, a, _, err := k.run(ctx, hook.Undisturbed, cpus, k.timeLeft(k.window))
	if err != nil {
		return err
	}
	k.record(cpus, plainRun{e, a})
	return nil
}

// record adds a run without a profiler. A run that was cut did only a part of the work, unless the program never ends.
// It counts only if it is the first at the most CPUs. With fewer CPUs it ends the runs at that number, and none counts.
func (k *collector) record(cpus int, r plainRun) {
	top := k.top()
	switch {
	case k.endless || !r.cut || cpus == top && len(k.runs[top]) == 0:
		k.runs[cpus] = append(k.runs[cpus], r)
	case cpus != top:
		k.note("%s does not end within %v on %s: these runs are left out", k.about.Name, r.wall.Round(time.Millisecond),
			result.Count(cpus, "CPU"))
		if cpus == 1 {
			k.Unfinished = r.wall
		}
		k.cpuLevels = slices.DeleteFunc(slices.Clone(k.cpuLevels), func(n int) bool { return n == cpus })
	}
}

// wallsOf returns the elapsed times of runs.
func wallsOf(list []plainRun) []time.Duration {
	return mapRuns(list, func(r plainRun) time.Duration { return r.wall })
}

// medianWall returns the median elapsed time of the runs without a profiler, or that of the first run, or of those with
// a CPU profile.
func (k *collector) medianWall(cpus int) time.Duration {
	switch {
	case len(k.runs[cpus]) > 0:
		return median(wallsOf(k.runs[cpus]))
	case k.first != nil && cpus == k.top():
		return k.first.wall
	}
	return median(wallsOf(k.cpu.runs))
}

// Runs without a profiler stop after settledRuns if the difference of the longest and the shortest is at most
// settledRange of the median, at each number of CPUs. The CPU times must agree as well: their difference may be
// settledRange of their median, or of the elapsed time if that is longer.
const (
	settledRange = 0.03
	settledRuns  = 3
)

// isSettled reports whether the times of the runs without a profiler agree at each number of CPUs.
func (k *collector) isSettled() bool {
	for _, cpus := range k.cpuLevels {
		walls := wallsOf(k.runs[cpus])
		used := mapRuns(k.runs[cpus], func(r plainRun) time.Duration { return r.user + r.system })
		if len(walls) < settledRuns || !agree(walls, median(walls)) || !agree(used, max(median(used), median(walls))) {
			return false
		}
	}
	return true
}

// agree reports whether times differ by no more than settledRange of a reference.
func agree(times []time.Duration, reference time.Duration) bool {
	return float64(slices.Max(times)-slices.Min(times)) <= settledRange*float64(reference)
}

// repeat runs the program without a profiler until there are enough runs at each number of CPUs, in turns, or they
// agree.
func (k *collector) repeat(ctx context.Context) error {
	top := k.top()
	for range k.rounds(k.medianWall(top)) {
		for _, cpus := range k.cpuLevels { // record replaces the list
			if k.isSettled() {
				return nil
			}
			if len(k.runs[cpus]) >= k.rounds(k.medianWall(top)) ||
				k.isTooLate("repetitions", max(k.medianWall(cpus), k.medianWall(top))) {
				continue
			}
			if err := k.runPlain(ctx, cpus); err != nil {
				return err
			}
		}
	}

	return nil
}

// minRun is the shortest elapsed time that can be measured and compared.
const minRun = 50 * time.Millisecond
