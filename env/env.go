// Package env is the interface of a design to goroutines, locks, channels, CPU work and waiting. A design written
// against it runs unchanged on the Go runtime (package env/live) and in virtual time (package env/virtual).
//
// An [Env] belongs to one goroutine; [Env.Go] gives the child its own. Using a parent's Env in a child is a bug,
// which the race detector reports.
package env

import (
	"math"
	"time"
)

// World is a kind of time and processors. Packages env/live and env/virtual implement it, and designs never see it.
// Operations that take time receive the calling task, so that a world can find a design that uses the Env of another
// goroutine.
type World interface {
	// Spawn starts the task on its own goroutine.
	Spawn(t *Task)
	// Exit is deferred by the task's goroutine, and so sees its panics.
	Exit(t *Task)
	// Burn spends d of CPU work on the calling goroutine.
	Burn(t *Task, d time.Duration)
	// Sleep parks the caller on a timer for d.
	Sleep(t *Task, d time.Duration)
	// Until parks the caller until Now is at, as precisely as the world can. It must not return earlier.
	Until(t *Task, at time.Duration)
	// Wait parks the caller as for a reply from network or disk.
	Wait(t *Task, d time.Duration)
	// Syscall blocks the caller in a system call: it keeps its thread and gives up its CPU.
	Syscall(t *Task, d time.Duration)
	// AfterFunc calls f once, d from now, on a goroutine that must not block.
	AfterFunc(d time.Duration, f func())
	// Now is the time since the world began.
	Now() time.Duration
	// Epoch is the instant the world began, if Now is the real monotonic clock since then;
	// otherwise the zero Time.
	Epoch() time.Time
	// Seed is the seed of the trial's random numbers.
	Seed() uint64
	// Ordinal counts the goroutines of the task's base name: 1 for the first one, then 2. It is called once for each
	// task, before the task starts.
	Ordinal(t *Task) int
	// Meter returns the meter of a new resource, or nil in a world without instrumentation.
	Meter(kind ResourceKind, name string, capacity int) *Meter
	// Begin opens a section of real code and returns a mark for End. In virtual time the section takes the declared
	// time, or, if that is [Measured], the CPU time that it uses.
	Begin(t *Task, declared time.Duration) time.Duration
	// End closes the section.
	End(t *Task, mark time.Duration)
	// Violation reports that two goroutines were in a station at once.
	Violation(station string)
}

// Env is a goroutine's access to its world. The zero Env is not usable: a world creates the first one, and [Env.Go]
// the others. Only the goroutine itself may use it, except where a method says otherwise.
//
// On the Go runtime, without meters, a [Mutex], an [RWMutex] or a [Chan] is Go's own behind one nil check (at most 2
// ns). [Env.Go] adds at most 100 ns and one allocation, and [Select] of one to four cases at most 60 ns.
type Env struct{ t *Task }

// own records that the calling goroutine uses e. With the race detector it is a plain write, so that two goroutines
// sharing one Env are reported. A machine checks the caller itself.
func (e Env) own() {
	e.mark()
	if e.t.machine != nil {
		e.t.machine.Use(e.t)
	}
}

// mark is own for operations that pass the task to the world.
func (e Env) mark() {
	if raceEnabled {
		e.t.uses++
	}
}

// Name returns the unique name of the goroutine, as in timelines and findings.
func (e Env) Name() string {
	e.own()
	return e.t.Name()
}

// NoRequest is the request of a goroutine that works for none.
const NoRequest = math.MaxUint64

// For declares that the goroutine works for a request from now on. Goroutines that it starts inherit the request, and
// values that it sends carry it. Only timelines, and costs recorded for real code, use it. On the Go runtime it is
// one comparison.
func (e Env) For(request uint64) {
	if raceEnabled || e.t.machine != nil { // written so that the compiler inlines it
		e.setRequest(request)
	}
}

// setRequest is the slow path of For.
func (e Env) setRequest(request uint64) {
	e.own()
	if e.t.machine != nil {
		e.t.machine.For(request)
	}
}

// Go starts body on a new goroutine with an Env of its own. The name appears in timelines and findings; a second
// "grinder" becomes "grinder#2".
func (e Env) Go(name string, body func(Env)) {
	e.own()
	w := e.t.world
	t := e.t.spareTask()
	t.set(w, e.t.machine, e.t.epoch, name, body)
	w.Spawn(t)
	e.own() // after the go statement: a child that uses its parent's Env races with this write
}

// Burn does d of CPU work. On the Go runtime that is a calibrated number of iterations, not a wall-clock loop. Like
// Sleep, Wait and Syscall it returns at once if d is not positive.
func (e Env) Burn(d time.Duration) {
	e.mark()
	e.t.world.Burn(e.t, d)
}

