package evidence

import "time"

// Trace is the summary of an execution trace. Its size does not grow with that of the trace. Times count from the first
// event. Only the program's own goroutines are included, not those of the Go runtime or of profilers.
type Trace struct {
	Duration  time.Duration
	Truncated bool  // the trace ends early, or a limit cut it
	CPUs      int   // largest GOMAXPROCS during the trace
	Events    int64 // number of events

	Demand   Demand
	Classes  []Class
	Waits    []Wait
	Syscalls []SyscallSite
	Spawns   []Spawn

	// Resources are the locks and channels, told apart by the sites that wake each other.
	Resources []Resource

	Idle       time.Duration // CPU time that was idle, summed over all CPUs
	Running    time.Duration // CPU time of the program's goroutines, with system calls that keep the CPU
	Searching  time.Duration // CPU time in the scheduler: the CPU was not idle, but had no goroutine
	Background time.Duration // CPU time of the goroutines of the runtime and the tracer, without the garbage collector
	GC         GC
	WakeIdle   Latencies // wake-up latency (from ready to running) if some CPU was idle
	WakeBusy   Latencies // wake-up latency if no CPU was idle
	Scheduling Latencies // time in the run queue for all goroutines that became runnable
}

// Demand is the number of the program's goroutines that want a CPU, over time: those running plus those runnable.
type Demand struct {
	// Mean and Running are time series with one value for each slice of time: the mean number of goroutines that wanted
	// a CPU, and of those that ran. Slice is the length of a slice. There are at most 2048 slices.
	Slice   time.Duration
	Mean    []float64
	Running []float64

	// Time[n] is how long exactly n goroutines wanted a CPU, and CPUTime[n] is the CPU time that goroutines used
	// meanwhile. The last element is for that number or more.
	Time    []time.Duration
	CPUTime []time.Duration

	Peak  int           // largest number of goroutines that wanted a CPU
	Spare time.Duration // how long fewer goroutines than CPUs wanted a CPU
}

// Class is a set of goroutines with the same start function, or the same creation site.
type Class struct {
	Start    Frame                    // the start function
	Created  []Frame                  // stack of the go statement; empty if unknown
	Count    int64                    // goroutines of the class
	Peak     int                      // largest number at one time
	Running  time.Duration            // sum over all goroutines, as are the next three
	Runnable time.Duration            // time in a run queue
	Waiting  map[string]time.Duration // by the trace's reason
	Syscall  time.Duration            // time in system calls
	Lifetime Latencies                // from creation to end, of goroutines that ended
	Bursts   Latencies                // from getting a CPU to giving it up
	Busy     Latencies                // total running time of each goroutine that ended
	Alone    time.Duration            // time during which only one goroutine, of this class, wanted a CPU

	// Tail is the part of Alone after other goroutines of the same batch had ended: the end of a fork and join.
	Tail time.Duration

	Batches int64         // number of batches; a batch ends when no goroutine of the class lives
	First   time.Duration // creation of the first goroutine
	Last    time.Duration // creation of the last goroutine
	Alive   int64         // goroutines that live at the end
	Stuck   int64         // of these, the ones that have waited at one site for a tenth of the trace or longer
	StuckAt int           // index of that site in Trace.Waits; -1 if there is none
	Members []Member      // the 16 goroutines that ran longest, in that order
}

// Member is one goroutine of a class.
type Member struct {
	Born, Ended time.Duration // Ended is the end of the trace for goroutines that live
	Running     time.Duration
	Runnable    time.Duration
	ChannelWait time.Duration
	LockWait    time.Duration
	External    time.Duration // sleeping, waiting for the network, or in a system call that gave up the CPU
}

