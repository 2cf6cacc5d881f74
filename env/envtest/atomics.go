package envtest

import (
	"math"

	"github.com/brewput/brewput/env"
)

func atomicLaws() []law {
	return []law{
		simple("an Atomic loses no addition", atomicAdds),
		simple("an Atomic wraps as its type does", atomicWraps),
		simple("CompareAndSwap has one winner", casWins),
		simple("a Var is plain memory", varHolds),
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
