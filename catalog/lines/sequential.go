package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// block is how many lines designs without a channel do in one piece of real code.
const block = 100

// newSequential makes and hashes in turn: it is limited by the work itself, n(P+C).
func newSequential(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, inTurn[string], inTurn[[]byte])
}

func inTurn[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (all tally, err error) {
		n := t.p.Int("total")
		for from := 0; from < n; from += block {
			t.both(e, from, min(from+block, n), &all)
		}
		return all, nil
	}
}

// both makes and hashes lines.
func (t task[L]) both(e env.Env, from, to int, into *tally) {
	var line L
	e.For(uint64(from))
	w := e.Begin()
	for i := from; i < to; i++ {
		line = t.line(line, i)
		into.add(t.hash(line))
	}
	w.End()
}

// newProduce makes lines that nobody hashes: what one producer takes at least.
func newProduce(_ env.Env, p plan.Point) (workload.Job, error) {
	j, err := design(p, making[string], making[[]byte])
	j.Check = nil
	return j, err
}

func making[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		n := t.p.Int("total")
		var line L
		for from := 0; from < n; from += block {
			e.For(uint64(from))
			w := e.Begin()
			for i := from; i < min(from+block, n); i++ {
				line = t.line(line, i)
			}
			w.End()
		}
		return tally{}, nil
	}
}
