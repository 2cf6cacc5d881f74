package explain

import "time"

// Report is the answer.
type Report struct {
	Findings    []Finding // by rank; never empty: None or TooLittle where there is nothing to say
	CPUTime     CPUTime
	Parallelism Parallelism
	Phases      []Phase  // of d(t), in the order of time
	Notes       []string // what disturbs all claims
}

// Ledger is where the CPUs' time went: its entries add up to CPUs x Wall.
type CPUTime struct {
	Source  string // what it was added up from
	CPUs    int
	Wall    time.Duration
	Entries []Entry
}

// Entry is one line of a ledger.
type Entry struct {
	Name  string        `json:"name"` // one of the names below
	Time  time.Duration `json:"cpu_nanoseconds"`
	Share float64       `json:"share"` // of CPUs x Wall
}

// The lines of a ledger.
const (
	UserCode         = "user code"
	Allocation       = "allocation"
	Channels         = "channels"
	Locks            = "locks"
	Scheduler        = "scheduler"
	GarbageCollector = "garbage collector"
	SystemCalls      = "system calls"
	Profiler         = "profiler"
	Idle             = "idle"
)

// Parallelism is how much of the machine the program asked for, by the trace's d(t), or by CPU time where there is
// none.
type Parallelism struct {
	CPUs    int
	Running float64 // goroutines that ran, in the mean
	Demand  float64 // and those that wanted to
	// Serial is the fraction of the work done while exactly one goroutine wanted a CPU; NaN unknown. Limit is Amdahl's
	// ceiling on the speed-up over one CPU, 1/Serial with any number of CPUs, and At that with CPUs.
	SerialFraction, MaxSpeedup, Speedup float64
	// Inflation is the CPU time at several CPUs by that at one, for the same work; NaN where only one was measured.
	Inflation float64
}

// Phase is a stretch of time between change-points of d(t).
type Phase struct {
	From, To time.Duration
	Demand   float64 // means
	Running  float64
}
