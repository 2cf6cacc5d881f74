package sim

import (
	"fmt"
	"sync/atomic"
)

const (
	// maxStill is how many operations in vain a goroutine may make at one instant, one after the other, those not
	// counted that come before all together have made so many; and maxStillAll how many operations all may make: a
	// program that polls without advancing time, or hands something to and fro, would never end.
	maxStill    = 1_000_000
	maxStillAll = 100 * maxStill
	// turn is how many operations a goroutine makes at one instant before the other CPUs have theirs.
	turn = 1000
)

// Runner is the program of a goroutine: a coroutine, or a list of operations.
type Runner interface {
	// Resume lets the goroutine go on. It makes its operations by [Kernel.Do] until one is not Done, or
	// until the goroutine has ended with [Kernel.Exit], and then returns.
	Resume()
	// Name is the unique name of the goroutine, for reports.
	Name() string
}

// Kernel is a simulation of goroutines on CPUs. It is not safe for concurrent use; the goroutines that
// it runs are coroutines of one thread of control.
type Kernel struct {
	events
	draws     draws
	costs     Costs
	none      Cost // of operations that cost nothing
	charges   bool // some operation costs time
	scatters  bool // burns do not take what they say
	stretch   func(ns int64) int64
	unlimited bool // CPUs
	cpus      []cpu
	timers    []*Timer // by slot, less the CPUs
	owners    []*G     // of the timers, less functions
	coprim    []uint32 // for the random order of stealing

	global    queue // the global run queue
	queued    int   // goroutines in local queues
	nexts     int   // goroutines in run-next
	idle      *cpu  // stack of idle CPUs
	nidle     int
	nspinning int
	lingering []*cpu   // CPUs that found no work and still look
	watched   []uint64 // set of the CPUs whose system call the monitor watches
	nwatched  int

	armed     int   // timers whose time has not come, less
	nhear     int   // those that stand for word from outside
	nexpired  int   // timers whose time has come and which no CPU has noticed yet
	poller    Timer // whose event is that the thread in the network poller has woken up
	polling   bool  // there is one
	called    bool  // and it wakes up
	pollSpun  bool  // and had looked for work before
	pollSince int64
	pollFrom  int64 // when it last looked how long to sleep,
	pollUntil int64 // for the timer that is due then; where breaking its sleep makes a difference
	pollEnds  int64 // when it is called, the end of its sleep, and
	pollLate  int64 // how long after that it is there

	cpu    *cpu // whose turn it is
	cur    *G   // running on it, or nil
	chosen *G   // to be resumed next
	needsG bool // cpu needs a goroutine

	first, last *G // all that have not ended, in order of their start
	live        int
	serial      uint64                // of the last that was started
	until       int64                 // the kernel stops before the first event after this time
	limit       atomic.Int64          // from here on hold asks beyond
	timedOut    bool                  // it has
	halt        atomic.Pointer[error] // of Interrupt
	lastParked  int64                 // when a goroutine last parked or ended

	inTurn     int   // operations that the running goroutine has made at this instant
	turn       int   // as many as it may make without anything to be looked at
	busyTime   int64 // ns of CPUs, up to the last event of each
	occupied   int64 // goroutines that occupy one of unlimited CPUs
	prefetchIn int   // events before foresee looks again
	prefetched int64 // what it has seen: without that it would be left out
	sum        uint64
	ops        uint64
	before     uint64 // operations before the present instant
	sent       bool   // by the last Send or TrySend
	err        error
	reason     string   // of the panic that an operation asks for
	observer   Observer // nil: nobody looks

	spare []*list          // goroutines of programs that have ended
	slab  []list           // those that have never begun
	named map[string]int32 // how many there have been of each name
}

// New makes a kernel whose time is 0.
func New(c Config) *Kernel {
	k := &Kernel{costs: c.Costs, turn: turn, charges: c.Costs.charge(), draws: draws{key: mix(c.Seed)}, sum: fnvOffset,
		until: never}
	k.limit.Store(never)
	if k.charges {
		k.turn = 0
	}
	if c.CPUs == Unlimited {
		k.unlimited, k.cpu = true, &cpu{sliceEnd: never}
		return k
	}
	if c.CPUs < 1 || c.CPUs > MaxCPUs {
		panic(fmt.Sprintf("sim: %d CPUs; possible are 1 to %d, or Unlimited", c.CPUs, MaxCPUs))
	}
	k.scatters, k.stretch = c.Costs.scatter() || c.Stretch != nil, c.Stretch
	k.cpus = make([]cpu, c.CPUs)
	for i := range k.cpus {
		k.cpus[i].id = k.slot()
	}
	k.poller.slot = k.timerSlot(&k.poller)
	k.watched = make([]uint64, (c.CPUs+63)/64)
	for i := len(k.cpus) - 1; i > 0; i-- { // procresize: the lowest is on top
		k.sleep(&k.cpus[i])
	}
	for i := uint32(1); i <= uint32(c.CPUs); i++ {
		if gcd(i, uint32(c.CPUs)) == 1 {
			k.coprim = append(k.coprim, i)
		}
	}
	return k
}

// Now is the time in nanoseconds since the kernel was made.
func (k *Kernel) Now() int64 { return k.now }

// Clock is where Now stands, to be read only.
func (k *Kernel) Clock() *int64 { return &k.now }

// CPUs is the number of CPUs, or Unlimited.
func (k *Kernel) CPUs() int {
	if k.unlimited {
		return Unlimited
	}
	return len(k.cpus)
}

