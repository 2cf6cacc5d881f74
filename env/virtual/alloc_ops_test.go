//go:build !race

package virtual

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// TestOperationsAllocate says of the operations that are not in TestAllocations what they allocate, those of the
// goroutines that they start included: what the design gives them and what After makes, no more.
func TestOperationsAllocate(t *testing.T) {
	says(t, func(e env.Env) {
		m, g := e.Mutex("m"), e.Group()
		c := e.Cond(m)
		var chans [12]*env.Chan[int]
		cases := make([]env.Case, len(chans))
		var v int
		for i := range chans {
			chans[i] = env.NewChan[int](e, "wide", 1)
			cases[i] = chans[i].OnRecv(&v)
		}
		nothing := func(env.Env) {}
		sender := func(e env.Env) { chans[11].Send(7) }
		waiter := func(env.Env) {
			m.Lock()
			c.Wait()
			m.Unlock()
		}
		for _, o := range []struct {
			name  string
			round func()
			want  float64
		}{
			{"Go", func() { e.Go("x", nothing); e.Sleep(1000) }, 0},
			{"Cond", func() {
				e.Go("x", waiter)
				e.Sleep(1000)
				c.Signal()
				c.Broadcast()
				e.Sleep(1000)
			}, 0},
			{"Group", func() { g.Add(1); g.Done(); g.Wait() }, 0},
			{"Group.Go", func() { g.Go(e, "x", nothing); g.Wait() }, 1}, // the closure that calls Done
			{"wide Select", func() {
				e.Go("x", sender)
				env.Select(cases...)
				chans[3].Send(1)
				env.Select(cases...)
			}, 0},
			// A timer, its function, and a channel with its line, its buffer, its values and the list of free ones.
			{"After", func() { e.After(time.Microsecond).Recv() }, 8},
		} {
			for range 20 {
				o.round()
			}
			if got := testing.AllocsPerRun(500, o.round); got != o.want {
				t.Errorf("%s allocates %v times, want %v", o.name, got, o.want)
			}
		}
	})
}
