package identity

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// echoTime limits the round trips only: the calls without delay come on top.
const (
	maxEchoes    = 2048        // largest number of calls of each kind
	fewestEchoes = 16          // smallest number of round trips, unless the point has fewer calls
	echoTime     = time.Second // largest time of all round trips, unless that leaves fewer than fewestEchoes
	echoBatch    = 64          // calls in a larger transmission
)

// newEcho is a bound: one caller calls. It measures the round-trip time of a call (rtt_ns). Then one goroutine does the
// work of the caller and of the server by turns, without delay, so that nothing waits: this is the CPU time of a call
// that is transmitted alone (cpu_ns), and of one of 64 (batch_cpu_ns).
func newEcho(_ env.Env, p plan.Point) (workload.Job, error) {
	net := newNetwork(p)
	n := min(p.Int("calls"), maxEchoes)
	if alone := 2*net.delay + 4*net.overhead + net.reply; alone > 0 {
		n = min(n, max(fewestEchoes, int(echoTime/alone)))
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
