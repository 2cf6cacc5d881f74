package explain

import "time"

// Report is the analysis of one program.
type Report struct {
	Findings    []Finding // by rank; never empty: [None] or [TooLittleEvidence] if no rule applies
	CPUTime     CPUTime
	Parallelism Parallelism
	Phases      []Phase  // in order of time; nil without an execution trace
	Notes       []string // what makes all findings less reliable, such as a loaded machine
}

// CPUTime is the CPU-time breakdown of a run: what the CPUs did. The entries add up to CPUs times Wall, or to the CPU
// time that was used if the number of CPUs is unknown.
type CPUTime struct {
	Source  string        // the evidence: "CPU profile", "execution trace" or "CPU time"; "" if there is none
	CPUs    int           // CPUs that the program could use; 0 if unknown, for a CPU profile alone
	Wall    time.Duration // of an undisturbed run if there is one, or else of the trace or profile
	Entries []Entry       // only those above zero
}

// Entry is one part of a CPU-time breakdown.
type Entry struct {
	Name  string        `json:"name"` // [UserCode] or another constant of this group
	Time  time.Duration `json:"cpu_nanoseconds"`
	Share float64       `json:"share"` // 0 to 1, of the sum of all entries
}

// The names of the parts of a CPU-time breakdown.
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

// Parallelism is how many CPUs the program used and wanted.
type Parallelism struct {
	CPUs    int     // CPUs that the program could use; 0 if unknown
	Running float64 // mean number of running goroutines, from the CPU time
	Demand  float64 // mean number of running and runnable goroutines; equal to Running without an execution trace

	// SerialFraction is the fraction of the work, 0 to 1, done while exactly one goroutine wanted a CPU. MaxSpeedup is
	// the speed-up over one CPU that Amdahl's law allows on any number of CPUs, and Speedup the one on CPUs. All three
	// are NaN without an execution trace, and the last two for a program that is slower on several CPUs than on one.
	SerialFraction, MaxSpeedup, Speedup float64

	// Inflation is the CPU time on several CPUs divided by the CPU time on one CPU, for the same work. It is NaN if
	// only one number of CPUs was measured.
	Inflation float64
}

// Phase is a stretch of time in which the demand for CPUs is about constant. Phases are separated by change points.
type Phase struct {
	From, To time.Duration // since the beginning of the trace
	Demand   float64       // mean number of running and runnable goroutines
	Running  float64       // mean number of running goroutines
}
