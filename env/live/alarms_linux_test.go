package live

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// kernelTimers counts the timers that this process has open.
func kernelTimers(t *testing.T) int {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(links) == 0 {
		t.Fatalf("the open files cannot be listed: %v", err)
	}
	n := 0
	for _, l := range links {
		if target, err := os.Readlink(l); err == nil && strings.Contains(target, "timerfd") {
			n++
		}
	}
	return n
}

// TestAlarmsAreFreed: a world with a poller waits on timers of the kernel, uses them again, and gives them back.
func TestAlarmsAreFreed(t *testing.T) {
	const waiters = 4
	before := kernelTimers(t)
	for _, poller := range []bool{false, true} {
		during := 0
		err := New(Config{Poller: poller}).Run("body", func(e env.Env) {
			g := e.Group()
			for range waiters {
				g.Go(e, "waiter", func(e env.Env) {
					for range 20 {
						e.Until(e.Now() + 10*time.Microsecond)
						e.Wait(10 * time.Microsecond)
					}
				})
			}
			g.Wait()
			during = kernelTimers(t) - before
		})
		if err != nil {
			t.Fatal(err)
		}
		if (during > 0) != poller || during > waiters+1 { // those of Until, and that of all who wait
			t.Errorf("poller %v: %d timers for %d waiters", poller, during, waiters)
		}
		if after := kernelTimers(t) - before; after != 0 {
			t.Errorf("poller %v: %d timers are left open", poller, after)
		}
	}
}
