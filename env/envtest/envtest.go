// Package envtest states the laws that every world of package env obeys, as testing/fstest does for
// file systems. A world's own test calls [Run].
//
// No law depends on wall time. A law about time runs only where sleeping takes exactly the time
// asked for and computing takes none, as in virtual time or in a bubble of testing/synctest.
package envtest

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
)

// Config is the world that a law asks for.
type Config struct {
	Seed       uint64 // of the draws of env.Rand
	Instrument bool   // keep meters of named resources
}

// World is a world for one Run, and what it can do. Meters and Violations are called from inside the
// body.
type World struct {
	// Run runs body as the world's first goroutine, named "body", waits for the others and returns
	// what went wrong: goroutines that outlive the body by a minute of the world's time or more, a
	// deadlock, the panic of body. The error names the goroutine.
	Run func(body func(env.Env)) error
	// Meters are the meters made so far; the law looks only at those of its own resources.
	Meters func() []*env.Meter
	// Violations counts the entries of a station while another user was inside.
	Violations func() int64

	ExactTime       bool // sleeping takes exactly the time asked for, computing takes none
	TimedLocks      bool // with ExactTime: time passes also while a goroutine waits for a Mutex
	DetectsDeadlock bool // Run returns an error when every goroutine is parked for good
}

// law is one statement. test starts the world with its run method exactly once.
type law struct {
	name  string
	cfg   Config
	exact bool // about time: needs World.ExactTime
	test  func(b *bench)
	needs func(World) bool // what else the world must be able to do; nil: nothing
}

// fits reports whether the law says something about such a world.
func (l *law) fits(w World) bool {
	return (!l.exact || w.ExactTime) && (l.needs == nil || l.needs(w))
}

// bench is where a law is tried: a test and a world. Only Error and Errorf may be called inside
// a body, as FailNow works on the test's goroutine alone.
type bench struct {
	testing.TB
	World
}

// Run tries every law in a subtest of its own, each on a new world from open. Laws that ask for more
// than the world can do are named in the test's log.
func Run(t *testing.T, open func(t testing.TB, cfg Config) World) {
	can := open(t, Config{Seed: 1})
	var untried []string
	for _, group := range [][]law{
		lockLaws(), chanLaws(), selectLaws(), goroutineLaws(), timeLaws(), meterLaws(), atomicLaws(), randLaws(open),
		linkLaws(),
	} {
		for _, l := range group {
			if !l.fits(can) {
				untried = append(untried, l.name)
				continue
			}
			t.Run(l.name, func(t *testing.T) {
				cfg := l.cfg
				if cfg.Seed == 0 {
					cfg.Seed = 1
				}
				l.test(&bench{t, open(t, cfg)})
			})
		}
	}
	if len(untried) > 0 {
		t.Logf("%d laws ask for more than this world can do: %q", len(untried), untried)
	}
}

// run runs a body that must end well.
func (b *bench) run(body func(e env.Env)) {
	b.Helper()
	if err := b.Run(body); err != nil {
		b.Errorf("Run: %v", err)
	}
}

// simple is a law that is a body and nothing else.
func simple(name string, body func(b *bench, e env.Env)) law {
	return law{name: name, test: func(b *bench) { b.run(func(e env.Env) { body(b, e) }) }}
}

// meter reads the meter of the named resource.
func (b *bench) meter(name string) env.Reading {
	for _, m := range b.Meters() {
		if m.Name() == name {
			return m.Read()
		}
	}
	b.Errorf("no meter for %q", name)
	return env.Reading{}
}

// panics tells whether f does.
func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return
}

// want reports a difference.
func want[T comparable](b *bench, what string, got, want T) {
	b.Helper()
	if got != want {
		b.Errorf("%s is %v, want %v", what, got, want)
	}
}

const ms = time.Millisecond
