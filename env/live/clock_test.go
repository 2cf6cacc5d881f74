package live

import (
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
)

// TestWaitIsNeverTooShort: whoever waits, among many who wait for other times, waits long enough, and nobody is
// forgotten.
func TestWaitIsNeverTooShort(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, poller := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		err := New(Config{Poller: poller}).Run("body", func(e env.Env) {
			g := e.Group()
			for range 50 {
				times := make([]time.Duration, 20)
				for i := range times {
					times[i] = time.Duration(r.IntN(1_000_000))
				}
				g.Go(e, "waiter", func(e env.Env) {
					for _, d := range times {
						start := e.Now()
						e.Wait(d)
						if took := e.Now() - start; took < d {
							t.Errorf("waiting for %v took %v", d, took)
						}
					}
				})
			}
			g.Wait()
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestSleeperOfAnother: who has been woken keeps what it is woken by until it goes on: another who took it would not
// wait.
func TestSleeperOfAnother(t *testing.T) {
	c := clock{epoch: time.Now(), rings: true}
	if !c.ready() {
		t.Skip("the system has no such timer")
	}
	defer c.close()
	s := &sleeper{wake: make(chan struct{}, 1)}
	c.line = sleepers{s} // due at once
	c.timer.Set(1)
	if c.ring(c.timer); len(s.wake) != 1 || c.spent.Get() != nil {
		t.Errorf("it is woken %d times (want once), or is free for others", len(s.wake))
	}
}