// Checksum is a running sum over all decisions of the scheduler: who ran where, when and after whom,
// what was stolen, which CPU was woken. Two runs that differ in one differ in it.
func (k *Kernel) Checksum() uint64 { return k.sum }

// Busy is the time in nanoseconds that CPUs have spent on goroutines so far, costs included, summed over all.
// CPUs in system calls, waking up or looking for work are not busy.
func (k *Kernel) Busy() int64 {
	sum := k.busyTime + k.occupied*k.now
	for i := range k.cpus {
		if c := &k.cpus[i]; c.mode == modeBusy || c.mode == modeSolid {
			sum += k.now - c.since
		}
	}
	return sum
}

// Ops is the number of operations made so far.
func (k *Kernel) Ops() uint64 { return k.ops }

// Current is the running goroutine; nil where a timer's function runs.
func (k *Kernel) Current() *G { return k.cur }

// Sent reports whether the last Send or TrySend delivered its token without parking.
func (k *Kernel) Sent() bool { return k.sent }

// Err is why the kernel stopped, nil if every goroutine ended or time ran out.
func (k *Kernel) Err() error { return k.err }

// Live is the number of goroutines that have not ended.
func (k *Kernel) Live() int { return k.live }

// Late reports whether the kernel stopped because of [Kernel.StopAfter].
func (k *Kernel) Late() bool { return k.timedOut }

// StopAfter lets the kernel stop before the first event that is later than d ns from now.
func (k *Kernel) StopAfter(d int64) {
	if k.until = k.now + d; k.until < k.now {
		k.until = never
	}
	k.bound()
}

// Fail stops the kernel: no goroutine is resumed again. The first reason counts.
func (k *Kernel) Fail(err error) {
	if k.err == nil {
		k.err = err
	}
	k.bound()
}

// Start makes the first goroutine, on CPU 0.
func (k *Kernel) Start(g *G) {
	k.enlist(g)
	if k.unlimited {
		k.runnable(g)
		return
	}
	c := &k.cpus[0]
	k.put(c, g, false)
	c.mode = modeLook
	k.set(c.id, k.now)
}

// Run runs the goroutines until none is left, none can run, or something is wrong.
func (k *Kernel) Run() {
	for g := k.Next(); g != nil; g = k.Next() {
		g.runner.Resume()
	}
}

// Next runs the machine until a goroutine goes on, and returns it; nil at the end. The caller resumes
// it. A front whose goroutine cannot go on may itself call Next; if that is its own goroutine it needs
// no switch, else it calls [Kernel.Choose] and leaves.
func (k *Kernel) Next() *G {
	if g := k.chosen; g != nil {
		k.chosen = nil
		return g
	}
	return k.advance()
}

// advance is Next where nobody has chosen.
func (k *Kernel) advance() *G {
	k.cur = nil
	if k.unlimited {
		return k.nextUnlimited()
	}
	for k.err == nil && k.live > 0 && !k.interrupts() {
		if k.needsG {
			k.needsG = false
			if g := k.schedule(k.cpu); g != nil {
				return k.resume(g)
			}
			continue // one that was woken may have parked again
		}
		at := k.events.first()
		if at == never {
			k.Fail(k.deadlock())
			break
		}
		if at > k.until {
			k.timedOut = true
			break
		}
		if at != k.now {
			k.before = k.ops
		}
		s := k.popAt(at)
		if int(s) >= len(k.cpus) {
			if g := k.fire(k.timers[int(s)-len(k.cpus)]); g != nil {
				return k.resume(g)
			}
			continue
		}
		if g := k.act(&k.cpus[s]); g != nil {
			return k.resume(g)
		}
	}
	return nil
}

// Choose makes the next call of Next return g.
func (k *Kernel) Choose(g *G) { k.chosen = g }

func (k *Kernel) resume(g *G) *G {
	k.cur, k.cpu, k.inTurn = g, g.cpu, 0
	return g
}

// Count counts an operation that the kernel does not see, such as reading the clock. It reports
// false, and the kernel has failed, if the goroutine makes no progress.
func (k *Kernel) Count() bool {
	k.ops++
	return k.ops-k.before <= maxStill || k.progresses()
}

// progresses looks at an operation of an instant that has seen so many that one goroutine may be polling.
func (k *Kernel) progresses() bool {
	g := k.cur
	if g == nil {
		return true
	}
	if g.stillAt != k.now {
		g.stillAt, g.still = k.now, 0
	}
	if g.still++; g.still > maxStill || k.ops-k.before > maxStillAll {
		k.Fail(k.standsStill(g))
		return false
	}
	return true
}

func (k *Kernel) standsStill(g *G) error {
	if g.still > maxStill {
		return fmt.Errorf("goroutine %s makes operation after operation at %v without time going by: it polls, or "+
			"its work takes none; let it park, sleep or burn",
			g.runner.Name(), duration(k.now))
	}
	return fmt.Errorf("the goroutines have made %d operations at %v without time going by, goroutine %s the last: "+
		"nothing comes of them; let one sleep or burn",
		k.ops-k.before, duration(k.now), g.runner.Name())
}

// FNV-1a, on words instead of bytes.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// decisions, as they enter the checksum.
const (
	didRun = iota + 1
	didInherit
	didSteal
	didWake
	didSleep
	didPreempt
	didSelect
	didHandOff
	didRetake
	didTimer
)

func (k *Kernel) decided(what int, c int32, who int64) {
	h := (k.sum ^ uint64(k.now)) * fnvPrime
	h = (h ^ uint64(what)<<32 ^ uint64(c)) * fnvPrime
	k.sum = (h ^ uint64(who)) * fnvPrime
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
