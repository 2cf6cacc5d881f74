package sim

import (
	"strconv"
	"testing"
)

// TestPreemption: two goroutines of 35 ms share one CPU in slices of 10 ms.
func TestPreemption(t *testing.T) {
	s := newScene(t, 1, Costs{})
	b := s.program("b", burn(35_000, "done"))
	s.run(s.program("a", spawn(b), burn(35_000, "done")), "a done 65000", "b done 70000")
}

// TestRunNextInherits: a and b hand a token to and fro, each time by way of run-next, and so share one time
// slice. c waits in the queue until that is over, and no longer.
func TestRunNextInherits(t *testing.T) {
	s := newScene(t, 1, Costs{})
	ping, pong := NewChan("ping", 0), NewChan("pong", 0)
	c := s.program("c", burn(1000, "done"))
	var turns []step
	for range 10 {
		turns = append(turns, op(Recv, ping, ""), burn(1000, ""), op(Send, pong, ""))
	}
	b := s.program("b", turns...)
	a := s.program("a", spawn(c), spawn(b))
	for range 10 {
		a.steps = append(a.steps, burn(1000, ""), op(Send, ping, ""), op(Recv, pong, ""))
	}
	a.steps = append(a.steps, burn(0, "done"))
	s.run(a, "c done 11000", "a done 21000")
}

// TestStealHalf: CPU 1 finds four in the queue of CPU 0, whose run-next is the fifth. It takes two of four
// and runs the second first, then one of two, then the last, then the run-next, for which it backs off.
func TestStealHalf(t *testing.T) {
	s := newScene(t, 2, Costs{Steal: Ns(3000)})
	a := s.program("a")
	for _, name := range []string{"1", "2", "3", "4", "5"} {
		a.steps = append(a.steps, spawn(s.program(name, burn(1000, "done"))))
	}
	a.steps = append(a.steps, burn(9000, "done"))
	s.run(a, "2 done 1000", "1 done 2000", "3 done 3000", "4 done 4000", "5 done 5003", "a done 9000")
}

// TestBackOff: a goroutine in run-next is left to a CPU that runs it within the back-off.
func TestBackOff(t *testing.T) {
	for _, c := range []struct {
		burn int64
		want string
	}{{2, "b done 1002"}, {4, "b done 1003"}} {
		s := newScene(t, 2, Costs{Steal: Ns(3000)})
		b := s.program("b", burn(1000, "done"))
		s.run(s.program("a", spawn(b), burn(c.burn, "")), c.want)
	}
}

// TestBackOffSwaps: a thief, CPU 1, backs off from 0 to 3 us before b. If b is in run-next then, it is taken, though it
// has run meanwhile and others are in the queue; if another is, the thief begins anew with the queue.
func TestBackOffSwaps(t *testing.T) {
	s := newScene(t, 2, Costs{Steal: Ns(3000)})
	x, y := NewChan("x", 0), NewChan("y", 0)
	d, e := s.program("d", burn(10, "done")), s.program("e", op(Send, x, ""), burn(20, ""), op(Send, y, ""))
	s.run(s.program("a", spawn(s.program("b", spawn(d), spawn(e), op(Recv, x, ""), burn(1, "done"))), burn(1, ""),
		op(Recv, y, "")),
		"b done 4", "d done 14") // at 1 us b runs and parks, and e makes it ready again, when d is in the queue
	for _, c := range []struct {
		because string
		others  []int64 // goroutines that b starts, and how long they burn
		then    step
		want    []string
	}{
		{"the queue is taken", []int64{10, 1}, burn(20, "done"), []string{"1 done 13", "2 done 17", "b done 21"}},
		{"it backs off before another", []int64{1}, burn(20, "done"), []string{"1 done 7", "b done 21"}},
		{"the other is in a system call", []int64{1}, number(Syscall, 20_000, "done"),
			[]string{"1 done 4", "b done 21"}},
	} {
		t.Log(c.because)
		s := newScene(t, 2, Costs{Steal: Ns(3000)})
		var b []step
		for i, us := range c.others {
			b = append(b, spawn(s.program(strconv.Itoa(i+1), burn(us, "done"))))
		}
		s.run(s.program("a", spawn(s.program("b", append(b, c.then)...)), burn(1, "")), c.want...)
	}
}

