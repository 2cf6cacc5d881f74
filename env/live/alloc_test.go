//go:build !race

package live

import (
	"testing"

	"github.com/brewput/brewput/env"
)

// TestAllocations holds the limits that the package doc of env promises, for one repetition of each
// benchmarked operation. The race detector allocates for itself.
func TestAllocations(t *testing.T) {
	limits := map[string]float64{"Go": 1, "Group-Go": 2, "Select-send": 1}
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

// TestSelectAllocations counts the most expensive ready Selects of four cases.
func TestSelectAllocations(t *testing.T) {
	type order struct{ id, size int }
	inWorld(t, func(e env.Env) {
		in, out := env.NewChan[order](e, "in", 1), env.NewChan[*order](e, "out", 1)
		done, failed := env.NewChan[struct{}](e, "done", 0), env.NewChan[error](e, "failed", 0)
		x := &order{7, 9}
		got := testing.AllocsPerRun(100, func() {
			var v order
			var ok bool
			env.Select(in.OnSend(*x), out.OnSend(x), done.OnRecv(nil), failed.OnRecv(nil))
			env.Select(in.OnRecvOK(&v, &ok), out.OnRecv(nil), done.OnRecv(nil), failed.OnRecv(nil))
			in.TryRecv()
			out.TryRecv()
		})
		// The value sent, which is no pointer, in the one; the two targets in the other.
		if got > 3 {
			t.Errorf("two Selects: %v allocations, the limit is 3", got)
		}
	})
}
