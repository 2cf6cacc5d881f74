// Package calibrate finds how many turns of [live.Spin] one nanosecond of thread CPU time holds, and
// says how well burns keep to it.
package calibrate

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/env/live"
)

const (
	batch     = time.Millisecond       // of one measured burn
	warmUp    = 20 * time.Millisecond  // after it the clock of a CPU that was idle has risen
	shortBurn = 500 * time.Microsecond // of the probe

	probeBurns = 15  // of one probe: 8 ms
	paceBurns  = 120 // of a pace: 60 ms, over which the clock of a shared CPU comes and goes
)

// The clocks a burn can be timed by.
const (
	ThreadClock = "thread-cpu"
	WallClock   = "wall" // counts the time that other threads and machines took as well
)

// Burn is a calibration of [live.Spin] on one machine. Durations are nanoseconds in JSON.
type Burn struct {
	Rate        float64       `json:"rate_per_ns"` // turns of live.Spin per nanosecond of Clock; above 0
	Median      time.Duration `json:"median_ns"`   // of checked burns that were meant to be 1 ms
	P95         time.Duration `json:"p95_ns"`
	Clock       string        `json:"clock"` // ThreadClock or WallClock
	Fingerprint string        `json:"fingerprint"`
	Measured    time.Time     `json:"measured"` // when Rate was measured
	Stored      bool          `json:"-"`        // it is in the cache directory
}

// usable reports whether b can have been measured at all; what the cache holds need not have been.
func (b Burn) usable() bool {
	return b.Rate > 0 && !math.IsInf(b.Rate, 0) && (b.Clock == ThreadClock || b.Clock == WallClock)
}

// Probe is how long a burn takes now, as a multiple of what the rate says: 1 is as calibrated, 1.1
// that the CPU is 10 % slower. It is the mean of 15 burns of 0.5 ms, after one that warms up, without those of more
// than one and a half times their median.
func Probe(rate float64) float64 {
	x, _ := locked(func(s stopwatch) (float64, error) { return s.pace(rate, probeBurns), nil })
	return x
}

// Pace is what a burn rate is to be divided by for burns to take what they should, on the average of the next seconds:
// a probe of 120 burns.
func BurnRatio(rate float64) float64 {
	x, _ := locked(func(s stopwatch) (float64, error) { return s.pace(rate, paceBurns), nil })
	return x
}

// locked runs f on a locked thread, by the best clock there is.
func locked[T any](f func(stopwatch) (T, error)) (T, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return f(newStopwatch())
}

// stopwatch times burns. The calling goroutine must have locked its thread.
type stopwatch struct {
	now   func() time.Duration
	spin  func(turns uint64)
	clock string
}

func newStopwatch() stopwatch {
	s := stopwatch{spin: func(n uint64) { _ = live.Spin(n) }}
	if _, ok := ThreadCPU(); ok {
		s.clock = ThreadClock
		s.now = func() time.Duration { d, _ := ThreadCPU(); return d }
		return s
	}
	start := time.Now()
	s.clock = WallClock
	s.now = func() time.Duration { return time.Since(start) }
	return s
}

// time is how long n turns take.
func (s stopwatch) time(n uint64) time.Duration {
	start := s.now()
	s.spin(n)
	return s.now() - start
}

// warm spins for at least the warm-up and returns a first guess of the rate.
func (s stopwatch) warm() (float64, error) {
	const longest = 1 << 28 // turns: at least 0.2 s on any CPU
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

// measure finds the rate anew: the median over reps burns of about 1 ms each, after a warm-up of
// 20 ms. The median leaves out the odd burn that met a long interrupt or a change of the CPU's clock.
// What disturbs a burn (interrupts, a virtual machine's exits) is charged to its thread and only
// lengthens it, so the fastest burns would repeat better; but a trial's burns meet the same
// disturbance, and the rate from the median fits those. The new rate is then checked; Fingerprint is
// left to the caller.
func (s stopwatch) measure(reps int) (Burn, error) {
	if reps < 1 {
		return Burn{}, fmt.Errorf("%d burns cannot calibrate CPU work: ask for at least 1", reps)
	}
	guess, err := s.warm()
	if err != nil {
		return Burn{}, err
	}
	n := uint64(guess * float64(batch))
	times := make([]time.Duration, 0, reps)
	for range reps {
		times = append(times, s.time(n))
	}
	median := quantile(times, 0.5)
	if median <= 0 {
		return Burn{}, fmt.Errorf("%d iterations took no time by the %s clock: CPU work cannot be calibrated on this system",
			n, s.clock)
	}
	b := Burn{Rate: float64(n) / float64(median), Clock: s.clock, Measured: time.Now()}
	b.Median, b.P95 = s.check(b.Rate, checks)
	return b, nil
}

// check is the distribution of the time that burns of 1 ms take by this rate; reps is at least 1.
func (s stopwatch) check(rate float64, reps int) (median, p95 time.Duration) {
	times := s.burns(rate, batch, reps)
	return quantile(times, 0.5), quantile(times, 0.95)
}

// pace is the mean of n burns as a multiple of what they should take. What a design does in a second follows the mean:
// the median is 2 to 4 % less where a CPU loses its highest clock now and then, or gives a part of each tick to the
// system. The longest burns say nothing about the clock: somebody took the CPU.
func (s stopwatch) pace(rate float64, n int) float64 {
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

// burns times reps burns of d, each as live.World.Burn does it.
func (s stopwatch) burns(rate float64, d time.Duration, reps int) []time.Duration {
	times := make([]time.Duration, reps)
	for i := range times {
		times[i] = s.time(uint64(float64(d) * rate))
	}
	return times
}

// quantile is the smallest of the times that at least the share q does not exceed. It sorts times,
// which must not be empty.
func quantile(times []time.Duration, q float64) time.Duration {
	slices.Sort(times)
	i := int(math.Ceil(q*float64(len(times)))) - 1
	return times[max(i, 0)]
}
