package sim

import "time"

// duration converts nanoseconds to a time.Duration.
func duration(ns int64) time.Duration { return time.Duration(ns) }

// G is a goroutine. The caller allocates it, sets its code with [G.Bind], starts it with [Spawn] or [Kernel.Start],
// and may reuse it after it has ended.
type G struct {
	// The fields that the end of a burn reads are together at the end, next to the registers of a list. With many
	// goroutines, memory accesses dominate the run time.

	timer   Timer
	runner  Runner
	left    int64 // remaining ns of a burn
	still   int64 // consecutive operations without progress at the instant stillAt
	stillAt int64
	on      any   // the object that it parks on
	token   int64 // results
	choice  int32
	ticket  uint32 // of a Cond
	link    *G     // in a run queue or the queue of a semaphore

	prev, next *G // all goroutines
	sudog      sudog
	cases      []sudog  // of a select
	order      []uint16 // in which a select checks them

	serial uint64 // number of the goroutine in the order of starts, from 1; 0 after its end
	lock   lockState
	sema   *sema

	cpu      *cpu  // where it runs, or where it started to wait
	list     *list // itself, if it runs a program
	slot     int32 // of its timer
	then     then  // what it has to do in the kernel before it continues
	code     Code  // the operation it parks in
	parked   bool
	charged  bool // the cost of the operation has been paid
	occupies bool // it uses one of unlimited CPUs
	polled   bool // it sleeps until network input, which is noticed at once
	ok       bool // result
	lifo     bool // waits at the front of sema
	granted  bool // the semaphore was handed to it
}

// Token returns what the last receive got.
func (g *G) Token() int64 { return g.token }

// OK returns false if the last receive, or a send that parked, met a closed channel, and after a failed try.
func (g *G) OK() bool { return g.ok }

// Choice returns the case that the last select took; -1 if none could proceed.
func (g *G) Choice() int { return int(g.choice) }

// then is what a goroutine that gets a CPU has to do in the kernel before it continues.
type then uint8

const (
	thenRun     then = iota
	thenBurn         // burn what is left
	thenSpin         // look at the lock again
	thenSema         // try the semaphore again, then continue with what it guards
	thenSyscall      // is in a system call
)

// queue is a FIFO of goroutines.
type queue struct {
	head, tail *G
	n          int
}

func (q *queue) push(g *G) {
	g.link = nil
	if q.tail == nil {
		q.head = g
	} else {
		q.tail.link = g
	}
	q.tail = g
	q.n++
}

func (q *queue) pushFront(g *G) {
	g.link = q.head
	q.head = g
	if q.tail == nil {
		q.tail = g
	}
	q.n++
}

func (q *queue) pop() *G {
	g := q.head
	if g == nil {
		return nil
	}
	q.head = g.link
	if q.head == nil {
		q.tail = nil
	}
	g.link = nil
	q.n--
	return g
}

// Bind sets the code of g.
func (g *G) Bind(r Runner) { g.runner = r }

// Runner returns the code of g.
func (g *G) Runner() Runner { return g.runner }

// enlist makes g a live goroutine of the kernel. It is not inlined: its copy of a G takes 0.3 KiB of stack, and with it
// a goroutine that waits in an operation needs a stack of 4 KiB instead of 2 KiB.
//
//go:noinline
func (k *Kernel) enlist(g *G) {
	k.serial++
	*g = G{runner: g.runner, list: g.list, cases: g.cases[:0], order: g.order, timer: g.timer, slot: g.slot,
		stillAt: g.stillAt, still: g.still, serial: k.serial}
	if g.timer.g == nil { // it starts for the first time
		g.slot = k.timerSlot(&g.timer)
		g.timer.slot, g.timer.g = g.slot, g
		k.owners[int(g.slot)-len(k.cpus)] = g
	}
	g.prev = k.last
	if k.last == nil {
		k.first = g
	} else {
		k.last.next = g
	}
	k.last = g
	k.live++
	k.stateChanged(g, Started)
}

// Exit ends the running goroutine (goexit0).
func (k *Kernel) Exit(g *G) {
	if g.prev == nil {
		k.first = g.next
	} else {
		g.prev.next = g.next
	}
	if g.next == nil {
		k.last = g.prev
	} else {
		g.next.prev = g.prev
	}
	g.prev, g.next, g.serial = nil, nil, 0
	k.live--
	k.lastParked = k.now
	k.stateChanged(g, Ended)
	k.leave(g)
}

// leave takes the running goroutine off its CPU, which then looks for another one.
func (k *Kernel) leave(g *G) {
	g.cpu.g = nil
	k.cur = nil
	k.needsG = !k.unlimited
}

// park is leave for a goroutine that another one must make ready.
func (k *Kernel) park(g *G, code Code, on any) Outcome {
	g.code, g.on, g.parked, g.still = code, on, true, 0
	k.lastParked = k.now
	k.stateChanged(g, Blocked)
	k.leave(g)
	return Parked
}

// ready makes a parked goroutine runnable on the CPU that has its turn (goready).
func (k *Kernel) ready(g *G) {
	g.parked = false
	k.stateChanged(g, Runnable)
	k.runnable(g)
}

// runnable is ready for a goroutine that was not parked (newproc).
func (k *Kernel) runnable(g *G) {
	if k.unlimited {
		k.set(g.slot, k.now)
		return
	}
	k.put(k.cpu, g, true)
	k.wakep()
}
