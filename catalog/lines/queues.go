package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newQueues has a channel for each consumer, which the producer uses in turn (round robin). Consumers do not contend
// for a channel. A slow consumer, however, blocks the producer at its full channel while the others are idle.
func newQueues(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, queues[string], queues[[]byte])
}

func queues[L any](t task[L]) func(env.Env) (tally, error) {
	k, buffer := t.p.Int("consumers"), t.p.Int("buffer")
	return func(e env.Env) (tally, error) {
		lines, spare, tallies, done := make([]*env.Chan[numbered[L]], k), t.newFreeList(e, k*(buffer+1)+1),
			make([]tally, k), e.Group()
		for i := range k {
			lines[i] = env.NewChan[numbered[L]](e, "lines", buffer)
			done.Go(e, "consumer", func(e env.Env) {
				for n, ok := lines[i].Recv(); ok; n, ok = lines[i].Recv() {
					t.consume(e, n.line, n.number, &tallies[i])
					spare.give(n.line)
				}
			})
		}
		for i := range t.p.Int("total") {
			lines[i%k].Send(numbered[L]{t.make(e, spare.take(), i), i})
		}
		for _, c := range lines {
			c.Close()
		}
		done.Wait()
		return total(tallies), nil
	}
}
