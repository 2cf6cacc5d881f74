package explain

import "time"

// Trace is what an execution trace says, added up while it was read: its size does not grow with the trace's. Times are
// since the first event. Only the program's own goroutines count, not those of the Go runtime or of the profilers.
type Trace struct {
	Duration  time.Duration
	Truncated bool // it ended in the midst, or a limit cut it
	CPUs      int  // GOMAXPROCS, the most there was
	Events    int64

	Demand  Demand
	Classes []Class
	Waits   []Wait
	Calls   []Calls
	Spawns  []Spawn

	Idle       time.Duration // of all CPUs together
	GC         GC
	WakeIdle   Latencies // from being made ready to running, where some CPU was idle
	WakeBusy   Latencies // where none was
	Scheduling Latencies // all of them
}

// Demand is how many of the program's goroutines wanted a CPU, over time: d(t), those running and those runnable.
type Demand struct {
	// At and Wants are steps of the mean of d over equal slices of time, at most 2048; Runs the mean number that ran.
	Slice time.Duration
	Wants []float64
	Runs  []float64
	// For is how long exactly so many wanted a CPU; the last is "that many or more". Work is the CPU time spent meanwhile.
	For  []time.Duration
	Work []time.Duration
	Peak int
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
	Lifetime Latencies // of those that ended
	Bursts   Latencies // from getting a CPU to giving it up
}

// Wait is one site where goroutines parked, with who woke them.
type Wait struct {
	Reason  string // in the trace's words: "chan send", "sync", "select", "sleep", "network"
	Stack   []Frame
	Wakers  []Waker // most frequent first
	Count   int64
	Waited  time.Duration // parked
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
type Calls struct {
	Stack []Frame
	Count int64
	Spent time.Duration
	Lost  int64 // after which the goroutine had to queue for a CPU
	Each  Latencies
}

// Spawn is one site where goroutines were made.
type Spawn struct {
	Stack []Frame
	Class int
	Count int64
}

// GC is what collecting garbage took.
type GC struct {
	Marking time.Duration // some cycle ran
	Assists time.Duration // of the program's goroutines
	Cycles  int
	Stopped time.Duration // the world
	Stop    Latencies
}

// Latencies is a distribution of times.
type Latencies struct {
	Count              int64
	Sum                time.Duration
	P10, P50, P90, P99 time.Duration
	Max                time.Duration
}
