package identity

import (
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// echoed is what echo measured, in seconds; NaN without it.
type echoed struct{ rtt, cpu, batchCPU float64 }

func echoedAt(p plan.Point, m workload.Measured) echoed {
	value := func(metric string) float64 {
		x, ok := m("echo", metric, p)
		if !ok {
			return math.NaN()
		}
		return x / 1e9
	}
	return echoed{value("rtt_ns"), value("cpu_ns"), value("batch_cpu_ns")}
}

// oneInFlight predicts remote. Each caller has one call in flight, so by Little's law (Little: A proof for the queuing
// formula L = λW, 1961) the throughput is the number of callers / RTT. The CPUs limit it, too: these are asymptotic
// bounds of closed systems (Denning, Buzen: The operational analysis of queueing network models, 1978). The prediction
// is too low in three cases: without overhead, because the CPU time by echo has no wake-ups; where both limits are
// close; and where timers of the Go runtime make many replies arrive at once, which then wait for a CPU.
func oneInFlight() *workload.Formula {
	return &workload.Formula{
		Text:   "max(calls of a caller x RTT, calls x CPU time of a call / CPUs); RTT and CPU time measured by echo",
		Source: "Little's law with one call of each caller in flight; asymptotic bounds of operational analysis",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			x := echoedAt(p, m)
			return max(float64(share(p.Int("calls"), p.Int("callers"), 0))*x.rtt,
				float64(p.Int("calls"))*x.cpu/float64(p.Int("cpus")))
		},
	}
}

// batchCosts predicts remote-batches: one transmission is in flight. It takes o, its round trip, which the k calls in
// it share, and c for each of them. With many CPUs, the prediction is too high, because callers take their identities
// in parallel.
func batchCosts() *workload.Formula {
	return &workload.Formula{
		Text:   "calls x (o/k + c): o and c measured by echo, k calls in a transmission",
		Source: "a fixed cost that k calls share",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			transmissions, ok := m("remote-batches", "transmissions", p)
			if !ok {
				return math.NaN()
			}
			x := echoedAt(p, m)
			shared := (x.cpu - x.batchCPU) * echoBatch / (echoBatch - 1)
			return transmissions*(x.rtt-x.cpu+shared) + float64(p.Int("calls"))*(x.cpu-shared)
		},
	}
}
