package sim

import "testing"

// hears is a sleep that ends by word from outside.
func hears(us int64) step {
	return step{do: func(*program) Op { return Op{Code: Sleep, Token: Polled, N: us * 1000} }, note: "heard"}
}

// TestWordEndsTheGrain: the poller sleeps until 1 ms for a, whose timer is due at 400 us; the word that comes at 600
// ends that at once, and a is seen too.
func TestWordEndsTheGrain(t *testing.T) {
	s := newScene(t, 1, Costs{PollGrain: 1_000_000})
	b := s.program("b", hears(600))
	s.run(s.program("a", spawn(b), number(Sleep, 400_000, "slept")), "b heard 600", "a slept 600")
	// The thread wakes up as for any other reason.
	s = newScene(t, 1, Costs{PollGrain: 1_000_000, Wake: Ns(50_000)})
	b = s.program("b", hears(600))
	s.run(s.program("a", spawn(b), number(Sleep, 400_000, "slept")), "b heard 650", "a slept 650")
	// Word that comes while it wakes up, at 1020 us, does not let it begin anew.
	s = newScene(t, 1, Costs{PollGrain: 1_000_000, Wake: Ns(50_000)})
	b = s.program("b", hears(1020))
	s.run(s.program("a", spawn(b), number(Sleep, 400_000, "slept")), "b heard 1050", "a slept 1050")
	// Nor is it a time to sleep until: the 1.6 ms of a are 1 ms and 1 ms though word comes at 1900.
	s = newScene(t, 1, Costs{PollGrain: 1_000_000})
	b = s.program("b", hears(1900))
	s.run(s.program("a", spawn(b), number(Sleep, 1_600_000, "slept")), "b heard 1900", "a slept 1900")
}

// TestHearingWakesNobody: who waits for word from outside parks, and wakes no CPU to wait in the network poller; who
// starts a timer does.
func TestHearingWakesNobody(t *testing.T) {
	for _, c := range []struct {
		wait step
		idle int
		log  string
	}{{hears(50), 2, "a heard 55"}, {number(Sleep, 50_000, "slept"), 1, "a slept 55"}} {
		s := newScene(t, 2, Costs{Wake: Ns(5000)})
		s.k.Watch(1000, func() {
			if s.k.nidle != c.idle {
				t.Errorf("%s: %d CPUs are idle, want %d", c.log, s.k.nidle, c.idle)
			}
		})
		s.run(s.program("a", c.wait), c.log)
	}
}

// TestBreakingThePollCosts: a, at 320 us, starts a timer that is due before those the poller waits for, which is a
// system call; one that is due later is not, nor one that comes before the word for which nobody sleeps until a time.
func TestBreakingThePollCosts(t *testing.T) {
	for _, grain := range []int64{0, 1_000_000} {
		for _, c := range []struct {
			first step
			due   int64
			log   string
		}{
			{number(Sleep, 5_000_000, ""), 2000, "a done 440"},
			{number(Sleep, 1_000_000, ""), 2000, "a done 420"},
			{hears(1000), 2000, "a done 440"},
		} {
			s := newScene(t, 2, Costs{PollGrain: grain, Waker: Ns(20_000)})
			s.k.StopAfter(900_000)
			s.run(s.program("a", spawn(s.program("b", c.first)), burn(300, ""), s.timer(c.due), burn(100, "done")),
				c.log)
		}
	}
}

// TestTheBrokenPollBeginsAnew: b's timer calls the poller at 300 us. It is there at 400, sleeps 1 ms for the 400 us
// that are left, and wakes up at 1500.
func TestTheBrokenPollBeginsAnew(t *testing.T) {
	s := newScene(t, 2, Costs{PollGrain: 1_000_000, Wake: Ns(100_000)})
	b := s.program("b", burn(300, ""), number(Sleep, 500_000, "slept"))
	s.run(s.program("a", spawn(b), number(Sleep, 9_000_000, "")), "b slept 1500")
}

// TestAtWorkAgainOwes: CPU 1 wakes CPU 2 at 50 us for the timer of b, looks for work until 70, and as it is to sleep
// sees d, for which CPU 2 is coming: it has not been idle, and d begins when that is paid.
func TestAtWorkAgainOwes(t *testing.T) {
	s := newScene(t, 3, Costs{Wake: Ns(5000), Waker: Ns(20_000), Spin: Ns(10_000), SpinFor: 20_000})
	b, d := s.program("b", burn(25, ""), number(Sleep, 1_000_000, "")), s.program("d", burn(10, "done"))
	s.run(s.program("a", spawn(b), burn(45, ""), spawn(d), burn(100, "done")), "d done 100", "a done 165")
}
