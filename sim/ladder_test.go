package sim

import "testing"

// crowd is a kernel of many goroutines: some burn for drawn times, some for the same time, which they all end at once, some
// sleep, and each tells the others by a channel.
func crowd(cpus int, flat bool, rounds int64) *Kernel {
	k := New(Config{CPUs: cpus, Seed: 3})
	k.flat = flat
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
	listener.Place(end)

	main := NewProgram("main")
	main.Spawn(listener)
	main.Set(R2, ladderSlots/2)
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

// TestLadder: many goroutines decide as they do where there is only the tree.
func TestLadder(t *testing.T) {
	for _, cpus := range []int{3, Unlimited} {
		k, flat := crowd(cpus, false, 20), crowd(cpus, true, 20)
		if !k.tall || flat.tall {
			t.Error("there is no ladder where there should be one, or one where there should be none")
		}
		if k.Checksum() != flat.Checksum() || k.Ops() != flat.Ops() || k.Now() != flat.Now() || k.Busy() != flat.Busy() {
			t.Errorf("%d CPUs: checksum %#x, %d operations, %d ns; without a ladder %#x, %d, %d", cpus, k.Checksum(), k.Ops(), k.Now(),
				flat.Checksum(), flat.Ops(), flat.Now())
		}
	}
}

// TestLadderAllocates nothing once it stands.
func TestLadderAllocates(t *testing.T) {
	run := func(rounds int64) float64 {
		return testing.AllocsPerRun(1, func() { crowd(Unlimited, false, rounds) })
	}
	// The Go runtime makes a few of its own meanwhile. One a round, or one for each run of the ladder, would be more.
	if short, long := run(20), run(200); long > short+20 {
		t.Errorf("%v allocations in 20 rounds of each goroutine, %v in 200", short, long)
	}
}
