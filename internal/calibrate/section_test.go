package calibrate

import (
	"testing"
	"time"
)

// TestSectioner: a section is the difference of two clock reads minus their cost, and never negative.
func TestSectioner(t *testing.T) {
	var now, read time.Duration = 0, 600
	s := &Sectioner{watch: stopwatch{clock: ThreadClock, now: func() time.Duration { now += read; return now }}}
	for code, want := range map[time.Duration]time.Duration{50_000: 50_000, 0: 0, 7: 7} {
		s.Begin()
		now += code
		if got := s.End(); got != want {
			t.Errorf("%v of code are %v", code, got)
		}
	}
	s.Begin()
	s.Drop()
	s.Begin()
	read = 100 // faster than it was
	if got := s.End(); got != 0 {
		t.Errorf("a section of %v", got)
	}
}

// TestSectionerCountsWork uses the real clock: more work takes longer.
func TestSectionerCountsWork(t *testing.T) {
	s := NewSectioner()
	var took [2]time.Duration
	for range 5 {
		for i, iterations := range []uint64{1 << 10, 1 << 20} {
			s.Begin()
			s.watch.spin(iterations)
			took[i] += s.End()
		}
	}
	if took[1] <= took[0] {
		t.Errorf("a thousand times the work took %v after %v", took[1], took[0])
	}
}
