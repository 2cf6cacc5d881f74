package costs

import (
	"time"

	"github.com/brewput/brewput/env"
)

// naps are the times that the other CPU has been idle when it is woken. A process is idle for all of these times, and
// the state of an idle processor depends on them: it may poll, sleep, or sleep deeply.
var naps = []time.Duration{0, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000}

// poll is the interval at which a waker checks whether the goroutines that it woke have run. It keeps its CPU
// meanwhile.
const poll = 200 * time.Nanosecond

// wake makes two goroutines ready at once. The second one displaces the first from run-next, so that the CPU that
// wakes up finds the first in the run queue. When that one parks, the CPU searches again, and backs off before the
// second in run-next.
func wake(s setting, e env.Env, r readings) {
	first, second := env.NewChan[time.Duration](e, "first", 0), env.NewChan[time.Duration](e, "second", 0)
	var came, left, then, done = env.NewAtomic[int64](e, "came"), env.NewAtomic[int64](e, "left"),
		env.NewAtomic[int64](e, "then"), env.NewAtomic[int64](e, "done")
	e.Go("first", func(e env.Env) {
		for _, ok := first.Recv(); ok; _, ok = first.Recv() {
			came.Store(int64(e.Now()))
			done.Add(1)
			left.Store(int64(e.Now()))
		}
	})
	e.Go("second", func(e env.Env) {
		for _, ok := second.Recv(); ok; _, ok = second.Recv() {
			then.Store(int64(e.Now()))
			done.Add(1)
		}
	})
	e.Burn(time.Millisecond)
	for range s.cycles {
		for _, nap := range naps {
			done.Store(0)
			e.Burn(nap)
			sent := e.Now()
			first.Send(sent)
			second.Send(sent)
			for done.Load() < 2 {
				e.Burn(poll)
			}
			if came.Load() > then.Load() {
				continue // the second was taken before the first, by the waker itself or while it was preempted
			}
			r.add(at("wake", nap), float64(came.Load()-int64(sent)))
			r.add(at("steal", nap), float64(then.Load()-left.Load()))
		}
	}
	first.Close()
	second.Close()
}

// handOff makes one goroutine ready and continues. Another CPU must wake up and back off before it takes the
// goroutine.
func handOff(s setting, e env.Env, r readings) {
	given := env.NewChan[time.Duration](e, "given", 0)
	came := env.NewAtomic[int64](e, "came")
	e.Go("taker", func(e env.Env) {
		for _, ok := given.Recv(); ok; _, ok = given.Recv() {
			came.Store(int64(e.Now()))
		}
	})
	e.Burn(time.Millisecond)
	for range s.cycles {
		for _, nap := range naps {
			came.Store(0)
			e.Burn(nap)
			sent := e.Now()
			given.Send(sent)
			e.Burn(poll)
			told := e.Now()
			for came.Load() == 0 {
				e.Burn(poll)
			}
			r.add(at("handoff", nap), float64(came.Load()-int64(sent)))
			r.add(at("rouse", nap), float64(told-sent))
		}
	}
	given.Close()
}

// at names the reading after a nap.
func at(name string, nap time.Duration) string { return name + "@" + nap.String() }
