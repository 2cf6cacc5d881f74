package calibrate

import (
	"runtime"
	"slices"
	"time"
)

const (
	emptySections = 201 // empty sections that measure the cost of a section itself
	warmSections  = 20
)

// Sectioner times sections of code by the CPU time of their thread. It excludes other threads, such as those of the
// garbage collector and the scheduler. It includes the assists that the code itself pays to the collector for its
// allocations.
type Sectioner struct {
	Clock string // ThreadClock, or WallClock where the system has no other

	watch stopwatch
	begun time.Duration
	own   time.Duration // time of the two clock reads of an empty section
	known bool
}

// NewSectioner creates a Sectioner. One goroutine at a time may use it, and another one for each section.
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

// End returns the CPU time since Begin without the cost of reading the clock, at least 0.
func (s *Sectioner) End() time.Duration {
	d := s.watch.now() - s.begun
	runtime.UnlockOSThread()
	return max(0, d-s.own)
}

// Own returns the cost of timing a section: the CPU time of two clock reads; 0 before the first section.
func (s *Sectioner) Own() time.Duration { return s.own }

// Drop ends the section without reading the clock.
func (s *Sectioner) Drop() { runtime.UnlockOSThread() }

// empty returns the median time of sections without code.
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
