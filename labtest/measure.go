package labtest

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// side is a function that runs on a number of CPUs.
type side struct {
	f    func()
	cpus int
}

// compared measures a and b in each block. Found is the ratio of the times a / b.
func compared(a, b side, o Options) outcome {
	r := outcome{Name: "ratio", CPUs: b.cpus, Duration: o.Duration.String()}

	// warm up
	a.perOp(o.Duration)
	b.perOp(o.Duration)

	interference := watch()
	var logs []float64
	for block := range o.Blocks {
		// The order alternates, so that a drift of the machine affects both sides.
		var x, y float64
		if block%2 == 0 {
			x, y = a.perOp(o.Duration), b.perOp(o.Duration)
		} else {
			y, x = b.perOp(o.Duration), a.perOp(o.Duration)
		}
		r.A, r.B = append(r.A, x), append(r.B, y)
		logs = append(logs, math.Log(x/y))
	}
	interference(&r)

	c, _ := stat.ComparePaired(logs, confidence) // at least 6 blocks
	r.Found, r.Low, r.High = c.Ratio, c.Low, c.High
	return r
}

// perOp returns the mean time of a call in nanoseconds, over as many calls as fill the duration.
func (s side) perOp(d time.Duration) float64 {
	runtime.GOMAXPROCS(s.cpus)
	runtime.GC()
	calls := 0
	began := time.Now()
	for next := 1; ; next = min(2*next, 1<<20) { // the clock is not read after each call
		for range next {
			s.f()
		}
		calls += next
		if spent := time.Since(began); spent >= d {
			return float64(spent) / float64(calls)
		}
	}
}

// latencies returns the times of the calls that fill the duration, in nanoseconds: at most 65536 of them.
func latencies(f func(), d time.Duration) []float64 {
	runtime.GC()
	times := make([]float64, 0, 1<<16)
	began := time.Now()
	for last := began; len(times) < cap(times); {
		f()
		now := time.Now()
		times = append(times, float64(now.Sub(last)))
		if last = now; now.Sub(began) >= d {
			break
		}
	}
	return times
}

// quantile returns the smallest value that at least a fraction q of the values do not exceed. It sorts the values.
func quantile(values []float64, q float64) float64 {
	slices.Sort(values)
	return values[max(0, int(math.Ceil(q*float64(len(values))))-1)]
}

// watch starts to record interference by other processes. The returned function stores the mean number of CPUs that
// they used since, the busiest of them that still runs, and the number of periods in which a CPU quota stopped this
// process.
func watch() func(*outcome) {
	var before, after host.Counters
	processes := host.ReadProcesses()
	before.Read()
	began := time.Now()
	known := func(x float64) float64 {
		if math.IsNaN(x) {
			return -1
		}
		return x
	}
	return func(r *outcome) {
		after.Read()
		m, spent := after.Since(before), time.Since(began)
		r.OtherCPUs = known(float64(m.Get("machine_cpu_seconds")-m.Get(result.CPUSeconds)) / spent.Seconds())
		r.Throttled = known(float64(m.Get("throttled_periods")))
		r.Busiest = host.ReadProcesses().Busiest(processes, spent)
	}
}
