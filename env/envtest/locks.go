package envtest

import (
	"time"

	"github.com/brewput/brewput/env"
)

func lockLaws() []law {
	return []law{
		simple("a Mutex lets one in", mutexExcludes),
		simple("a writer of an RWMutex is alone", writerExcludes),
		simple("readers share an RWMutex", readersShare),
		simple("TryLock takes only a free Mutex", tryLock),
		simple("Signal wakes exactly one", signalWakesOne),
		simple("Broadcast wakes all who wait", broadcastWakesAll),
	}
}

func mutexExcludes(b *bench, e env.Env) {
	const goroutines, rounds = 6, 100
	m, g := e.Mutex("m"), e.Group()
	inside := env.NewAtomic[int](e, "inside")
	n := 0 // plain: without exclusion updates are lost, and the race detector sees it
	for range goroutines {
		g.Go(e, "user", func(e env.Env) {
			for range rounds {
				m.Lock()
				if inside.Add(1) != 1 {
					b.Error("two goroutines hold one Mutex")
				}
				was := n
				e.Burn(time.Microsecond)
				n = was + 1
				inside.Add(-1)
				m.Unlock()
			}
		})
	}
	g.Wait()
	want(b, "the sum of updates under a Mutex", n, goroutines*rounds)
}

func writerExcludes(b *bench, e env.Env) {
	const writers, readers, rounds = 3, 3, 100
	m, g := e.RWMutex("m"), e.Group()
	left, right := 0, 0 // equal whenever no writer is inside
	for range writers {
		g.Go(e, "writer", func(e env.Env) {
			for range rounds {
				m.Lock()
				left++
				e.Burn(time.Microsecond)
				right++
				m.Unlock()
			}
		})
	}
	for range readers {
		g.Go(e, "reader", func(e env.Env) {
			for range rounds {
				m.RLock()
				if left != right {
					b.Errorf("a reader is inside with a writer: %d, %d", left, right)
				}
				m.RUnlock()
			}
		})
	}
	g.Wait()
	want(b, "the sum of updates by writers", right, writers*rounds)
}

func readersShare(b *bench, e env.Env) {
	m, meet, g := e.RWMutex("m"), env.NewChan[int](e, "meet", 0), e.Group()
	g.Go(e, "reader", func(env.Env) {
		m.RLock()
		meet.Send(1) // needs the other reader inside
		m.RUnlock()
	})
	g.Go(e, "reader", func(env.Env) {
		m.RLock()
		meet.Recv()
		m.RUnlock()
	})
	g.Wait()
}

func tryLock(b *bench, e env.Env) {
	m, g := e.Mutex("m"), e.Group()
	want(b, "TryLock of a free Mutex", m.TryLock(), true)
	g.Go(e, "other", func(env.Env) { want(b, "TryLock of a held Mutex", m.TryLock(), false) })
	g.Wait()
	m.Unlock()
	g.Go(e, "other", func(env.Env) {
		want(b, "TryLock of a Mutex given back", m.TryLock(), true)
		m.Unlock()
	})
	g.Wait()
}

// waiters wait on one Cond. Each announces itself while it holds the lock, so that whoever has heard
// it and gets the lock knows it to be waiting.
type waiters struct {
	m       *env.Mutex
	c       *env.Cond
	g       *env.Group
	arrived *env.Chan[int]
	woken   *env.Chan[int]
	permits int // wakings allowed and not used; guarded by m
}

func newWaiters(b *bench, e env.Env, n int) *waiters {
	w := &waiters{m: e.Mutex("m"), g: e.Group(), arrived: env.NewChan[int](e, "arrived", n),
		woken: env.NewChan[int](e, "woken", n)}
	w.c = e.Cond(w.m)
	for i := range n {
		w.g.Go(e, "waiter", func(env.Env) {
			w.m.Lock()
			w.arrived.Send(i)
			w.c.Wait()
			if w.permits--; w.permits < 0 {
				b.Error("a waiter woke that nobody meant to wake")
			}
			w.m.Unlock()
			w.woken.Send(i)
		})
	}
	for range n {
		w.arrived.Recv()
	}
	return w
}

// wake allows n wakings and calls f with the lock held.
func (w *waiters) wake(n int, f func()) {
	w.m.Lock()
	w.permits += n
	f()
	w.m.Unlock()
	for range n {
		w.woken.Recv()
	}
}

func signalWakesOne(b *bench, e env.Env) {
	const n = 5
	w := newWaiters(b, e, n)
	for range n {
		w.wake(1, w.c.Signal)
	}
	w.g.Wait()
	want(b, "permits left", w.permits, 0)
}

func broadcastWakesAll(b *bench, e env.Env) {
	const n = 5
	w := newWaiters(b, e, n)
	w.wake(n, w.c.Broadcast)
	w.g.Wait()
	want(b, "permits left", w.permits, 0)
}
