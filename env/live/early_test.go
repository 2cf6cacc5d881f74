package live

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// TestPunctual: a punctual wait never ends early, whether it is long, short or over.
func TestPunctual(t *testing.T) {
	for _, poller := range []bool{false, true} {
		w := New(Config{Poller: poller, Punctual: true})
		w.cfg.Punctual = true // also on one CPU
		left := w.Run("body", func(e env.Env) {
			for _, d := range []time.Duration{-ms, 0, 1, alwaysPolled, maxEarly, 2 * ms} {
				for range 5 {
					at := e.Now() + d
					if e.Until(at); e.Now() < at {
						t.Errorf("poller %t: a wait of %v ended early", poller, d)
					}
				}
			}
		})
		if left != nil {
			t.Error(left)
		}
	}
}

const ms = time.Millisecond

// TestLearnsHowEarly: fewer than one wake-up in a hundred ends late, and it is not woken earlier than that needs.
func TestLearnsHowEarly(t *testing.T) {
	var e early
	now := time.Second
	allowed := func() time.Duration {
		now += 10 * maxEarly * maxPolling // time for any polling
		return e.allowed(now)
	}
	if by := allowed(); by != maxEarly {
		t.Errorf("nothing is known: %v early", by)
	}
	late, n := 0, 20_000
	settle := func(worst time.Duration) (by time.Duration) {
		late = 0
		for i := range n {
			lateness := worst * time.Duration(i*7919%1000) / 999
			if by = allowed(); lateness > by && i >= n/2 {
				late++
			}
			e.learn(lateness)
		}
		return by
	}
	for _, worst := range []time.Duration{125 * time.Microsecond, 700 * time.Microsecond, 60 * time.Microsecond} {
		by := settle(worst)
		if late > n/2/100 || by < worst*95/100 || by > worst+latenessStep+margin {
			t.Errorf("up to %v late: %d of %d end late, woken %v early", worst, late, n/2, by)
		}
	}
	if by := settle(20 * maxEarly); by != maxEarly {
		t.Errorf("very late: %v early", by)
	}
	if by := settle(0); by > latenessStep+margin {
		t.Errorf("never late: %v early", by)
	}
}

// TestRareLateness: a wake-up in a hundred that is much later than the others decides how early the next ones are.
func TestRareLateness(t *testing.T) {
	var e early
	for i := range 2 * remembered {
		late := 90 * time.Microsecond
		if i%100 == 0 {
			late = 800 * time.Microsecond
		}
		e.learn(late)
	}
	if by := e.allowed(time.Second); by < 800*time.Microsecond {
		t.Errorf("woken %v early", by)
	}
}

// TestScarcePollingIsShared: when polling has taken its share, waits at random times get a part of what they need, not
// all or nothing. That suffices for most.
func TestScarcePollingIsShared(t *testing.T) {
	const mean, rare, waits = 60 * time.Microsecond, 800 * time.Microsecond, 20_000
	var e early
	draws := env.NewRand(1).At(0, 0)
	late, now := 0, time.Second
	for i := range 2 * waits {
		now += time.Duration(draws.Exp() * float64(ms))
		lateness := time.Duration(draws.Exp() * float64(mean))
		if i%100 == 0 {
			lateness = rare
		}
		by := e.allowed(now)
		e.spend(max(0, by-lateness))
		e.learn(lateness)
		if i >= waits && by < lateness {
			late++
		}
	}
	if e.by < rare || late > waits/25 {
		t.Errorf("%d of %d waits ended late, with %v needed", late, waits, e.by)
	}
}

// TestPollingIsLimited: polling takes at most a fifth of the time, and 10 ms at once. Most of that share is used.
func TestPollingIsLimited(t *testing.T) {
	for _, gap := range []time.Duration{0, 50 * time.Microsecond, 2 * time.Millisecond} {
		var e early
		for range remembered {
			e.learn(400 * time.Microsecond)
		}
		polled, now := time.Duration(0), time.Second
		e.allowed(now)
		for now < 11*time.Second {
			by := e.allowed(now)
			polled += by
			now += by + gap + time.Microsecond
			e.spend(by)
		}
		if polled < 1600*time.Millisecond || polled > 2*time.Second+maxSaved+maxEarly {
			t.Errorf("polled for %v of 10 s with gaps of %v", polled, gap)
		}
	}
}
