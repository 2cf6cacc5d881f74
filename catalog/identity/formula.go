package identity

import (
	"math"
	"time"

	"github.com/brewput/brewput/env"
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
// bounds of closed systems (Denning, Buzen: The operational analysis of queueing network models, 1978). It is too short
// in three cases: without overhead, because the CPU time by echo has no wake-ups; where both limits are close; and
// where timers of the Go runtime make many replies arrive at once, which then wait for a CPU.
func oneInFlight() *workload.Formula {
	return &workload.Formula{
		Text:   "max(calls of a caller x RTT, calls x CPU time of a call / CPUs), by echo",
		Source: "Little's law with one call of each caller in flight; asymptotic bounds of operational analysis",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			x := echoedAt(p, m)
			return max(float64(share(p.Int("calls"), p.Int("callers"), 0))*x.rtt,
				float64(p.Int("calls"))*x.cpu/float64(p.Int("cpus")))
		},
	}
}

// batchCosts predicts remote-batches: one transmission is in flight. It takes o, its round trip, which the k calls in
// it share, and c for each of them. With many CPUs, c is too long, because callers take their identities in parallel.
func batchCosts() *workload.Formula {
	return &workload.Formula{
		Text:   "calls x (o/k + c): o and c by echo, k calls in a transmission by remote-batches",
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

const (
	maxEchoes    = 2048        // most calls of echo of each kind
	fewestEchoes = 16          // fewest calls with a delay
	echoTime     = time.Second // that these should take at most
	echoBatch    = 64          // calls in a larger transmission of echo
)

// newEcho is a bound: one caller calls. It measures the round-trip time of a call (rtt_ns). Then one goroutine does the
// work of the caller and of the server by turns, without delay, so that nothing waits: this is the CPU time of a call
// that is transmitted alone (cpu_ns), and of one of 64 (batch_cpu_ns).
func newEcho(_ env.Env, p plan.Point) (workload.Job, error) {
	net := newNetwork(p)
	n := min(p.Int("calls"), maxEchoes)
	if net.delay > 0 {
		n = min(n, max(fewestEchoes, int(echoTime/(2*net.delay))))
	}
	near := net
	near.delay = 0
	batches := (n + echoBatch - 1) / echoBatch
	var rtt, alone, batched time.Duration
	return workload.Job{
		Items: int64(2*n + batches*echoBatch),
		Run: func(e env.Env) error {
			rtt = net.roundTrips(e, n)
			alone, batched = near.turns(e, n, 1), near.turns(e, batches, echoBatch)
			return nil
		},
		Metrics: func() map[string]float64 {
			return map[string]float64{"rtt_ns": float64(rtt) / float64(n), "cpu_ns": float64(alone) / float64(n),
				"batch_cpu_ns": float64(batched) / float64(batches*echoBatch)}
		},
	}, nil
}

// roundTrips returns the time of n calls.
func (n network) roundTrips(e env.Env, calls int) time.Duration {
	c, server := n.connect(e, "echo"), e.Group()
	server.Go(e, "serve", func(e env.Env) { c.serve(e, newSequenceOf(e)) })
	begin := e.Now()
	for range calls {
		c.ask(e, 1)
	}
	took := e.Now() - begin
	c.up.Close()
	server.Wait()
	return took
}

// turns returns the time in which one goroutine makes and handles so many requests of size calls each.
func (n network) turns(e env.Env, requests, size int) time.Duration {
	c, s, lock := n.connect(e, "turns"), newSequenceOf(e), e.Mutex("")
	all := make([]*waiting, size)
	for i := range all {
		all[i] = newWaiting(e)
	}
	batch := make([]*waiting, 0, size)
	begin := e.Now()
	for range requests {
		batch = batch[:0]
		for _, w := range all {
			lock.Lock()
			batch = append(batch, w)
			lock.Unlock()
		}
		c.send(e, size)
		c.handle(e, s)
		answer(batch, c.receive(e))
		for _, w := range all[1:] {
			w.answer.Recv()
		}
	}
	return e.Now() - begin
}
