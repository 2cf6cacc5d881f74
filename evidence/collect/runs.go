package collect

import (
	"cmp"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/evidence"
)

// median returns the median of a list, the lower of the two middle values, or 0 for an empty list.
func median[T cmp.Ordered](list []T) T {
	var zero T
	if len(list) == 0 {
		return zero
	}
	list = slices.Sorted(slices.Values(list))
	return list[(len(list)-1)/2]
}

// medians returns the medians of several runs.
func medians(cpus int, list []plainRun) evidence.Run {
	times := func(of func(plainRun) time.Duration) time.Duration { return median(mapRuns(list, of)) }
	counts := func(of func(plainRun) int64) int64 { return median(mapRuns(list, of)) }
	walls := wallsOf(list)
	return evidence.Run{
		CPUs: cpus, MachineCPUs: runtime.NumCPU(), Count: len(list),
		Wall: median(walls), WallLow: slices.Min(walls), WallHigh: slices.Max(walls),
		User:        times(func(r plainRun) time.Duration { return r.user }),
		System:      times(func(r plainRun) time.Duration { return r.system }),
		Reads:       counts(func(r plainRun) int64 { return r.io.reads }),
		Writes:      counts(func(r plainRun) int64 { return r.io.writes }),
		ReadBytes:   counts(func(r plainRun) int64 { return r.io.readBytes }),
		WriteBytes:  counts(func(r plainRun) int64 { return r.io.writeBytes }),
		Voluntary:   counts(func(r plainRun) int64 { return r.kernel.voluntary }),
		Involuntary: counts(func(r plainRun) int64 { return r.kernel.involuntary }),
		Faults:      counts(func(r plainRun) int64 { return r.kernel.faults }),
		PeakBytes:   counts(func(r plainRun) int64 { return r.kernel.peakBytes }),
		Children:    times(func(r plainRun) time.Duration { return r.children }),
		Throttled:   times(func(r plainRun) time.Duration { return r.stopped }),
		OtherCPUs:   otherCPUs(list),
		Metrics:     metrics(list),
	}
}

func mapRuns[T any](list []plainRun, of func(plainRun) T) []T {
	var out []T
	for _, r := range list {
		out = append(out, of(r))
	}
	return out
}

// metrics returns the medians of the runtime metrics.
func metrics(list []plainRun) map[string]float64 {
	all := map[string][]float64{}
	for _, r := range list {
		if r.hook != nil {
			for name, x := range r.hook.metrics {
				all[name] = append(all[name], x)
			}
		}
	}

	out := map[string]float64{}
	for name, values := range all {
		out[name] = median(values)
	}

	return out
}

// otherCPUs returns the mean number of CPUs that other processes used. The kernel counts in ticks, so that runs of less
// than 0.2 s in all give 0.
func otherCPUs(list []plainRun) float64 {
	var used, span float64
	for _, r := range list {
		used += r.otherCPUs * r.wall.Seconds()
		span += r.wall.Seconds()
	}
	if span < 0.2 {
		return 0
	}
	return used / span
}

// noteDisturbances notes load from other processes, throttling, and the overhead of profilers.
func (k *collector) noteDisturbances(r evidence.Run) {
	if r.OtherCPUs > 0.2 {
		k.note("other processes used %.1f CPUs: run it again on an idle machine", r.OtherCPUs)
	}
	if slices.ContainsFunc(k.runs[r.CPUs], func(o plainRun) bool { return o.throttled > 0 }) {
		k.note("a CPU quota stopped the process: times include that waiting")
	}

	for _, t := range k.profiled {
		if r.Wall < minRun {
			break
		}
		o := Overhead{t.kind, float64(t.wall) / float64(r.Wall)}
		k.Overheads = append(k.Overheads, o)
		if o.Ratio > 1.25 {
			k.note("the run with its %s took %.2fx as long: times in it are too long", o.Kind, o.Ratio)
		}
	}
}
