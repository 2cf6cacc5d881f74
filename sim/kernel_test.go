package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// mixture is a program that draws its operations: workers that burn, sleep, call the system, lock, send and
// spawn, and a main goroutine that collects what they send.
func mixture(s *scene, seed uint64, workers, rounds int) *program {
	c, m, rw, w := NewChan("c", int(seed%3)), &Mutex{Name: "m"}, &RWMutex{Name: "rw"}, &Group{}
	d := &draws{key: seed}
	main := s.program("main", number(GroupAdd, 0, ""))
	main.steps[0] = step{do: func(*program) Op { return Op{Code: GroupAdd, On: w, N: int64(workers)} }}
	for i := range workers {
		p := s.program(fmt.Sprint("worker", i))
		for range rounds {
			n := int64(d.below(3000))
			switch d.below(7) {
			case 0:
				p.steps = append(p.steps, number(Burn, n*1000, ""))
			case 1:
				p.steps = append(p.steps, number(Sleep, n, ""))
			case 2:
				p.steps = append(p.steps, number(Syscall, n*20, ""))
			case 3:
				p.steps = append(p.steps, op(Lock, m, ""), number(Burn, n, ""), op(Unlock, m, ""))
			case 4:
				p.steps = append(p.steps, op(ReadLock, rw, ""), number(Burn, n, ""), op(ReadUnlock, rw, ""))
			case 5:
				p.steps = append(p.steps, op(WriteLock, rw, ""), number(Burn, n, ""), op(WriteUnlock, rw, ""))
			case 6:
				p.steps = append(p.steps, op(Yield, nil, ""))
			}
		}
		p.steps = append(p.steps, op(Send, c, ""),
			step{do: func(*program) Op { return Op{Code: GroupAdd, On: w, N: -1} }})
		main.steps = append(main.steps, spawn(p))
	}
	for range workers {
		main.steps = append(main.steps, op(Recv, c, ""))
	}
	main.steps = append(main.steps, op(GroupWait, w, "done"))
	return main
}

// TestMixtures runs drawn programs on 1 to 64 CPUs, with and without costs: all must end, and the kernel's
// books must balance between any two events. The same seed must give the same decisions.
func TestMixtures(t *testing.T) {
	costly := Costs{Wake: Quantiles(3000, 9000, 50_000), WakeDeep: Ns(90_000), DeepIdleAfter: 500_000, Spin: Ns(300),
		SpinFor: 4000,
		Steal:   Ns(3000), Switch: Ns(200), Spawn: Ns(300), Chan: Ns(80), Lock: Ns(20), Timer: Ns(100),
		Syscall:  Ns(150),
		LockSpin: Ns(400),
		Burn:     Quantiles(950_000, 990_000, 1_000_000, 1_200_000)}
	for seed := range uint64(30) {
		for _, cpus := range []int{1, 2, 3, 8, 64, Unlimited} {
			for _, costs := range []Costs{{}, costly} {
				var sums []uint64
				for range 2 {
					s := newScene(t, cpus, costs)
					main := mixture(s, seed, 20, 12)
					s.k.Start(&main.G)
					for g := s.k.Next(); g != nil; g = s.k.Next() {
						s.k.audit(t)
						g.runner.Resume()
					}
					if s.k.Err() != nil || s.k.Live() != 0 || len(s.log) != 1 {
						t.Fatalf("seed %d, %d CPUs: %v, %d left, %v", seed, cpus, s.k.Err(), s.k.Live(), s.log)
					}
					sums = append(sums, s.k.Checksum())
				}
				if sums[0] != sums[1] {
					t.Fatalf("seed %d, %d CPUs: two runs decide differently", seed, cpus)
				}
			}
		}
	}
}

// TestTies: to break ties of one instant the other way round, or to draw otherwise, is to decide otherwise.
func TestTies(t *testing.T) {
	sum := func(tie, seed uint64) uint64 {
		s := newScene(t, 8, Costs{})
		s.k = New(Config{CPUs: 8, Seed: seed})
		s.k.tie = tie * inOrder
		thieves := s.program("thieves", spawn(mixture(s, 1, 20, 4)), spawn(mixture(s, 2, 20, 4)))
		// Two sleepers wake at one time, and again.
		sleeper := func(name string) *program {
			p := s.program(name)
			for range 8 {
				p.steps = append(p.steps, number(Sleep, 1000, ""), burn(1, ""))
			}
			return p
		}
		main := s.program("main", spawn(sleeper("a")), spawn(sleeper("b")), spawn(sleeper("c")), spawn(thieves),
			burn(100, ""))
		s.k.Start(&main.G)
		s.k.Run()
		if s.k.Err() != nil {
			t.Fatal(s.k.Err())
		}
		return s.k.Checksum()
	}
	first := sum(0, 1)
	if again := sum(0, 1); again != first {
		t.Error("the same run has two checksums")
	}
	if sum(1, 1) == first {
		t.Error("ties broken differently leave the checksum as it is")
	}
	if sum(0, 2) == first {
		t.Error("another seed leaves the checksum as it is")
	}
}

