//go:build !race

package virtual

import (
	"testing"

	"github.com/brewput/brewput/env"
)

// TestAllocations: once a world has seen its busiest moment, operations allocate nothing. Those of the
// partner count too. The race detector allocates for itself.
func TestAllocations(t *testing.T) {
	says(t, func(e env.Env) {
		m, rw, full, lone := e.Mutex("m"), e.RWMutex("rw"), env.NewChan[[4]int](e, "full", 3), env.NewChan[int](e, "lone", 0)
		stop, g := env.NewChan[int](e, "stop", 0), e.Group()
		g.Go(e, "partner", func(e env.Env) {
			for {
				m.Lock()
				e.Burn(1000)
				m.Unlock()
				rw.Lock()
				e.Burn(500)
				rw.Unlock()
				var v [4]int
				if env.Select(full.OnRecv(&v), stop.OnRecv(nil)) == 1 {
					return
				}
				if env.Select(lone.OnSend(v[3]), stop.OnRecv(nil)) == 1 {
					return
				}
			}
		})
		round := func() {
			m.Lock()
			e.Burn(1000)
			m.Unlock()
			rw.RLock()
			e.Burn(1000)
			rw.RUnlock()
			full.Send([4]int{3: 7})
			if v, _ := lone.Recv(); v != 7 {
				t.Errorf("received %d, want 7", v)
			}
			e.Sleep(100)
			e.Now()
		}
		for range 100 {
			round()
		}
		if got := testing.AllocsPerRun(1000, round); got != 0 {
			t.Errorf("a round allocates %v times", got)
		}
		stop.Close()
		g.Wait()
	})
}
