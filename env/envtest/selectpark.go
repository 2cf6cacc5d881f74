package envtest

import (
	"fmt"

	"github.com/brewput/brewput/env"
)

func selectParked(b *bench, e env.Env) {
	in, out := env.NewChan[int](e, "in", 0), env.NewChan[int](e, "out", 0)
	stop, g := env.NewChan[struct{}](e, "stop", 0), e.Group()
	// A buffer of one place: it waits for input or for its value to be taken, whichever may be.
	g.Go(e, "buffer", func(env.Env) {
		for {
			v, ok := 0, false
			if env.Select(in.OnRecvOK(&v, &ok), stop.OnRecv(nil)) == 1 {
				return
			}
			if env.Select(out.OnSend(v), stop.OnRecv(nil)) == 1 {
				b.Error("the buffer is stopped with a value inside")
				return
			}
		}
	})
	for i := range 200 {
		in.Send(i)
		v, _ := out.Recv()
		want(b, "the value out of the buffer", v, i)
	}
	stop.Close()
	g.Wait()
}

// selectWoken parks on every number of cases of one type and wakes each of them.
func selectWoken(b *bench, e env.Env) {
	for _, n := range []int{1, 2, 3, 4, 5, 10} {
		for woken := range n {
			for _, send := range []bool{false, true} {
				c, g := make([]*env.Chan[int], n), e.Group()
				values, cases := make([]int, n), make([]env.Case, n)
				for i := range c {
					c[i] = env.NewChan[int](e, "c", 0)
					cases[i] = c[i].OnRecv(&values[i])
					if send {
						cases[i] = c[i].OnSend(i + 1)
					}
				}
				got := 0
				g.Go(e, "waker", func(e env.Env) {
					e.Sleep(1) // until the Select has parked
					if send {
						got, _ = c[woken].Recv()
					} else {
						c[woken].Send(woken + 1)
					}
				})
				what := fmt.Sprintf("the case that woke a Select of %d", n)
				want(b, what, env.Select(cases...), woken)
				g.Wait()
				for i, v := range values {
					switch {
					case send && got != woken+1:
						b.Errorf("case %d of %d sends %d", woken, n, got)
					case !send && i == woken && v != woken+1, !send && i != woken && v != 0:
						b.Errorf("case %d of %d wakes and case %d receives %d", woken, n, i, v)
					}
				}
			}
		}
	}
}
