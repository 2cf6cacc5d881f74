// Package idle decides whether other processes or the hypervisor disturbed a measurement, so that a campaign can
// exclude it. The decision uses only what other processes did, never the result of the measurement.
package idle

import (
	"math"

	"github.com/brewput/brewput/result"
)

// Limits of an undisturbed measurement.
const (
	MaxOthers = 0.10 // CPUs in use by other processes, on average
	MaxStolen = 0.02 // share of the requested CPU time that the hypervisor took

	// CPU seconds per measurement below which a disturbance is not counted: the system counts in ticks of 10 ms.
	leastSeconds = 0.03
)

// Usage is the CPU time during a measurement, in seconds. NaN means unknown.
type Usage struct {
	Wall    float64 // length of the measurement
	Own     float64 // used by what was measured
	Machine float64 // used by all processes of the machine, Own included
	Stolen  float64 // taken by the hypervisor
	Count   int     // measurements that these values are the sum of
}

// NewUsage returns the CPU time during a live trial.
func NewUsage(m result.Metrics) Usage {
	own := float64(m.Get(result.CPUSeconds))
	return Usage{Wall: own / float64(m.Get(result.Parallelism)), Own: own,
		Machine: float64(m.Get("machine_cpu_seconds")), Stolen: float64(m.Get("steal_seconds")), Count: 1}
}

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Wall + v.Wall, u.Own + v.Own, u.Machine + v.Machine, u.Stolen + v.Stolen, u.Count + v.Count}
}

// Others is the number of CPUs that other processes used on average.
func (u Usage) Others() float64 { return (u.Machine - u.Own) / u.Wall }

// StolenShare is the share of the requested CPU time that the hypervisor took.
func (u Usage) StolenShare() float64 { return u.Stolen / (u.Own + u.Stolen) }

// Disturbed reports whether others took more CPU time than the limits allow. Unknown values count as undisturbed.
func (u Usage) Disturbed() bool {
	least := leastSeconds * math.Sqrt(float64(u.Count)) // the rounding errors of measurements are independent
	return u.Machine-u.Own > least && u.Others() > MaxOthers || u.Stolen > least && u.StolenShare() > MaxStolen
}
