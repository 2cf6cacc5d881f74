// Package sim simulates goroutines on virtual CPUs under the rules of Go's scheduler, in nanoseconds of
// virtual time. A goroutine is a list of operations ([Program]), or Go code in a coroutine ([Runner], as
// package env/virtual makes them). This one works for 1 ms:
//
//	p := sim.NewProgram("worker")
//	p.Set(sim.R0, 1_000_000)
//	p.Burn(sim.R0)
//	k := sim.New(sim.Config{CPUs: 2, Costs: sim.Typical()})
//	k.Start(k.Goroutine(p))
//	k.Run() // k.Now() is 1 ms, and the costs of the scheduler
//
// A run depends only on the program and the [Config], which lists what is modelled and what is not.
package sim

const (
	// MaxCPUs is the largest [Config].CPUs.
	MaxCPUs = 1024

	// Unlimited, as [Config].CPUs, is a machine with one CPU for every goroutine, and so without a scheduler. A
	// goroutine that is made ready continues at that instant, after everything that was already due then. There are
	// no run queues, no stealing, no preemption, no wake-ups, and no system call that keeps a CPU. Only channels,
	// select and the primitives of package sync remain. Of the [Costs] only those of operations are paid.
	Unlimited = -1
)

// Config describes the simulated machine and its scheduler, which is that of Go 1.26.
//
// Only [Burn], timers, system calls and [Costs] take virtual time. Events of one instant happen in the order in
// which they were scheduled. A CPU continues until its goroutine parks or time must pass; then the next CPU has its
// turn.
//
// # What is modelled
//
// Each rule names its place in Go's source, below src/. Functions of the runtime are in proc.go unless another file
// is named.
//
//   - Run queues: each CPU has a queue of 256 goroutines and a run-next slot before it. A goroutine displaced from
//     run-next goes to the tail. A full queue moves its first half and the new goroutine to the global queue. runqput,
//     runqputslow.
//   - A goroutine from run-next shares the time slice of the one that ran before it. runqget, execute (schedtick).
//   - A goroutine that is started or made ready becomes run-next of the CPU that did it, and another CPU is woken.
//     newproc, ready.
//   - Wake-up: wakep wakes one idle CPU, the last that became idle, unless a CPU is already looking for work. A CPU
//     that looked and found work wakes the next. wakep, resetspinning, pidleget.
//   - The search for work: expired timers of the CPU; the global queue, every 61st tick; the local queue; the CPU's
//     share of the global queue, at most 128; stealing. findRunnable, globrunqgetbatch.
//   - At most half as many CPUs look for work as are in use. findRunnable (nmspinning).
//   - Work stealing: four rounds over all CPUs in random order, each taking half of a queue, rounded up. The last
//     round also takes expired timers and run-next. The thief backs off (usleep(3)) before it takes run-next, unless
//     that CPU is in a system call or waits for its thread. A back-off without a cost still lets every other CPU have
//     its turn first. If the same goroutine is in run-next afterwards, it is taken, even if it has run meanwhile and
//     others wait in the queue. If it is another one, the thief starts again with that queue. stealWork, runqgrab,
//     randomOrder.
//   - A CPU that found no work declares itself idle, and then checks all queues and timers once more. findRunnable,
//     checkRunqsNoP, checkTimersNoP.
//   - Preemption after 10 ms, to the global queue. sysmon, retake, gopreempt_m (forcePreemptNS).
//   - Gosched goes to the global queue. The yield of a semaphore's hand-off goes to the local queue. goschedImpl,
//     goyield.
//   - System calls: the CPU stays with the call until the monitor takes it away: after 20 us if other goroutines need
//     it, otherwise after 10 ms. A goroutine that returns takes its old CPU from another call, or an idle CPU, or goes
//     to the global queue. retake, handoffp, exitsyscallTryGetP, exitsyscallNoP.
//   - Timers belong to the CPU that started them, which checks them when it schedules. If timers exist, the first
//     thread that finds nothing to do sleeps in the network poller, without a CPU, until the first one is due. Then it
//     takes an idle CPU and searches for work. Without an idle CPU, a timer may be late until the next preemption. A
//     goroutine that starts the first timer of a CPU while no thread is in the poller wakes one to go there.
//     time.go: timers.check, maybeAdd; findRunnable (pollUntil), wakeNetPoller, handoffp.
//   - The network poller sleeps for the whole milliseconds that are left, at least one, and then checks again
//     ([Costs].PollGrain). Network input, or an earlier timer (netpollBreak), ends its sleep at once.
//     netpoll_epoll.go: netpoll.
//   - A goroutine woken by a timer passes through run-next. It shares the time slice of the goroutine that ran before
//     on that CPU, even if the CPU was idle meanwhile. stealWork (inheritTime), execute.
//   - Channels: a sender hands its value to the first waiting receiver. A receiver from a full buffer takes its head,
//     and appends the value of the first waiting sender. Both wait queues are FIFO. Close wakes the receivers and then
//     the senders, each in reverse order. chan.go: chansend, chanrecv, closechan.
//   - Select: all cases are checked at one instant in uniformly random order. A goroutine that parks waits in the
//     queues of all cases. select.go: selectgo.
//   - Mutex: barging; up to four rounds of spinning while another CPU runs and no local work waits; LIFO for a
//     goroutine that waits again; starvation mode after 1 ms, with hand-off of the lock and the CPU.
//     internal/sync/mutex.go, sema.go: semacquire1, semrelease1; runtime_canSpin.
//   - RWMutex: a waiting writer blocks new readers and waits for the present ones. sync/rwmutex.go.
//   - WaitGroup, with its panics, and Cond, with its tickets. sync/waitgroup.go, sync/cond.go, sema.go: notifyList.
//   - Burn times that vary, if [Costs].Burn or Outlier is set. Without variation, equal burns keep goroutines in step
//     for ever, in the order in which they began, and a lock is always handed over in the same way. On a real CPU that
//     lasts until the next interrupt. [Typical] costs spread burns evenly over 1%, which is the variation of the burn
//     loop from one millisecond to the next on the machine they were measured on. One burn in 400 is an outlier, which
//     takes up to twice as long, evenly distributed. Outliers stand for the steal time, interrupts and page faults of a
//     virtual machine. Each exceeds any cost of the scheduler, so that no steady state outlives many of them. The mean
//     is the nominal time. An even spread needs few knots, because what matters is that the order changes, not by how
//     much.
//   - Wake-up latency of a CPU: while it still looks for work, when it sleeps, and when it sleeps deeply. Each state
//     has its cost.
//
// # What is not modelled
//
//   - Caches, memory bandwidth, and cores that share units: work takes its time wherever it runs, and whatever runs
//     on other CPUs.
//   - The garbage collector, stack growth and allocation. Of real code, only its measured sections take virtual time;
//     that includes the collection and allocation done by their own thread.
//   - The host: other processes, interrupts and frequency changes, except for the variation of [Costs].Burn. A thread
//     is always available, and keeps its CPU.
//   - The period of sysmon, which varies from 20 us to 10 ms. The simulated one checks exactly when a slice of 10 ms
//     is over, and checks system calls at its shortest period.
//   - Input and output: a goroutine that waits for it waits for a timer.
//   - A thread that enters the network poller without having looked for work also waits for all timers. The monitor
//     does not poll the network.
//   - Timers do not move to another CPU when their own is idle for long.
//   - A thief reads the clock after its back-off, and so sees timers that expired meanwhile. The runtime uses the
//     earlier time, and may sleep for another millisecond.
//   - Records of goroutines that ended are in one list, not in one for each CPU. This matters only to a thief: it takes
//     a new goroutine for the one before which it backed off if the new one has that record.
//   - Contention inside the runtime, such as its locks and the atomic operations of a contended lock or channel.
//     [Costs] do not depend on how many goroutines share an object.
//   - Preemption within an operation: it happens before the next one.
type Config struct {
	// CPUs is 1 to MaxCPUs, or Unlimited.
	CPUs int
	// Seed determines the scheduler's random choices and the costs that are drawn from a distribution.
	Seed uint64
	// Costs are the times that the scheduler and its primitives take.
	Costs Costs
	// Stretch, if not nil, returns by how many nanoseconds a burn lasts longer, at least 0. It shows the effect of
	// disturbing one burn. The kernel calls it as a burn begins, with the nominal time; the goroutine is
	// [Kernel.Current]. It is not called for burns of 0 or less, for [Exact] burns, or on Unlimited CPUs.
	Stretch func(ns int64) int64
}
