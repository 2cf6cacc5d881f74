package main

import (
	"math/rand/v2"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
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
// keeps its time integrals. As in the programs of its peers, the times in the system are added up, and times are drawn from a
// generator of the language's own library; keyed takes those of env instead, which depend on the customer alone.
type queue struct {
	customers int
	seed      uint64
	keyed     bool
	at        func(customer int) // called as each customer leaves; may be nil

	served int
	inside time.Duration // that customers who have left were in the system, all together
}

// exponentials are draws with mean 1.
type exponentials interface{ ExpFloat64() float64 }

// keyed are those of env, for one customer after the other.
type keyed struct {
	env.Rand
	customer, stage uint64
}

func (k *keyed) ExpFloat64() float64 {
	d := k.At(k.customer, k.stage)
	k.customer++
	return d.Exp()
}

func (q *queue) exponentials(e env.Env, stage uint64) exponentials {
	if q.keyed {
		return &keyed{Rand: e.Rand(), stage: stage}
	}
	return rand.New(rand.NewPCG(q.seed, stage))
}

func (q *queue) body(e env.Env) {
	line, g := env.NewChan[time.Duration](e, "line", q.customers), e.Group()
	g.Go(e, "customers", func(e env.Env) {
		times := q.exponentials(e, 0)
		for range q.customers {
			e.Burn(time.Duration(times.ExpFloat64() * (float64(unit) / load)))
			line.Send(e.Now())
		}
		line.Close()
	})
	g.Go(e, "server", func(e env.Env) {
		times := q.exponentials(e, 1)
		for came, ok := line.Recv(); ok; came, ok = line.Recv() {
			e.Burn(time.Duration(times.ExpFloat64() * float64(unit)))
			q.leaves(e.Now() - came)
		}
	})
	g.Wait()
}

// leaves counts a customer who leaves.
func (q *queue) leaves(inside time.Duration) {
	if q.at != nil {
		q.at(q.served)
	}
	q.served++
	q.inside += inside
}

// outcome is what has come of a run that began then.
func (q *queue) outcome(began time.Time) outcome {
	return outcome{time.Since(began), int64(q.served), float64(q.inside) / float64(q.served) / float64(unit)}
}

// simulate runs the queue in virtual time.
func (q *queue) simulate(cpus int) (outcome, error) {
	began := time.Now()
	err := virtual.New(virtual.Config{CPUs: cpus, Seed: q.seed}).Run("body", q.body)
	return q.outcome(began), err
}
