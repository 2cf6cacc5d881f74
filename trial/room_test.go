package trial

import (
	"runtime"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// TestMemoryBesideOthers checks that a trial that does not fit beside others runs again alone. If it does not
// fit then, it has failed.
func TestMemoryBesideOthers(t *testing.T) {
	d := workload.Design{Name: "many", Job: func(env.Env, plan.Point) (workload.Job, error) {
		return workload.Job{Items: 1, Run: func(e env.Env) error {
			c := env.NewChan[int](e, "c", 0)
			for range 1 << 14 {
				e.Go("child", func(env.Env) { c.Recv() })
			}
			c.Close()
			return nil
		}}, nil
	}}
	w := &workload.Workload{Name: "w", Designs: []workload.Design{d}}
	spec := Spec{Workload: "w", Design: "many",
		Point: plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)}), Concurrent: true,
		Room: func() bool { return false }}
	if o := Simulate(spec, w, d, sim.Costs{}); !o.MustRunAlone {
		t.Errorf("beside others: %+v", o.Trial)
	}
	spec.Concurrent = false
	if o := Simulate(spec, w, d, sim.Costs{}); o.MustRunAlone || o.Trial.Status != result.Failed ||
		!strings.Contains(o.Trial.Error, "run fewer at a time") {
		t.Errorf("alone: crowded %v, %s: %s", o.MustRunAlone, o.Trial.Status, o.Trial.Error)
	}
}

// TestRoom checks that a little memory fits, and that its use is seen.
func TestRoom(t *testing.T) {
	if !hasRoom() {
		t.Error("a process that takes next to nothing has no room")
	}
	before, _ := memory()
	block := make([]byte, 256<<20)
	if after, _ := memory(); after.held < before.held+128<<20 {
		t.Errorf("after %d bytes more, %d are taken, and %d were before", len(block), after.held, before.held)
	}
	runtime.KeepAlive(block)
}

// TestRoomAfter checks that there is room if enough is left, at once or after a garbage collection, and if the
// usage is unknown.
func TestRoomAfter(t *testing.T) {
	full, empty := usage{held: 99, free: 1, total: 100}, usage{held: 1, free: 99, total: 100}
	for _, c := range []struct {
		before, after usage
		known, want   bool
		collected     int
	}{{empty, full, true, true, 0}, {full, empty, true, true, 1}, {full, full, true, false, 1},
		{full, full, false, true, 0}} {
		collected := 0
		memory := func() (usage, bool) { return []usage{c.before, c.after}[collected], c.known }
		if got := hasRoomAfterGC(memory, func() { collected++ }); got != c.want || collected != c.collected {
			t.Errorf("%+v: %v, garbage is collected %d times", c, got, collected)
		}
	}
}

// TestFits checks that the limit of a growing process does not depend on when it asks. If others hold nearly
// all memory, there is no room for a small process either.
func TestFits(t *testing.T) {
	const all = 20 << 30
	for _, c := range []struct {
		held, spare, others uint64
		want                bool
	}{{0, 0, 0, true}, {all / 2, all / 4, 0, true}, {all/10*9 - 10, 0, 0, true}, {all/10*9 + 10, 0, 0, false},
		{all/10*9 - 10, all / 20, 0, true}, {all/10*9 + 10, all / 20, 0, false}, {all, 0, 0, false},
		{all / 100, 0, all / 100 * 95, true}, {all / 100, 0, all / 100 * 96, false},
		{all / 100, all / 25, all / 100 * 95, true},
		{1 << 20, 0, all*50 - 2<<30, true}, {1 << 20, 0, all*50 - 1<<30, false}} {
		u := usage{held: c.held, spare: c.spare, total: all}
		if c.others > all {
			u.total *= 50
		}
		u.free = u.total - c.held - c.spare - c.others
		if got := u.fits(); got != c.want {
			t.Errorf("%+v: %v", u, got)
		}
	}
}
