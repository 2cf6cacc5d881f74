// Package sim is the simulation kernel: goroutines on virtual CPUs under the rules of Go's scheduler, in
// integer nanoseconds of virtual time. A goroutine is anything that makes operations when it is resumed
// ([Runner]): a coroutine that runs real code (package env/virtual) or a list of operations ([Program]).
//
// A run depends on nothing but its program, the number of CPUs, the seed and the costs. Events of one
// instant happen in the order in which they were scheduled. A CPU whose turn it is goes on until its
// goroutine parks or time must pass; then the next has its turn. Nothing takes time but [Burn], timers,
// system calls and the [Costs].
//
// A machine of [Unlimited] CPUs has no scheduler: of what follows only channels, select and the primitives of
// package sync are left.
//
// # What is modelled, and where Go 1.26 has it
//
// Paths are below src/; the functions of runtime are in proc.go unless said otherwise.
//
//   - Run queues: 256 places for each CPU and run-next before them; who is kicked out of run-next goes
//     to the tail; a full queue gives its first half and the newcomer to the global queue. runqput, runqputslow.
//   - Who comes from run-next shares the time slice of who ran before. runqget, execute (schedtick).
//   - A new goroutine and one that is made ready become run-next of the CPU that did it, and wake another CPU.
//     newproc, ready.
//   - wakep wakes one idle CPU, the last that became idle, if none is looking for work; one that looked
//     and found some wakes the next. wakep, resetspinning, pidleget.
//   - The order of looking: expired timers of the CPU; every 61st tick the global queue; the local queue; the
//     global queue, of which it takes its share, at most 128; stealing. findRunnable, globrunqgetbatch.
//   - At most half as many CPUs look for work as are busy. findRunnable (nmspinning).
//   - Stealing: four rounds over all CPUs in a random order, half of a queue rounded up; in the last round
//     also expired timers and run-next, that of a CPU which is neither in a system call nor waits for its thread only
//     after backing off (usleep(3)): the back-off without a cost still lets every other CPU have its turn first. Who
//     then still, or again, is in run-next is taken, even if he has run meanwhile and others wait in the queue; if it
//     is another, the thief begins with that queue anew. stealWork, runqgrab, randomOrder.
//   - A CPU that found nothing looks at all queues and timers once more after it has said so. findRunnable,
//     checkRunqsNoP, checkTimersNoP.
//   - Preemption after 10 ms, to the global queue. sysmon, retake, gopreempt_m (forcePreemptNS).
//   - Gosched goes to the global queue, the yield of a semaphore's hand-off to the local one. goschedImpl, goyield.
//   - System calls: the CPU stays with the call, until the monitor finds it there after 20 us and others need
//     it, or after 10 ms; who comes back takes the old CPU from another call, an idle one, or the global queue.
//     retake, handoffp, exitsyscallTryGetP, exitsyscallNoP.
//   - Timers belong to the CPU where they were started, which looks when it schedules. The first thread that finds
//     nothing to do while there are timers sleeps in the network poller, without a CPU, until the first is due; then it
//     takes an idle CPU and looks. If there is none, a timer may be late until the next preemption. Who starts the
//     first timer of a CPU while nobody is in the poller wakes somebody to go there. The poller sleeps whole
//     milliseconds of what is left, or one, and looks again ([Costs].PollGrain; netpoll_epoll.go: netpoll); word from
//     outside, or an earlier timer (netpollBreak), ends its sleep at once. time.go: timers.check, maybeAdd;
//     findRunnable (pollUntil), wakeNetPoller, handoffp.
//   - Who is woken by a timer comes by way of run-next and shares the time slice of who ran before on that CPU, even if
//     it was idle meanwhile. stealWork (inheritTime), execute.
//   - Channels: a sender gives to the first waiting receiver, a receiver of a full buffer takes its head and puts
//     the first waiting sender's value at its tail; both queues are FIFO; close wakes the receivers and then the
//     senders, the last first. chan.go: chansend, chanrecv, closechan.
//   - select: all cases at one instant, in a uniform random order; who parks is in the queues of all. select.go:
//     selectgo.
//   - Mutex: barging, four rounds of spinning where another CPU runs and no local work waits, LIFO for who
//     waits again, starvation mode after 1 ms with hand-off of lock and CPU. internal/sync/mutex.go, sema.go:
//     semacquire1, semrelease1; runtime_canSpin.
//   - RWMutex: a waiting writer stops new readers and waits for those inside. sync/rwmutex.go.
//   - WaitGroup, with its panics, and Cond, with its tickets. sync/waitgroup.go, sync/cond.go, sema.go: notifyList.
//   - Burns that are not equally long, if [Costs].Burn or Outlier says so. Equal burns that stay equal keep goroutines
//     in step for ever, in whichever order they began: a lock is then always handed over in the same way, which on a
//     real CPU lasts until the next interrupt. [Typical] costs spread burns evenly over 1%, about what the burn loop
//     varies by from one millisecond to the next on the machine they are of, and make one in 400 an outlier that takes
//     up to twice as long, evenly too: the steal time, interrupts and page faults of a virtual machine, each longer
//     than any of the scheduler's own costs, so that no steady state outlives many of them. The average is what the
//     burn says. Few knots of an even spread suffice, because what matters is that order changes, not by how much.
//   - The sleep of a CPU: while it still looks, asleep, deeply asleep; each has its cost of waking up.
//
// # What is not modelled, and why
//
//   - Caches, memory bandwidth, sharing of a core: work takes its time wherever and beside whomever it runs.
//   - The garbage collector, the stack's growth, allocation: of real code only what stands in a section takes virtual
//     time, with what its own thread collects and allocates in it.
//   - The host: no other process, no interrupts, no frequency, but for what [Costs].Burn takes of them; a thread is
//     always there and one with its CPU.
//   - The period of sysmon, which varies from 20 us to 10 ms: it is taken to look exactly when a slice of 10 ms is
//     over, and at its quickest at system calls.
//   - Input and output: who waits for it waits for a timer.
//   - One who went to the network poller without having looked for work waits for all timers too, and
//     the monitor does not poll.
//   - Timers do not move to another CPU when theirs is idle for long.
//   - A thief knows the time after it has backed off, and so the timers that expired meanwhile; the runtime's goes by
//     its clock of before, and may sleep on for a millisecond.
//   - The records of goroutines that ended are one list, not one for each CPU. It matters only to a thief, who takes a
//     new goroutine for the one before which it backed off if it has that one's record.
//   - Contention inside the runtime: its locks, the atomics of a busy lock or channel; [Costs] are the same however
//     many share.
//   - Preemption within an operation: it comes before the next.
package sim
