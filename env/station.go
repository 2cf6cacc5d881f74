package env

import "sync/atomic"

// Station is an exclusive resource by agreement: it never serialises its users, that is the design's
// job. It counts every time two users meet, and the race detector sees two users that no
// synchronisation orders, even when they do not meet. Make one with [Env.Station].
type Station struct {
	// user is written plainly, and before any atomic operation of the same call: an atomic first
	// would order the two users for the race detector and so hide the fault.
	user  uint64
	users atomic.Int32
	name  string
	world World
	meter *Meter
	far   Machine // that the station is on, if any; its meter is never nil then
}

// Station makes a station. Stations of one name are reported together: two of "grinder" are the
// resource grinder with a count of 2.
func (e Env) Station(name string) *Station {
	e.own()
	w := e.t.world
	return &Station{name: name, world: w, meter: w.Meter(KindStation, name, 1), far: e.t.machine}
}

// Enter starts a use of the station.
func (s *Station) Enter() {
	s.user++
	if s.far != nil {
		s.far.Enter(s.name)
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
	if s.far != nil {
		s.far.Leave(s.name)
	}
	if s.meter != nil {
		s.meter.leave()
	}
	s.users.Add(-1)
}

// Uses is the number of finished uses, for the workload's check: it is exact only where no two users
// met and none is inside.
func (s *Station) Uses() uint64 { return s.user / 2 }
