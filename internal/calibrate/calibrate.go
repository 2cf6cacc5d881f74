// Package calibrate measures how many iterations of [live.Spin] fit into one nanosecond of thread CPU time, and how
// precisely burns keep to their nominal time.
package calibrate

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/result"
)

const (
	batch     = time.Millisecond       // nominal time of one measured burn
	warmUp    = 20 * time.Millisecond  // after this time the clock frequency of an idle CPU has risen
	shortBurn = 500 * time.Microsecond // nominal time of a burn of a probe

	probeBurns = 15  // in one probe: 8 ms
	ratioBurns = 120 // for a burn ratio: 60 ms, over which the frequency of a shared CPU varies
)

// Clocks that can time a burn.
const (
	ThreadClock = "thread-cpu"
	WallClock   = "wall" // includes the time that other threads and machines took
)

// usable reports whether b can have been measured. A file in the cache may hold anything.
func usable(b result.Burn) bool {
	return b.Rate > 0 && !math.IsInf(b.Rate, 0) && (b.Clock == ThreadClock || b.Clock == WallClock)
}

// Probe returns the mean ratio of actual to nominal burn time now: 1 is as calibrated, and 1.1 means that the CPU is
// 10% slower. It takes the mean of 15 burns of 0.5 ms, after one that warms up. Burns of more than one and a half
// times the median are left out.
func Probe(rate float64) float64 {
	x, _ := locked(func(s stopwatch) (float64, error) { return s.ratio(rate, probeBurns), nil })
	return x
}

// BurnRatio returns the mean ratio of actual to nominal burn time, averaged over 120 burns. Divide a burn rate by it,
// so that burns take their nominal time on average over the next seconds.
func BurnRatio(rate float64) float64 {
	x, _ := locked(func(s stopwatch) (float64, error) { return s.ratio(rate, ratioBurns), nil })
	return x
}

// locked runs f on a locked thread, with the best available clock.
func locked[T any](f func(stopwatch) (T, error)) (T, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f(newStopwatch())
}

// stopwatch times burns. The calling goroutine must have locked its thread.
type stopwatch struct {
	now   func() time.Duration
	spin  func(iterations uint64)
	clock string
}

func newStopwatch() stopwatch {
	s := stopwatch{spin: func(n uint64) { _ = live.Spin(n) }}
	if _, ok := threadCPU(); ok {
		s.clock = ThreadClock
		s.now = func() time.Duration { d, _ := threadCPU(); return d }
		return s
	}
	start := time.Now()
	s.clock = WallClock
	s.now = func() time.Duration { return time.Since(start) }
	return s
}

// time returns how long n iterations take.
func (s stopwatch) time(n uint64) time.Duration {
	start := s.now()
	s.spin(n)
	return s.now() - start
}

// warm spins for at least the warm-up time and returns a first estimate of the rate.
func (s stopwatch) warm() (float64, error) {
	const longest = 1 << 28 // iterations: at least 0.2 s on any CPU
	start := s.now()
	for n := uint64(1 << 10); n < longest; {
		d := s.time(n)
		if d < batch/2 {
			n *= 2
			continue
		}
		if s.now()-start >= warmUp {
			return float64(n) / float64(d), nil
		}
	}
	return 0, errors.New("the clock that times burns (" + s.clock +
		") stands still: CPU work cannot be calibrated on this system; give the rate yourself")
}

// measure measures the rate: the median over reps burns of about 1 ms each, after a warm-up of 20 ms. Then it checks
// the new rate. The caller sets Fingerprint.
//
// The median ignores a burn that met a long interrupt or a change of the CPU frequency. Disturbances, such as
// interrupts and exits of a virtual machine, are charged to the thread and only lengthen a burn. The fastest burns
// would therefore repeat better. But the burns of a trial meet the same disturbances, so the rate from the median
// fits them.
func (s stopwatch) measure(reps int) (result.Burn, error) {
	if reps < 1 {
		return result.Burn{}, fmt.Errorf("%d burns cannot calibrate CPU work: ask for at least 1", reps)
	}
	guess, err := s.warm()
	if err != nil {
		return result.Burn{}, err
	}
	n := uint64(guess * float64(batch))
	times := make([]time.Duration, 0, reps)
	for range reps {
		times = append(times, s.time(n))
	}
	median := quantile(times, 0.5)
	if median <= 0 {
		return result.Burn{}, fmt.Errorf("%d iterations took no time by the %s clock: CPU work cannot be calibrated "+
			"on this system", n, s.clock)
	}
	b := result.Burn{Rate: float64(n) / float64(median), Clock: s.clock, Measured: time.Now()}
	b.Median, b.P95 = s.check(b.Rate, checks)
	return b, nil
}

// check returns the median and 95th percentile of the time that burns of 1 ms take at this rate. reps is at least 1.
func (s stopwatch) check(rate float64, reps int) (median, p95 time.Duration) {
	times := s.burns(rate, batch, reps)
	return quantile(times, 0.5), quantile(times, 0.95)
}

// ratio returns the mean ratio of actual to nominal time over n burns. What a design does in a second follows the
// mean. The median is 2 to 4% lower on a CPU that loses its highest frequency at times, or gives a part of each tick
// to the system. The longest burns are left out: another process took the CPU.
func (s stopwatch) ratio(rate float64, n int) float64 {
	s.burns(rate, shortBurn, 1)
	times := s.burns(rate, shortBurn, n)
	most := quantile(times, 0.5) * 3 / 2
	sum, kept := time.Duration(0), 0
	for _, d := range times {
		if d <= most {
			sum += d
			kept++
		}
	}
	return float64(sum) / float64(kept) / float64(shortBurn)
}

// burns times reps burns of d, each done as live.World.Burn does it.
func (s stopwatch) burns(rate float64, d time.Duration, reps int) []time.Duration {
	times := make([]time.Duration, reps)
	for i := range times {
		times[i] = s.time(uint64(float64(d) * rate))
	}
	return times
}

// quantile returns the smallest time that at least the fraction q of all times does not exceed. It sorts times, which
// must not be empty.
func quantile(times []time.Duration, q float64) time.Duration {
	slices.Sort(times)
	i := int(math.Ceil(q*float64(len(times)))) - 1
	return times[max(i, 0)]
}