// TestWake: a goroutine starts on another CPU when that has woken up, by its depth of sleep.
func TestWake(t *testing.T) {
	costs := Costs{Wake: Ns(5000), WakeDeep: Ns(50_000), DeepIdleAfter: 1_000_000, Switch: Ns(1000)}
	s := newScene(t, 2, costs)
	b, c := s.program("b", burn(10, "done")), s.program("c", burn(10, "done"))
	// a itself costs a switch.
	s.run(s.program("a", spawn(b), burn(200, "done"), spawn(c), burn(2000, "done"),
		spawn(s.program("d", burn(10, "done"))), burn(200, "done")),
		"b done 17", "a done 201", "c done 217", "a done 2201", "d done 2262", "a done 2401")
}

// TestSpin: a CPU that still looks for work finds it sooner than one that must be woken.
func TestSpin(t *testing.T) {
	s := newScene(t, 2, Costs{Wake: Ns(50_000), Spin: Ns(1000), SpinFor: 20_000})
	b, c := s.program("b", burn(10, "done")), s.program("c", burn(10, "done"))
	// CPU 1 looks from 60 us to 80 us and finds c at 70; when d comes at 200 us it sleeps.
	s.run(s.program("a", spawn(b), burn(70, ""), spawn(c), burn(130, ""), spawn(s.program("d", burn(10, "done"))),
		burn(100, "done")),
		"b done 60", "c done 81", "d done 260", "a done 300")
}

// TestMutexStarvation: with two CPUs and two users that hold a lock for 4 ms, each takes it twice. A goroutine that
// unlocks barges past the woken one, which has waited for more than 1 ms and is handed the lock next.
func TestMutexStarvation(t *testing.T) {
	s := newScene(t, 2, Costs{})
	m := &Mutex{Name: "m"}
	user := func(name string) *program {
		p := s.program(name)
		for range 4 {
			p.steps = append(p.steps, op(Lock, m, "locks"), burn(4000, ""), op(Unlock, m, ""))
		}
		return p
	}
	a := user("a")
	a.steps = append([]step{spawn(user("b"))}, a.steps...)
	s.run(a, "a locks 0", "a locks 4000", "b locks 8000", "b locks 12000", "a locks 16000", "a locks 20000",
		"b locks 24000", "b locks 28000")
}

// TestMutexBarging: a running goroutine takes a lock before one that waited less than 1 ms.
func TestMutexBarging(t *testing.T) {
	s := newScene(t, 2, Costs{})
	m := &Mutex{Name: "m"}
	b := s.program("b", op(Lock, m, "locks"), burn(100, ""), op(Unlock, m, ""))
	a := s.program("a", spawn(b))
	for range 12 {
		a.steps = append(a.steps, op(Lock, m, "locks"), burn(100, ""), op(Unlock, m, ""))
	}
	// b waits from 0 and at 1100 us for more than 1 ms; it is handed the lock at 1200.
	want := []string{"a locks 0", "a locks 100", "a locks 200", "a locks 300", "a locks 400", "a locks 500",
		"a locks 600",
		"a locks 700", "a locks 800", "a locks 900", "a locks 1000", "a locks 1100", "b locks 1200"}
	s.run(a, want...)
}

