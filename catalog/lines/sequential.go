package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// block is the number of lines in a section of real code, in designs without a channel.
const block = 100

// newSequential makes and hashes each line in one goroutine. It takes n(P+C).
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

// both makes and hashes the lines from up to before to, as a section of real code.
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

// newProduce makes all lines and hashes none. Its time nP is a bound for designs with one producer.
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
