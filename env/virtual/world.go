// Package virtual implements env in virtual time. Each goroutine of a design is a coroutine, which package sim
// schedules on virtual CPUs under the rules of the Go runtime. Time is a number that advances from event to event.
// Only three things take virtual time: [env.Env.Burn] and waiting; the costs of the scheduler; and real code that a
// design marks with [env.Env.Begin], if [Config.Sections] knows its cost. Other computation takes none.
//
// A run depends only on the design, its seed, the number of CPUs and the costs. Meters are always on, and reading
// them costs no virtual time.
//
// A design must do everything concurrent through env. If it blocks elsewhere, the whole world stops; a watchdog
// reports that within a second. env.Select with only nil channels and without Default is such a case. A design that
// waits by reading an env.Atomic in a loop gets an error that it polls. If it reads plain memory in a loop, only
// [Config].Limit ends it.
package virtual

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual/internal/self"
	"github.com/brewput/brewput/sim"
)

// Config configures a virtual world.
type Config struct {
	CPUs  int       // 1 to sim.MaxCPUs, or sim.Unlimited; 0 means 1
	Seed  uint64    // of the random numbers of env.Rand and the choices of the scheduler
	Costs sim.Costs // of the scheduler and its primitives; the zero Costs take no time
	// Grace is how long, in virtual time, goroutines may outlive the body. 0 means one second.
	Grace time.Duration
	// Timeline enables [World.Record]. It costs real time and changes no decision. If real code is measured and uses
	// stations, that time is part of the measurement. Unlimited CPUs have no lanes, and so no timeline.
	Timeline bool
	// Stretch, if not nil, returns by how much longer a burn lasts, as the burn begins: see [sim.Config]. It must not
	// call operations of env.
	Stretch func(t *env.Task, at, burn time.Duration) time.Duration
	// Sections measures or looks up the cost of real code. If nil, real code takes no time unless the design declares
	// its cost.
	Sections Sections
	// Watchdog is how long, in real time, a design may block outside env. Real code may block 20 times as long. 0
	// means half a second. Many shorter waits add up: see watchdog.go.
	Watchdog time.Duration
	// Limit is the longest real time of the whole run. 0 means no limit.
	Limit time.Duration
	// Room, if not nil, reports whether memory has room for more goroutines. It is called at times, once there are
	// thousands of them. It decides only whether a run ends with an error, never what it computes.
	Room func() bool
	// RoomEvery is the real time between calls of Room from another goroutine, whatever the run does. 0 means never.
	// If set, Room must be safe for concurrent use.
	RoomEvery time.Duration
	// Stop, if not nil, ends the run with [ErrInterrupted] when it is closed.
	Stop <-chan struct{}
}

// ErrInterrupted is the error of a run that was ended by [Config].Stop.
var ErrInterrupted = errors.New("the simulation was interrupted")

// World is a virtual world. It can be run once.
type World struct {
	cfg Config
	k   *sim.Kernel

	co         *coroutine   // the running coroutine
	depth      int          // number of coroutines that have resumed each other, with co on top
	coroutines []*coroutine // all coroutines; the kernel's goroutine ends them
	unwound    int          // how many of them have been ended
	spare      []*coroutine // coroutines without a goroutine
	spent      []*env.Task  // tasks of goroutines that have ended
	names      map[string]int
	root       *env.Task
	caller     int64        // ID of the goroutine that called Run
	kernel     self.Mark    // the kernel's goroutine: see simulate
	err        error        // of a goroutine that panicked or called Goexit
	phase      atomic.Int32 // after running, every further operation panics

	// Used by the watchdog.
	still       atomic.Bool           // set by the watchdog, and cleared by the next switch
	asking      atomic.Bool           // Config.Room runs, which may collect garbage for long
	outcome     atomic.Pointer[error] // the result of the run, before goroutines are ended, which may hang
	mu          sync.Mutex
	ids         []int64                // of the Go goroutines of the coroutines
	made        atomic.Int64           // number of coroutines
	endReason   atomic.Pointer[error]  // why the run is to end; nil if it is not
	returnStack atomic.Pointer[string] // stack of the design when it noticed that
	warnings    []string
	onSample    func(sample) // tests receive each sample

	meters     []*env.Meter
	byName     map[resource]*env.Meter
	nameless   *env.Meter
	violations map[string]*int64 // by station
	useful     time.Duration
	section    section // the real code that runs

	recorder  *recorder   // nil unless the world keeps a timeline
	seedReads int         // calls of Seed
	full      atomic.Bool // memory had no Room
	ended     bool        // the kernel's goroutine has ended, so all its records are complete
}

// Phases of a world.
const (
	running   int32 = iota
	computing       // real code runs: an operation ends its section with an error
	abandoned       // Run no longer waits: the next operation ends the simulation
	unwinding       // the remaining goroutines are being ended
	over
)

// on reports whether the world runs, including real code.
func (w *World) on() bool {
	p := w.phase.Load()
	return p == running || p == computing
}

// resource is the key of a meter.
type resource struct {
	kind env.ResourceKind
	name string
}