// TestMutexSpins: a goroutine that finds a lock held looks four times before it parks, and gets it in the
// round in which it is free.
func TestMutexSpins(t *testing.T) {
	s := newScene(t, 2, Costs{LockSpin: Ns(1000)})
	m := &Mutex{Name: "m"}
	b := s.program("b", op(Lock, m, "locks"), op(Unlock, m, ""))
	s.run(s.program("a", op(Lock, m, ""), spawn(b), number(Burn, 2500, ""), op(Unlock, m, ""), burn(9, "done")),
		"b locks 3", "a done 11")
	s = newScene(t, 2, Costs{LockSpin: Ns(1000), Wake: Ns(500)})
	m = &Mutex{Name: "m"}
	b = s.program("b", op(Lock, m, "locks"), op(Unlock, m, ""))
	// b, on CPU 1 from 0.5 us, parks at 4.5; it is woken at 6 us.
	s.run(s.program("a", op(Lock, m, ""), spawn(b), burn(6, ""), op(Unlock, m, ""), burn(9, "done")), "b locks 6",
		"a done 15")
}

// TestWriterPreference: readers that come after a writer wait for it, though the lock is held by readers.
func TestWriterPreference(t *testing.T) {
	s := newScene(t, 4, Costs{})
	m := &RWMutex{Name: "m"}
	writer := s.program("w", burn(100, ""), op(WriteLock, m, "locks"), burn(200, ""), op(WriteUnlock, m, ""))
	late := s.program("r", burn(200, ""), op(ReadLock, m, "locks"), op(ReadUnlock, m, ""))
	try := s.program("t", burn(300, ""), step{do: func(*program) Op { return Op{Code: TryReadLock, On: m} }},
		burn(0, "tries"))
	s.run(s.program("a", spawn(writer), spawn(late), spawn(try), op(ReadLock, m, "locks"), burn(1000, ""),
		op(ReadUnlock, m, "unlocks")),
		"a locks 0", "t tries 300", "a unlocks 1000", "w locks 1000", "r locks 1200")
	if try.OK() {
		t.Error("a reader gets in while a writer waits")
	}
}

// TestChanHandsOver: goroutines that wait at a channel are served in FIFO order. Later ones cannot overtake them
// through the buffer.
func TestChanHandsOver(t *testing.T) {
	for _, capacity := range []int{0, 2} {
		s := newScene(t, 1, Costs{})
		c := NewChan("c", capacity)
		got := map[string]int64{}
		receiver := func(name string, after int64) *program {
			return s.program(name, number(Sleep, after*1000, ""), op(Recv, c, ""), step{do: func(p *program) Op {
				got[p.name] = p.Token()
				return Op{Code: Burn}
			}, note: "receives"})
		}
		send := func(token int64) step {
			return step{do: func(*program) Op { return Op{Code: Send, On: c, Token: token} }}
		}
		a := s.program("a", spawn(receiver("r1", 1)), spawn(receiver("r2", 2)), spawn(receiver("r3", 3)),
			number(Sleep, 9000, ""),
			send(7), send(8), send(9))
		s.run(a, "r3 receives 9", "r1 receives 9", "r2 receives 9")
		if got["r1"] != 7 || got["r2"] != 8 || got["r3"] != 9 {
			t.Errorf("capacity %d: received %v, want 7, 8 and 9 in the order of waiting", capacity, got)
		}
	}
}

// TestBufferOrder: senders that wait at a full buffer follow it in their order.
func TestBufferOrder(t *testing.T) {
	s := newScene(t, 1, Costs{})
	c := NewChan("c", 2)
	var got []int64
	a := s.program("a")
	for i := range int64(6) {
		a.steps = append(a.steps, spawn(s.program("s", number(Sleep, int64(i+1), ""),
			step{do: func(*program) Op { return Op{Code: Send, On: c, Token: i} }})))
	}
	a.steps = append(a.steps, number(Sleep, 1000, ""))
	for range 6 {
		a.steps = append(a.steps, op(Recv, c, ""), step{do: func(p *program) Op {
			got = append(got, p.Token())
			return Op{Code: Burn}
		}})
	}
	s.run(a)
	for i, token := range got {
		if token != int64(i) {
			t.Fatalf("received %v", got)
		}
	}
	if len(got) != 6 {
		t.Fatalf("received %v", got)
	}
}

