package sim

import (
	"testing"
	"unsafe"
)

// crowd is a kernel of so many goroutines that hold looks ahead: some burn for drawn times, some for the same time,
// which they all end at once, some sleep, and each of those tells the others by a channel.
func crowd(cpus int, rounds int64, o Observer) *Kernel {
	k := New(Config{CPUs: cpus, Seed: 3})
	k.Observe(o)
	told, s := NewChan("told", 10), NewStream(1, 0)
	burner, equal, sleeper := NewProgram("burner"), NewProgram("equal"), NewProgram("sleeper")
	for _, p := range []*Program{burner, equal, sleeper} {
		top := p.Here()
		switch p {
		case burner:
			p.Exp(R1, 10_000, s)
			p.Burn(R1)
		case equal:
			p.Set(R1, 1000)
			p.Burn(R1)
		default:
			p.Exp(R1, 1_000_000, s)
			p.Sleep(R1)
			p.Send(told, R1)
		}
		p.Loop(R0, top)
	}
	listener := NewProgram("listener")
	end := listener.NewLabel()
	top := listener.Here()
	listener.Recv(told, R1, end)
	listener.Burn(R1)
	listener.Jump(top)
	listener.Bind(end)

	main := NewProgram("main")
	main.Spawn(listener)
	main.Set(R2, manySlots/4)
	again := main.Here()
	for _, p := range []*Program{burner, equal, sleeper, burner} {
		main.Spawn(p)
	}
	main.Loop(R2, again)
	k.StopAfter(1 << 40)
	k.Start(k.Goroutine(main, rounds))
	k.Run()
	return k
}

// nobody is an Observer that does nothing.
type nobody struct{}

func (nobody) StateChanged(*G, State)  {}
func (nobody) Enqueued(*Chan, *G)      {}
func (nobody) Dequeued(*Chan, *G)      {}
func (nobody) HandedOff(*Chan, *G, *G) {}

// TestMany: many goroutines decide as they do where there is an observer, for whom hold on unlimited CPUs goes on with
// no other goroutine than its own.
func TestMany(t *testing.T) {
	for _, cpus := range []int{3, Unlimited} {
		k, seen := crowd(cpus, 5, nil), crowd(cpus, 5, nobody{})
		if k.n < manySlots {
			t.Errorf("%d slots are not many", k.n)
		}
		if k.Checksum() != seen.Checksum() || k.Ops() != seen.Ops() || k.Now() != seen.Now() ||
			k.Busy() != seen.Busy() {
			t.Errorf("%d CPUs: checksum %#x, %d operations, %d ns, %d busy; with an observer %#x, %d, %d, %d", cpus,
				k.Checksum(), k.Ops(), k.Now(),
				k.Busy(), seen.Checksum(), seen.Ops(), seen.Now(), seen.Busy())
		}
	}
}

// TestManyAllocate nothing once they are there.
func TestManyAllocate(t *testing.T) {
	run := func(rounds int64) float64 {
		return testing.AllocsPerRun(1, func() { crowd(Unlimited, rounds, nil) })
	}
	// The Go runtime makes a few of its own meanwhile. One a round would be more.
	if short, long := run(5), run(100); long > short+20 {
		t.Errorf("%v allocations in 5 rounds of each goroutine, %v in 100", short, long)
	}
}

// TestCacheLine: what the end of a burn looks at is in one, of every goroutine of a slab that is not among the first.
func TestCacheLine(t *testing.T) {
	var l list
	if unsafe.Sizeof(l.k) != 8 {
		t.Skip("pointers have another size here")
	}
	first := unsafe.Offsetof(l.cpu)
	if first%64 != 0 || unsafe.Offsetof(l.r)+unsafe.Sizeof(l.r[0])*3 != first+64 || unsafe.Sizeof(l)%64 != 0 ||
		unsafe.Sizeof(l)*slab <= 32<<10 {
		t.Errorf("a list has %d bytes, %d a slab, the G's head at %d and registers at %d", unsafe.Sizeof(l), slab,
			first, unsafe.Offsetof(l.r))
	}
}
