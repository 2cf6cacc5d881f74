package load

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/hist"
)

// TestLookout: a worker reads the counters in place of a goroutine that is late, once, and not before the slack is
// over.
func TestLookout(t *testing.T) {
	const ms = time.Millisecond
	var read []string
	note := func(what string) func() { return func() { read = append(read, what) } }

	b, l := ends(100*ms, 300*ms, note("begin"), note("end"))
	for _, c := range []struct {
		now  time.Duration
		want []string
	}{
		{99 * ms, nil},
		{101 * ms, nil}, // the other may still be on time
		{102 * ms, []string{"begin"}},
		{150 * ms, []string{"begin"}},
		{301 * ms, []string{"begin"}},
		{400 * ms, []string{"begin", "end"}},
		{500 * ms, []string{"begin", "end"}},
	} {
		if l.pass(c.now); !slices.Equal(read, c.want) {
			t.Errorf("after an operation that ends at %v: read %q, want %q", c.now, read, c.want)
		}
	}

	read = nil
	if b.cross(time.Second); read != nil { // the other comes at last
		t.Errorf("read again: %q", read)
	}

	b, l = ends(100*ms, 300*ms, note("begin"), note("end"))
	b.mu.Lock()
	if l.pass(time.Second); read != nil {
		t.Errorf("read while another reads: %q", read)
	}
	b.mu.Unlock()
	if l.pass(time.Second); !slices.Equal(read, []string{"begin", "end"}) {
		t.Errorf("one operation across the window: read %q", read)
	}
}

// TestLateLoop checks that the worker with the lookout reads the counters if no goroutine sleeps until the boundaries.
func TestLateLoop(t *testing.T) {
	const ms = time.Millisecond
	for _, sample := range []int{1, 4} {
		synctest.Test(t, func(t *testing.T) {
			var opened, closed time.Duration
			live.New(live.Config{}).Run("load", func(e env.Env) {
				c := Closed{Op: sleepFor(ms), Workers: 1, Window: 300 * ms, Sample: sample}
				_, l := ends(50*ms, 350*ms, func() { opened = e.Now() }, func() { closed = e.Now() })
				w := &tally{latency: hist.NewRecorder(), lookout: l}
				defer w.latency.Free()
				var across atomic.Int64
				across.Store(2) // another worker goes on
				if sample > 1 {
					(&sampled{Closed: &c, tally: w, begin: 50 * ms, end: 350 * ms, limit: 400, across: &across}).work(e,
						0)
				} else {
					c.work(e, 0, 50*ms, 350*ms, 400, w, &across)
				}
			})
			if opened < 53*ms || opened > 57*ms || closed < 353*ms || closed > 357*ms {
				t.Errorf("in groups of %d: the counters were read at %v and %v, want 3 ms late and the rest of a group",
					sample, opened, closed)
			}
		})
	}
}