// TestCloseWakes the last of those who wait first: it is kicked out of run-next by the others, and the first
// who came is the last to be made ready and the first to run.
func TestCloseWakes(t *testing.T) {
	s := newScene(t, 1, Costs{})
	c := NewChan("c", 0)
	receiver := func(name string, after int64) *program {
		return s.program(name, number(Sleep, after, ""), op(Recv, c, "wakes"))
	}
	s.run(s.program("a", spawn(receiver("r1", 1)), spawn(receiver("r2", 2)), spawn(receiver("r3", 3)),
		number(Sleep, 5000, ""), op(Close, c, "closes")),
		"a closes 5", "r1 wakes 5", "r3 wakes 5", "r2 wakes 5")
}

// TestSyscall: a goroutine in a system call keeps its CPU for the monitor's 20 us if others need it, and
// for 10 ms if nobody does.
func TestSyscall(t *testing.T) {
	s := newScene(t, 1, Costs{})
	b := s.program("b", burn(1000, "done"))
	s.run(s.program("a", spawn(b), number(Syscall, 5_000_000, "returns"), burn(1, "done")), "b done 1020",
		"a returns 5000", "a done 5001")
	s = newScene(t, 1, Costs{})
	b = s.program("b", burn(1000, "done"))
	s.run(s.program("a", spawn(b), number(Syscall, 15_000, "returns"), burn(1, "done")), "a returns 15", "a done 16",
		"b done 1016")
	// b needs a CPU at 5 ms and gets that of a when CPU 1 is taken and the monitor has looked.
	s = newScene(t, 2, Costs{})
	b = s.program("b", number(Sleep, 5_000_000, ""), spawn(s.program("c", burn(1000, "done"))), burn(1000, "done"))
	s.run(s.program("a", spawn(b), number(Syscall, 8_000_000, "returns"), burn(1, "done")), "b done 6000",
		"c done 6020", "a returns 8000", "a done 8001")
}

// TestSyscallReturns: a goroutine that returns without a CPU takes the one it had from another call, or waits its
// turn.
func TestSyscallReturns(t *testing.T) {
	s := newScene(t, 1, Costs{})
	b := s.program("b", burn(8000, "done"))
	s.run(s.program("a", spawn(b), number(Syscall, 5_000_000, "returns")), "b done 8020", "a returns 8020")
	s = newScene(t, 1, Costs{})
	b = s.program("b", burn(30, ""), number(Syscall, 100_000, "returns"))
	s.run(s.program("a", spawn(b), number(Syscall, 60_000, "returns"), burn(1000, "done")), "a returns 60",
		"a done 1060", "b returns 1060")
}

// TestSyscallNoticed: who comes back without a CPU is seen by one that still looks for work. CPU 0 is taken from a at
// 20 us, its new thread is there at 35, finds nothing and looks on.
func TestSyscallNoticed(t *testing.T) {
	s := newScene(t, 2, Costs{Wake: Ns(15_000), Spin: Ns(1000), SpinFor: 20_000})
	b := s.program("b", burn(1000, "done"))
	s.run(s.program("a", spawn(b), burn(100, "burns"), number(Syscall, 36_000, "returns")), "a burns 100",
		"a returns 137", "b done 1015")
}

// TestStealFromTheStopped: a thief backs off before a run-next only where somebody may be about to run it. CPU 0 is
// taken from a at 60 us and its new thread is there at 70: c is in its run-next when CPU 1 is done with b at 63.
func TestStealFromTheStopped(t *testing.T) {
	s := newScene(t, 2, Costs{Wake: Ns(10_000), Steal: Ns(3000)})
	b, c := s.program("b", burn(50, "done")), s.program("c", burn(50, "done"))
	s.run(s.program("a", spawn(b), burn(40, ""), spawn(c), number(Syscall, 1_000_000, "")), "b done 63", "c done 113")
}

