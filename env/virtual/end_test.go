package virtual

import (
	"fmt"
	"iter"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
)

// safely calls f and recovers from its panic.
func safely(f func()) {
	defer func() { _ = recover() }()
	f()
}

// TestGoexitWhileUnwinding: every goroutine that is left is ended, though the ends of some are Goexits.
func TestGoexitWhileUnwinding(t *testing.T) {
	defer goleak.VerifyNone(t)
	deferred := 0
	says(t, func(e env.Env) {
		c := env.NewChan[int](e, "never", 0)
		for i := range 6 {
			e.Go("waiter", func(e env.Env) {
				if i%2 == 0 {
					defer runtime.Goexit()
				}
				defer func() { deferred++ }()
				c.Recv()
			})
		}
		e.Sleep(ms)
		panic("boiling over")
	}, "boiling over")
	if deferred != 6 {
		t.Errorf("%d deferred functions ran, want 6", deferred)
	}
}

// TestRecoversForEver: a worker that goes on whatever panics is ended with the world.
func TestRecoversForEver(t *testing.T) {
	defer goleak.VerifyNone(t)
	deferred := 0
	says(t, func(e env.Env) {
		jobs := env.NewChan[int](e, "jobs", 0)
		for range 3 {
			e.Go("worker", func(e env.Env) {
				defer func() { deferred++ }()
				for {
					safely(func() { jobs.Recv() })
				}
			})
		}
		e.Sleep(ms)
		panic("boiling over")
	}, "boiling over")
	if deferred != 3 {
		t.Errorf("%d deferred functions ran, want 3", deferred)
	}
}

// The tests below are those whose length is real time: they end as soon as the watchdog has looked twice, or
// the limit is over.

// TestBlocksWhileUnwinding: the report names the frame and what the run had come to.
func TestBlocksWhileUnwinding(t *testing.T) {
	let := make(chan int)
	defer close(let)
	err := New(Config{CPUs: 2, Watchdog: 20 * ms}).Run("body", func(e env.Env) {
		c := env.NewChan[int](e, "never", 0)
		e.Go("waiter", func(e env.Env) {
			defer standStill(let)
			c.Recv()
		})
		e.Go("last", func(e env.Env) { c.Recv() }) // who ran last is another
		e.Sleep(ms)
		panic("boiling over")
	})
	for _, word := range []string{"boiling over", "blocked outside env", "virtual.standStill"} {
		if !strings.Contains(fmt.Sprint(err), word) {
			t.Errorf("the error does not say %q: %v", word, err)
		}
	}
}

// TestOwnCoroutine: the report of a limit names who waits for a coroutine of the design's own, not one of those who
// have parked.
func TestOwnCoroutine(t *testing.T) {
	let := make(chan int)
	defer close(let)
	var pulling atomic.Bool
	var err error
	// a machine that is slow may not have come so far, or just after the report
	for limit, late := 20*ms, 0; late < 2; limit *= 2 {
		pulling.Store(false)
		err = New(Config{Limit: limit, Watchdog: time.Hour}).Run("body", func(e env.Env) {
			for range 5 {
				e.Go("waiter", func(e env.Env) { e.Sleep(ms) })
			}
			e.Go("gone", func(env.Env) {}) // who has ended is no more the one than who has parked
			e.Sleep(1)
			pulling.Store(true)
			pulls(let)
		})
		if !strings.Contains(fmt.Sprint(err), "takes more than") {
			t.Fatalf("with a limit of %v the error is %v", limit, err)
		}
		if strings.Contains(err.Error(), "virtual.pulls(") {
			return
		}
		if limit > time.Minute {
			break
		}
		if pulling.Load() {
			late++
		}
	}
	t.Errorf("the report does not name the one that pulls: %v", err)
}

func pulls(let chan int) {
	next, stop := iter.Pull(func(func(int) bool) { <-let })
	defer stop()
	next()
}

// TestInputOutput: to wait for a file or the network is to block.
func TestInputOutput(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	err = New(Config{Watchdog: 20 * ms}).Run("body", func(env.Env) {
		r.Read(make([]byte, 1))
	})
	if !strings.Contains(fmt.Sprint(err), "blocked outside env") ||
		!strings.Contains(fmt.Sprint(err), "TestInputOutput") {
		t.Errorf("the error must name the frame that waits for input: %v", err)
	}
}

// TestAfterTheEnd: who has called Run and then uses what was the world's meets a panic, which says why; it is not ended
// without a word.
func TestAfterTheEnd(t *testing.T) {
	w := New(Config{CPUs: 1, Seed: 1})
	var e env.Env
	var m *env.Mutex
	var s *env.Station
	if err := w.Run("body", func(own env.Env) { e, m, s = own, own.Mutex("m"), own.Station("s") }); err != nil {
		t.Fatal(err)
	}
	s.Enter() // that is no operation
	s.Leave()
	for name, use := range map[string]func(){"lock": func() { m.Lock() }, "burn": func() { e.Burn(1) }} {
		func() {
			defer func() {
				if p := fmt.Sprint(recover()); p != "the simulation is over: Run has returned" {
					t.Errorf("%s: it panics with %q", name, p)
				}
			}()
			use()
		}()
	}
}
