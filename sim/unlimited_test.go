package sim

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func newUnlimited(t *testing.T, costs Costs) *scene {
	return &scene{T: t, k: New(Config{CPUs: Unlimited, Seed: 1, Costs: costs})}
}

// TestUnlimited: a thousand goroutines burn for longer than a time slice, all at the same time.
func TestUnlimited(t *testing.T) {
	s := newUnlimited(t, Costs{})
	main := s.program("main")
	var want []string
	for i := range 1000 {
		name := fmt.Sprint(i)
		main.steps = append(main.steps, spawn(s.program(name, burn(35_000, "done"))))
		want = append(want, name+" done 35000")
	}
	s.run(main, want...)
	if got := s.k.Busy(); got != 1000*35_000_000 {
		t.Errorf("CPUs were busy for %d ns, want 35 s", got)
	}
	if s.k.CPUs() != Unlimited {
		t.Errorf("%d CPUs", s.k.CPUs())
	}
}

// TestUnlimitedBusy looks in the midst of burns.
func TestUnlimitedBusy(t *testing.T) {
	s := newUnlimited(t, Costs{Spawn: Ns(100)})
	var busy []int64
	look := step{do: func(p *program) Op {
		busy = append(busy, p.k.Busy())
		return Op{Code: Burn}
	}}
	a := s.program("a", spawn(s.program("b", burn(5, ""))), look, number(Sleep, 2000, ""), look, burn(1, ""), look,
		number(Sleep, 9000, ""), look)
	s.run(a)
	if want := []int64{100, 2100, 4100, 6100}; !slices.Equal(busy, want) {
		t.Errorf("busy for %v ns, want %v", busy, want)
	}
}

// TestUnlimitedOrder checks that a goroutine that becomes ready continues at that instant, after the events that were
// due then already, and after the goroutines that became ready earlier.
func TestUnlimitedOrder(t *testing.T) {
	s := newUnlimited(t, Costs{})
	c := NewChan("c", 0)
	r1 := s.program("r1", op(Recv, c, "receives"))
	r2 := s.program("r2", number(Sleep, 1, ""), op(Recv, c, "receives"))
	same := s.program("same", number(Sleep, 5000, "wakes"))
	yields := s.program("yields", number(Sleep, 5000, "wakes"), op(Yield, nil, "goes on"))
	s.run(s.program("a", spawn(r1), spawn(r2), number(Sleep, 2, ""),
		spawn(s.program("early", number(Burn, 4998, "ends"))), number(Sleep, 4998, ""),
		op(Close, c, "closes"), burn(0, "goes on"), spawn(same), spawn(yields)),
		"a closes 5", "a goes on 5", "early ends 5", "r2 receives 5", "r1 receives 5", "same wakes 10",
		"yields wakes 10", "yields goes on 10")
}

// TestUnlimitedCosts: operations take their time, and what is between goroutines and CPUs takes none.
func TestUnlimitedCosts(t *testing.T) {
	s := newUnlimited(t, Costs{Wake: Ns(1 << 20), Spin: Ns(1 << 21), SpinFor: 1 << 22, Steal: Ns(1 << 23),
		Switch: Ns(1 << 24),
		Spawn:  Ns(1000), Chan: Ns(2000), Lock: Ns(4000), Timer: Ns(8000), Syscall: Ns(16_000)})
	c, m := NewChan("c", 1), &Mutex{Name: "m"}
	b := s.program("b", op(Recv, c, "received"))
	s.run(s.program("a", burn(0, "starts"), spawn(b), burn(0, "spawned"), op(Send, c, "sent"), op(Lock, m, "locked"),
		number(Sleep, 100_000, "slept"), number(Syscall, 1000, "called"), op(Close, c, "closed")),
		"a starts 0", "a spawned 1", "a sent 3", "b received 3", "a locked 7", "a slept 115", "a called 132",
		"a closed 134")
}

