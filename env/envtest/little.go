package envtest

import (
	"time"

	"github.com/brewput/brewput/env"
)

// littleChan measures each value's wait from the call of Send to the return of Recv. Their sum is
// the integral over time of the values on their way: L = lambda W without an average (Little,
// Operations Research 9(3), 1961; Stidham, ibid. 22(2), 1974).
func littleChan(b *bench, e env.Env) {
	const producers, consumers, values = 3, 2, 40
	c, sending, receiving := env.NewChan[time.Duration](e, "line", 2), e.Group(), e.Group()
	waits := env.NewAtomic[int64](e, "waits")
	for p := range producers {
		sending.Go(e, "producer", func(e env.Env) {
			for i := range values {
				e.Sleep(time.Duration((i*7+p*3)%5) * ms)
				c.Send(e.Now())
			}
		})
	}
	for range consumers {
		receiving.Go(e, "consumer", func(e env.Env) {
			n := 0
			for t, ok := c.Recv(); ok; t, ok = c.Recv() {
				waits.Add(int64(e.Now() - t))
				n++
				e.Sleep(time.Duration(n%4) * ms)
			}
		})
	}
	sending.Wait()
	c.Close()
	receiving.Wait()
	r := b.meter("line")
	want(b, "the number of values received", r.Uses, producers*values)
	want(b, "the integral of the queue", r.Queue, time.Duration(waits.Load()))
	if r.Queue == 0 {
		b.Error("nobody waited: the law is not tried")
	}
}

// littleSelect is littleChan with Selects that send and receive. Which value a receive gets does not
// matter: the integral is the sum of the receives' times less the sum of the times that Selects with a
// send were called.
func littleSelect(b *bench, e env.Env) {
	const goroutines, values = 3, 30
	c, spare, g := env.NewChan[int](e, "line", 2), env.NewChan[int](e, "spare", 0), e.Group()
	sent, received := env.NewAtomic[int64](e, "sent"), env.NewAtomic[int64](e, "received")
	for p := range goroutines {
		g.Go(e, "sender", func(e env.Env) {
			for i := range values {
				e.Sleep(time.Duration((i*7+p*3)%5) * ms)
				sent.Add(int64(e.Now()))
				want(b, "the case taken", env.Select(spare.OnRecv(nil), c.OnSend(i)), 1)
			}
		})
		g.Go(e, "receiver", func(e env.Env) {
			for i := range values {
				want(b, "the case taken", env.Select(c.OnRecv(nil), spare.OnRecv(nil)), 0)
				received.Add(int64(e.Now()))
				e.Sleep(time.Duration((i*3+p)%6) * ms)
			}
		})
	}
	g.Wait()
	r := b.meter("line")
	want(b, "the number of values received", r.Uses, goroutines*values)
	want(b, "the integral of the queue", r.Queue, time.Duration(received.Load()-sent.Load()))
	if r.Queue == 0 || r.SendParked == 0 || r.RecvParked == 0 {
		b.Errorf("nobody waited, so the law is not tried: %+v", r)
	}
}

func littleMutex(b *bench) {
	b.run(func(e env.Env) {
		m, g := e.Mutex("m"), e.Group()
		waits, holds := env.NewAtomic[int64](e, "waits"), env.NewAtomic[int64](e, "holds")
		for p := range 4 {
			g.Go(e, "user", func(e env.Env) {
				for i := range 20 {
					e.Sleep(time.Duration((i*3+p)%7) * ms)
					t := e.Now()
					m.Lock()
					waits.Add(int64(e.Now() - t))
					t = e.Now()
					e.Sleep(time.Duration(1+i%3) * ms)
					holds.Add(int64(e.Now() - t))
					m.Unlock()
				}
			})
		}
		g.Wait()
		r := b.meter("m")
		want(b, "the integral of the queue", r.Queue, time.Duration(waits.Load()))
		want(b, "the busy time", r.Busy, time.Duration(holds.Load()))
		want(b, "the number of uses", r.Uses, 80)
	})
}
