package host

import (
	"slices"
	"time"

	"github.com/brewput/brewput/doctor"
)

// measureClockRead measures the cost of one clock read, as a trial does it. It is the median of batches, so
// interrupted batches do not matter.
func measureClockRead() time.Duration {
	const batches, reads = 25, 10_000
	epoch := time.Now()
	costs := make([]time.Duration, batches)
	for i := range costs {
		var last time.Duration
		start := time.Since(epoch)
		for range reads {
			last = time.Since(epoch)
		}
		costs[i] = (last - start) / reads
	}
	slices.Sort(costs)
	return costs[batches/2]
}

// wait sleeps for d in some way and returns the time of its wake-up; false if that failed.
type wait func(d time.Duration) (time.Time, bool)

func sleeper(d time.Duration) (time.Time, bool) {
	time.Sleep(d)
	return time.Now(), true
}

// tries is the number of waits, so that 10 lie beyond the 0.9 quantile.
const tries = 100

// measureLateness measures waits of 0.2 to 2.2 ms. Their lengths differ, because a system that wakes sleepers at ticks
// is late by a different part of a tick for each.
func measureLateness(w wait) doctor.Reading[doctor.Lateness] {
	var lates []time.Duration
	for i := range tries {
		d := 200*time.Microsecond + time.Duration(i)*20*time.Microsecond
		start := time.Now()
		if end, ok := w(d); ok {
			lates = append(lates, end.Sub(start)-d)
		}
	}
	return summary(lates)
}

// summary is unknown if every try failed.
func summary(lates []time.Duration) doctor.Reading[doctor.Lateness] {
	n := len(lates)
	if n == 0 {
		return doctor.Reading[doctor.Lateness]{}
	}
	slices.Sort(lates)
	return doctor.Read(doctor.Lateness{N: n, Median: lates[n/2], P90: lates[n*9/10]})
}
