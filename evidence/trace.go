package evidence

import "time"

// Trace is what an execution trace says, added up while it was read: its size does not grow with the trace's. Times are
// since the first event. Only the program's own goroutines count, not those of the Go runtime or of the profilers.
type Trace struct {
	Duration  time.Duration
	Truncated bool // it ended in the midst, or a limit cut it
	CPUs      int  // GOMAXPROCS, the most there was
	Events    int64

	Demand   Demand
	Classes  []Class
	Waits    []Wait
	Syscalls []SyscallSite
	Spawns   []Spawn
	// Resources are the locks and channels, as far as who wakes whom tells them apart.
	Resources []Resource

	Idle       time.Duration // of all CPUs together
	Running    time.Duration // CPUs running the program's goroutines, system calls that kept the CPU included
	Searching  time.Duration // CPUs that no goroutine had, though they were not idle: the scheduler
	Background time.Duration // CPUs running the Go runtime's goroutines other than the collector's, and the tracer's
	GC         GC
	WakeIdle   Latencies // from being made ready to running, where some CPU was idle
	WakeBusy   Latencies // where none was
	Scheduling Latencies // all of them
}

// Demand is how many of the program's goroutines wanted a CPU, over time: d(t), those running and those runnable.
type Demand struct {
	// At and Wants are steps of the mean of d over equal slices of time, at most 2048; Runs the mean number that ran.
	Slice   time.Duration
	Mean    []float64
	Running []float64
	// For is how long exactly so many wanted a CPU; the last is "that many or more". Work is the CPU time spent
	// meanwhile.
	Time    []time.Duration
	CPUTime []time.Duration
	Peak    int
	// Spare is how long some CPU had nothing to do: fewer wanted one than there are.
	Spare time.Duration
}

// Class is the goroutines with one start function, or one creation site.
type Class struct {
	Start    Frame // of the function that they run
	Created  []Frame
	Count    int64
	Peak     int // at one time
	Running  time.Duration
	Runnable time.Duration
	Waiting  map[string]time.Duration // by reason
	Syscall  time.Duration
	Lifetime Latencies     // of those that ended
	Bursts   Latencies     // from getting a CPU to giving it up
	Busy     Latencies     // how long each of those that ended ran in all
	Alone    time.Duration // in which one of them was the only goroutine that wanted a CPU
	// Tail is the part of Alone in which others that had run beside it were done: the end of a fork and join.
	Tail    time.Duration
	Batches int64         // times that there were some, from the first to the last that lived together
	First   time.Duration // when the first and the last was made
	Last    time.Duration
	Alive   int64 // at the end
	Stuck   int64 // of these, waiting at one and the same site since long: at least a tenth of the trace
	StuckAt int   // index of Trace.Waits; -1 none
	Members []Member
}

// Member is one goroutine of a class: the 16 that ran longest are kept.
type Member struct {
	Born, Ended time.Duration // Ended is the trace's end for those that live
	Running     time.Duration
	Runnable    time.Duration
	ChannelWait time.Duration // waiting
	LockWait    time.Duration
	External    time.Duration // sleeping, waiting for the network, or in a system call that gave up the CPU
}

// Resource is a lock or a channel: sites that wake each other. Those that share all their code cannot be told apart.
type Resource struct {
	Kind  Op    // OpMutex, OpRWMutex, OpChannel
	Waits []int // indices of Trace.Waits, where goroutines waited for it
	// Busy is how long somebody waited for it (of a channel: to send, or to receive), from parking to running again.
	// Starved is the part of that in which a CPU had nothing to do.
	Busy, Starved time.Duration
	// Full is how long a sender was parked, Empty a receiver; counts are of parkings. Of locks all is in Busy.
	Full, Empty           time.Duration
	FullCount, EmptyCount int64
	Count                 int64 // of parkings
	// Holds are those of locks that began and ended in view: from running again to waking the next. HeldRunning is the
	// CPU time in them.
	Holds       Latencies
	HeldRunning time.Duration
	Sites       [][]Frame // where it is used: waiting and waking
}

// Op is what a goroutine waits for.
type Op string

// What goroutines wait for: primitives, as told by the trace's reason and the innermost functions.
const (
	OpMutex     Op = "mutex"
	OpRWMutex   Op = "rwmutex"
	OpWaitGroup Op = "waitgroup"
	OpCond      Op = "cond"
	OpSend      Op = "send"
	OpReceive   Op = "receive"
	OpSelect    Op = "select"
	OpChannel   Op = "channel" // of resources
	OpSleep     Op = "sleep"
	OpNetwork   Op = "network"
	OpYield     Op = "yield" // runtime.Gosched: it does not wait, it queues
	OpCollector Op = "collector"
	OpOther     Op = "other"
)

// Wait is one site where goroutines parked, with who woke them.
type Wait struct {
	Reason  string // in the trace's words: "chan send", "sync", "select", "sleep", "network"
	Op      Op
	Stack   []Frame
	Wakers  []Waker // most frequent first
	Count   int64
	Waited  time.Duration // parked, in waits that have ended
	Pending time.Duration // in those that had not when the trace ended
	Queued  time.Duration // then runnable
	Waits   Latencies
	Classes []int // indices of Trace.Classes
}

// Waker is a site that made goroutines ready.
type Waker struct {
	Stack []Frame // empty: a timer, the network poller or the GC
	Count int64
	Class int // of the waker; -1 none
}

// Calls are the system calls made at one site.
type SyscallSite struct {
	Stack []Frame
	Count int64
	Spent time.Duration
	Lost  int64 // after which the goroutine had to queue for a CPU
	Each  Latencies
	Class int // of the first caller
}

// Spawn is one site where goroutines were made.
type Spawn struct {
	Stack []Frame
	Class int
	Count int64
}

// GC is what collecting garbage took.
type GC struct {
	Marking     time.Duration // some cycle ran
	Assists     time.Duration // of the program's goroutines
	Workers     time.Duration // CPUs running the collector's goroutines
	Cycles      int
	Stopped     time.Duration // the world, starting and stopping the tracer apart
	StopLatency Latencies
	Stops       []Stop
}

// Stop is why the world was stopped.
type Stop struct {
	Reason string
	Stack  []Frame
	Count  int64
	Spent  time.Duration
}

// Latencies is a distribution of times.
type Latencies struct {
	Count              int64
	Sum                time.Duration
	P10, P50, P90, P99 time.Duration
	Max                time.Duration
}