// Charge declares that the code around it takes d of CPU time, such as 20 ns for an access to a map, which is too short
// for a section of real code. In virtual time it is Burn. On the Go runtime, where that code takes its own time, it is
// one comparison.
func (e Env) Charge(d time.Duration) {
	if raceEnabled || e.t.machine != nil { // written so that the compiler inlines it
		e.charge(d)
	}
}

// charge is the slow path of Charge.
func (e Env) charge(d time.Duration) {
	e.own()
	if e.t.machine != nil {
		e.t.world.Burn(e.t, d)
	}
}

// Sleep parks the goroutine for d.
func (e Env) Sleep(d time.Duration) {
	e.mark()
	e.t.world.Sleep(e.t, d)
}

// Until parks the goroutine until [Env.Now] is at. On the Go runtime it wakes through the network poller, as a server
// does for a request. That is some tens of microseconds late, whereas Sleep may be a millisecond late.
func (e Env) Until(at time.Duration) {
	e.mark()
	e.t.world.Until(e.t, at)
}

// Wait parks the goroutine for d as for a reply from network or disk. It wakes as [Env.Until] does, but may be later.
func (e Env) Wait(d time.Duration) {
	e.mark()
	e.t.world.Wait(e.t, d)
}

// Syscall blocks in a system call for d. The goroutine keeps its thread and gives up its CPU.
func (e Env) Syscall(d time.Duration) {
	e.mark()
	e.t.world.Syscall(e.t, d)
}

// After returns a channel of capacity 1 that receives the world's time once, d from now. It has no meter.
func (e Env) After(d time.Duration) *Chan[time.Duration] {
	c := NewChan[time.Duration](e, "", 1)
	w := e.t.world
	w.AfterFunc(d, func() { c.TrySend(w.Now()) })
	return c
}

// Now returns the time since the world began. On the Go runtime it is one read of the monotonic clock.
func (e Env) Now() time.Duration {
	e.mark()
	if e.t.machine != nil {
		return e.t.machine.TaskNow(e.t)
	}
	if !e.t.epoch.IsZero() {
		return time.Since(e.t.epoch)
	}
	return e.t.world.Now()
}

// Rand returns the trial's random numbers. They are keyed, not streamed: equal keys give equal numbers in every
// goroutine of every design.
func (e Env) Rand() Rand {
	e.own()
	return NewRand(e.t.world.Seed())
}

// Measured, as the declared cost of a section, means the CPU time that the section uses.
const Measured time.Duration = -1

// Section is real code between [Env.Begin] and [Section.End].
type Section struct {
	t    *Task
	mark time.Duration
}

// Begin starts a section of real code: code that computes, does not wait and makes no operation of this package
// before End. Virtual time would otherwise have to advance within the section. Allowed are [Station.Enter],
// [Station.Leave] and numbers of a [Rand] obtained before. On the Go runtime it costs a clock read in instrumented
// trials, and otherwise practically nothing.
//
// In virtual time the section is charged at its end, as a burn, with the CPU time of its thread. Its effects are
// there before that time has passed. So enter a [Station] before Begin and leave it after End: between them, the
// visit takes no time and never overlaps another one. Reading the thread's clock twice takes up to a microsecond, so
// a section should take 50 us or more. Combine short pieces in one section, or use [Env.WorkFor].
//
// No coroutine of [iter.Pull] may cross the edge of a section. One that began before must not be resumed in it, and
// one that began in it must not be resumed after. In virtual time the section locks its thread, and the Go runtime
// ends the process if a coroutine is resumed under another lock than it was created under. A coroutine that begins
// and ends in the section is fine.
//
// Recorded costs are found again by the request that the goroutine works for (see [Env.For]). Declare the request if
// several goroutines share a stock of work. Otherwise another schedule assigns the cost of one piece to another.
func (e Env) Begin() Section { return e.begin(Measured) }

// begin is Begin with a declared cost.
func (e Env) begin(declared time.Duration) Section {
	e.own()
	return Section{mark: e.t.world.Begin(e.t, declared), t: e.t}
}

// End closes the section.
func (s Section) End() { s.t.world.End(s.t, s.mark) }

// Work runs f between Begin and End.
func (e Env) Work(f func()) {
	s := e.Begin()
	f()
	s.End()
}

// WorkFor is Work with a declared cost: in virtual time f takes d of CPU work, however long it really takes. On the
// Go runtime d has no effect. A d that is not positive counts as 0.
func (e Env) WorkFor(d time.Duration, f func()) {
	s := e.begin(max(0, d))
	f()
	s.End()
}
