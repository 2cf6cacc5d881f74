// Package env is the world a design may touch. A design written against it runs unchanged on the
// Go runtime (package env/live) and in virtual time.
//
// A design gets an [Env] and makes everything concurrent through it: goroutines, locks, channels,
// CPU work, waiting. An Env belongs to one goroutine: [Env.Go] hands the child its own. Using a
// parent's Env in a child is a bug; under the race detector it is reported as a data race.
//
// # What it costs live
//
// In a plain live world a [Mutex], an [RWMutex] or a [Chan] is the Go primitive behind one nil
// check: at most 2 ns an operation over the bare primitive and no allocation. [Env.Go] costs at most
// 100 ns and one allocation beyond a go statement. [Select] of one to four cases costs at most 60 ns
// over a native select when a case is ready, and no allocation. It parks in a native select, without
// allocation too, where the cases are channels of one type, beside at most one receive each of
// struct{}, of error and of [Env.After]; other mixtures, and more than four cases, park in package
// reflect, which allocates for each case.
package env

import (
	"math"
	"strconv"
	"sync"
	"time"
)

// World is one kind of time and processors. Packages env/live and its virtual twin implement it;
// designs never see it. Operations that take time are told which task calls, so that a world can
// find a design that uses another goroutine's Env.
type World interface {
	// Spawn starts the task on its own goroutine.
	Spawn(t *Task)
	// Exit is deferred on the task's goroutine and so sees its panics.
	Exit(t *Task)
	// Burn spends d of CPU work on the calling goroutine.
	Burn(t *Task, d time.Duration)
	// Sleep parks the caller on a timer for d.
	Sleep(t *Task, d time.Duration)
	// Until parks the caller until Now is at, as exactly as the world can; it may not return earlier.
	Until(t *Task, at time.Duration)
	// Wait parks the caller as for a network or disk answer.
	Wait(t *Task, d time.Duration)
	// Syscall blocks the caller in a system call: its thread is held, its CPU is given up.
	Syscall(t *Task, d time.Duration)
	// AfterFunc calls f once, d from now, on a goroutine that must not block.
	AfterFunc(d time.Duration, f func())
	// Now is the time since the world began.
	Now() time.Duration
	// Epoch is the instant the world began, if Now is the real monotonic clock since then;
	// otherwise the zero Time.
	Epoch() time.Time
	// Seed is the seed of the trial's random draws.
	Seed() uint64
	// Ordinal counts the goroutines of the task's base name: 1 for the first so called, then 2. It is
	// called once for each task, before the task starts.
	Ordinal(t *Task) int
	// Meter returns the meter of a new resource, or nil where nothing is observed.
	Meter(kind ResourceKind, name string, capacity int) *Meter
	// Begin opens a section of real code and returns a mark for End. In virtual time the section costs what is
	// declared, or if that is [Measured], the CPU time that it takes.
	Begin(t *Task, declared time.Duration) time.Duration
	// End closes the section.
	End(t *Task, mark time.Duration)
	// Violation reports that a station served two users at once.
	Violation(station string)
}

// Env is one goroutine's view of its world. The zero Env is not usable; a world makes the first
// one and [Env.Go] the others.
type Env struct{ t *Task }

// Task is a goroutine of a world, as the world's scheduler sees it.
type Task struct {
	world   World
	machine Machine // the world, if it is one
	epoch   time.Time
	name    string
	ordinal int
	body    func(Env)
	start   func() // t.run, made once, so that a go statement needs no closure
	kept    any    // see Keep
	uses    uint64 // written by every operation of the owner under the race detector; see own
}

// NewTask makes a goroutine of world w. The world starts it by go t.Start()() or by running
// t.Start()() on a stack of its own.
func NewTask(w World, name string, body func(Env)) *Task {
	t := &Task{}
	t.start = t.run
	m, _ := w.(Machine)
	t.set(w, m, w.Epoch(), name, body)
	return t
}

func (t *Task) set(w World, m Machine, epoch time.Time, name string, body func(Env)) {
	t.world, t.machine, t.epoch, t.name, t.body = w, m, epoch, name, body
	t.ordinal = w.Ordinal(t)
}

// Start returns the function that runs the task.
func (t *Task) Start() func() { return t.start }

func (t *Task) run() {
	defer t.world.Exit(t)
	t.body(Env{t})
}

// Name is the unique name of the goroutine.
func (t *Task) Name() string { return Numbered(t.name, t.ordinal) }

// BaseName is the name that the design gave, shared by all goroutines started under it.
func (t *Task) BaseName() string { return t.name }

// Keep leaves a pointer with the task for its world, which spares it a search when the goroutine ends.
// It outlives [Recycle]: who finds it there must look whether it is of his own world and for this task's name.
func (t *Task) Keep(v any) { t.kept = v }

// Kept is what was left with Keep, if anything.
func (t *Task) Kept() any { return t.kept }

// Numbered is the display name of the n-th holder of a name: "grinder", "grinder#2".
func Numbered(name string, n int) string {
	if n <= 1 {
		return name
	}
	return name + "#" + strconv.Itoa(n)
}

// tasks recycles finished tasks of the live world: a spawn then allocates nothing of ours. Under
// the race detector every goroutine gets a fresh one, so that a stale Env is not hidden by reuse.
var tasks = sync.Pool{New: func() any {
	t := &Task{}
	t.start = t.run
	return t
}}

// Recycle gives a finished task back. The world calls it when no Env of the task can be used again.
func Recycle(t *Task) {
	if raceEnabled {
		return
	}
	t.world, t.machine, t.body = nil, nil, nil
	tasks.Put(t)
}

