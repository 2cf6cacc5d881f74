// Package virtual builds a world in virtual time: each goroutine of a design is a coroutine, which package
// sim schedules on CPUs of its own under the rules of the Go runtime. Time is a number that moves from
// event to event. Computing takes none of it: only [env.Env.Burn], waiting and the costs of the machine do, and real
// code that a design marks as such ([env.Env.Begin]), if [Config.Sections] says what it costs.
//
// A run depends on nothing but the design, its seed, the number of CPUs and the costs. Meters are always
// on, and reading them costs no virtual time.
//
// A design must do everything concurrent through env. One that blocks elsewhere stops the whole world,
// which a watchdog notices within a second. env.Select of nothing but nil channels, and without Default, is such a
// case. One that waits by looking at an env.Atomic again and again is told that it polls; one that looks at plain
// memory is told by [Config].Limit only.
package virtual

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/self"
	"github.com/brewput/brewput/sim"
)

// Config is what a virtual world needs to know.
type Config struct {
	CPUs  int       // 1 to sim.MaxCPUs, or sim.Unlimited; 0 means 1
	Seed  uint64    // of the draws of env.Rand and of the scheduler's choices
	Costs sim.Costs // of the scheduler and its primitives; the zero Costs are none
	// Grace is how long, in virtual time, goroutines may outlive the body; 0 means one second.
	Grace time.Duration
	// Timeline keeps the world ready for [World.Record], which costs time and changes no decision; at a station in real
	// code that is measured this time is part of it. Unlimited CPUs have no lanes, and so no timeline.
	Timeline bool
	// Stretch, if not nil, says as a burn of a goroutine begins by how much longer it lasts: see [sim.Config]. It must
	// not make operations.
	Stretch func(t *env.Task, at, burn time.Duration) time.Duration
	// Sections says what real code costs; nil: nothing, unless the design declares it.
	Sections Sections
	// Watchdog is how long, in real time, a design may block outside env, and a twentieth of how long real code may; 0
	// means half a second. Many waits that are shorter count together: see watchdog.go.
	Watchdog time.Duration
	// Limit is how long, in real time, the whole run may take; 0 means as long as it takes.
	Limit time.Duration
	// Room, if not nil, is asked now and then, where there are thousands of goroutines, whether memory has room for
	// more. It decides only whether a run ends with an error, never what it computes.
	Room func() bool
	// RoomEvery is how often, in real time, Room is asked from outside as well, whatever the run does; 0 means never.
	// Then Room must be ready for calls by several goroutines.
	RoomEvery time.Duration
	// Stop, if not nil, ends the run with [ErrInterrupted] when it is closed.
	Stop <-chan struct{}
}

// ErrInterrupted is the error of a run that [Config].Stop has ended.
var ErrInterrupted = errors.New("the simulation was interrupted")

// World is a virtual world. It serves one Run.
type World struct {
	cfg Config
	k   *sim.Kernel

	co         *coroutine   // that runs
	depth      int          // of coroutines that stand above each other, co the highest
	coroutines []*coroutine // all that exist; the kernel's goroutine ends them
	unwound    int          // how many of them have been ended
	spare      []*coroutine // those that run nobody
	spent      []*env.Task  // of goroutines that have ended
	names      map[string]int
	root       *env.Task
	caller     int64        // the goroutine that called Run
	kernel     self.Mark    // the kernel's goroutine: see simulate
	err        error        // of a goroutine that panicked or was ended by Goexit
	phase      atomic.Int32 // after running, every further operation panics

	// For the watchdog.
	still   atomic.Bool           // it sets this, and the next switch clears it
	asking  atomic.Bool           // Config.Room, which may collect garbage for long
	outcome atomic.Pointer[error] // what the run has come to, before goroutines are ended, which may hang
	mu      sync.Mutex
	ids     []int64                // of the coroutines' Go goroutines
	made    atomic.Int64           // coroutines
	told    atomic.Pointer[error]  // why the run is to end; nil: it is not
	came    atomic.Pointer[string] // the stack with which the design noticed that
	doubts  []string
	looked  func(look) // tests are told of each look

	meters     []*env.Meter
	byName     map[resource]*env.Meter
	nameless   *env.Meter
	violations map[string]*int64 // by station
	useful     time.Duration
	section    section // of real code that runs

	recorder *recorder   // nil unless the world keeps a timeline
	asked    int         // for the seed
	full     atomic.Bool // there was no Room
	ended    bool        // Run has seen the kernel's goroutine end, and so all that it has recorded
}

// phases of a world.
const (
	running   int32 = iota
	computing       // real code runs: who makes an operation breaks its section
	abandoned       // Run no longer waits: whoever makes an operation ends the simulation
	unwinding       // the goroutines that are left are ended
	over
)

// on reports whether the world runs, be it real code.
func (w *World) on() bool {
	p := w.phase.Load()
	return p == running || p == computing
}

