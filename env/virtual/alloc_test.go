//go:build !race

package virtual

import (
	"runtime"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

// TestAllocations: once a world has seen its busiest moment, operations allocate nothing. Those of the
// partner count too. The race detector allocates for itself.
func TestAllocations(t *testing.T) {
	for _, cpus := range []int{2, sim.Unlimited} {
		if err := New(Config{CPUs: cpus}).Run("body", func(e env.Env) { steady(t, e) }); err != nil {
			t.Errorf("%d CPUs: %v", cpus, err)
		}
	}
}

func steady(t *testing.T, e env.Env) {
	m, rw, full, lone := e.Mutex("m"), e.RWMutex("rw"), env.NewChan[[4]int](e, "full", 3),
		env.NewChan[int](e, "lone", 0)
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
}

// TestMemory: what a goroutine costs that is blocked in Recv, its stack included. A million must fit into 6 GB, with
// what the collector leaves lying.
func TestMemory(t *testing.T) {
	const n, limit = 20_000, 5500
	for _, cpus := range []int{4, sim.Unlimited} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		err := New(Config{CPUs: cpus}).Run("body", func(e env.Env) {
			gate, g := env.NewChan[int](e, "gate", 0), e.Group()
			for range n {
				g.Go(e, "waiter", func(env.Env) { gate.Recv() })
			}
			e.Sleep(ms)
			runtime.GC()
			runtime.ReadMemStats(&after)
			gate.Close()
			g.Wait()
		})
		each := (int64(after.HeapAlloc+after.StackInuse) - int64(before.HeapAlloc+before.StackInuse)) / n
		if err != nil || each > limit {
			t.Errorf("%d CPUs: %v; a goroutine that is blocked costs %d bytes, want at most %d", cpus, err, each, limit)
		}
		t.Logf("%d CPUs: %d bytes", cpus, each)
	}
}
