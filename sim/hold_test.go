package sim

import (
	"fmt"
	"slices"
	"testing"
)

// twins are two machines of one kind. On the first goroutines are programs, whose burns take the short way of hold; on
// the other the same goroutines make operation by operation with [Kernel.Do], and burns are nothing but events.
type twins struct {
	k    [2]*Kernel
	m    [2]*Mutex
	gate [2]*Group // where who is done waits for the others: a program that has ended would give its slot to another
	seen [2][]int64
	born int
}

func newTwins(c Config, tie uint64) *twins {
	w := &twins{k: [2]*Kernel{New(c), New(c)}, m: [2]*Mutex{{}, {}}, gate: [2]*Group{{n: 1}, {n: 1}}}
	for _, k := range w.k {
		k.tie = tie * inOrder
	}
	return w
}

// look is all that burns change.
func (w *twins) look(i int) {
	k := w.k[i]
	w.seen[i] = append(w.seen[i], k.now, k.Busy(), int64(k.ops), int64(k.before), int64(k.burst), int64(k.sum))
}

// witness sees what goroutines do.
type witness struct {
	*Kernel
	seen *[]int64
}

func (w witness) StateChanged(g *G, s State) {
	*w.seen = append(*w.seen, w.now, int64(g.slot), int64(s))
}
func (w witness) Enqueued(*Chan, *G)      {}
func (w witness) Dequeued(*Chan, *G)      {}
func (w witness) HandedOff(*Chan, *G, *G) {}

// twin is a goroutine of both.
type twin struct {
	*twins
	short *Program
	plain *program
}

func (w *twins) goroutine() twin {
	name := fmt.Sprint("g", w.born)
	w.born++
	t := twin{w, NewProgram(name), &program{k: w.k[1], name: name}}
	t.plain.Bind(t.plain)
	return t
}

// op appends an operation, which is looked at before it is made the first time.
func (t twin) op(code Code, n int64, on [2]any) {
	t.short.Call(func(*Regs) { t.look(0) })
	switch code {
	case Burn:
		t.short.Set(R0, n)
		t.short.Burn(R0)
	case Sleep:
		t.short.Set(R0, n)
		t.short.Sleep(R0)
	default:
		t.short.add(instr{do: doOp, code: code, n: n, on: on[0]})
	}
	looked := false
	t.plain.steps = append(t.plain.steps, step{do: func(*program) Op {
		if !looked {
			t.look(1)
			looked = true
		}
		return Op{Code: code, N: n, On: on[1]}
	}})
}

// work appends drawn operations. Their times are few, so that many ends are at one instant.
func (t twin) work(d *draws, rounds int) {
	mutex, group := [2]any{t.m[0], t.m[1]}, [2]any{t.gate[0], t.gate[1]}
	for range rounds {
		n := int64(d.below(6)) * 1000
		if d.below(40) == 0 {
			n *= 3000 // more than a time slice
		}
		switch d.below(10) {
		case 0:
			t.op(Sleep, n, [2]any{})
		case 1:
			t.op(Yield, 0, [2]any{})
		case 2:
			t.op(Lock, 0, mutex)
			t.op(Burn, n, [2]any{})
			t.op(Unlock, 0, mutex)
		default:
			t.op(Burn, n, [2]any{})
		}
	}
	t.op(GroupWait, 0, group)
}

// TestHold: a burn by the short way, and whoever goes on after it, is what it is by way of events: the same decisions
// and the same counts at the same times, and to the nanosecond the same busy time.
func TestHold(t *testing.T) {
	costly := Costs{Wake: Ns(3000), Switch: Ns(1000), Spawn: Ns(2000), Lock: Ns(1000), LockSpin: Ns(1000),
		Timer: Ns(1000)}
	for seed := range uint64(6) {
		for _, workers := range []int{1, 2, 20, 600} { // so many take long: three seeds have one of each kind
			if workers == 600 && seed >= 3 {
				continue
			}
			for _, cpus := range []int{1, 2, 7, 64, Unlimited} {
				for i, costs := range []Costs{{}, costly} {
					w := newTwins(Config{CPUs: cpus, Seed: seed, Costs: costs}, seed%2)
					if seed%3 == 0 {
						w.k[0].StopAfter(500_500)
						w.k[1].StopAfter(500_500)
					}
					if seed == 1 {
						w.k[0].Observe(witness{w.k[0], &w.seen[0]})
						w.k[1].Observe(witness{w.k[1], &w.seen[1]})
					}
					w.run(t, fmt.Sprintf("seed %d, %d goroutines, %d CPUs, costs %d", seed, workers, cpus, i),
						&draws{key: seed}, workers)
				}
			}
		}
	}
}

func (w *twins) run(t *testing.T, what string, d *draws, workers int) {
	t.Helper()
	main := w.goroutine()
	for range workers {
		g := w.goroutine()
		g.work(d, min(100, 2000/workers))
		main.short.Spawn(g.short)
		main.plain.steps = append(main.plain.steps, spawn(g.plain))
	}
	main.op(GroupAdd, -1, [2]any{w.gate[0], w.gate[1]})
	w.k[0].Start(w.k[0].Goroutine(main.short))
	w.k[1].Start(&main.plain.G)
	for i, k := range w.k {
		k.Run()
		w.look(i)
		if k.Err() != nil {
			t.Fatalf("%s: %v", what, k.Err())
		}
	}
	if w.k[0].Live() != w.k[1].Live() || w.k[0].Late() != w.k[1].Late() || !slices.Equal(w.seen[0], w.seen[1]) {
		for i := range min(len(w.seen[0]), len(w.seen[1])) {
			if w.seen[0][i] != w.seen[1][i] {
				t.Fatalf("%s: the %d-th number seen is %d by the short way and %d by events", what, i, w.seen[0][i],
					w.seen[1][i])
			}
		}
		t.Fatalf("%s: %d numbers are seen by the short way and %d by events", what, len(w.seen[0]), len(w.seen[1]))
	}
}
