//lint:file-ignore SA2001,S1000,S1005 the bare primitives, as they stand, are what is measured

package live

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// pair is one operation twice: on the bare primitive and through env. Both repeat it n times.
type pair struct {
	name      string
	ops       int // operations of env that one repetition makes
	bare, env func(n int)
}

// pairs are the costs that the package doc of env limits. Each closure is a plain loop, so that
// what is inlined in a design is inlined here.
func pairs(e env.Env) []pair {
	return slices.Concat(lockPairs(e), chanPairs(e), goPairs(e), readyPairs(e), defaultPairs(e), blockedPairs(e),
		otherPairs(e))
}

func lockPairs(e env.Env) []pair {
	var mu sync.Mutex
	var rw sync.RWMutex
	m, r := e.Mutex("m"), e.RWMutex("r")
	return []pair{
		{"Mutex", 2, func(n int) {
			for range n {
				mu.Lock()
				mu.Unlock()
			}
		}, func(n int) {
			for range n {
				m.Lock()
				m.Unlock()
			}
		}},
		{"RWMutex-read", 2, func(n int) {
			for range n {
				rw.RLock()
				rw.RUnlock()
			}
		}, func(n int) {
			for range n {
				r.RLock()
				r.RUnlock()
			}
		}},
		{"RWMutex-write", 2, func(n int) {
			for range n {
				rw.Lock()
				rw.Unlock()
			}
		}, func(n int) {
			for range n {
				r.Lock()
				r.Unlock()
			}
		}},
	}
}

func chanPairs(e env.Env) []pair {
	ch, c := make(chan int, 1), env.NewChan[int](e, "c", 1)
	ping, pong := make(chan int), make(chan int)
	var got struct {
		v  int
		ok bool
	}
	ePing, ePong := env.NewChan[int](e, "ping", 0), env.NewChan[int](e, "pong", 0)
	return []pair{
		{"Chan-buffered", 2, func(n int) {
			for i := range n {
				ch <- i
				got.v, got.ok = <-ch
			}
		}, func(n int) {
			for i := range n {
				c.Send(i)
				got.v, got.ok = c.Recv()
			}
		}},
		{"Chan-pingpong", 4, func(n int) {
			go func() {
				for range n {
					v, _ := <-ping
					pong <- v
				}
			}()
			for i := range n {
				ping <- i
				got.v, got.ok = <-pong
			}
		}, func(n int) {
			e.Go("pong", func(env.Env) {
				for range n {
					v, _ := ePing.Recv()
					ePong.Send(v)
				}
			})
			for i := range n {
				ePing.Send(i)
				got.v, got.ok = ePong.Recv()
			}
		}},
	}
}

func goPairs(e env.Env) []pair {
	ch, c := make(chan int), env.NewChan[int](e, "c", 0)
	body, eBody := func() { ch <- 1 }, func(env.Env) { c.Send(1) }
	var wg sync.WaitGroup
	g := e.Group()
	done, eDone := func() {}, func(env.Env) {}
	return []pair{
		{"Go", 1, func(n int) {
			for range n {
				go body()
				<-ch
			}
		}, func(n int) {
			for range n {
				e.Go("child", eBody)
				c.Recv()
			}
		}},
		{"Group-Go", 1, func(n int) {
			for range n {
				wg.Go(done)
				wg.Wait()
			}
		}, func(n int) {
			for range n {
				g.Go(e, "child", eDone)
				g.Wait()
			}
		}},
	}
}

func otherPairs(e env.Env) []pair {
	s := e.Station("s")
	epoch := time.Now()
	var sum time.Duration
	var bare atomic.Uint64
	a := env.NewAtomic[uint64](e, "a")
	total := uint64(0)
	return []pair{
		{"Atomic-load", 1, func(n int) {
			for range n {
				total += bare.Load()
			}
		}, func(n int) {
			for range n {
				total += a.Load()
			}
		}},
		{"Atomic-swap", 1, func(n int) {
			for range n {
				bare.CompareAndSwap(total, total)
			}
		}, func(n int) {
			for range n {
				a.CompareAndSwap(total, total)
			}
		}},
		{"Station", 2, func(int) {}, func(n int) {
			for range n {
				s.Enter()
				s.Leave()
			}
		}},
		{"For", 1, func(int) {}, func(n int) {
			for i := range n {
				e.For(uint64(i))
			}
		}},
		{"Burn-0", 1, func(int) {}, func(n int) {
			for range n {
				e.Burn(0)
			}
		}},
		{"Now", 1, func(n int) {
			for range n {
				sum += time.Since(epoch)
			}
		}, func(n int) {
			for range n {
				sum += e.Now()
			}
		}},
	}
}

