package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newShared has no channel and no producer: who is free takes the next numbers from a shared index, makes these lines
// and hashes them while the cache has them. It is limited by the CPUs alone, n(P+C)/m, and not by P, as making is
// shared too: that is possible where a line does not depend on the one before.
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
