package main

import (
	"math/rand/v2"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/hist"
)

// Customers come at rate 0.9 and are served at rate 1 for each unit of time, so that the mean time in the system
// is 1/(1-0.9) = 10.
const (
	load   = 0.9
	theory = 10.0
	unit   = time.Millisecond
)

// outcome is one run of M/M/1.
type outcome struct {
	took   time.Duration
	served int64
	mean   float64 // time in the system, in units
}

// queue is M/M/1 written against env: two goroutines and a channel between them. The channel has a name, so that a meter
// keeps its time integrals, and the times in the system go to a histogram. As in SimPy's program, times are drawn from a
// generator of the language's own library; keyed takes those of env instead, which depend on the customer alone.
type queue struct {
	customers int
	seed      uint64
	keyed     bool
	at        func(customer int) // called as each customer leaves; may be nil
	latency   *hist.Recorder
}

// exponentials are draws with mean 1 for one customer after the other.
func (q *queue) exponentials(e env.Env, stream uint64) func() float64 {
	if !q.keyed {
		return rand.New(rand.NewPCG(q.seed, stream)).ExpFloat64
	}
	r, customer := e.Rand(), uint64(0)
	return func() float64 {
		d := r.At(customer, stream)
		customer++
		return d.Exp()
	}
}

func (q *queue) body(e env.Env) {
	line, g := env.NewChan[time.Duration](e, "line", q.customers), e.Group()
	g.Go(e, "customers", func(e env.Env) {
		exponential := q.exponentials(e, 0)
		for range q.customers {
			e.Burn(time.Duration(exponential() * float64(unit) / load))
			line.Send(e.Now())
		}
		line.Close()
	})
	g.Go(e, "server", func(e env.Env) {
		exponential, i := q.exponentials(e, 1), 0
		for came, ok := line.Recv(); ok; came, ok = line.Recv() {
			e.Burn(time.Duration(exponential() * float64(unit)))
			q.latency.Record(int64(e.Now() - came))
			if q.at != nil {
				q.at(i)
			}
			i++
		}
	})
	g.Wait()
}

// simulate runs the queue in virtual time.
func (q *queue) simulate(cpus int) (outcome, error) {
	q.latency = hist.NewRecorder()
	defer q.latency.Free()
	began := time.Now()
	err := virtual.New(virtual.Config{CPUs: cpus, Seed: q.seed}).Run("body", q.body)
	o := outcome{took: time.Since(began)}
	h := hist.New()
	h.Add(q.latency)
	o.served, o.mean = h.Count(), h.Mean()/float64(unit)
	return o, err
}
