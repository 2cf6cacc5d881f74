package idle

import (
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/result"
)

// Watch starts to measure the CPU time of the machine. The function that it returns gives the number of CPUs that other
// processes and the hypervisor have used since, on average: neither this process, nor those that it started, whose CPU
// time the caller adds to spent. It gives 0 if that is unknown.
func Watch(spent *time.Duration) (others func() float64) {
	var before, after host.Counters
	began, start := time.Now(), *spent
	before.Read()
	return func() float64 {
		after.Read()
		m := after.Since(before)
		used := float64(m.Get("machine_cpu_seconds")-m.Get(result.CPUSeconds)) - (*spent - start).Seconds()
		if stolen := m.Get("steal_seconds"); stolen.Known() {
			used += float64(stolen)
		}
		if !(used > 0) {
			return 0
		}
		return used / time.Since(began).Seconds()
	}
}
