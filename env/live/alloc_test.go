//go:build !race

package live

import (
	"testing"

	"github.com/brewput/brewput/env"
)

// TestAllocations holds the limits that the package doc of env promises, for one repetition of each
// benchmarked operation. The race detector allocates for itself.
func TestAllocations(t *testing.T) {
	limits := map[string]float64{"Go": 1, "Group-Go": 2}
	inWorld(t, func(e env.Env) {
		for _, p := range pairs(e) {
			const n = 100
			p.env(n)
			got := testing.AllocsPerRun(5, func() { p.env(n) }) / n
			// Those that need a partner start one a run.
			if limit := limits[p.name] + 0.1; got > limit {
				t.Errorf("%s: %.2f allocations, the limit is %v", p.name, got, limits[p.name])
			}
		}
	})
}

// TestSelectAllocations counts Selects of up to four cases that send values and receive into
// variables of several types, ready, with a Default, and parking.
func TestSelectAllocations(t *testing.T) {
	type order struct{ id, size int }
	inWorld(t, func(e env.Env) {
		in, out := env.NewChan[order](e, "in", 1), env.NewChan[*order](e, "out", 1)
		names, failed := env.NewChan[string](e, "names", 1), env.NewChan[error](e, "failed", 1)
		full, done := env.NewChan[order](e, "full", 0), env.NewChan[struct{}](e, "done", 0)
		x, name := &order{7, 9}, "latte"
		e.Go("sender", func(env.Env) {
			for {
				full.Send(order{1, 2})
				if _, ok := done.Recv(); !ok {
					return
				}
			}
		})
		sink := func() { in.TryRecv(); out.TryRecv(); names.TryRecv(); failed.TryRecv() }
		counts := map[string]func(){
			"four sends": func() {
				env.Select(in.OnSend(*x), out.OnSend(x), names.OnSend(name), failed.OnSend(nil))
				sink()
			},
			"four sends of one type": func() {
				env.Select(in.OnSend(*x), in.OnSend(order{}), in.OnSend(*x), in.OnSend(*x))
				sink()
			},
			"sends and receives": func() {
				var v order
				var err error
				in.Send(*x)
				env.Select(in.OnRecv(&v), out.OnSend(x), failed.OnRecv(&err))
				sink()
			},
			"Default": func() {
				var v order
				var err error
				env.Select(in.OnRecv(&v), failed.OnRecv(&err), done.OnRecv(nil), env.Default)
			},
			"parking": func() {
				var v order
				var ok bool
				var err error
				env.Select(in.OnRecvOK(&v, &ok), full.OnRecv(&v), failed.OnRecv(&err))
				env.Select(done.OnSend(struct{}{}), failed.OnRecv(&err))
			},
		}
		for what, f := range counts {
			// The runtime may allocate what a parked goroutine waits with, once.
			if got := testing.AllocsPerRun(100, f); got > 0 {
				t.Errorf("%s: %v allocations, want none", what, got)
			}
		}
		var v order
		full.Recv()
		done.Close()
		_ = v
	})
}
