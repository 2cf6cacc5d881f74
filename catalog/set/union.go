package set

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newUnion has two sets, each with a lock. A union locks its own set and then the other. If one goroutine adds b to a
// while another one adds a to b, each holds the lock that the other needs: a deadlock.
func newUnion(e env.Env, p plan.Point) (workload.Job, error) {
	return unionJob(e, p, func(own, _ *numbered) bool { return true }), nil
}

// newOrdered is newUnion, except that all goroutines take the locks in the same order, whatever set is their own.
func newOrdered(e env.Env, p plan.Point) (workload.Job, error) {
	return unionJob(e, p, func(own, other *numbered) bool { return own.number < other.number }), nil
}

// numbered is a locked set with a number, which orders the locks.
type numbered struct {
	locked
	number int
}

// unionJob returns a job with two sets. Each goroutine makes its calls on one of them, and at times adds the other to
// it. ownFirst decides which lock a union takes first.
func unionJob(e env.Env, p plan.Point, ownFirst func(own, other *numbered) bool) workload.Job {
	t, between, cost := newTrace(e, p), p.Int("between"), access(p)
	sets := [2]*numbered{}
	for i, name := range []string{"a", "b"} {
		sets[i] = &numbered{locked: locked{lock: e.Mutex(name), m: newKeys(t.first)}, number: i}
	}
	tallies := make([]tally, p.Int("goroutines"))
	return workload.Job{
		Items: int64(len(t.calls)),
		Run: func(e env.Env) error {
			done := e.Group()
			for i := range tallies {
				done.Go(e, "worker", func(e env.Env) {
					own, other, sum := sets[i%2], sets[1-i%2], tally{}
					v := lockedView{e, &own.locked, cost}
					for n, c := range t.share(i, len(tallies)) {
						if sum.do(v, c); n%between == between-1 {
							first, second := own, other
							if !ownFirst(own, other) {
								first, second = other, own
							}
							first.lock.Lock()
							second.lock.Lock()
							own.union(e, other, cost, &sum)
							second.lock.Unlock()
							first.lock.Unlock()
						}
					}
					tallies[i] = sum
				})
			}
			done.Wait()
			return nil
		},
		Check: func() (workload.Answer, error) {
			want, got := sumOf(t.first), contents{}
			want.include(tally{changed: want}) // both sets began with these keys
			for _, x := range tallies {
				want.include(x)
			}
			for _, s := range sets {
				for k := range s.m {
					got.insert(k)
				}
			}
			return t.answer(tallies, want.compare(got))
		},
		Metrics: func() map[string]float64 { return t.metrics(tallies) },
	}
}

// union adds the keys of other to s. The caller holds both locks.
func (s *numbered) union(e env.Env, other *numbered, cost time.Duration, sum *tally) {
	e.Charge(cost * time.Duration(len(other.m)))
	for k := range other.m {
		if s.m.add(k) {
			sum.changed.insert(k)
		}
	}
}
