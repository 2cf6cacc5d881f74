package set

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/settest"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// simulated returns a world in virtual time.
func simulated(seed uint64, cpus int) *virtual.World {
	return virtual.New(virtual.Config{CPUs: cpus, Seed: seed, Costs: sim.Typical()})
}

// tested is a design, as package settest opens it.
func tested(open opener) settest.Open {
	return func(e env.Env, first []uint64) (func(env.Env) settest.Set, func()) {
		o := open(e, first)
		return func(e env.Env) settest.Set { return o.View(e) }, o.Stop
	}
}

// openUneven is the table, except that a call of some goroutines takes longer than a call of others. So the table may
// fill and grow between the time that a call reads a word and the time that it changes it.
func openUneven(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		o := openTable(p)(e, first)
		var views atomic.Int64
		return Opened{View: func(e env.Env) Set {
			v := o.View(e).(*tableView)
			v.access *= time.Duration(1 + 15*(views.Add(1)%2))
			return v
		}}
	}
}

// TestLinearizable checks short histories of every safe design of one set, in virtual time with many seeds and live.
func TestLinearizable(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "shards=2 access=5us")
	openers := map[string]opener{"mutex": openMutex(p), "rwmutex": openRWMutex(p), "sharded": openSharded(p),
		"sync-map": openSyncMap(p), "cow": openCopyOnWrite(p), "owner": openOwner(p), "table": openTable(p)}
	for _, d := range Workload().Designs {
		if d.Expect != workload.Right || slices.Contains(d.Uses, "between") { // two sets
			continue
		}
		open, ok := openers[d.Name]
		if !ok {
			t.Errorf("the test does not open %s", d.Name)
			continue
		}
		t.Run(d.Name, func(t *testing.T) { settest.Check(t, tested(open), d.Worlds != workload.LiveOnly) })
	}
	t.Run("table, uneven", func(t *testing.T) { settest.Check(t, tested(openUneven(p)), true) })
}

// TestUnsafeIsNotLinearizable checks that the check above finds the plain map wrong in virtual time.
func TestUnsafeIsNotLinearizable(t *testing.T) {
	open, wrong := tested(openUnsafe(workloadtest.Point(t, Workload(), "access=5us"))), 0
	for seed := range uint64(20) {
		ok, err := settest.Linearizable(simulated(seed, 4).Run, open, settest.Shapes()[0])
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			wrong++
		}
	}
	if wrong < 5 {
		t.Errorf("%d of 20 histories of a plain map are not linearizable", wrong)
	}
}

// TestTableGrows checks that the histories above make the table grow while other goroutines use it.
func TestTableGrows(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "access=5us") // longer than it takes to wake a CPU
	open := tested(func(e env.Env, keys []uint64) Opened {
		o := openTable(p)(e, keys)
		tab := o.View(e).(*tableView).table
		first := tab.current.Load()
		return Opened{View: o.View, Stop: func() {
			if now := tab.current.Load(); now == first {
				t.Error("the table did not grow")
			}
		}}
	})
	if _, err := settest.Linearizable(simulated(1, 4).Run, open, settest.Shapes()[1]); err != nil {
		t.Fatal(err)
	}
}
