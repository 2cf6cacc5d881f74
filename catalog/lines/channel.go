package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// numbered is a line on its way.
type numbered[L any] struct {
	line   L
	number int
}

// newChannel sends each line along one channel and waits for the consumers. Beyond the bound it pays a send and a
// receive for each line, and a park and a wake-up wherever the channel is full or empty; a buffer saves only the
// latter.
func newChannel(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, oneChannel[string], oneChannel[[]byte])
}

func oneChannel[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		c := t.consumers(e)
		for i := range t.p.Int("total") {
			c.lines.Send(numbered[L]{t.make(e, c.places.take(), i), i})
		}
		c.lines.Close()
		c.done.Wait()
		return total(c.tallies), nil
	}
}

// newHelping is the channel with a producer that hashes a line itself where the channel is full: it never parks, so
// that its CPU is never without work, and the channel runs empty only where the consumers are faster.
func newHelping(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, helping[string], helping[[]byte])
}

func helping[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		c := t.consumers(e)
		var own tally
		for i := range t.p.Int("total") {
			line := t.make(e, c.places.take(), i)
			if !c.lines.TrySend(numbered[L]{line, i}) {
				t.consume(e, line, i, &own)
				c.places.give(line)
			}
		}
		c.lines.Close()
		c.done.Wait()
		return total(append(c.tallies, own)), nil
	}
}

// newOriginal is the channel as it was first written: when the producer has sent its last line the program ends, and
// with it the consumers, whatever is left in the channel and in their hands.
func newOriginal(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, original[string], original[[]byte])
}

func original[L any](t task[L]) func(env.Env) (tally, error) {
	return func(e env.Env) (tally, error) {
		exited := env.NewAtomic[int](e, "exited")
		c := t.employ(e, func(e env.Env, c *consumers[L], own *tally) {
			for n, ok := c.lines.Recv(); ok; n, ok = c.lines.Recv() {
				if exited.Load() != 0 {
					continue // there is no process any more that could hash it
				}
				var hashed tally
				t.consume(e, n.line, n.number, &hashed)
				if exited.Load() == 0 {
					own.count, own.sum = own.count+hashed.count, own.sum+hashed.sum
				}
				c.places.give(n.line)
			}
		})
		for i := range t.p.Int("total") {
			c.lines.Send(numbered[L]{t.make(e, c.places.take(), i), i})
		}
		exited.Store(1)
		c.lines.Close() // the goroutines of the trial have to end; the original's did not
		c.done.Wait()
		return total(c.tallies), nil
	}
}

// consumers hash what comes along a channel.
type consumers[L any] struct {
	lines   *env.Chan[numbered[L]]
	places  places[L]
	tallies []tally
	done    *env.Group
}

// consumers starts those that hash every line until the channel is closed.
func (t task[L]) consumers(e env.Env) *consumers[L] {
	return t.employ(e, func(e env.Env, c *consumers[L], own *tally) {
		for n, ok := c.lines.Recv(); ok; n, ok = c.lines.Recv() {
			t.consume(e, n.line, n.number, own)
			c.places.give(n.line)
		}
	})
}

// employ starts consumers that do as they are told.
func (t task[L]) employ(e env.Env, work func(e env.Env, c *consumers[L], own *tally)) *consumers[L] {
	k, buffer := t.p.Int("consumers"), t.p.Int("buffer")
	c := &consumers[L]{env.NewChan[numbered[L]](e, "lines", buffer), t.places(e, buffer+k+1), make([]tally, k),
		e.Group()}
	for i := range k {
		c.done.Go(e, "consumer", func(e env.Env) { work(e, c, &c.tallies[i]) })
	}
	return c
}
