package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newShared has no producer and no channel. A worker takes the next batch of numbers from an atomic index, makes these
// lines, and hashes them while they are in the cache. It takes n(P+C)/m, because making is parallel too. That requires
// that no line depends on the one before.
func newShared(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, index[string], index[[]byte])
}

func index[L any](t task[L]) func(env.Env) (tally, error) {
	n, size, k := t.p.Int("total"), t.p.Int("batch"), t.p.Int("consumers")
	return func(e env.Env) (tally, error) {
		next, tallies, done := env.NewAtomic[int](e, "next"), make([]tally, k), e.Group()
		for i := range k {
			done.Go(e, "worker", func(e env.Env) {
				for from := next.Add(size) - size; from < n; from = next.Add(size) - size {
					t.both(e, from, min(from+size, n), &tallies[i])
				}
			})
		}
		done.Wait()
		return total(tallies), nil
	}
}
