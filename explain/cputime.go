package explain

import (
	"math"
	"time"

	"github.com/brewput/brewput/evidence"
)

// cpuTime returns the CPU-time breakdown. The CPU profile gives the shares of the undisturbed run's CPU time. Without
// one the breakdown comes from the trace, in which everything that goroutines run is user code except system calls.
func (a *analysis) cpuTime() CPUTime {
	total := float64(a.knownCPUs()) * a.wall
	if total == 0 { // the idle time is unknown
		total = a.used
	}
	if total <= 0 {
		return CPUTime{}
	}

	l := CPUTime{CPUs: a.knownCPUs(), Wall: time.Duration(a.wall * 1e9)}
	add := func(name string, s float64) {
		if s > 0 {
			l.Entries = append(l.Entries, Entry{name, time.Duration(s * 1e9), s / total})
		}
	}

	// Divide the CPU time by the best evidence that is available.
	used := math.Min(a.used, total)
	switch {
	case a.hasSamples():
		l.Source = "CPU profile"
		for _, what := range []string{UserCode, Allocation, Channels, Locks, Scheduler, GarbageCollector, SystemCalls} {
			add(what, used*a.cpu.share(what))
		}
	case a.trace != nil:
		l.Source = "execution trace"
		calls := time.Duration(0)
		for _, c := range a.classes() {
			calls += c.Syscall
		}
		calls = min(calls, a.trace.Running)
		parts := []struct {
			name string
			d    time.Duration
		}{{UserCode, max(0, a.trace.Running-calls-a.trace.GC.Assists)}, {Scheduler, a.trace.Searching},
			{GarbageCollector, a.trace.GC.Workers + a.trace.GC.Assists}, {SystemCalls, calls}}
		all := time.Duration(0)
		for _, p := range parts {
			all += p.d
		}
		for _, p := range parts {
			add(p.name, used*float64(p.d)/math.Max(1, float64(all)))
		}
	default:
		l.Source = "CPU time"
		add(UserCode, used)
	}

	add(Idle, total-used)
	return l
}

// limitToProfile sets the CPU time of a trace to that of a CPU profile, if it is clearly less. In a trace a goroutine
// runs even while its thread waits for a CPU that another process uses, or that a quota withholds.
func (a *analysis) limitToProfile() {
	if !a.hasSamples() || !a.cpu.timed || a.cpu.duration <= 0 {
		return
	}
	cpus, traced := a.cpu.total/1e9/a.cpu.duration.Seconds(), a.used/a.wall
	if traced-cpus >= otherLoad && cpus < withheld*traced {
		a.used, a.traced = cpus*a.wall, traced
	}
}

// parallelism returns how many CPUs the program used and wanted.
func (a *analysis) parallelism() Parallelism {
	p := Parallelism{CPUs: a.knownCPUs(), SerialFraction: math.NaN(), MaxSpeedup: math.NaN(), Speedup: math.NaN(),
		Inflation: a.inflation()}
	if a.wall > 0 {
		p.Running = a.used / a.wall
		p.Demand = p.Running
	}
	if a.trace == nil {
		return p
	}

	wants, work, alone := 0.0, 0.0, 0.0
	for n, d := range a.trace.Demand.Time {
		wants += float64(n) * float64(d)
		work += float64(a.trace.Demand.CPUTime[n])
		if n == 1 {
			alone = float64(a.trace.Demand.CPUTime[n])
		}
	}

	p.Demand = wants / float64(a.trace.Duration)
	if work > 0 {
		p.SerialFraction = alone / work
	}
	if work > 0 && !a.slowsDown() {
		p.MaxSpeedup = 1 / math.Max(p.SerialFraction, 1e-9)
		p.Speedup = 1 / (p.SerialFraction + (1-p.SerialFraction)/a.cpus)
	}

	return p
}

// slowsDown reports whether the program takes longer on several CPUs than on one. Amdahl's law predicts nothing for it.
func (a *analysis) slowsDown() bool {
	return a.run != nil && a.oneCPU != nil && a.oneCPU.Wall > 0 && a.run.Wall > a.oneCPU.Wall
}

