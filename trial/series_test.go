package trial

import (
	"math"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

// feed adds requests with the given times and gaps between their ends to a series.
func feed(s *series, n int, request func(i int) (gap, took time.Duration)) {
	now := s.release
	for i := range n {
		gap, took := request(i)
		now += gap
		s.note(now-took, now)
	}
}

func longSeries() *series { return &series{size: batchSize, end: math.MaxInt64} }

func TestPeriod(t *testing.T) {
	const ms = time.Millisecond
	alternate := func(i int) (gap, took time.Duration) { return 8 * ms, []time.Duration{4 * ms, 12 * ms}[i%2] }
	for _, test := range []struct {
		name    string
		n       int
		request func(i int) (gap, took time.Duration)
		period  int
		span    time.Duration
	}{
		{"always the same", 100, func(int) (time.Duration, time.Duration) { return ms, 4 * ms }, 1, ms},
		{"two in turn", 100, alternate, 2, 16 * ms},
		{"after a transient", 100, func(i int) (time.Duration, time.Duration) {
			if i < 45 {
				return ms + time.Duration(i), 4 * ms
			}
			return alternate(i)
		}, 2, 16 * ms},
		{"after a long transient", 100, func(i int) (time.Duration, time.Duration) {
			if i < 55 {
				return ms + time.Duration(i), 4 * ms
			}
			return alternate(i)
		}, 0, 0},
		{"gaps differ", 90, func(i int) (time.Duration, time.Duration) { return ms * time.Duration(1+i%3), 4 * ms }, 3,
			6 * ms},
		{"three times only", 12, func(i int) (time.Duration, time.Duration) {
			return ms * time.Duration(1+i%4),
				4 * ms
		}, 0, 0},
		{"never", 100, func(i int) (time.Duration, time.Duration) { return ms + time.Duration(i), 4 * ms }, 0, 0},
		{"one nanosecond more now and then", 1000, func(i int) (time.Duration, time.Duration) {
			if i%400 == 399 {
				return ms, 4*ms + 1
			}
			return ms, 4 * ms
		}, 1, ms},
		{"more than are kept", 3 * maxServed, alternate, 2, 16 * ms},
		{"none", 0, nil, 0, 0},
	} {
		s := longSeries()
		feed(s, test.n, test.request)
		p := s.period()
		period, span, repeats := p.requests, p.span, p.repeats
		if test.name == "one nanosecond more now and then" {
			// The end repeats itself, but it is less than half of all requests.
			if period != nil {
				t.Errorf("%s: a period of %d was found", test.name, len(period))
			}
			continue
		}
		if len(period) != test.period || span != test.span || test.period > 0 && repeats < minRepeats {
			t.Errorf("%s: a period of %d in %v, %d times, want %d in %v", test.name, len(period), span, repeats,
				test.period, test.span)
		}
		if test.name == "after a transient" && p.since != 45*ms+44*45/2 {
			t.Errorf("it repeats itself since %v", p.since)
		}
	}
}

func TestTransient(t *testing.T) {
	s := longSeries()
	s.release = time.Second
	s.end = math.MaxInt64
	falls := func(i int) (gap, took time.Duration) {
		return time.Millisecond, time.Millisecond + time.Duration(max(0, 200-i))*time.Millisecond
	}
	feed(s, 1000, falls)
	if d, settled := s.transient(); d != 200*time.Millisecond || !settled {
		t.Errorf("the transient lasts %v, %v, want 200ms", d, settled)
	}
	s = longSeries()
	feed(s, 300, falls)
	if d, settled := s.transient(); settled {
		t.Errorf("a run of 300ms has settled after %v", d)
	}
}

// TestSeriesIsBounded checks that a long run takes no more memory, and that its batches give the same result.
func TestSeriesIsBounded(t *testing.T) {
	s := longSeries()
	n := 20 * batchSize * maxBatches
	feed(s, n, func(i int) (gap, took time.Duration) {
		return time.Microsecond, time.Microsecond + time.Duration(max(0, n/4-i))
	})
	if len(s.batches) > maxBatches || len(s.ring) > maxServed {
		t.Errorf("%d batches and %d requests are kept", len(s.batches), len(s.ring))
	}
	want := time.Duration(n/4) * time.Microsecond
	if d, settled := s.transient(); (d-want).Abs() > want/100 || !settled {
		t.Errorf("the transient lasts %v, %v, want %v", d, settled, want)
	}
}

// TestLateEndsAreLeftOut checks that requests that end after the window do not count, because they end under
// less load.
func TestLateEndsAreLeftOut(t *testing.T) {
	s := longSeries()
	s.end = 50 * time.Millisecond
	feed(s, 100, func(i int) (gap, took time.Duration) { return time.Millisecond, time.Duration(i) })
	if s.all != 49 {
		t.Errorf("%d requests were kept, want the 49 that ended before 50ms", s.all)
	}
}

// TestTransientOfManyRequests checks a load that repeats itself for longer than requests are kept: its
// beginning is unknown.
func TestTransientOfManyRequests(t *testing.T) {
	s := longSeries()
	feed(s, 3*maxServed, func(int) (gap, took time.Duration) { return time.Microsecond, time.Microsecond })
	m := &measurement{series: s, trial: Blank(Spec{})}
	m.settle("latency", 0)
	if got := m.trial.Metrics.Get(result.Transient); got != 0 {
		t.Errorf("it took %v s to settle, want 0", got)
	}
}
