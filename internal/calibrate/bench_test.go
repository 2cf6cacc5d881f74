package calibrate

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/result"
)

// BenchmarkBurn1ms shows how precisely a burn of 1 ms takes 1 ms of thread CPU time: alone, and with four threads for
// each CPU. Every goroutine burns b.N times. Run it with -benchtime=200x.
func BenchmarkBurn1ms(b *testing.B) {
	if _, ok := threadCPU(); !ok {
		b.Skip("no thread CPU clock")
	}
	for _, n := range []int{1, 8} {
		b.Run(fmt.Sprintf("goroutines=%d", n), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
			cal, err := locked(func(s stopwatch) (result.Burn, error) { return s.measure(reps) })
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			times := burnTogether(n, b.N, uint64(float64(batch)*cal.Rate))
			b.StopTimer()
			b.ReportMetric(percent(quantile(times, 0.5)), "median-%")
			b.ReportMetric(percent(quantile(times, 0.95)), "p95-%")
			b.ReportMetric(percent(quantile(times, 0.05)), "p5-%")
		})
	}
}

// burnTogether has n goroutines spin reps times each, and returns the thread CPU time of every burn.
func burnTogether(n, reps int, iterations uint64) []time.Duration {
	times := make([][]time.Duration, n)
	var wg sync.WaitGroup
	for i := range times {
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			own := make([]time.Duration, reps)
			for j := range own {
				start, _ := threadCPU()
				_ = live.Spin(iterations)
				end, _ := threadCPU()
				own[j] = end - start
			}
			times[i] = own
		})
	}
	wg.Wait()
	return slices.Concat(times...)
}

// percent returns the difference of d from 1 ms in percent.
func percent(d time.Duration) float64 { return (float64(d)/float64(batch) - 1) * 100 }
