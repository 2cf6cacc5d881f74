package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newObjects is an actor design: every object is a goroutine, and every method an unbuffered channel. A call sends the
// argument and waits for the answer. The object source has the method next, and books has add and total. All lines pass
// through these two goroutines, which limits the design. Each call has two hand-offs, each with a park and a wake-up.
func newObjects(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, objects[string], objects[[]byte])
}

func objects[L any](t task[L]) func(env.Env) (tally, error) {
	k := t.p.Int("consumers")
	return func(e env.Env) (tally, error) {
		spare := t.newFreeList(e, k+1)
		source, books, done := newSource(e, t, spare), newBooks(e), e.Group()
		for range k {
			done.Go(e, "hasher", func(e env.Env) {
				for n, ok := source.next.call(e, struct{}{}); ok; n, ok = source.next.call(e, struct{}{}) {
					var hashed tally
					t.consume(e, n.line, n.number, &hashed)
					spare.give(n.line)
					books.add.call(e, hashed)
				}
			})
		}
		done.Wait()
		all, _ := books.total.call(e, struct{}{})
		source.next.calls.Close()
		books.add.calls.Close()
		source.gone.Wait()
		books.gone.Wait()
		return all, nil
	}
}

// method is a method of an object: a channel of calls.
type method[A, R any] struct{ calls *env.Chan[call[A, R]] }

// call is a call of a method: its argument, and the channel for its answer.
type call[A, R any] struct {
	argument A
	answer   *env.Chan[R]
}

func newMethod[A, R any](e env.Env, name string) method[A, R] {
	return method[A, R]{env.NewChan[call[A, R]](e, name, 0)}
}

// call calls the method. ok is false if there is no answer.
func (m method[A, R]) call(e env.Env, argument A) (answer R, ok bool) {
	c := call[A, R]{argument, env.NewChan[R](e, "", 0)}
	m.calls.Send(c)
	return c.answer.Recv()
}

// source is the object that makes lines. Its method next has no answer after the last line.
type source[L any] struct {
	next method[struct{}, numbered[L]]
	gone *env.Group
}

func newSource[L any](e env.Env, t task[L], spare freeList[L]) source[L] {
	s, n := source[L]{newMethod[struct{}, numbered[L]](e, "source.next"), e.Group()}, t.p.Int("total")
	s.gone.Go(e, "source", func(e env.Env) {
		i := 0
		for c, ok := s.next.calls.Recv(); ok; c, ok = s.next.calls.Recv() {
			if i == n {
				c.answer.Close()
				continue
			}
			c.answer.Send(numbered[L]{t.make(e, spare.take(), i), i})
			i++
		}
	})
	return s
}

// books is the object that adds up tallies.
type books struct {
	add   method[tally, struct{}]
	total method[struct{}, tally]
	gone  *env.Group
}

func newBooks(e env.Env) books {
	b := books{newMethod[tally, struct{}](e, "books.add"), newMethod[struct{}, tally](e, "books.total"), e.Group()}
	b.gone.Go(e, "books", func(e env.Env) {
		var all tally
		for {
			var add call[tally, struct{}]
			var sum call[struct{}, tally]
			var ok bool
			if env.Select(b.add.calls.OnRecvOK(&add, &ok), b.total.calls.OnRecv(&sum)) == 1 {
				sum.answer.Send(all)
				continue
			}
			if !ok {
				return
			}
			all.count, all.sum = all.count+add.argument.count, all.sum+add.argument.sum
			add.answer.Send(struct{}{})
		}
	})
	return b
}
