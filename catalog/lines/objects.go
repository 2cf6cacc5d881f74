package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newObjects makes every object a goroutine and every method of it a channel, without room, as actors have been
// proposed for Go. Who calls a method sends its argument and waits for what it returns: the source has next, the
// books have add and total. It is limited by the two goroutines that all lines go through, and by two hand-overs for
// each call, of which each parks one and wakes another.
func newObjects(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, objects[string], objects[[]byte])
}

func objects[L any](t task[L]) func(env.Env) (tally, error) {
	k := t.p.Int("consumers")
	return func(e env.Env) (tally, error) {
		places := t.places(e, k+1)
		source, books, done := newSource(e, t, places), newBooks(e), e.Group()
		for range k {
			done.Go(e, "hasher", func(e env.Env) {
				for n, ok := source.next.call(e, struct{}{}); ok; n, ok = source.next.call(e, struct{}{}) {
					var hashed tally
					t.consume(e, n.line, n.number, &hashed)
					places.give(n.line)
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

// method is one of an object: calls come along a channel, each with the channel for its answer.
type method[A, R any] struct{ calls *env.Chan[call[A, R]] }

type call[A, R any] struct {
	argument A
	answer   *env.Chan[R]
}

func newMethod[A, R any](e env.Env, name string) method[A, R] {
	return method[A, R]{env.NewChan[call[A, R]](e, name, 0)}
}

// call calls the method. ok is false if the object has nothing to answer.
func (m method[A, R]) call(e env.Env, argument A) (answer R, ok bool) {
	c := call[A, R]{argument, env.NewChan[R](e, "", 0)}
	m.calls.Send(c)
	return c.answer.Recv()
}

// source is the object that makes lines.
type source[L any] struct {
	next method[struct{}, numbered[L]]
	gone *env.Group
}

func newSource[L any](e env.Env, t task[L], places places[L]) source[L] {
	s, n := source[L]{newMethod[struct{}, numbered[L]](e, "source.next"), e.Group()}, t.p.Int("total")
	s.gone.Go(e, "source", func(e env.Env) {
		i := 0
		for c, ok := s.next.calls.Recv(); ok; c, ok = s.next.calls.Recv() {
			if i == n {
				c.answer.Close()
				continue
			}
			c.answer.Send(numbered[L]{t.make(e, places.take(), i), i})
			i++
		}
	})
	return s
}

// books is the object that counts.
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
