package set

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
)

// runIn runs body in virtual time.
func runIn(seed uint64, cpus int, body func(env.Env)) error {
	return virtual.New(virtual.Config{CPUs: cpus, Seed: seed, Costs: sim.Typical()}).Run("test", body)
}

// membership is the sequential specification of one key: the state is whether it is present.
func membership() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			at := map[uint64]int{}
			for _, o := range history {
				key := o.Input.(call).key()
				i, ok := at[key]
				if !ok {
					i, at[key] = len(parts), len(parts)
					parts = append(parts, nil)
				}
				parts[i] = append(parts[i], o)
			}
			return parts
		},
		Init: func() any { return false },
		Step: func(state, input, output any) (bool, any) {
			there, ok := state.(bool), output.(bool)
			switch input.(call) & 3 {
			case add:
				return ok == !there, true
			case remove:
				return ok == there, false
			}
			return ok == there, there
		},
	}
}

// observe makes random calls on a set and returns their history. Its times count calls and returns.
func observe(e env.Env, open opener, goroutines, calls, keys int) []porcupine.Operation {
	var first []uint64
	for k := range uint64(keys / 10) {
		first = append(first, k)
	}
	set, histories, done := open(e, first), make([][]porcupine.Operation, goroutines), e.Group()
	var clock atomic.Int64
	for i := range goroutines {
		done.Go(e, "worker", func(e env.Env) {
			v, r := set.View(e), e.Rand()
			for n := range calls {
				d := r.At(uint64(i*calls+n), 7)
				c := call(d.IntN(keys))<<2 | call(d.IntN(3))
				o := porcupine.Operation{ClientId: i, Input: c, Call: clock.Add(1)}
				switch c & 3 {
				case add:
					o.Output = v.Add(c.key())
				case remove:
					o.Output = v.Remove(c.key())
				default:
					o.Output = v.Contains(c.key())
				}
				o.Return = clock.Add(1)
				histories[i] = append(histories[i], o)
			}
		})
	}
	done.Wait()
	if set.Stop != nil {
		set.Stop()
	}
	var all []porcupine.Operation
	for _, k := range first { // they were added before
		all = append(all, porcupine.Operation{Input: call(k)<<2 | add, Output: true, Call: -2, Return: -1})
	}
	for _, h := range histories {
		all = append(all, h...)
	}
	return all
}

// openers are the designs of one set, by name.
func openers(p plan.Point) map[string]opener {
	return map[string]opener{"unsafe": openUnsafe(p), "mutex": openMutex(p), "rwmutex": openRWMutex(p),
		"sharded": openSharded(p), "sync-map": openSyncMap(p), "cow": openCopyOnWrite(p), "owner": openOwner(p),
		"table": openTable(p), "table, uneven": openUneven(p)}
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

// shapes are histories: few keys, so that calls meet, and so many that the table grows.
func shapes() [][3]int { return [][3]int{{4, 12, 2}, {3, 150, 150}} }

// TestLinearizable checks short histories of every safe design, in virtual time with many seeds and live.
func TestLinearizable(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "shards=2 access=5us")
	for name, open := range openers(p) {
		if name == "unsafe" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, s := range shapes() {
				for seed := range uint64(100) {
					check := func(e env.Env) {
						if h := observe(e, open, s[0], s[1], s[2]); !porcupine.CheckOperations(membership(), h) {
							t.Errorf("%v, seed %d: not linearizable", s, seed)
						}
					}
					world := live.New(live.Config{Seed: seed, BurnRate: 1}).Run
					if name != "sync-map" && seed%5 != 0 {
						world = func(_ string, body func(env.Env)) error { return runIn(seed, 1+int(seed%4), body) }
					}
					if err := world("test", check); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
}

// TestUnsafeIsNotLinearizable checks that the check above finds the plain map wrong in virtual time.
func TestUnsafeIsNotLinearizable(t *testing.T) {
	open, wrong := openUnsafe(workloadtest.Point(t, Workload(), "access=5us")), 0
	for seed := range uint64(20) {
		if err := runIn(seed, 4, func(e env.Env) {
			if h := observe(e, open, 4, 12, 2); !porcupine.CheckOperations(membership(), h) {
				wrong++
			}
		}); err != nil {
			t.Fatal(err)
		}
	}
	if wrong < 5 {
		t.Errorf("%d of 20 histories of a plain map are not linearizable", wrong)
	}
}

// TestTableGrows checks that the histories above make the table grow while other goroutines use it.
func TestTableGrows(t *testing.T) {
	p := workloadtest.Point(t, Workload(), "access=5us") // longer than it takes to wake a CPU
	if err := runIn(1, 4, func(e env.Env) {
		var first *words
		s := shapes()[1]
		observe(e, func(e env.Env, keys []uint64) Opened {
			o := openTable(p)(e, keys)
			tab := o.View(e).(*tableView).table
			first = tab.current.Load()
			return Opened{View: o.View, Stop: func() {
				if now := tab.current.Load(); now == first {
					t.Error("the table did not grow")
				}
			}}
		}, s[0], s[1], s[2])
	}); err != nil {
		t.Fatal(fmt.Errorf("run: %w", err))
	}
}