// TestCosts: each operation is charged to the goroutine that makes it.
func TestCosts(t *testing.T) {
	s := newScene(t, 1, Costs{Spawn: Ns(1000), Chan: Ns(2000), Lock: Ns(4000), Timer: Ns(8000), Syscall: Ns(16_000),
		Switch: Ns(32_000)})
	c, m := NewChan("c", 1), &Mutex{Name: "m"}
	s.run(s.program("a", burn(0, "starts"), spawn(s.program("b")), burn(0, "spawned"), op(Send, c, "sent"),
		op(Lock, m, "locked"),
		number(Sleep, 100_000, "slept"), number(Syscall, 1000, "called"), op(Close, c, "closed")),
		"a starts 32", "a spawned 33", "a sent 35", "a locked 39",
		"a slept 179", // 8 for the timer, b's switch meanwhile, 100 asleep, and the switch back
		"a called 196", "a closed 198")
	s = newScene(t, 1, Costs{Timer: Ns(8000), Syscall: Ns(16_000)})
	past := step{do: func(*program) Op { return Op{Code: After, On: s.k.NewTimer(func() {}), N: -1} }, note: "after"}
	s.run(s.program("a", number(Sleep, 0, "slept"), number(Sleep, -5, "slept"), number(Syscall, 0, "called"), past),
		"a slept 0", "a slept 0", "a called 0", "a after 8")
}

// TestSliceOfTheIdle: a goroutine that wakes up on a CPU that was idle for longer than a time slice has a whole
// slice.
func TestSliceOfTheIdle(t *testing.T) {
	s := newScene(t, 1, Costs{Switch: Ns(1000)})
	s.run(s.program("a", number(Sleep, 20_000_000, ""), burn(10, "done"), burn(5, "done")), "a done 20012",
		"a done 20017")
}

// TestPollGrain: a thread that waits for a timer sleeps whole milliseconds, checks, and sleeps for one more. A timer
// that is due before all others makes it check again.
func TestPollGrain(t *testing.T) {
	grain := Costs{PollGrain: 1_000_000}
	for _, c := range []struct {
		costs   Costs
		sleep   int64
		slept   string
		because string
	}{
		{Costs{}, 1_500_000, "a slept 1500", "any time"},
		{grain, 1_500_000, "a slept 2000", "1 ms and 1 ms"},
		{grain, 400_000, "a slept 1000", "less than 1 ms"},
		{grain, 3_000_000, "a slept 3000", "3 ms"},
		{Costs{PollGrain: 1_000_000, Wake: Ns(300_000)}, 1_200_000, "a slept 1300",
			"it wakes so late that the rest is over"},
		{Costs{PollGrain: 1_000_000, Wake: Ns(100_000)}, 1_200_000, "a slept 2200", "1.1 ms, and 1.1 ms again"},
	} {
		s := newScene(t, 1, c.costs)
		t.Log(c.because)
		s.run(s.program("a", number(Sleep, c.sleep, "slept")), c.slept)
	}
	// CPU 0 sleeps for the 9 ms of a; 300 us later b asks for 500 us, and so the poller for 1 ms from then on, then for
	// 7 of the 7.7 ms that are left, and for one more.
	s := newScene(t, 2, grain)
	b := s.program("b", burn(300, ""), number(Sleep, 500_000, "slept"))
	s.run(s.program("a", spawn(b), number(Sleep, 9_000_000, "slept")), "b slept 1300", "a slept 9300")
	// Word from outside comes at once.
	s = newScene(t, 1, grain)
	word := step{do: func(*program) Op { return Op{Code: Sleep, Token: Polled, N: 1_500_000} }, note: "heard"}
	s.run(s.program("a", word, number(Sleep, 1_500_000, "slept")), "a heard 1500", "a slept 3500")
	// Where another CPU looks for work it finds the timer.
	s = newScene(t, 2, grain)
	c := s.program("c", burn(600, "done"))
	s.run(s.program("a", spawn(c), number(Sleep, 500_000, "slept")), "c done 600", "a slept 600")
}
