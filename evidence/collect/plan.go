package collect

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/result"
)

// samplePeriod is the CPU time between two samples of a CPU profile.
const samplePeriod = 10 * time.Millisecond

// plannedRuns returns how often the program runs in all, given the elapsed time and the CPU time of one run:
// once as it is, once or more for each kind of evidence, and without a profiler at each number of CPUs. The least is
// for runs without a profiler that agree after settledRuns.
func (k *collector) plannedRuns(wall, cpu time.Duration) (least, most int) {
	rounds := k.rounds(wall)
	settled := min(rounds, settledRuns)
	if !k.endless { // an endless program runs on all CPUs only
		rounds, settled = rounds*len(k.cpuLevels), settled*len(k.cpuLevels)
	}
	switch {
	case k.runHooked == nil && k.opts.Quick:
		return 1, 1
	case k.runHooked == nil:
		return settled, rounds // the first run is one of them
	}

	profiles := 1 // of the CPU
	if !k.endless {
		wall, cpu = max(wall, time.Millisecond), max(cpu, time.Millisecond)
		enough := (enoughSamples*samplePeriod + cpu - 1) / cpu
		profiles = int(max(1, min(enough, k.repeatFor()/wall+1, maxRepeats)))
	}
	if k.opts.Quick {
		n := 1 + profiles + 1 // trace
		if k.bench != nil {
			n++ // the first run looked for the number of operations
		}
		return n, n
	}
	const others = 3 // trace, locks and heap
	n := 1 + profiles + others
	return n + settled, n + rounds
}

// limitQuick limits the time for the runs of a quick collection, which begin now.
func (k *collector) limitQuick() {
	if end := time.Now().Add(QuickLimit); k.opts.Quick && end.Before(k.deadline) {
		k.deadline = end
	}
}

// runLimit returns the time for all runs, with that for the build if the collection is not quick.
func (k *collector) runLimit() time.Duration {
	if k.opts.Quick && !k.insideTimes {
		return min(k.opts.TimeLimit, QuickLimit)
	}
	return k.opts.TimeLimit
}

// timeLeft returns how long a run may take: at most the given time, and no more than remains, but always long enough to
// measure.
func (k *collector) timeLeft(most time.Duration) time.Duration {
	return min(most, max(time.Until(k.deadline), minRun))
}

// isTooLate reports whether there is too little time for another run of some length, and records what is left out.
func (k *collector) isTooLate(what string, wall time.Duration) bool {
	if !k.insideTimes { // a run is cut after the window, but a trial is not
		wall = min(wall, k.window)
	}
	if time.Now().Add(wall).Before(k.deadline) {
		return false
	}
	if !slices.Contains(k.skipped, what) {
		k.skipped = append(k.skipped, what)
	}
	return true
}

// within returns a step that watches a run for a fraction 1/parts of the time that is left.
func (k *collector) within(parts time.Duration, step func(context.Context, int) error) func(context.Context,
	int) error {

	return func(ctx context.Context, top int) error {
		if k.insideTimes {
			return step(ctx, top) // a trial ends after its operations
		}
		k.window = min(k.window, max(minRun, time.Until(k.deadline)/parts-minRun))
		return step(ctx, top)
	}
}

// announce reports how often a program runs, before its length is known: from as often as one that does not end, to as
// often as one that ends at once.
func (k *collector) announce(what string) {
	endless := *k
	endless.endless = true
	least, _ := endless.plannedRuns(k.window, k.window)
	_, most := k.plannedRuns(0, 0)
	k.opts.progress(fmt.Sprintf("%s: %d to %d runs, depending on how long one takes, in up to %s", what, least, most,
		minutes(k.runLimit())))
}

// announceRest reports how many runs follow the first one, which took some elapsed and CPU time.
func (k *collector) announceRest(wall, cpu time.Duration) {
	least, most := k.plannedRuns(min(wall, k.window), cpu)
	left := minutes(result.Rounded(min(k.runLimit(), time.Duration(most-1)*min(wall, k.window))))
	took := fmt.Sprintf("it takes %v", wall.Round(time.Millisecond))
	if least == most {
		k.opts.progress(fmt.Sprintf("%s: about %s in all, in about %s", took, result.Count(most, "run"), left))
		return
	}
	k.opts.progress(fmt.Sprintf("%s: about %d to %d runs in all, in about %s", took, least, most, left))
}

// summarize reports how often the program ran.
func (k *collector) summarize() {
	k.opts.progress(fmt.Sprintf("%s: %s in %s", k.name(), result.Count(k.ran, "run"),
		minutes(time.Since(k.began).Round(time.Second))))
}

// name is the command line of a program, or the name of a design.
func (k *collector) name() string {
	if len(k.plain.args) == 0 {
		return k.about.Name
	}
	return strings.Join(k.plain.args, " ")
}

// minutes formats a time without seconds that are 0: "3m", not "3m0s".
func minutes(d time.Duration) string {
	if text, ok := strings.CutSuffix(d.String(), "m0s"); ok {
		return text + "m"
	}
	return d.String()
}