// readyPairs are Selects with one case ready, the send into its Chan included.
func readyPairs(e env.Env) []pair {
	var b [4]chan int
	var c [4]*env.Chan[int]
	for i := range b {
		b[i], c[i] = make(chan int, 1), env.NewChan[int](e, "c", 1)
	}
	var v int
	return []pair{
		{"Select-1", 1, func(n int) {
			for i := range n {
				b[0] <- i
				select {
				case v = <-b[0]:
				}
			}
		}, func(n int) {
			for i := range n {
				c[0].Send(i)
				env.Select(c[0].OnRecv(&v))
			}
		}},
		{"Select-2", 1, func(n int) {
			for i := range n {
				b[i&1] <- i
				select {
				case v = <-b[0]:
				case v = <-b[1]:
				}
			}
		}, func(n int) {
			for i := range n {
				c[i&1].Send(i)
				env.Select(c[0].OnRecv(&v), c[1].OnRecv(&v))
			}
		}},
		{"Select-4", 1, func(n int) {
			for i := range n {
				b[i&3] <- i
				select {
				case v = <-b[0]:
				case v = <-b[1]:
				case v = <-b[2]:
				case v = <-b[3]:
				}
			}
		}, func(n int) {
			for i := range n {
				c[i&3].Send(i)
				env.Select(c[0].OnRecv(&v), c[1].OnRecv(&v), c[2].OnRecv(&v), c[3].OnRecv(&v))
			}
		}},
	}
}

func defaultPairs(e env.Env) []pair {
	b, c := make(chan int, 1), env.NewChan[int](e, "c", 1)
	none, eNone := make(chan int), env.NewChan[int](e, "none", 0)
	var v int
	return []pair{
		{"Select-send", 1, func(n int) {
			for i := range n {
				select {
				case b <- i:
				case v = <-none:
				}
				<-b
			}
		}, func(n int) {
			for i := range n {
				env.Select(c.OnSend(i), eNone.OnRecv(&v))
				c.Recv()
			}
		}},
		{"Select-default-1", 1, func(n int) {
			for range n {
				select {
				case v = <-none:
				default:
				}
			}
		}, func(n int) {
			for range n {
				env.Select(eNone.OnRecv(&v), env.Default)
			}
		}},
		{"Select-default-2", 1, func(n int) {
			for range n {
				select {
				case v = <-none:
				case v = <-b:
				default:
				}
			}
		}, func(n int) {
			for range n {
				env.Select(eNone.OnRecv(&v), c.OnRecv(&v), env.Default)
			}
		}},
	}
}

// blockedPairs are Selects that mostly park.
func blockedPairs(e env.Env) []pair {
	b, c := make(chan int, 1), env.NewChan[int](e, "c", 1)
	none, eNone := make(chan int), env.NewChan[int](e, "none", 0)
	var v int
	return []pair{
		{"Select-blocked-1", 1, func(n int) {
			go func() {
				for i := range n {
					none <- i
				}
			}()
			for range n {
				select {
				case v = <-none:
				}
			}
		}, func(n int) {
			e.Go("sender", func(env.Env) {
				for i := range n {
					eNone.Send(i)
				}
			})
			for range n {
				env.Select(eNone.OnRecv(&v))
			}
		}},
		{"Select-blocked-2", 1, func(n int) {
			go func() {
				for i := range n {
					none <- i
				}
			}()
			for range n {
				select {
				case v = <-none:
				case v = <-b:
				}
			}
		}, func(n int) {
			e.Go("sender", func(env.Env) {
				for i := range n {
					eNone.Send(i)
				}
			})
			for range n {
				env.Select(eNone.OnRecv(&v), c.OnRecv(&v))
			}
		}},
	}
}

// inWorld runs f in a plain live world.
func inWorld(tb testing.TB, f func(e env.Env)) {
	tb.Helper()
	if err := New(Config{BurnRate: 1}).Run("bench", f); err != nil {
		tb.Error(err)
	}
}

// BenchmarkPair is each operation on the bare primitive and through env, side by side. One
// iteration is one repetition, that is pair.ops operations of env.
func BenchmarkPair(b *testing.B) {
	inWorld(b, func(e env.Env) {
		for _, p := range pairs(e) {
			for _, side := range []struct {
				name string
				f    func(n int)
			}{{"bare", p.bare}, {"env", p.env}} {
				b.Run(p.name+"/"+side.name, func(b *testing.B) {
					b.ReportAllocs()
					side.f(b.N)
				})
			}
		}
	})
}

// BenchmarkOver reports what one operation costs through env beyond the bare primitive, as the
// median over rounds that time both one after the other: a slow spell of the machine then meets
// both or is outvoted. One iteration is one round.
func BenchmarkOver(b *testing.B) {
	const repetitions = 2000
	inWorld(b, func(e env.Env) {
		for _, p := range pairs(e) {
			b.Run(p.name, func(b *testing.B) {
				var bare, over []float64
				for b.Loop() {
					t0 := time.Now()
					p.bare(repetitions)
					t1 := time.Now()
					p.env(repetitions)
					t2 := time.Now()
					per := float64(repetitions * p.ops)
					bare = append(bare, float64(t1.Sub(t0))/per)
					over = append(over, float64(t2.Sub(t1)-t1.Sub(t0))/per)
				}
				slices.Sort(bare)
				slices.Sort(over)
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(bare[len(bare)/2], "ns-bare")
				b.ReportMetric(over[len(over)/2], "ns-over-bare")
			})
		}
	})
}
