package sim

import (
	"fmt"
	"testing"
)

// legal are the states that may follow each.
var legal = map[State][]State{
	Started:  {Running},
	Runnable: {Running},
	Running:  {Overhead, Runnable, Blocked, Ended},
	Overhead: {Running},
	Blocked:  {Runnable, Running}, // the latter out of a system call
	Ended:    {Started},
}

// auditor holds an observed kernel to what an observer may rely on.
type auditor struct {
	*testing.T
	k      *Kernel
	state  map[*G]State
	since  map[*G]int64
	onCPU  map[int]*G
	busy   int64
	values map[*Chan]int
	handed int
}

func (a *auditor) StateChanged(g *G, s State) {
	was, known := a.state[g]
	if !known {
		was = Ended
	}
	ok := false
	for _, l := range legal[was] {
		ok = ok || l == s
	}
	if !ok {
		a.Fatalf("%s turns from state %d to %d", g.Name(), was, s)
	}
	now := a.k.Now()
	if was == Running || was == Overhead {
		a.busy += now - a.since[g]
		for c, on := range a.onCPU {
			if on == g {
				delete(a.onCPU, c)
			}
		}
	} else if s == Overhead {
		a.Fatalf("%s pays without a CPU", g.Name())
	}
	if s == Running || s == Overhead {
		if other := a.onCPU[g.CPU()]; other != nil {
			a.Fatalf("%s has CPU %d, which runs %s", g.Name(), g.CPU(), other.Name())
		}
		a.onCPU[g.CPU()] = g
	}
	a.state[g], a.since[g] = s, now
}

func (a *auditor) Enqueued(c *Chan, _ *G) { a.values[c]++ }
func (a *auditor) Dequeued(c *Chan, _ *G) {
	if a.values[c]--; a.values[c] < 0 {
		a.Fatalf("more is taken from %s than was put there", c.Name)
	}
}
func (a *auditor) HandedOff(_ *Chan, from, to *G) {
	if from == nil || to == nil || from == to {
		a.Fatal("a value is handed on without two goroutines")
	}
	a.handed++
}

// TestObserver: it learns of all time that CPUs spend and of every value, in an order that makes sense, and
// changes no decision.
func TestObserver(t *testing.T) {
	handed := 0
	for seed := range uint64(20) {
		for _, cpus := range []int{1, 2, 8} {
			for _, costs := range []Costs{{}, Typical()} {
				t.Run(fmt.Sprint(seed, cpus, costs.Switch.none()), func(t *testing.T) {
					var sums []uint64
					for _, observed := range []bool{false, true} {
						s := newScene(t, cpus, costs)
						a := &auditor{T: t, k: s.k, state: map[*G]State{}, since: map[*G]int64{}, onCPU: map[int]*G{},
							values: map[*Chan]int{}}
						if observed {
							s.k.Observe(a)
						}
						s.k.Start(&mixture(s, seed, 15, 12).G)
						s.k.Run()
						if s.k.Err() != nil {
							t.Fatal(s.k.Err())
						}
						sums = append(sums, s.k.Checksum())
						if !observed {
							continue
						}
						handed += a.handed
						if a.busy != s.k.Busy() || a.busy == 0 {
							t.Errorf("CPUs spent %d, the observer saw %d", s.k.Busy(), a.busy)
						}
						for g, state := range a.state {
							if state != Ended {
								t.Errorf("%s is in state %d at the end", g.Name(), state)
							}
						}
						for c, n := range a.values {
							if n != c.Len() {
								t.Errorf("%d values in %s, the observer saw %d", c.Len(), c.Name, n)
							}
						}
					}
					if sums[0] != sums[1] {
						t.Error("the observer changes decisions")
					}
				})
			}
		}
	}
	if handed == 0 {
		t.Error("no value was ever handed on")
	}
}