// TestUnlimitedSpins: a goroutine that finds a lock held checks again until it parks.
func TestUnlimitedSpins(t *testing.T) {
	s := newUnlimited(t, Costs{LockSpin: Ns(1000)})
	m := &Mutex{Name: "m"}
	b := s.program("b", op(Lock, m, "locks"), op(Unlock, m, ""))
	s.run(s.program("a", op(Lock, m, ""), spawn(b), number(Burn, 2500, ""), op(Unlock, m, ""), burn(9, "done")),
		"b locks 3", "a done 11")
}

// TestUnlimitedStarvation: a goroutine that has waited for more than 1 ms is handed the lock, and runs before the one
// that hands it over.
func TestUnlimitedStarvation(t *testing.T) {
	s := newUnlimited(t, Costs{})
	m := &Mutex{Name: "m"}
	user := func(name string) *program {
		p := s.program(name)
		for range 3 {
			p.steps = append(p.steps, op(Lock, m, "locks"), burn(4000, ""), op(Unlock, m, "unlocks"))
		}
		return p
	}
	a := user("a")
	a.steps = append([]step{spawn(user("b"))}, a.steps...)
	s.run(a, "a locks 0", "a unlocks 4000", "a locks 4000", "b locks 8000", "a unlocks 8000", "b unlocks 12000",
		"b locks 12000",
		"a locks 16000", "b unlocks 16000", "a unlocks 20000", "b locks 20000", "b unlocks 24000")
}

// TestUnlimitedPolling: a goroutine that polls is named, unless what it waits for happens at that instant.
func TestUnlimitedPolling(t *testing.T) {
	for _, c := range []struct {
		after int64 // ns
		says  string
	}{{0, "<nil>"}, {1000, "goroutine a performs endless operations at 0s"}} {
		s := newUnlimited(t, Costs{})
		ch := NewChan("c", 1)
		a := s.program("a", spawn(s.program("b", number(Burn, c.after, ""), op(Send, ch, ""))), op(TryRecv, ch, ""),
			step{do: func(p *program) Op {
				if p.OK() {
					p.steps = p.steps[:p.pc+1]
				}
				return Op{Code: Burn}
			}}, step{jump: 1})
		s.k.Start(&a.G)
		s.k.Run()
		if got := fmt.Sprint(s.k.Err()); !strings.Contains(got, c.says) {
			t.Errorf("a value after %d ns: error %v, want %q", c.after, got, c.says)
		}
	}
}

// TestSpawningIsProgress: a goroutine may start as many others at one instant as it likes.
func TestSpawningIsProgress(t *testing.T) {
	s := newUnlimited(t, Costs{})
	left := maxStill
	child := s.program("child")
	a := s.program("a", step{do: func(*program) Op {
		child.pc = 0
		return Op{Code: Spawn, On: &child.G}
	}}, op(Yield, nil, ""), step{do: func(p *program) Op {
		if left--; left == 0 {
			p.steps = p.steps[:3]
		}
		return Op{Code: Burn}
	}}, step{jump: 0})
	s.run(a)
	if s.k.Ops() < 3*maxStill {
		t.Errorf("%d operations, want %d", s.k.Ops(), 3*maxStill)
	}
}

// TestManyAtOneInstant: what many goroutines do at one instant is not polling, even if they do more than one may.
func TestManyAtOneInstant(t *testing.T) {
	for _, cpus := range []int{4, Unlimited} {
		k := New(Config{CPUs: cpus, Seed: 1})
		s := &scene{T: t, k: k}
		c := NewChan("c", 1)
		main := s.program("main")
		const each = maxStill / 8
		for range 10 {
			left := each
			main.steps = append(main.steps, spawn(s.program("p", step{do: func(p *program) Op {
				if left--; left == 0 {
					p.steps = p.steps[:1]
				}
				return Op{Code: TryRecv, On: c}
			}}, step{jump: 0})))
		}
		s.run(main)
		if k.Ops() < 10*each {
			t.Errorf("%d CPUs: %d operations, want at least %d", cpus, k.Ops(), 10*each)
		}
	}
}