// TestSelectUniform: each of the cases that can proceed is taken as often as the others. The chi-square
// statistic of 2 degrees of freedom exceeds 50 with probability e^-25.
func TestSelectUniform(t *testing.T) {
	s := newScene(t, 1, Costs{})
	var c [5]*Chan
	for i := range c {
		c[i] = NewChan("c", 1)
	}
	var counts [5]int
	const rounds = 30_000
	main := s.program("main")
	for _, i := range []int{0, 1, 3} {
		main.steps = append(main.steps, op(Send, c[i], ""))
	}
	main.steps = append(main.steps,
		step{do: func(p *program) Op {
			p.ClearCases()
			for i := range c {
				p.AddCase(c[i], false, 0)
			}
			return Op{Code: Select}
		}},
		step{do: func(p *program) Op {
			counts[p.Choice()]++
			if counts[0]+counts[1]+counts[3] == rounds {
				p.steps = p.steps[:p.pc+1]
			}
			return Op{Code: Send, On: c[p.Choice()]}
		}},
		step{jump: 3})
	s.run(main)
	sum := 0.0
	for _, i := range []int{0, 1, 3} {
		sum += float64((counts[i]-rounds/3)*(counts[i]-rounds/3)*3) / rounds
	}
	if sum > 50 || counts[2]+counts[4] != 0 {
		t.Errorf("cases 0, 1 and 3 can proceed and are taken %v times, chi-square %.0f", counts, sum)
	}
}

// TestOverflow: a full local queue gives half of itself to the global one, and every 61st tick serves that
// before the local one.
func TestOverflow(t *testing.T) {
	s := newScene(t, 1, Costs{})
	main := s.program("main")
	var order []string
	for i := range 258 {
		p := s.program(fmt.Sprint(i))
		p.steps = []step{{do: func(p *program) Op {
			order = append(order, p.name)
			return Op{Code: Burn}
		}}}
		main.steps = append(main.steps, spawn(p))
	}
	s.run(main)
	// 0 to 255 fill the queue behind run-next; when 257 kicks 256 out, 0 to 127 and 256 become global.
	// 257 goes first and inherits main's tick, the first; 128 and so on follow.
	want := []string{"257"}
	for i := range 59 {
		want = append(want, fmt.Sprint(128+i))
	}
	want = append(want, "187", "0")
	if !slices.Equal(order[:62], want) {
		t.Errorf("order %v\nwant  %v", order[:62], want)
	}
	if len(order) != 258 {
		t.Errorf("%d ran", len(order))
	}
}

func TestDeadlock(t *testing.T) {
	s := newScene(t, 2, Costs{})
	m, c := &Mutex{Name: "kitchen"}, NewChan("orders", 1)
	a := s.program("a", op(Lock, m, ""), spawn(s.program("b", op(Lock, m, ""))), burn(5000, ""), op(Recv, c, ""))
	s.k.Start(&a.G)
	s.k.Run()
	var d *Deadlock
	if !errors.As(s.k.Err(), &d) || d.At != 5_000_000 || s.k.Err().Error() != "deadlock at 5ms: a receives from "+
		"orders; b waits for kitchen (held by a)" {
		t.Errorf("error %v", s.k.Err())
	}
}

