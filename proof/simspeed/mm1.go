package main

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

// Customers come at rate 0.9 and are served at rate 1 for each unit of time, so that the mean time in the system
// is 1/(1-0.9) = 10.
const (
	load   = 0.9
	theory = 10.0
	unit   = time.Millisecond
)

// gap is the mean time between arrivals in ns.
func gap() int64 {
	mean := float64(unit) / load
	return int64(mean)
}

// outcome is one run of M/M/1.
type outcome struct {
	took   time.Duration
	served int64
	mean   float64 // time in the system, in units
}

// queue is M/M/1 written against env: two goroutines and a channel between them. The channel has a name, so that a
// meter integrates its length over time. The times in the system are added up, as in the other simulators. The random
// streams are those of the lists of operations, so that the requests are the same; with keyed they are those of env,
// which depend on the number of the request only.
type queue struct {
	customers int
	seed      uint64
	keyed     bool
	at        func(customer int) // called when a request leaves; may be nil

	served int
	spent  time.Duration // in the system, by all requests that have left
}

// exponentials returns exponential times with a mean, in nanoseconds.
type exponentials interface{ Exp(mean int64) int64 }

// byCustomer returns exponential times from the streams of env, one request after another.
type byCustomer struct {
	env.Rand
	customer, stage uint64
}

func (b *byCustomer) Exp(mean int64) int64 {
	d := b.At(b.customer, b.stage)
	b.customer++
	return int64(d.Exp() * float64(mean))
}

func (q *queue) times(e env.Env, stage uint64) exponentials {
	if q.keyed {
		return &byCustomer{Rand: e.Rand(), stage: stage}
	}
	return sim.NewStream(q.seed, stage)
}

func (q *queue) body(e env.Env) {
	line, g := env.NewChan[time.Duration](e, "line", q.customers), e.Group()
	g.Go(e, "customers", func(e env.Env) {
		times := q.times(e, 0)
		for range q.customers {
			e.Burn(time.Duration(times.Exp(gap())))
			line.Send(e.Now())
		}
		line.Close()
	})
	g.Go(e, "server", func(e env.Env) {
		times := q.times(e, 1)
		for came, ok := line.Recv(); ok; came, ok = line.Recv() {
			e.Burn(time.Duration(times.Exp(int64(unit))))
			q.leaves(e.Now() - came)
		}
	})
	g.Wait()
}

// leaves counts a request that leaves.
func (q *queue) leaves(spent time.Duration) {
	if q.at != nil {
		q.at(q.served)
	}
	q.served++
	q.spent += spent
}

// outcome returns the outcome of a run that began at a time.
func (q *queue) outcome(began time.Time) outcome {
	return outcome{time.Since(began), int64(q.served), float64(q.spent) / float64(q.served) / float64(unit)}
}

// simulate runs the queue in virtual time.
func (q *queue) simulate(cpus int) (outcome, error) {
	began := time.Now()
	err := virtual.New(virtual.Config{CPUs: cpus, Seed: q.seed}).Run("body", q.body)
	return q.outcome(began), err
}
