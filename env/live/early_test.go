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
			for _, d := range []time.Duration{-ms, 0, 1, alwaysPolled, firstEarly, 2 * ms} {
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

// TestLearnsHowEarly: one wake-up in fifty ends late once the time has settled, within its limits.
func TestLearnsHowEarly(t *testing.T) {
	e := early{by: firstEarly}
	late, n := 0, 20_000
	for i := range n {
		lateness := time.Duration(i*7919%1000) * time.Microsecond / 8 // 0 to 125 us
		isLate := lateness > e.by
		if e.learn(0, true, isLate); isLate && i >= n/2 {
			late++
		}
	}
	if share := float64(late) / float64(n/2); share < 0.01 || share > 0.03 || e.by < 110*time.Microsecond {
		t.Errorf("%.3f of the wake-ups end late, woken %v early", share, e.by)
	}
	for range 1000 {
		e.learn(0, true, true)
	}
	if e.by != maxEarly {
		t.Errorf("always late: %v early", e.by)
	}
	e.learn(0, false, true)
	for range 100_000 {
		e.learn(0, true, false)
	}
	if e.by != earlyStep {
		t.Errorf("never late: %v early", e.by)
	}
}

// TestPollingIsLimited: polling takes at most a fifth of the time, and 10 ms at once.
func TestPollingIsLimited(t *testing.T) {
	e := early{by: firstEarly}
	polled, now := time.Duration(0), time.Second
	for now < 11*time.Second {
		if by := e.allowed(now); by > 0 {
			polled += by
			now += by
			e.learn(by, false, false)
		}
		now += 50 * time.Microsecond
	}
	if polled < 2*time.Second || polled > 2*time.Second+maxSaved+firstEarly {
		t.Errorf("polled for %v of 10 s", polled)
	}
}
