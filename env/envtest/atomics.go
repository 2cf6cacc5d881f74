package envtest

import (
	"math"
	"time"

	"github.com/brewput/brewput/env"
)

func atomicLaws() []law {
	return []law{
		simple("an Atomic loses no addition", atomicAdds),
		simple("an Atomic wraps as its type does", atomicWraps),
		simple("CompareAndSwap has one winner", casWins),
		simple("a Var is plain memory", varHolds),
		simple("Atomics are independent of each other", atomicsHold),
		simple("CompareAndSwap of Atomics has one winner", atomicsWin),
		simple("a Pointer publishes what was written before", pointerPublishes),
		simple("CompareAndSwap of a Pointer loses no update", pointerSwaps),
		{name: "Charge takes CPU time", exact: true, test: chargeTakes},
	}
}

func atomicAdds(b *bench, e env.Env) {
	const goroutines, adds = 4, 5000 // enough to overlap even where starting a goroutine takes long
	a := env.NewAtomic[int](e, "a")
	start, g := env.NewChan[int](e, "start", 0), e.Group()
	var results [goroutines][adds]int
	for p := range goroutines {
		g.Go(e, "adder", func(env.Env) {
			start.Recv()
			for i := range adds {
				results[p][i] = a.Add(3)
			}
		})
	}
	start.Close()
	g.Wait()
	want(b, "the sum of additions", a.Load(), 3*goroutines*adds)
	seen := map[int]bool{}
	for p := range results {
		for _, v := range results[p] {
			seen[v] = true
		}
	}
	want(b, "the number of different results of Add", len(seen), goroutines*adds)
}

func atomicWraps(b *bench, e env.Env) {
	u := env.NewAtomic[uint64](e, "u")
	want(b, "0 - 1 of a uint64", u.Add(math.MaxUint64), math.MaxUint64)
	want(b, "its successor", u.Add(1), 0)
	i := env.NewAtomic[int64](e, "i")
	i.Store(math.MaxInt64)
	want(b, "the successor of the greatest int64", i.Add(1), math.MinInt64)
	want(b, "its predecessor", i.Add(-1), math.MaxInt64)
	n := env.NewAtomic[int](e, "n")
	n.Store(-5)
	want(b, "a negative int", n.Load(), -5)
	want(b, "the sum of negative ints", n.Add(-2), -7)
	want(b, "a swap of the wrong value", n.CompareAndSwap(7, 1), false)
	want(b, "a swap of a negative int", n.CompareAndSwap(-7, 1), true)
	want(b, "the value swapped in", n.Load(), 1)
}

func casWins(b *bench, e env.Env) {
	const goroutines, rounds = 4, 200
	a := env.NewAtomic[uint](e, "a")
	g := e.Group()
	var wins [goroutines]uint
	for p := range goroutines {
		g.Go(e, "swapper", func(env.Env) {
			for range rounds {
				for v := a.Load(); !a.CompareAndSwap(v, v+1); v = a.Load() {
				}
				wins[p]++
			}
		})
	}
	g.Wait()
	want(b, "the value after all swaps", a.Load(), goroutines*rounds)
	// All try to swap the same value: one may win.
	const value = 1 << 40
	a.Store(value)
	winners := env.NewAtomic[int](e, "winners")
	for range goroutines {
		g.Go(e, "swapper", func(env.Env) {
			if a.CompareAndSwap(value, 1) {
				winners.Add(1)
			}
		})
	}
	g.Wait()
	want(b, "the number of winners", winners.Load(), 1)
}

func varHolds(b *bench, e env.Env) {
	v := env.NewVar[string](e, "v")
	want(b, "the zero Var", v.Load(), "")
	g := e.Group()
	g.Go(e, "writer", func(env.Env) { v.Store("full") })
	g.Wait()
	want(b, "a Var written by another goroutine", v.Load(), "full")
}

func atomicsHold(b *bench, e env.Env) {
	a := env.NewAtomics[int](e, "a", 3)
	want(b, "the number of Atomics", a.Len(), 3)
	a.Store(1, -7)
	want(b, "a swap of the wrong value", a.CompareAndSwap(0, 1, 2), false)
	want(b, "a swap of the right value", a.CompareAndSwap(2, 0, 9), true)
	for i, v := range []int{0, -7, 9} {
		want(b, "an element", a.Load(i), v)
	}
	want(b, "an index out of range panics", panics(func() { a.Load(3) }), true)
}

func atomicsWin(b *bench, e env.Env) {
	const goroutines, rounds = 4, 200
	a, wins, g := env.NewAtomics[int](e, "a", rounds), env.NewAtomic[int](e, "wins"), e.Group()
	for i := range goroutines {
		g.Go(e, "swapper", func(e env.Env) {
			for r := range rounds {
				e.Burn(1)
				if a.CompareAndSwap(r, 0, i+1) {
					wins.Add(1)
				}
			}
		})
	}
	g.Wait()
	want(b, "the number of winners", wins.Load(), rounds)
}

// pointerPublishes writes plainly before it stores the pointer, which the race detector accepts only if the pointer
// orders the two goroutines.
func pointerPublishes(b *bench, e env.Env) {
	p, g := env.NewPointer[[2]int](e, "p"), e.Group()
	want(b, "a new Pointer is nil", p.Load() == nil, true)
	g.Go(e, "writer", func(e env.Env) {
		for i := range 100 {
			pair := new([2]int)
			pair[0] = i
			e.Burn(1)
			pair[1] = i
			p.Store(pair)
		}
	})
	g.Go(e, "reader", func(e env.Env) {
		for range 100 {
			e.Burn(1)
			if pair := p.Load(); pair != nil && pair[0] != pair[1] {
				b.Errorf("a reader sees %v, half of what was written before", *pair)
			}
		}
	})
	g.Wait()
	want(b, "the last pair", *p.Load(), [2]int{99, 99})
}

func pointerSwaps(b *bench, e env.Env) {
	const goroutines, rounds = 4, 200
	p, g := env.NewPointer[int](e, "p"), e.Group()
	p.Store(new(int))
	for range goroutines {
		g.Go(e, "adder", func(e env.Env) {
			for range rounds {
				for {
					was := p.Load()
					next := *was + 1
					e.Burn(1)
					if p.CompareAndSwap(was, &next) {
						break
					}
				}
			}
		})
	}
	g.Wait()
	want(b, "the sum of updates", *p.Load(), goroutines*rounds)
	want(b, "a swap of the wrong pointer", p.CompareAndSwap(new(int), new(int)), false)
}

func chargeTakes(b *bench) {
	b.run(func(e env.Env) {
		began := e.Now()
		e.Charge(30 * ms)
		e.Charge(0)
		e.Charge(-ms)
		took := time.Duration(0) // on the Go runtime
		if b.TimedLocks {
			took = 30 * ms
		}
		want(b, "the time of a charge", e.Now()-began, took)
	})
}