// another is a task that nobody uses. A machine keeps its own, as an Env that outlives its goroutine must never
// lead into another world.
func (t *Task) another() *Task {
	if t.machine != nil && !raceEnabled {
		if t := t.machine.Spent(); t != nil {
			return t
		}
	}
	return tasks.Get().(*Task)
}

// own notes that the calling goroutine uses e. Under the race detector it is a plain write, so that
// two goroutines sharing one Env are reported; a machine looks itself.
func (e Env) own() {
	e.mark()
	if e.t.machine != nil {
		e.t.machine.Use(e.t)
	}
}

// mark is own where the world is told the task.
func (e Env) mark() {
	if raceEnabled {
		e.t.uses++
	}
}

// Name is the unique name of this goroutine in timelines and findings.
func (e Env) Name() string {
	e.own()
	return e.t.Name()
}

// NoRequest is the request of a goroutine that works for none.
const NoRequest = math.MaxUint64

// For tells timelines that what this goroutine does from here on is for the request. Goroutines that it
// starts inherit that, and values that it sends carry it. It changes nothing else; live it is one
// comparison.
func (e Env) For(request uint64) {
	if raceEnabled || e.t.machine != nil { // in this form the compiler inlines it
		e.tellFor(request)
	}
}

func (e Env) tellFor(request uint64) {
	e.own()
	if e.t.machine != nil {
		e.t.machine.For(request)
	}
}

// Go starts body on a new goroutine with an Env of its own. The name appears in timelines and
// findings; a second "grinder" becomes "grinder#2".
func (e Env) Go(name string, body func(Env)) {
	e.own()
	w := e.t.world
	t := e.t.another()
	t.set(w, e.t.machine, e.t.epoch, name, body)
	w.Spawn(t)
	e.own() // after the go statement: a child that uses its parent's Env races with this write
}

// Burn spends d of CPU work: live, a calibrated number of iterations and not a wall-clock loop. Like
// Sleep, Wait and Syscall it returns at once if d is not positive.
func (e Env) Burn(d time.Duration) {
	e.mark()
	e.t.world.Burn(e.t, d)
}

// Sleep parks the goroutine for d.
func (e Env) Sleep(d time.Duration) {
	e.mark()
	e.t.world.Sleep(e.t, d)
}

// Until parks the goroutine until [Env.Now] is at. Live it wakes as a server does for a request, by
// the network poller and some tens of microseconds late, where Sleep may be a millisecond late.
func (e Env) Until(at time.Duration) {
	e.mark()
	e.t.world.Until(e.t, at)
}

// Wait parks the goroutine for d as for an answer from network or disk, with as little delay as [Env.Until].
func (e Env) Wait(d time.Duration) {
	e.mark()
	e.t.world.Wait(e.t, d)
}

// Syscall blocks in a system call for d: the thread is held and its CPU given up.
func (e Env) Syscall(d time.Duration) {
	e.mark()
	e.t.world.Syscall(e.t, d)
}

// After returns a channel of capacity 1 that receives the world's time once, d from now. It is no
// resource: no meter watches it.
func (e Env) After(d time.Duration) *Chan[time.Duration] {
	c := NewChan[time.Duration](e, "", 1)
	w := e.t.world
	w.AfterFunc(d, func() { c.TrySend(w.Now()) })
	return c
}

// Now is the time since the world began. Live it is one read of the monotonic clock.
func (e Env) Now() time.Duration {
	e.mark()
	if e.t.machine != nil {
		return e.t.machine.NowOf(e.t)
	}
	if !e.t.epoch.IsZero() {
		return time.Since(e.t.epoch)
	}
	return e.t.world.Now()
}

// Rand returns the trial's random draws. They are keyed, not streamed: equal keys give equal draws
// on every goroutine of every design.
func (e Env) Rand() Rand {
	e.own()
	return NewRand(e.t.world.Seed())
}

// Measured is declared of a section that costs the CPU time that it takes.
const Measured time.Duration = -1

// Section is a piece of real code between [Env.Begin] and [Section.End].
type Section struct {
	t    *Task
	mark time.Duration
}

// Begin marks the start of real code: code that computes, does not wait and calls nothing of this package before
// End, by which virtual time would have to move in the middle of it, but [Station.Enter], [Station.Leave] and draws of
// a [Rand] that was taken before. Live that costs a clock read in observed trials and nothing that counts otherwise. In
// virtual time the section is charged with the CPU time that its thread took, as a burn at its end: what it did is
// there before its time has passed. So enter a [Station] before Begin and leave it after End: who does both in between
// is there for no time, and meets nobody who does the same. To read that clock twice takes up to a microsecond, so that
// a section should take 50 us or more; do several pieces in one, or see [Env.WorkFor].
//
// No coroutine of [iter.Pull] may go across an edge of a section: none that began before may be resumed in it, and none
// that began in it after. In virtual time the section has its thread locked, and the Go runtime ends the process where
// a coroutine is resumed under another lock than it was made under. One that begins and ends in the section is well.
//
// Costs that are recorded are found again by the request that the goroutine works for (see [Env.For]): say for which
// one where several goroutines share a stock of work, or another schedule gives each piece the cost of another.
func (e Env) Begin() Section { return e.begin(Measured) }

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

// WorkFor is Work for real code whose cost is declared: in virtual time f takes d of CPU work, however long it really
// takes, and live it takes what it takes. A d that is not positive is none.
func (e Env) WorkFor(d time.Duration, f func()) {
	s := e.begin(max(0, d))
	f()
	s.End()
}
