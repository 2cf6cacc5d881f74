package env

import "sync/atomic"

// Station is a resource that only one goroutine at a time should use. It never serializes its users; that is the
// design's task. It counts every time that two users meet. The race detector also reports two users that are not
// ordered by synchronization, even if they do not meet. Create one with [Env.Station].
type Station struct {
	// user is a plain write before any atomic operation of the same call. An atomic operation before it would order
	// the two users for the race detector, and so hide the bug.
	user    uint64
	users   atomic.Int32
	name    string
	world   World
	meter   *Meter
	virtual Machine // nil on the Go runtime; otherwise the meter is not nil
}

// Station creates a station. Stations of one name are reported together: two of "grinder" are the resource grinder
// with a count of 2.
func (e Env) Station(name string) *Station {
	e.own()
	w := e.t.world
	return &Station{name: name, world: w, meter: w.Meter(KindStation, name, 1), virtual: e.t.machine}
}

// Enter begins a use of the station.
func (s *Station) Enter() {
	s.user++
	if s.virtual != nil {
		s.virtual.Enter(s.name)
	}
	if s.users.Add(1) > 1 {
		s.world.Violation(s.name)
		if s.meter != nil {
			s.meter.violate()
		}
	}
	if s.meter != nil {
		s.meter.enter()
	}
}

// Leave ends a use of the station.
func (s *Station) Leave() {
	s.user++
	if s.virtual != nil {
		s.virtual.Leave(s.name)
	}
	if s.meter != nil {
		s.meter.leave()
	}
	s.users.Add(-1)
}

// Uses returns the number of finished uses, for the workload's check. It is exact only if no two users met and none
// is inside.
func (s *Station) Uses() uint64 { return s.user / 2 }
