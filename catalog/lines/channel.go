package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// numbered is a line with its number.
type numbered[L any] struct {
	line   L
	number int
}

// newChannel sends each line along one channel to the consumers. In addition to the bound, each line costs a send and a
// receive, and a park and a wake-up whenever the channel is full or empty. A buffer saves only the latter.
func newChannel(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, oneChannel[string], oneChannel[[]byte])
}

func oneChannel[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		c := t.consumers(e)
		for i := range t.p.Int("total") {
			c.lines.Send(numbered[L]{t.make(e, c.spare.take(), i), i})
		}
		c.lines.Close()
		c.done.Wait()
		return total(c.tallies), nil
	}
}

// newHelping is channel with a producer that hashes a line itself if the channel is full. The producer never parks, so
// its CPU always has work. The channel becomes empty only if the consumers are faster.
func newHelping(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, helping[string], helping[[]byte])
}

func helping[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		c := t.consumers(e)
		var own tally
		for i := range t.p.Int("total") {
			line := t.make(e, c.spare.take(), i)
			if !c.lines.TrySend(numbered[L]{line, i}) {
				t.consume(e, line, i, &own)
				c.spare.give(line)
			}
		}
		c.lines.Close()
		c.done.Wait()
		return total(append(c.tallies, own)), nil
	}
}

// newOriginal is channel as originally published. The program ends when the producer has sent its last line. Lines that
// are still in the channel or with a consumer are lost.
func newOriginal(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, original[string], original[[]byte])
}

func original[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		exited := env.NewAtomic[int](e, "exited")
		c := t.employ(e, func(e env.Env, c *consumers[L], own *tally) {
			for n, ok := c.lines.Recv(); ok; n, ok = c.lines.Recv() {
				if exited.Load() != 0 {
					continue // the original process has ended
				}
				var hashed tally
				t.consume(e, n.line, n.number, &hashed)
				if exited.Load() == 0 {
					own.count, own.sum = own.count+hashed.count, own.sum+hashed.sum
				}
				c.spare.give(n.line)
			}
		})
		for i := range t.p.Int("total") {
			c.lines.Send(numbered[L]{t.make(e, c.spare.take(), i), i})
		}
		exited.Store(1)
		c.lines.Close() // ends the goroutines of the trial; the original did not
		c.done.Wait()
		return total(c.tallies), nil
	}
}

// consumers are goroutines that hash the lines of a channel.
type consumers[L any] struct {
	lines   *env.Chan[numbered[L]]
	spare   freeList[L]
	tallies []tally
	done    *env.Group
}

// consumers starts consumers that hash every line until the channel is closed.
func (t task[L]) consumers(e env.Env) *consumers[L] {
	return t.employ(e, func(e env.Env, c *consumers[L], own *tally) {
		for n, ok := c.lines.Recv(); ok; n, ok = c.lines.Recv() {
			t.consume(e, n.line, n.number, own)
			c.spare.give(n.line)
		}
	})
}

// employ starts consumers that run work.
func (t task[L]) employ(e env.Env, work func(e env.Env, c *consumers[L], own *tally)) *consumers[L] {
	k, buffer := t.p.Int("consumers"), t.p.Int("buffer")
	c := &consumers[L]{env.NewChan[numbered[L]](e, "lines", buffer), t.newFreeList(e, buffer+k+1), make([]tally, k),
		e.Group()}
	for i := range k {
		c.done.Go(e, "consumer", func(e env.Env) { work(e, c, &c.tallies[i]) })
	}
	return c
}
