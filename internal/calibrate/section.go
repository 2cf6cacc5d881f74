package calibrate

import (
	"runtime"
	"slices"
	"time"
)

const (
	emptySections = 201 // that a section's own cost is measured by
	warmSections  = 20
)

// Sectioner times pieces of code by the CPU time of their thread: what others took meanwhile, the collector and the
// scheduler of the Go runtime among them, is not in it. What the code itself pays to the collector for what it
// allocates is.
type Sectioner struct {
	Clock string // ThreadClock, or WallClock where the system has no other

	watch stopwatch
	begun time.Duration
	own   time.Duration // what the two reads of an empty section come to
	known bool
}

// NewSectioner makes one; it may be used by one goroutine at a time, which may be another for each section.
func NewSectioner() *Sectioner {
	s := &Sectioner{watch: newStopwatch()}
	s.Clock = s.watch.clock
	return s
}

// Begin locks the calling goroutine to its thread and starts the section.
func (s *Sectioner) Begin() {
	runtime.LockOSThread()
	if !s.known {
		s.own, s.known = s.empty(), true
	}
	s.begun = s.watch.now()
}

// End is the CPU time since Begin without that of reading the clock, at least 0.
func (s *Sectioner) End() time.Duration {
	d := s.watch.now() - s.begun
	runtime.UnlockOSThread()
	return max(0, d-s.own)
}

// Own is what timing a section costs: the CPU time of two reads of the clock, 0 before the first section.
func (s *Sectioner) Own() time.Duration { return s.own }

// Drop ends the section without reading the clock.
func (s *Sectioner) Drop() { runtime.UnlockOSThread() }

// empty is the median time of sections without code.
func (s *Sectioner) empty() time.Duration {
	times := make([]time.Duration, 0, warmSections+emptySections)
	for range warmSections + emptySections {
		start := s.watch.now()
		times = append(times, s.watch.now()-start)
	}
	times = times[warmSections:]
	slices.Sort(times)
	return times[len(times)/2]
}