// inflation returns the CPU time on several CPUs divided by that on one, for the same work. It is NaN if it is unknown.
func (a *analysis) inflation() float64 {
	return a.inflationOf(func(r *evidence.Run) time.Duration { return r.User + r.System })
}

// inflationOf is inflation for a part of the CPU time.
func (a *analysis) inflationOf(part func(*evidence.Run) time.Duration) float64 {
	if a.oneCPU == nil || a.run == nil {
		return math.NaN()
	}

	per := func(r *evidence.Run) float64 {
		s := part(r).Seconds()
		if r.Operations > 0 {
			s /= float64(r.Operations)
		}
		return s
	}
	if per(a.oneCPU) <= 0 {
		return math.NaN()
	}

	return per(a.run) / per(a.oneCPU)
}

// Limits of the phases. A phase has at least minPhase slices. A change point must lower the sum of squares by more than
// a penalty times the variance between neighbouring slices (binary segmentation: Scott and Knott 1974). The penalty is
// that of Killick, Fearnhead and Eckley (2012), 2 log n, doubled because slices are not independent.
const (
	minPhase  = 8
	maxPhases = 12
)

// phases returns the stretches between the change points of the demand for CPUs. The demand counts up to one more than
// the number of CPUs, because it makes no difference how many more goroutines queue.
func (a *analysis) phases() []Phase {
	if a.trace == nil || len(a.trace.Demand.Mean) < 2*minPhase {
		return nil
	}

	d := &a.trace.Demand
	x := make([]float64, len(d.Mean))
	for i := range x {
		x[i] = math.Min(d.Mean[i], a.cpus+1)
	}

	// Estimate the variance between neighbouring slices. The minimum avoids change points in constant series.
	noise := 0.0
	for i := 1; i < len(x); i++ {
		noise += (x[i] - x[i-1]) * (x[i] - x[i-1]) / 2
	}

	noise = math.Max(noise/float64(len(x)), 1e-3)
	sums := prefixSums(x)

	// Add the best change point until none lowers the sum of squares by more than the penalty.
	cuts := []int{0, len(x)}
	for len(cuts) <= maxPhases {
		best, at := 4*math.Log(float64(len(x)))*noise, -1
		for i := 1; i < len(cuts); i++ {
			if g, k := bestSplit(sums, cuts[i-1], cuts[i]); g > best {
				best, at = g, k
			}
		}
		if at < 0 {
			break
		}
		cuts = insert(cuts, at)
	}

	var out []Phase
	for i := 1; i < len(cuts); i++ {
		from, to := cuts[i-1], cuts[i]
		out = append(out, Phase{
			From: time.Duration(from) * d.Slice, To: min(time.Duration(to)*d.Slice, a.trace.Duration),
			Demand: mean(d.Mean[from:to]), Running: mean(d.Running[from:to]),
		})
	}

	return out
}

// prefixSums returns the sums of the first 0, 1, 2 ... values.
func prefixSums(x []float64) []float64 {
	s := make([]float64, len(x)+1)
	for i, y := range x {
		s[i+1] = s[i] + y
	}
	return s
}

// bestSplit returns the change point of a stretch that lowers the sum of squares most, and by how much it does.
func bestSplit(sums []float64, from, to int) (gain float64, at int) {
	n := float64(to - from)
	whole := (sums[to] - sums[from]) * (sums[to] - sums[from]) / n
	for k := from + minPhase; k <= to-minPhase; k++ {
		a, b := sums[k]-sums[from], sums[to]-sums[k]
		if g := a*a/float64(k-from) + b*b/float64(to-k) - whole; g > gain {
			gain, at = g, k
		}
	}
	return gain, at
}

// insert adds a change point to a sorted list.
func insert(cuts []int, at int) []int {
	for i, c := range cuts {
		if c > at {
			return append(cuts[:i:i], append([]int{at}, cuts[i:]...)...)
		}
	}
	return cuts
}

// mean returns the mean, or 0 for an empty list.
func mean(x []float64) float64 {
	s := 0.0
	for _, y := range x {
		s += y
	}
	return s / math.Max(1, float64(len(x)))
}