// resource is what shares a meter.
type resource struct {
	kind env.ResourceKind
	name string
}

// New makes a world whose time is 0.
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
	w.nameless = env.NewMeterAlone(env.KindChan, "", 0, w.k.Clock())
	return w
}

// stretch is Config.Stretch for the kernel.
func (w *World) stretch() func(ns int64) int64 {
	if w.cfg.Stretch == nil {
		return nil
	}
	return func(ns int64) int64 {
		return int64(w.cfg.Stretch(w.co.task, w.clock(), time.Duration(ns)))
	}
}

// clock is Now where reading it is no operation of a goroutine.
func (w *World) clock() time.Duration { return time.Duration(w.k.Now()) }

// Run runs body as the world's first goroutine and then waits for every other. It reports the panic of a
// goroutine with its stack, a deadlock with what everybody waits for, goroutines that outlive the body by
// the grace, a design that blocks outside env, and a run beyond the limit. Where the design does not come back to
// env, its goroutine cannot be ended and stays behind.
func (w *World) Run(name string, body func(env.Env)) error {
	var machine env.Machine = w // or env would leave its operations to the Go runtime
	w.root = env.NewTask(machine, name, body)
	w.caller = self.ID()
	ended := make(chan error, 1)
	// One goroutine is the kernel's, so that a Goexit in the design ends it and not the caller's.
	go w.simulate(ended)
	return w.watch(ended)
}

// simulate runs the kernel and then ends all coroutines that are left. Whatever happens there, it reports.
func (w *World) simulate(ended chan<- error) {
	returned := false
	defer func() {
		w.phase.Store(over)
		ended <- w.err
	}()
	defer func() {
		if !returned && w.err == nil { // the panic of the kernel itself goes on
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

// unwind ends one coroutine after the other: those that have parked meet a panic in the operation they are
// in. A Goexit in what they deferred ends the goroutine that called stop, too: so that is one made for it.
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

// Checksum is a sum over all decisions of the scheduler so far.
func (w *World) Checksum() uint64 { return w.k.Checksum() }

// Operations is the number of operations that goroutines have made so far.
func (w *World) Operations() uint64 { return w.k.Ops() }

// Meters are the meters made so far, in order.
func (w *World) Meters() []*env.Meter { return append([]*env.Meter(nil), w.meters...) }

// Useful is the CPU work of all burns so far, those under way included in full.
func (w *World) Useful() time.Duration { return w.useful }

// Busy is the time that all CPUs together have spent on goroutines so far, costs included.
func (w *World) Busy() time.Duration { return time.Duration(w.k.Busy()) }

// Violations counts the entries of a station while another user was inside.
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

// At calls f when the time is at, between two events: it sees what is there and disturbs nothing. It must not
// make operations.
func (w *World) At(at time.Duration, f func()) { w.k.Watch(int64(at), f) }

// Ordinal implements env.World.
func (w *World) Ordinal(t *env.Task) int {
	w.names[t.BaseName()]++
	return w.names[t.BaseName()]
}

// Now implements env.World. Reading the clock is an operation: a design that does nothing else polls.
func (w *World) Now() time.Duration {
	w.check()
	if !w.k.Count() {
		w.leave(w.co)
	}
	return w.clock()
}

// NowOf implements env.Machine.
func (w *World) NowOf(t *env.Task) time.Duration {
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
	w.asked++
	return w.cfg.Seed
}

// Asked is how often somebody has asked for random draws: a load for which nobody has is the same each time.
func (w *World) Asked() int { return w.asked }

// Meter implements env.World. Resources without a name share one that is not listed.
func (w *World) Meter(kind env.ResourceKind, name string, capacity int) *env.Meter {
	if name == "" {
		return w.nameless
	}
	m := w.byName[resource{kind, name}]
	if m != nil {
		m.Share()
		return m
	}
	m = env.NewMeterAlone(kind, name, capacity, w.k.Clock())
	w.byName[resource{kind, name}] = m
	w.meters = append(w.meters, m)
	return m
}

// Violation implements env.World.
func (w *World) Violation(station string) {
	if w.on() { // who was given up may go on
		n := w.violations[station]
		if n == nil {
			n = new(int64)
			w.violations[station] = n
		}
		*n++
	}
}

// Full reports whether the run ended because memory had no room for its goroutines: see [Config].
func (w *World) Full() bool { return w.full.Load() }

// Doubts are warnings of what the run may have got wrong: the design waited outside env now and then, which virtual
// time does not count. They depend on real time, and on a machine that is not overloaded a design that keeps to env has
// none.
func (w *World) Warnings() []string { return w.doubts }

// Ended reports whether the world that Run was called for is at its end. If Run has given up on a design that hangs
// outside env, that one may go on, and nothing of the world may be read.
func (w *World) Ended() bool { return w.ended }