// TestHolders: the report of a goroutine that waits for a lock names the holder, however that one got it: at once,
// after spinning, by hand-off, or by a try. That also holds if the holder has ended and another goroutine runs in its
// place.
func TestHolders(t *testing.T) {
	type locks struct {
		m  *Mutex
		rw *RWMutex
	}
	for want, build := range map[string]func(s *scene, l locks) *program{
		"a waits for m (held by itself)": func(s *scene, l locks) *program {
			return s.program("a", op(Lock, l.m, ""), op(Lock, l.m, ""))
		},
		"a waits for m (held by a goroutine that has ended)": func(s *scene, l locks) *program {
			return s.program("a", spawn(s.program("b", op(Lock, l.m, ""))), number(Sleep, 1000, ""), op(Lock, l.m, ""))
		},
		"a waits for m (held by a goroutine that has ended); b waits for a group": func(s *scene, l locks) *program {
			b := s.program("b", op(Lock, l.m, ""))
			again := step{do: func(*program) Op {
				b.steps, b.pc, b.told = []step{op(GroupWait, &Group{n: 1}, "")}, 0, 0
				return Op{Code: Spawn, On: &b.G}
			}}
			return s.program("a", spawn(b), number(Sleep, 1000, ""), again, number(Sleep, 1000, ""), op(Lock, l.m, ""))
		},
		"a waits for a group; b waits for m (held by c); c waits for a group": func(s *scene, l locks) *program {
			w := &Group{n: 1}
			b := s.program("b", number(Sleep, 5000, ""), op(Lock, l.m, ""))
			c := s.program("c", op(TryLock, l.m, ""), op(GroupWait, w, ""))
			return s.program("a", spawn(b), spawn(c), op(GroupWait, w, ""))
		},
		"b waits for m (held by itself)": func(s *scene, l locks) *program { // it was woken, found it free
			b := s.program("b", op(Lock, l.m, ""), op(Lock, l.m, ""))
			return s.program("a", op(Lock, l.m, ""), spawn(b), burn(5000, ""), op(Unlock, l.m, ""))
		},
		"a waits for a group; b waits for m (held by itself)": func(s *scene, l locks) *program { // it was handed over
			b := s.program("b", op(Lock, l.m, ""), op(Lock, l.m, ""))
			return s.program("a", op(Lock, l.m, ""), spawn(b), burn(5000, ""), op(Unlock, l.m, ""), op(Lock, l.m, ""),
				burn(5000, ""), op(Unlock, l.m, ""),
				op(GroupWait, &Group{n: 1}, ""))
		},
		"b waits for m (held by c); c waits for a group": func(s *scene, l locks) *program { // it spun for it
			b := s.program("b", number(Sleep, 9_000_000, ""), op(Lock, l.m, ""))
			c := s.program("c", op(Lock, l.m, ""), op(GroupWait, &Group{n: 1}, ""))
			return s.program("a", op(Lock, l.m, ""), spawn(b), spawn(c), burn(1, ""), op(Unlock, l.m, ""))
		},
		"a waits for rw (held by a reader); b waits to read rw (behind a)": func(s *scene, l locks) *program {
			b := s.program("b", number(Sleep, 1000, ""), op(ReadLock, l.rw, ""))
			return s.program("a", spawn(b), op(ReadLock, l.rw, ""), op(WriteLock, l.rw, ""))
		},
		"a waits for rw (held by 2 readers); b waits for a group": func(s *scene, l locks) *program {
			b := s.program("b", op(ReadLock, l.rw, ""), op(GroupWait, &Group{n: 1}, ""))
			return s.program("a", spawn(b), op(ReadLock, l.rw, ""), number(Sleep, 1000, ""), op(WriteLock, l.rw, ""))
		},
		"a waits to read rw (held by itself); b waits for rw (held by a)": func(s *scene, l locks) *program {
			b := s.program("b", number(Sleep, 1000, ""), op(WriteLock, l.rw, ""))
			return s.program("a", spawn(b), op(TryWriteLock, l.rw, ""), op(ReadLock, l.rw, ""))
		},
	} {
		s := newScene(t, 4, Costs{LockSpin: Ns(1000)})
		s.k.Start(&build(s, locks{&Mutex{Name: "m"}, &RWMutex{Name: "rw"}}).G)
		s.k.Run()
		if _, who, _ := strings.Cut(fmt.Sprint(s.k.Err()), ": "); who != want {
			t.Errorf("it says %q, want %q", who, want)
		}
	}
}

// TestPolling: a goroutine that looks again and again at one instant is named, unless what it waits for can
// happen at that instant on another CPU.
func TestPolling(t *testing.T) {
	for _, c := range []struct {
		after int64 // ns
		says  string
	}{{0, ""}, {1000, "goroutine a performs endless operations at 0s"}} {
		s := newScene(t, 2, Costs{})
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
		if got := fmt.Sprint(s.k.Err()); c.says == "" && s.k.Err() != nil || !strings.Contains(got, c.says) {
			t.Errorf("a value after %d ns: error %v, want %q", c.after, s.k.Err(), c.says)
		}
	}
}

