// Package settest checks that sets are linearizable, for tests of designs of the workload set.
package settest

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

// Set is a set of keys, as one goroutine uses it: see package catalog/set.
type Set interface {
	Add(key uint64) bool
	Remove(key uint64) bool
	Contains(key uint64) bool
}

// Open makes a set with its first keys. It returns the function by which each goroutine gets its view of the set, and
// one that ends the goroutines of the set, which may be nil.
type Open func(e env.Env, first []uint64) (view func(env.Env) Set, stop func())

// Shape is the size of a history.
type Shape struct{ Goroutines, Calls, Keys int }

// Shapes returns two sizes: few keys, so that calls collide, and many keys, so that a table grows.
func Shapes() []Shape { return []Shape{{4, 12, 2}, {3, 150, 150}} }

// Check checks short histories of a set with many seeds: on the Go runtime, and if simulated is true, in virtual time.
func Check(t *testing.T, open Open, simulated bool) {
	for _, s := range Shapes() {
		for seed := uint64(0); simulated && seed < 100; seed++ {
			world := virtual.New(virtual.Config{CPUs: 1 + int(seed%4), Seed: seed, Costs: sim.Typical()}).Run
			switch ok, err := Linearizable(world, open, s); {
			case err != nil:
				t.Fatalf("%v, seed %d: %v", s, seed, err)
			case !ok:
				t.Errorf("%v, seed %d: not linearizable", s, seed)
			}
		}
	}
	for _, s := range liveShapes() {
		overlapped, err := checkLive(open, s)
		if err != nil {
			t.Error(err)
		}
		t.Logf("%v, live: %d calls overlapped", s, overlapped)
	}
}

// liveShapes returns the sizes of histories on the Go runtime. The last has enough calls for some to overlap.
func liveShapes() []Shape { return append(Shapes(), Shape{4, 300, 2}) }

// checkLive checks histories on the Go runtime, and counts the calls that overlapped. How many do depends on the
// machine and its load.
func checkLive(open Open, s Shape) (overlapped int, err error) {
	const histories = 50
	for seed := range uint64(histories) {
		history, err := record(live.New(live.Config{Seed: seed, BurnRate: 1}).Run, open, s)
		overlapped += overlaps(history)
		switch {
		case err != nil:
			return overlapped, fmt.Errorf("%v, live, seed %d: %w", s, seed, err)
		case !linearizable(history):
			return overlapped, fmt.Errorf("%v, live, seed %d: not linearizable", s, seed)
		}
	}
	return overlapped, nil
}

// overlaps counts the calls during which another one began or ended. Each of these is a tick of the clock.
func overlaps(history []porcupine.Operation) int {
	n := 0
	for _, o := range history {
		if o.Return > o.Call+1 {
			n++
		}
	}
	return n
}

// Run runs a body in a world.
type Run func(name string, body func(env.Env)) error

// Linearizable makes random calls on a set, and reports whether their history is linearizable.
func Linearizable(world Run, open Open, s Shape) (bool, error) {
	history, err := record(world, open, s)
	return err == nil && linearizable(history), err
}

// linearizable checks a history. The check waits for goroutines of its own, which a simulated world takes for a design
// that blocks outside env: it begins when the world has ended.
func linearizable(history []porcupine.Operation) bool {
	return porcupine.CheckOperations(membership(), history)
}

// record makes random calls on a set and returns their history.
func record(world Run, open Open, s Shape) (history []porcupine.Operation, err error) {
	err = world("test", func(e env.Env) { history = observe(e, open, s) })
	return history, err
}

// call is an operation and its key.
type call struct {
	key  uint64
	kind int
}

// The operations.
const (
	contains = iota
	add
	remove
)

// membership is the sequential specification of one key: the state is whether it is present.
func membership() porcupine.Model {
	return porcupine.Model{
		Partition: func(history []porcupine.Operation) (parts [][]porcupine.Operation) {
			at := map[uint64]int{}
			for _, o := range history {
				key := o.Input.(call).key
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
			switch input.(call).kind {
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
func observe(e env.Env, open Open, s Shape) []porcupine.Operation {
	var all []porcupine.Operation
	var first []uint64
	for k := range uint64(s.Keys / 10) { // they are added before
		first = append(first, k)
		all = append(all, porcupine.Operation{Input: call{k, add}, Output: true, Call: -2, Return: -1})
	}
	view, stop := open(e, first)
	histories, done := make([][]porcupine.Operation, s.Goroutines), e.Group()
	var clock atomic.Int64
	for i := range s.Goroutines {
		done.Go(e, "worker", func(e env.Env) {
			v, r := view(e), e.Rand()
			for n := range s.Calls {
				d := r.At(uint64(i*s.Calls+n), 7)
				c := call{uint64(d.IntN(s.Keys)), d.IntN(3)}
				o := porcupine.Operation{ClientId: i, Input: c, Call: clock.Add(1)}
				switch c.kind {
				case add:
					o.Output = v.Add(c.key)
				case remove:
					o.Output = v.Remove(c.key)
				default:
					o.Output = v.Contains(c.key)
				}
				o.Return = clock.Add(1)
				histories[i] = append(histories[i], o)
			}
		})
	}
	done.Wait()
	if stop != nil {
		stop()
	}
	for _, h := range histories {
		all = append(all, h...)
	}
	return all
}
