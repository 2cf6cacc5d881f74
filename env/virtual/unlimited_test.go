package virtual

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

// crowd is a world of many goroutines at all depths of coroutines above each other: some hand values round, some
// burn and sleep, some start others and end.
func crowd(e env.Env) {
	g := e.Group()
	var ring [40]*env.Chan[int]
	for i := range ring {
		ring[i] = env.NewChan[int](e, "", i%2)
	}
	for i := range ring {
		g.Go(e, "link", func(e env.Env) {
			for round := range 5 {
				v, _ := ring[i].Recv()
				e.Burn(time.Duration(i%3) * time.Microsecond)
				if e.Now()%2 == 0 {
					g.Go(e, "child", func(e env.Env) { e.Sleep(time.Duration(v) * time.Microsecond) })
				}
				if i+1 < len(ring) || round < 4 {
					ring[(i+1)%len(ring)].Send(v + 1)
				}
			}
		})
	}
	ring[0].Send(0)
	g.Wait()
}

// TestUnlimitedDecides alike every time, and otherwise than a machine that has few CPUs.
func TestUnlimitedDecides(t *testing.T) {
	sum := func(cpus int) uint64 {
		w := New(Config{CPUs: cpus, Seed: 1})
		if err := w.Run("body", crowd); err != nil {
			t.Error(err)
		}
		return w.Checksum()
	}
	const golden = 0x5b7972d23954b864
	if got := sum(sim.Unlimited); got != golden || sum(sim.Unlimited) != got {
		t.Errorf("checksum %#x and then %#x, want %#x", got, sum(sim.Unlimited), golden)
	}
	if sum(3) == golden {
		t.Error("3 CPUs decide like unlimited ones")
	}
}

// TestUnlimitedCPUs: a thousand burns take as long as one, and all the work is counted.
func TestUnlimitedCPUs(t *testing.T) {
	w := New(Config{CPUs: sim.Unlimited})
	err := w.Run("body", func(e env.Env) {
		g := e.Group()
		for range 1000 {
			g.Go(e, "burner", func(e env.Env) { e.Burn(50 * ms) })
		}
		e.Sleep(10 * ms)
		if got := w.Busy(); got != 1000*10*ms {
			t.Errorf("after 10 ms: %v of CPUs, want 10 s", got)
		}
		g.Wait()
		if now := e.Now(); now != 50*ms {
			t.Errorf("it is %v, want 50 ms", now)
		}
	})
	if err != nil || w.Useful() != 50*time.Second || w.Busy() != 50*time.Second {
		t.Errorf("%v; useful %v, busy %v, want 50 s", err, w.Useful(), w.Busy())
	}
}

// TestGoexitBelow: a goroutine that calls Goexit ends those whose coroutines stand below its own too. What they have
// deferred runs, meets the end of the world in operations that would park, and leaves nothing behind.
func TestGoexitBelow(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, cpus := range []int{2, sim.Unlimited} {
		deferred := 0
		err := New(Config{CPUs: cpus, Costs: sim.Costs{Lock: sim.Ns(10)}}).Run("body", func(e env.Env) {
			g, m := e.Group(), e.Mutex("m")
			for i := range 5 {
				g.Go(e, "waiter", func(e env.Env) {
					defer func() {
						deferred++
						e.Sleep(ms)
					}()
					e.Sleep(time.Duration(i+1) * time.Microsecond)
					if i == 4 {
						runtime.Goexit()
					}
					m.Lock()
					env.NewChan[int](e, "never", 0).Recv()
				})
			}
			g.Wait()
		})
		if err == nil || !strings.Contains(err.Error(), "goroutine waiter#5 called runtime.Goexit") || deferred != 5 {
			t.Errorf("%d CPUs: error %v; %d deferred functions ran, want 5", cpus, err, deferred)
		}
	}
}

// TestGoexitThenDeadlock: the world ends while a goroutine is parked in what it deferred to Goexit.
func TestGoexitThenDeadlock(t *testing.T) {
	defer goleak.VerifyNone(t)
	ended := 0
	says(t, func(e env.Env) {
		never := env.NewChan[int](e, "never", 0)
		for range 3 {
			e.Go("quitter", func(env.Env) {
				defer func() { ended++ }()
				defer never.Recv()
				runtime.Goexit()
			})
		}
		never.Recv()
	}, "deadlock")
	if ended != 3 {
		t.Errorf("%d goroutines ended, want 3", ended)
	}
}