// Resource is a lock or a channel, identified by sites that wake each other. Locks or channels that share all their
// code cannot be told apart: they are one resource.
type Resource struct {
	Kind  ResourceKind
	Waits []int // indices of Trace.Waits: the sites where goroutines waited for it

	// Busy is how long at least one goroutine waited for the resource, from parking to running again. For a channel it
	// covers senders and receivers. Starved is the part of Busy during which a CPU had nothing to do.
	Busy, Starved time.Duration

	// Full is how long at least one sender of a channel was parked, Empty the same for receivers. The counts are
	// numbers of parkings.
	Full, Empty           time.Duration
	FullCount, EmptyCount int64

	Count int64 // number of parkings

	// Holds are the holding times of a lock that begin and end within the trace: from running again after a wait to
	// waking the next goroutine. HeldRunning is the CPU time in them.
	Holds       Latencies
	HeldRunning time.Duration

	Sites [][]Frame // the stacks that wait for the resource or wake waiters
}

// ResourceKind tells locks and channels apart.
type ResourceKind string

// The kinds of resources.
const (
	ResourceMutex   ResourceKind = "mutex"
	ResourceRWMutex ResourceKind = "rwmutex"
	ResourceChannel ResourceKind = "channel"
)

// Op is the operation for which a goroutine waits.
type Op string

// The operations for which goroutines wait, derived from the trace's reason and the innermost functions of the stack.
const (
	OpMutex     Op = "mutex"
	OpRWMutex   Op = "rwmutex"
	OpWaitGroup Op = "waitgroup"
	OpCond      Op = "cond"
	OpSend      Op = "send"
	OpReceive   Op = "receive"
	OpSelect    Op = "select"
	OpSleep     Op = "sleep"
	OpNetwork   Op = "network"
	OpYield     Op = "yield" // runtime.Gosched: the goroutine stays runnable
	OpCollector Op = "collector"
	OpOther     Op = "other"
)

// Wait is one site where goroutines parked, with the sites that woke them.
type Wait struct {
	Reason  string // in the trace's words: "chan send", "sync", "select", "sleep", "network"
	Op      Op
	Stack   []Frame
	Wakers  []Waker       // most frequent first
	Count   int64         // number of parkings
	Waited  time.Duration // total time of waits that ended
	Pending time.Duration // total time of waits that had not ended when the trace ended
	Queued  time.Duration // total time in a run queue after the waits
	Waits   Latencies     // of waits that ended
	Classes []int         // indices of Trace.Classes: the classes that waited here
}

// Waker is a site that made waiting goroutines runnable.
type Waker struct {
	Stack []Frame // empty for a timer, the network poller or the runtime
	Count int64   // number of wake-ups
	Class int     // index of the waker's class in Trace.Classes; -1 if there is none
}

// SyscallSite is one site that makes system calls.
type SyscallSite struct {
	Stack []Frame
	Count int64         // number of calls
	Spent time.Duration // total time
	Lost  int64         // calls after which the goroutine had to queue for a CPU
	Each  Latencies     // time of each call
	Class int           // index of the first caller's class in Trace.Classes
}

// Spawn is one site that starts goroutines.
type Spawn struct {
	Stack []Frame
	Class int   // index of Trace.Classes
	Count int64 // goroutines started
}

// GC is the cost of garbage collection, and of stopping the world for any reason.
type GC struct {
	Marking     time.Duration // elapsed time of the mark phases
	Assists     time.Duration // CPU time that the program's goroutines spent on mark assists
	Workers     time.Duration // CPU time of the collector's goroutines
	Cycles      int           // number of collections
	Stopped     time.Duration // total time with the world stopped, except to start and stop the tracer
	StopLatency Latencies     // time of each stop
	Stops       []Stop        // by reason, the longest total first
}

// Stop is the sum of the stops of the world for one reason, requested at one site.
type Stop struct {
	Reason string
	Stack  []Frame
	Count  int64
	Spent  time.Duration // total time
}

// Latencies is a summary of a distribution of times. Quantiles are exact to 1/16.
type Latencies struct {
	Count              int64
	Sum                time.Duration
	P10, P50, P90, P99 time.Duration
	Max                time.Duration
}
