package sim

import (
	"fmt"
	"testing"
)

// timer starts a timer that tells when it is noticed.
func (s *scene) timer(us int64) step {
	t := s.k.NewTimer(func() { s.log = append(s.log, fmt.Sprint("timer ", s.k.Now()/1000)) })
	return step{do: func(*program) Op { return Op{Code: After, On: t, N: us * 1000} }}
}

// TestFirstTimerWakes: who starts the first timer of a CPU while nobody waits in the network poller wakes somebody who
// will: at 10 us CPU 1 looks for work, and finds b, which came at 5.
func TestFirstTimerWakes(t *testing.T) {
	s := newScene(t, 2, Costs{Wake: Ns(10_000)})
	b := s.program("b", burn(10, "done"))
	s.run(s.program("a", s.timer(1_000_000), burn(5, ""), spawn(b), burn(100, "done")), "b done 20", "a done 105")
}

// TestPollerHoldsNoCPU: while the thread in the network poller wakes up it is not looking for work. It takes CPU 1 at
// 110 us, whose timer is that of c; b, which came at 105, has woken CPU 2 at 115.
func TestPollerHoldsNoCPU(t *testing.T) {
	s := newScene(t, 3, Costs{Wake: Ns(10_000)})
	b, c := s.program("b", burn(10, "done")), s.program("c", number(Sleep, 90_000, ""), burn(10, "done"))
	s.run(s.program("a", spawn(c), burn(105, ""), spawn(b), burn(100, "done")), "c done 120", "b done 125",
		"a done 205")
}

// TestTimersOfOthersComeLast: the thread from the poller takes CPU 2 at 110 us, and b from the queue of CPU 0 before
// the timer there. CPU 1, woken at 105, notices that and takes c from run-next.
func TestTimersOfOthersComeLast(t *testing.T) {
	s := newScene(t, 3, Costs{Wake: Ns(10_000)})
	b, c := s.program("b", burn(10, "done")), s.program("c", burn(10, "done"))
	s.run(s.program("a", s.timer(100), burn(105, ""), spawn(b), spawn(c), burn(100, "done")), "timer 115", "b done 120",
		"c done 125", "a done 205")
}

// TestTimersInherit: who is woken by a timer comes by way of run-next and shares the time slice of who ran on this
// CPU before, though that was idle meanwhile: a is preempted at 10 ms.
func TestTimersInherit(t *testing.T) {
	s := newScene(t, 1, Costs{})
	b := s.program("b", number(Sleep, 2_000_000, ""), burn(1000, "done"))
	s.run(s.program("a", spawn(b), burn(4000, ""), number(Sleep, 1_000_000, ""), burn(8000, "done")), "b done 11000",
		"a done 14000")
}

// TestStolenTimersInherit: the same where CPU 1 runs the timer of CPU 0, which is busy.
func TestStolenTimersInherit(t *testing.T) {
	s := newScene(t, 2, Costs{})
	tick := func() uint32 { return s.k.cpus[1].tick }
	var before, after uint32
	c := NewChan("c", 1)
	wakes := s.k.NewTimer(func() { s.k.Do(nil, Op{Code: TrySend, On: c}) })
	b := s.program("b", op(Recv, c, ""),
		step{do: func(*program) Op { after = tick(); return Op{Code: Burn} }, note: "wakes"})
	s.run(s.program("a", spawn(b), burn(1000, ""),
		step{do: func(*program) Op { before = tick(); return Op{Code: After, On: wakes, N: 1_000_000} }},
		burn(3000, "done")), "b wakes 2000", "a done 4000")
	if before != after {
		t.Errorf("the tick of the CPU goes from %d to %d: b does not share the time slice", before, after)
	}
}

// TestTimes compares the heap with a count of what it holds.
func TestTimes(t *testing.T) {
	d := draws{key: 1}
	var h times
	held := map[int64]int{}
	for range 20_000 {
		if len(h) == 0 || d.below(100) < 52 {
			at := int64(d.below(500))
			h.push(at)
			held[at]++
			continue
		}
		first := h[0]
		for at, n := range held {
			if n > 0 && at < first {
				t.Fatalf("the first is %d; %d is there", first, at)
			}
		}
		if held[first]--; held[first] < 0 {
			t.Fatalf("%d is there too often", first)
		}
		h.pop()
	}
}
