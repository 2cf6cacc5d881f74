package sim

import (
	"fmt"
	"sync/atomic"
)

const (
	// maxStill bounds the consecutive operations without progress that a goroutine may make at one instant. It counts
	// only after all goroutines together have made as many. maxStillAll bounds the operations of all goroutines at
	// one instant. Without them, a program that polls without advancing time, or passes something to and fro, would
	// never end.
	maxStill    = 1_000_000
	maxStillAll = 100 * maxStill
	// maxBurst is how many operations a goroutine makes at one instant before it yields to the other CPUs.
	maxBurst = 1000
)

// Runner is the code of a goroutine: a coroutine, or a list of operations.
type Runner interface {
	// Resume continues the goroutine. It makes its operations by [Kernel.Do] until one is not Done, or until the
	// goroutine has ended with [Kernel.Exit]. Then it returns.
	Resume()
	// Name is the unique name of the goroutine, for reports.
	Name() string
}

// Kernel simulates goroutines on CPUs. It is not safe for concurrent use, except for [Kernel.Interrupt]. The
// goroutines that it runs are coroutines of one thread of control.
type Kernel struct {
	events
	draws     draws
	costs     Costs
	none      Cost // of operations without a cost
	charges   bool // some operation has a cost
	scatters  bool // burns may differ from their nominal time
	stretch   func(ns int64) int64
	unlimited bool // the number of CPUs is Unlimited
	cpus      []cpu
	timers    []*Timer // by slot minus the number of CPUs
	owners    []*G     // goroutines of the timers; nil for functions
	coprim    []uint32 // increments for the random order of stealing

	global    queue // the global run queue
	queued    int   // goroutines in local queues
	nexts     int   // goroutines in run-next
	idle      *cpu  // stack of idle CPUs
	nidle     int
	nspinning int
	lingering []*cpu   // CPUs that found no work and are still looking
	watched   []uint64 // set of the CPUs whose system call the monitor watches
	nwatched  int

	armed     int   // pending timers, except
	nhear     int   // pending timers that stand for network input
	nexpired  int   // expired timers that no CPU has noticed yet
	poller    Timer // its event: the thread in the network poller has woken up
	polling   bool  // a thread is in the network poller
	called    bool  // it is waking up
	pollSpun  bool  // it had looked for work before
	pollSince int64
	pollFrom  int64 // when it last computed its sleep,
	pollUntil int64 // for the timer that is due then; set if ending its sleep early matters
	pollEnds  int64 // once it is called: the end of its sleep, and
	pollLate  int64 // how long after that it has woken up

	cpu    *cpu // the CPU that has its turn
	cur    *G   // the goroutine running on it, or nil
	chosen *G   // to be returned by Next
	needsG bool // cpu needs a goroutine

	first, last *G // all goroutines that have not ended, in the order of their start
	live        int
	serial      uint64                // of the goroutine that was started last
	until       int64                 // the kernel stops before the first event after this time
	limit       atomic.Int64          // from this time on hold calls beyond
	timedOut    bool                  // it has stopped there
	halt        atomic.Pointer[error] // the error of Interrupt
	lastParked  int64                 // when a goroutine last parked or ended

	burst          int   // operations of the running goroutine at this instant
	uncheckedBurst int   // how many it may make without a check
	busyTime       int64 // ns of CPUs in use, up to the last event of each
	occupied       int64 // goroutines that use one of unlimited CPUs
	prefetchIn     int   // events until the next prefetch
	prefetched     int32 // what was read: without it the compiler would remove the reads
	sum            uint64
	ops            uint64
	before         uint64 // operations before the present instant
	sent           bool   // whether the last Send or TrySend delivered
	err            error
	reason         string   // of the panic that an operation asks for
	observer       Observer // nil without one

	spare []*list          // ended goroutines of programs
	slab  []list           // goroutines of programs that have never started
	named map[string]int32 // number of goroutines of each name
}

// New creates a kernel whose time is 0. It panics if the number of CPUs is out of range.
func New(c Config) *Kernel {
	k := &Kernel{costs: c.Costs, uncheckedBurst: maxBurst, charges: c.Costs.charge(), draws: draws{key: mix(c.Seed)},
		sum: fnvOffset, until: never}
	k.limit.Store(never)
	if k.charges {
		k.uncheckedBurst = 0
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

// Now returns the time in nanoseconds since the kernel was created.
func (k *Kernel) Now() int64 { return k.now }

// Clock returns a pointer to the time that Now returns. Do not write to it.
func (k *Kernel) Clock() *int64 { return &k.now }

// CPUs returns the number of CPUs, or Unlimited.
func (k *Kernel) CPUs() int {
	if k.unlimited {
		return Unlimited
	}
	return len(k.cpus)
}

// Busy returns the time in nanoseconds that CPUs have spent on goroutines so far, costs included, summed over all
// CPUs. CPUs in system calls, waking up or looking for work are not busy.
func (k *Kernel) Busy() int64 {
	sum := k.busyTime + k.occupied*k.now
	for i := range k.cpus {
		if c := &k.cpus[i]; c.mode == modeBusy || c.mode == modeSolid {
			sum += k.now - c.since
		}
	}
	return sum
}

// Ops returns the number of operations made so far.
func (k *Kernel) Ops() uint64 { return k.ops }

// Current returns the running goroutine; nil in a timer's function.
func (k *Kernel) Current() *G { return k.cur }

// Sent reports whether the last Send or TrySend delivered its token without parking.
func (k *Kernel) Sent() bool { return k.sent }

// Err returns why the kernel stopped; nil if every goroutine ended, or at the time set by StopAfter.
func (k *Kernel) Err() error { return k.err }

// Live returns the number of goroutines that have not ended.
func (k *Kernel) Live() int { return k.live }

// Late reports whether the kernel stopped because of [Kernel.StopAfter].
func (k *Kernel) Late() bool { return k.timedOut }

// StopAfter makes the kernel stop before the first event later than d ns from now.
func (k *Kernel) StopAfter(d int64) {
	if k.until = k.now + d; k.until < k.now {
		k.until = never
	}
	k.bound()
}

// Fail stops the kernel with an error: no goroutine is resumed again. The first error is kept.
func (k *Kernel) Fail(err error) {
	if k.err == nil {
		k.err = err
	}
	k.bound()
}

// Start starts the first goroutine, on CPU 0.
func (k *Kernel) Start(g *G) {
	k.enlist(g)
	if k.unlimited {
		k.runnable(g)
		return
	}
	c := &k.cpus[0]
	k.put(c, g, false)
	c.mode = modeSchedule
	k.set(c.id, k.now)
}

// Run runs the goroutines until none is left, none can run, or the kernel has failed: see [Kernel.Err].
func (k *Kernel) Run() {
	for g := k.Next(); g != nil; g = k.Next() {
		g.runner.Resume()
	}
}

// Next runs the machine until a goroutine continues, and returns it; nil at the end. The caller resumes it. A Runner
// whose goroutine cannot continue may itself call Next. If that returns its own goroutine, no switch is needed.
// Otherwise it calls [Kernel.Choose] and returns from Resume.
func (k *Kernel) Next() *G {
	if g := k.chosen; g != nil {
		k.chosen = nil
		return g
	}
	return k.advance()
}

// advance is Next without a chosen goroutine.
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
			continue // a goroutine that was woken may have parked again
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

// resume makes g the running goroutine.
func (k *Kernel) resume(g *G) *G {
	k.cur, k.cpu, k.burst = g, g.cpu, 0
	return g
}

func gcd(a, b uint32) uint32 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