// TestMisuse has the words of Go.
func TestMisuse(t *testing.T) {
	closed := NewChan("c", 1)
	closed.closed = true
	negative := step{do: func(*program) Op { return Op{Code: GroupAdd, On: &Group{}, N: -1} }}
	for want, st := range map[string]step{
		"sync: unlock of unlocked mutex":    op(Unlock, &Mutex{}, ""),
		"sync: Unlock of unlocked RWMutex":  op(WriteUnlock, &RWMutex{}, ""),
		"sync: RUnlock of unlocked RWMutex": op(ReadUnlock, &RWMutex{}, ""),
		"sync: negative WaitGroup counter":  negative,
		"send on closed channel":            op(Send, closed, ""),
		"close of closed channel":           op(Close, closed, ""),
	} {
		s := newScene(t, 1, Costs{})
		s.run(s.program("a", st), "a panics: "+want+" 0")
	}
	if !panics(func() { New(Config{}) }) || !panics(func() { New(Config{CPUs: -2}) }) ||
		!panics(func() { New(Config{CPUs: MaxCPUs + 1}) }) {
		t.Error("a machine of no or too many CPUs is built")
	}
}

// BenchmarkKernel is the cost of an event: goroutines that sleep, and a pair that hands a token to and fro.
func BenchmarkKernel(b *testing.B) {
	for _, n := range []int{10, 1000} {
		b.Run(fmt.Sprintf("sleep-%d", n), func(b *testing.B) {
			var log []string
			k := New(Config{CPUs: 1})
			d := &draws{key: 1}
			left := b.N
			main := &program{k: k, name: "main", log: &log}
			main.Bind(main)
			for range n {
				p := &program{k: k, name: "p", log: &log}
				p.Bind(p)
				p.steps = []step{{do: func(p *program) Op {
					if left--; left < 0 {
						p.steps = p.steps[:1]
					}
					return Op{Code: Sleep, N: 1 + int64(d.below(2000))}
				}}, {jump: 0}}
				main.steps = append(main.steps, spawn(p))
			}
			k.Start(&main.G)
			b.ReportAllocs()
			b.ResetTimer()
			k.Run()
		})
	}
	b.Run("burn", func(b *testing.B) {
		var log []string
		k := New(Config{CPUs: 4})
		p := &program{k: k, name: "p", log: &log}
		p.Bind(p)
		left := b.N
		p.steps = []step{{do: func(p *program) Op {
			if left--; left < 0 {
				p.steps = p.steps[:1]
			}
			return Op{Code: Burn, N: 1000}
		}}, {jump: 0}}
		k.Start(&p.G)
		b.ReportAllocs()
		b.ResetTimer()
		k.Run()
	})
}

// TestWatch: to look at an instant disturbs nothing, and happens at that instant however busy the CPUs are.
func TestWatch(t *testing.T) {
	run := func(watch bool) (log []string, seen []int64) {
		s := newScene(t, 2, Costs{Wake: Ns(60_000), Switch: Ns(200)})
		main := mixture(s, 3, 20, 12)
		s.k.Start(&main.G)
		if watch {
			for _, at := range []int64{0, 1, 500_000, 7_777_777} {
				s.k.Watch(at, func() { seen = append(seen, s.k.Now()) })
			}
		}
		s.k.Run()
		if s.k.Err() != nil {
			t.Fatal(s.k.Err())
		}
		return s.log, seen
	}
	plain, _ := run(false)
	watched, seen := run(true)
	if !slices.Equal(seen, []int64{0, 1, 500_000, 7_777_777}) {
		t.Errorf("seen at %v", seen)
	}
	if len(plain) == 0 || !slices.Equal(plain, watched) {
		t.Error("who watches changes what is decided")
	}
}

// TestDeadlockBeforeALook: a deadlock is dated when it happened, not when it was noticed.
func TestDeadlockBeforeALook(t *testing.T) {
	s := newScene(t, 2, Costs{})
	m := &Mutex{Name: "m"}
	main := s.program("main", number(Burn, 5000, ""), op(Lock, m, ""), op(Lock, m, ""))
	s.k.Start(&main.G)
	s.k.Watch(1_000_000, func() {})
	s.k.Run()
	var d *Deadlock
	if !errors.As(s.k.Err(), &d) || d.At != 5000 {
		t.Errorf("%v", s.k.Err())
	}
}
