package virtual

import (
	"time"

	"github.com/brewput/brewput/env"
)

// Checksum returns a hash over all decisions of the scheduler so far.
func (w *World) Checksum() uint64 { return w.k.Checksum() }

// Operations returns the number of operations that goroutines have made so far.
func (w *World) Operations() uint64 { return w.k.Ops() }

// Meters returns the meters created so far, in order.
func (w *World) Meters() []*env.Meter { return append([]*env.Meter(nil), w.meters...) }

// Useful returns the CPU work of all burns so far. A burn in progress counts in full.
func (w *World) Useful() time.Duration { return w.useful }

// Busy returns the time that all CPUs together have spent on goroutines so far, costs included.
func (w *World) Busy() time.Duration { return time.Duration(w.k.Busy()) }

// Violations counts how often a goroutine entered a station while another one was inside.
func (w *World) Violations() int64 {
	n := int64(0)
	for _, v := range w.violations {
		n += *v
	}
	return n
}

// ViolationsByStation counts the violations of each station that has any.
func (w *World) ViolationsByStation() map[string]int64 {
	m := make(map[string]int64, len(w.violations))
	for k, v := range w.violations {
		m[k] = *v
	}
	return m
}

// SeedReads returns how often random numbers were requested. If it is 0, the load is the same in every replication.
func (w *World) SeedReads() int { return w.seedReads }

// Full reports whether the run ended because memory had no room for its goroutines: see [Config].
func (w *World) Full() bool { return w.full.Load() }

// Warnings describes what the run may have got wrong: the design waited outside env at times, which takes no virtual
// time. Warnings depend on real time. On a machine that is not overloaded, a design that uses only env has none.
func (w *World) Warnings() []string { return w.warnings }

// Ended reports whether the world is complete. If Run has given up on a design that hangs outside env, the design may
// still run, and nothing of the world may be read.
func (w *World) Ended() bool { return w.ended }
