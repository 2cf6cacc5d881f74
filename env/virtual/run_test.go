package virtual

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

const ms = time.Millisecond

// says runs body on two CPUs and looks for all words in the error of Run.
func says(t *testing.T, body func(env.Env), words ...string) {
	t.Helper()
	err := New(Config{CPUs: 2}).Run("body", body)
	for _, w := range words {
		if !strings.Contains(fmt.Sprint(err), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
	if words == nil && err != nil {
		t.Errorf("Run: %v", err)
	}
}

// spill panics, in a frame that the report must name.
func spill(c *env.Chan[int]) { c.Close() }

func TestErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	t.Run("panic", func(t *testing.T) {
		says(t, func(e env.Env) {
			g := e.Group()
			g.Go(e, "barista", func(e env.Env) {
				c := env.NewChan[int](e, "c", 0)
				c.Close()
				spill(c)
			})
			g.Wait()
		}, "goroutine barista panicked: close of closed channel", "virtual.spill", "run_test.go")
	})
	t.Run("deadlock", func(t *testing.T) {
		says(t, func(e env.Env) {
			m, rw, c := e.Mutex("kitchen"), e.RWMutex("menu"), env.NewChan[int](e, "orders", 0)
			cond, done := e.Cond(m), env.NewChan[int](e, "done", 0)
			e.Go("a", func(env.Env) { rw.Lock(); rw.RLock() })
			e.Go("b", func(env.Env) { c.Send(1) })
			e.Go("c", func(env.Env) { env.Select(c.OnSend(2), done.OnRecv(nil)) })
			e.Go("d", func(env.Env) { m.Lock(); cond.Wait() })
			e.Go("e", func(e env.Env) { e.Sleep(2 * ms); m.Lock(); m.Lock() })
			g := e.Group()
			g.Add(1)
			g.Wait()
		}, "deadlock at 2ms", "body waits for a group", "a waits to read menu (held by itself)", "b sends to orders",
			"c selects among a send to orders, a receive from done",
			"d waits for a condition of kitchen", "e waits for kitchen (held by itself)")
	})
	t.Run("outliving", func(t *testing.T) {
		says(t, func(e env.Env) {
			e.Go("x", func(e env.Env) { e.Sleep(time.Hour) })
			e.Go("x", func(e env.Env) { env.NewChan[int](e, "never", 0).Recv() })
		}, "outlive the run by 1s", "x sleeps", "x#2 receives from never")
	})
	t.Run("leak", func(t *testing.T) {
		says(t, func(e env.Env) {
			e.Go("x", func(e env.Env) { env.NewChan[int](e, "never", 0).Recv() })
		}, "x receives from never")
	})
	t.Run("Env of the parent", func(t *testing.T) {
		for _, use := range []func(env.Env){
			func(e env.Env) { e.Burn(ms) }, func(e env.Env) { e.Sleep(ms) }, func(e env.Env) { e.Wait(ms) },
			func(e env.Env) { e.Until(ms) },
			func(e env.Env) { e.Syscall(ms) }, func(e env.Env) { e.Now() },
			func(e env.Env) { e.Go("x", func(env.Env) {}) },
			func(e env.Env) { e.For(1) }, func(e env.Env) { e.Mutex("m") },
		} {
			says(t, func(e env.Env) {
				e.Go("child", func(env.Env) { use(e) })
				e.Sleep(2 * ms)
			}, "goroutine child uses the Env of body")
		}
	})
	t.Run("polling", func(t *testing.T) {
		says(t, func(e env.Env) {
			for e.Now() < ms {
			}
		}, "goroutine body performs endless operations at 0s")
	})
	for name, look := range map[string]func(env.Env) func() bool{
		"Load": func(e env.Env) func() bool {
			ready := env.NewAtomic[int](e, "ready")
			return func() bool { return ready.Load() == 0 }
		},
		"CompareAndSwap": func(e env.Env) func() bool {
			lock := env.NewAtomic[int](e, "lock")
			return func() bool { return !lock.CompareAndSwap(1, 2) }
		},
		"Var": func(e env.Env) func() bool {
			ready := env.NewVar[bool](e, "ready")
			return func() bool { return !ready.Load() }
		},
		"TryRecv": func(e env.Env) func() bool {
			c := env.NewChan[int](e, "c", 1)
			return func() bool { _, _, got := c.TryRecv(); return !got }
		},
		"TrySend": func(e env.Env) func() bool {
			c := env.NewChan[int](e, "c", 0)
			return func() bool { return !c.TrySend(1) }
		},
		"Select": func(e env.Env) func() bool {
			c := env.NewChan[int](e, "c", 0)
			return func() bool { return env.Select(c.OnRecv(nil), env.Default) == 1 }
		},
		"TryLock": func(e env.Env) func() bool {
			m := e.Mutex("m")
			m.Lock()
			return func() bool { return !m.TryLock() }
		},
	} {
		t.Run("polling by "+name, func(t *testing.T) {
			says(t, func(e env.Env) {
				waits := look(e)
				e.Go("poller", func(env.Env) {
					for waits() {
					}
				})
				e.Sleep(ms)
			}, "goroutine poller performs endless operations at 0s")
		})
	}
	t.Run("Goexit", func(t *testing.T) {
		says(t, func(e env.Env) {
			e.Go("quitter", func(env.Env) { runtime.Goexit() })
			e.Sleep(ms)
		}, "goroutine quitter called runtime.Goexit")
	})
	t.Run("well", func(t *testing.T) { says(t, func(e env.Env) { e.Go("x", func(e env.Env) { e.Sleep(ms) }) }) })
}

// TestUnwinding: what the goroutines of a run that is over have deferred is run, and meets a panic in
// every operation, again and again.
func TestUnwinding(t *testing.T) {
	defer goleak.VerifyNone(t)
	var deferred, again int
	says(t, func(e env.Env) {
		c := env.NewChan[int](e, "never", 0)
		for range 3 {
			e.Go("waiter", func(e env.Env) {
				defer func() { deferred++ }()
				for range 3 {
					func() {
						defer func() {
							if recover() != nil {
								again++
							}
						}()
						c.Recv()
					}()
				}
				e.Sleep(ms)
			})
		}
		e.Sleep(ms)
		panic("boiling over")
	}, "boiling over")
	if deferred != 3 || again != 9 {
		t.Errorf("%d deferred functions ran, and %d operations panicked; want 3 and 9", deferred, again)
	}
}

// standStill blocks outside env until it is let go.
func standStill(let chan int) { <-let }

// TestWatchdog: the only test whose length is real time; it ends as soon as the watchdog has looked twice.
func TestWatchdog(t *testing.T) {
	let := make(chan int)
	err := New(Config{Watchdog: 20 * ms}).Run("body", func(e env.Env) {
		e.Go("stuck", func(env.Env) { standStill(let) })
		e.Sleep(ms)
	})
	if err == nil || !strings.Contains(err.Error(), "blocked outside env") ||
		!strings.Contains(err.Error(), "virtual.standStill") {
		t.Errorf("the error must name the frame that blocks: %v", err)
	}
	close(let)
}

// TestSameEverywhere: neither how many CPUs the test has, nor the collector, changes a decision.
func TestSameEverywhere(t *testing.T) {
	sum := func() uint64 {
		w := New(Config{CPUs: 3, Seed: 5,
			Costs: sim.Costs{Wake: sim.Quantiles(1000, 20_000), Switch: sim.Ns(150), Chan: sim.Ns(60)}})
		err := w.Run("body", func(e env.Env) {
			c, g := env.NewChan[[]byte](e, "c", 2), e.Group()
			for i := range 10 {
				g.Go(e, "sender", func(e env.Env) {
					for range 20 {
						e.Burn(time.Duration(i) * time.Microsecond)
						c.Send(make([]byte, 1<<10))
					}
				})
			}
			for range 200 {
				c.Recv()
			}
			g.Wait()
		})
		if err != nil {
			t.Error(err)
		}
		return w.Checksum()
	}
	want := sum()
	for _, procs := range []int{1, 4} {
		was := runtime.GOMAXPROCS(procs)
		if got := sum(); got != want {
			t.Errorf("GOMAXPROCS %d: checksum %x, want %x", procs, got, want)
		}
		runtime.GOMAXPROCS(was)
	}
	runtime.GC()
	if got := sum(); got != want {
		t.Errorf("after a collection: checksum %x, want %x", got, want)
	}
}

// TestMeters of the coffee kind: always on, and Share counts.
func TestMeters(t *testing.T) {
	w := New(Config{CPUs: 2})
	err := w.Run("body", func(e env.Env) {
		m, g := e.Mutex("m"), e.Group()
		e.Mutex("m")
		env.NewChan[int](e, "", 1)
		for range 2 {
			g.Go(e, "user", func(e env.Env) {
				m.Lock()
				e.Burn(3 * ms)
				m.Unlock()
			})
		}
		g.Wait()
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(w.Meters()); n != 1 {
		t.Fatalf("%d meters, want that of m", n)
	}
	m := w.Meters()[0]
	if r := m.Read(); m.Name() != "m" || m.Count() != 2 || r.Busy != 6*ms || r.Queue != 3*ms || r.Uses != 2 ||
		r.Waits != 1 {
		t.Errorf("meter %s of %d: %+v", m.Name(), m.Count(), r)
	}
	if w.Useful() != 6*ms || w.Busy() != 6*ms {
		t.Errorf("useful work %v, CPUs busy %v, want 6ms", w.Useful(), w.Busy())
	}
}

// TestBusy reads what CPUs have done in the midst of burns, and with the costs of switches.
func TestBusy(t *testing.T) {
	w := New(Config{CPUs: 3, Costs: sim.Costs{Switch: sim.Ns(1000)}})
	err := w.Run("body", func(e env.Env) {
		for range 2 {
			e.Go("burner", func(e env.Env) { e.Burn(5 * ms) })
		}
		e.Sleep(2 * ms)
		if got, want := w.Busy(), 4*ms+time.Microsecond; got < want || got > want+3*time.Microsecond {
			t.Errorf("after 2 ms of two burners: %v of CPUs", got)
		}
	})
	if err != nil {
		t.Error(err)
	}
	if got, want := w.Busy(), 10*ms+4*time.Microsecond; got != want { // two switches to the body and one to each burner
		t.Errorf("in all %v of CPUs, want %v", got, want)
	}
}

// TestStacksMove parks Selects at every depth of stack and lets the stacks grow meanwhile: the cases stay
// with the coroutine that holds them.
func TestStacksMove(t *testing.T) {
	says(t, func(e env.Env) {
		a, b := env.NewChan[[8]int](e, "a", 0), env.NewChan[*int](e, "b", 0)
		for depth := range 60 {
			e.Go("deep", func(env.Env) { descend(t, depth, a, b) })
			e.Go("other", func(e env.Env) {
				e.Sleep(ms)
				if depth%2 == 0 {
					a.Send([8]int{7: depth})
				} else if v, _ := b.Recv(); *v != depth {
					t.Errorf("received %d, want %d", *v, depth)
				}
			})
			e.Sleep(2 * ms)
		}
	})
}

// descend selects depth frames down.
func descend(t *testing.T, depth int, a *env.Chan[[8]int], b *env.Chan[*int]) {
	deepest(depth, func() {
		var v [8]int
		n := depth
		switch env.Select(a.OnRecv(&v), b.OnSend(&n)) {
		case 0:
			if v[7] != depth {
				t.Errorf("received %v at depth %d", v, depth)
			}
		case 1:
			if depth%2 == 0 {
				t.Error("sent where a value came")
			}
		}
	})
}

func deepest(n int, f func()) byte {
	var pad [256]byte
	pad[n%256] = byte(n)
	if n == 0 {
		f()
		return pad[0]
	}
	return deepest(n-1, f) + pad[n%256]
}