// New creates a world whose time is 0.
func New(cfg Config) *World {
	if cfg.CPUs == 0 {
		cfg.CPUs = 1
	}
	if cfg.Grace == 0 {
		cfg.Grace = time.Second
	}
	if cfg.Watchdog == 0 {
		cfg.Watchdog = 500 * time.Millisecond
	}
	w := &World{cfg: cfg, names: map[string]int{}, byName: map[resource]*env.Meter{}, violations: map[string]*int64{}}
	w.k = sim.New(sim.Config{CPUs: cfg.CPUs, Seed: cfg.Seed, Costs: cfg.Costs, Stretch: w.stretch()})
	if cfg.Timeline && cfg.CPUs > 0 {
		w.recorder = newRecorder(w.k)
	}
	w.nameless = env.NewUnsharedMeter(env.KindChan, "", 0, w.k.Clock())
	return w
}

// stretch returns Config.Stretch as the kernel calls it.
func (w *World) stretch() func(ns int64) int64 {
	if w.cfg.Stretch == nil {
		return nil
	}
	return func(ns int64) int64 {
		return int64(w.cfg.Stretch(w.co.task, w.clock(), time.Duration(ns)))
	}
}

// clock returns the virtual time without counting an operation.
func (w *World) clock() time.Duration { return time.Duration(w.k.Now()) }

// Run runs body as the world's first goroutine, and then waits for all other goroutines. It returns an error for the
// panic of a goroutine, with its stack; for a deadlock, with what each goroutine waits for; for goroutines that
// outlive the body by the grace; for a design that blocks outside env; and for a run beyond the limit. If the design
// does not return to env, its goroutine cannot be ended, and Run returns without it.
func (w *World) Run(name string, body func(env.Env)) error {
	var machine env.Machine = w // as a plain World, env would use the Go runtime for its operations
	w.root = env.NewTask(machine, name, body)
	w.caller = self.ID()
	ended := make(chan error, 1)
	// The kernel has a goroutine of its own, so that a Goexit in the design ends that one and not the caller's.
	go w.simulate(ended)
	return w.watch(ended)
}

// simulate runs the kernel and then ends all remaining coroutines. It reports the result in every case.
func (w *World) simulate(ended chan<- error) {
	returned := false
	defer func() {
		w.phase.Store(over)
		ended <- w.err
	}()
	defer func() {
		if !returned && w.err == nil { // a panic of the kernel itself continues
			w.err = fmt.Errorf("the kernel of the simulation has ended early")
		}
		w.outcome.Store(&w.err)
		w.phase.Store(unwinding)
		for w.unwound < len(w.coroutines) {
			w.unwind()
		}
	}()
	w.kernel = self.Current()
	w.k.Start(w.goroutine(w.root))
	w.k.Run()
	returned = true
	if w.err == nil {
		w.err = w.k.Err()
	}
	if w.err == nil && w.k.Late() {
		w.err = fmt.Errorf("goroutines outlive the run by %v: %s; end them before the body returns",
			w.cfg.Grace, w.k.Waiting())
	}
}

// unwind ends the coroutines one after the other. A parked one panics in its current operation. If its deferred
// functions call Goexit, that also ends the goroutine that called stop; so unwind makes a goroutine for this purpose.
func (w *World) unwind() {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for w.unwound < len(w.coroutines) {
			co := w.coroutines[w.unwound]
			w.unwound++
			w.enter(co)
			co.stop()
		}
	}()
	<-done
}

// At calls f when the virtual time is at, between two events. It does not disturb the run. f must not call operations
// of env.
func (w *World) At(at time.Duration, f func()) { w.k.Watch(int64(at), f) }

// Ordinal implements env.World.
func (w *World) Ordinal(t *env.Task) int {
	w.names[t.BaseName()]++
	return w.names[t.BaseName()]
}

// Now implements env.World. Reading the clock counts as an operation, so that a design which only reads it is found
// to poll.
func (w *World) Now() time.Duration {
	w.check()
	if !w.k.Count() {
		w.leave(w.co)
	}
	return w.clock()
}

// TaskNow implements env.Machine.
func (w *World) TaskNow(t *env.Task) time.Duration {
	w.Use(t)
	if !w.k.Count() {
		w.leave(w.co)
	}
	return w.clock()
}

// Epoch implements env.World.
func (w *World) Epoch() time.Time { return time.Time{} }

// Seed implements env.World.
func (w *World) Seed() uint64 {
	w.seedReads++
	return w.cfg.Seed
}

// Meter implements env.World. Resources without a name share one meter, which Meters does not list.
func (w *World) Meter(kind env.ResourceKind, name string, capacity int) *env.Meter {
	if name == "" {
		return w.nameless
	}
	m := w.byName[resource{kind, name}]
	if m != nil {
		m.Share()
		return m
	}
	m = env.NewUnsharedMeter(kind, name, capacity, w.k.Clock())
	w.byName[resource{kind, name}] = m
	w.meters = append(w.meters, m)
	return m
}

// Violation implements env.World.
func (w *World) Violation(station string) {
	if w.on() { // an abandoned design may still run
		n := w.violations[station]
		if n == nil {
			n = new(int64)
			w.violations[station] = n
		}
		*n++
	}
}