// TestUnlimitedBusyInTurns: what goroutines burn while their ends alternate is busy time, to the nanosecond.
func TestUnlimitedBusyInTurns(t *testing.T) {
	k := New(Config{CPUs: Unlimited})
	p := NewProgram("burner")
	top := p.Here()
	p.Burn(R1)
	p.Loop(R0, top)
	main := NewProgram("main")
	main.Set(R0, 10)
	main.Set(R1, 300)
	main.Spawn(p)
	main.Set(R1, 500)
	main.Spawn(p)
	k.Start(k.Goroutine(main))
	k.Run()
	if k.Err() != nil || k.Busy() != 10*300+10*500 || k.Now() != 5000 {
		t.Errorf("busy for %d ns at %d: %v", k.Busy(), k.Now(), k.Err())
	}
}

// TestUnlimitedEndOfTime: the last burn ends with time itself, and what comes then takes none; also where it is an
// event, and where there are many goroutines, beyond the time or right at its end.
func TestUnlimitedEndOfTime(t *testing.T) {
	for _, d := range []int64{math.MaxInt64, math.MaxInt64 - 5, math.MaxInt64 - 6} {
		for _, crowd := range []int64{0, 1000} {
			k := New(Config{CPUs: Unlimited})
			p, other := NewProgram("burner"), NewProgram("other")
			other.Sleep(R1)
			if crowd > 0 {
				p.Set(R0, crowd)
				p.Set(R1, 1)
				top := p.Here()
				p.Spawn(other)
				p.Loop(R0, top)
			}
			for _, d := range []int64{5, d, 1} {
				p.Set(R0, d)
				p.Burn(R0)
			}
			k.Start(k.Goroutine(p))
			k.Run()
			if k.Err() != nil || k.Live() != 0 || k.Now() != never-1 || k.Busy() != k.Now() {
				t.Errorf("%d goroutines: busy for %d ns at %d, %d left: %v", crowd, k.Busy(), k.Now(), k.Live(),
					k.Err())
			}
		}
		s := newScene(t, Unlimited, Costs{})
		s.k.Start(&s.program("events", number(Burn, 5, ""), number(Burn, d, ""), number(Burn, 1, "")).G)
		s.k.Run()
		if s.k.Err() != nil || s.k.Now() != never-1 || s.k.Busy() != s.k.Now() {
			t.Errorf("as events: busy for %d ns at %d: %v", s.k.Busy(), s.k.Now(), s.k.Err())
		}
	}
}

// TestFailEndsBurns: a kernel that has failed resumes no goroutine, on any path of a burn.
func TestFailEndsBurns(t *testing.T) {
	for _, cpus := range []int{2, Unlimited} {
		k := New(Config{CPUs: cpus})
		failed, after := false, 0
		other, main := NewProgram("other"), NewProgram("main")
		top := other.Here()
		other.Call(func(*Regs) {
			if failed {
				after++
			}
		})
		other.Burn(R1)
		other.Loop(R0, top)
		main.Set(R0, 100)
		main.Set(R1, 7)
		main.Spawn(other)
		main.Set(R0, 50)
		main.Burn(R0)
		main.Call(func(*Regs) {
			k.Fail(errors.New("no more"))
			failed = true
		})
		main.Burn(R0)
		main.Burn(R0)
		k.Start(k.Goroutine(main))
		k.Run()
		if !failed || after > 0 {
			t.Errorf("%d CPUs: failed %t, and then %d burns of the other goroutine", cpus, failed, after)
		}
	}
}

// TestUnlimitedSlots: a goroutine that starts in the place of the first one has its slot, which is 0.
func TestUnlimitedSlots(t *testing.T) {
	k := New(Config{CPUs: Unlimited})
	main, child, last := NewProgram("main"), NewProgram("child"), NewProgram("last")
	main.Spawn(child)
	child.Set(R0, 10)
	child.Sleep(R0)
	child.Spawn(last)
	k.Start(k.Goroutine(main))
	k.Run()
	if k.Err() != nil || k.next != 2 {
		t.Errorf("three goroutines, two at a time, have %d slots: %v", k.next, k.Err())
	}
}
