// Package evidence defines the types of evidence about a Go program: its runs, its profiles, a summary of its
// execution trace, and the escape analysis of the compiler. Its API is not stable yet, unlike that of package explain.
//
// The package is pure. Package evidence/collect collects the evidence, and package explain interprets it.
package evidence

import "time"

// Evidence is what is known about the runs of one program. Evidence that was not collected is nil or zero. Each profile
// may come from a run of its own, because profilers disturb each other.
type Evidence struct {
	Program  Program
	Runs     []Run // without any profiler, at one or more numbers of CPUs
	Profiles []Profile
	Trace    *Trace
	Escapes  []Escape // values that the compiler puts on the heap; nil without the source

	// Unfinished is how long a run on one CPU was watched that did not end, unlike those on more CPUs; 0 if none was.
	Unfinished time.Duration

	Notes []string // what makes all conclusions less reliable: a loaded machine, throttling, profiler overhead
}

// Program identifies a program and its source.
type Program struct {
	Name   string // as shown to the user
	Module string // module path; "" if unknown
	Dir    string // directory of the module: positions are reported relative to it
	Main   string // import path of the package that counts as the user's own code; "" if unknown

	// MultipleBenchmarks says that the runs execute several benchmarks in sequence, so that phases mean nothing.
	MultipleBenchmarks bool

	// Source returns a line of a source file, without surrounding spaces, or "" if it is not available. Lines count
	// from 1. A nil Source means that no source is available.
	Source func(file string, line int) string

	// MoreWork returns the flags that give the program at least so many times the work, or "". A nil MoreWork means
	// that they are not known.
	MoreWork func(times int) string
}

// Run holds the measurements of runs without any profiler. If there were several runs, each value is a median.
type Run struct {
	CPUs        int           // GOMAXPROCS
	MachineCPUs int           // CPUs that the process could have used; 0 if unknown
	Count       int           // number of runs
	Wall        time.Duration // elapsed time
	WallLow     time.Duration // the shortest elapsed time
	WallHigh    time.Duration // the longest elapsed time
	User        time.Duration // CPU time in user mode
	System      time.Duration // CPU time in the kernel

	// Read and write system calls and their bytes, as counted by the kernel; -1 if unknown.
	Reads, Writes, ReadBytes, WriteBytes int64

	// Faults are the page faults without a read from a disk, in which the kernel makes memory accessible; 0 if unknown.
	// They, User and System include those of child processes that ended. Children is the CPU time of these. PeakBytes
	// is the most memory of the process, or of its parent when it started; 0 if unknown.
	Faults    int64
	Children  time.Duration
	PeakBytes int64

	Voluntary   int64              // voluntary context switches
	Involuntary int64              // involuntary context switches
	Throttled   time.Duration      // time during which a quota stopped the process; 0 if unknown
	OtherCPUs   float64            // mean number of CPUs that other processes used
	Operations  int64              // operations of the program, such as b.N; 0 if unknown
	Metrics     map[string]float64 // metrics of package runtime/metrics at the end, by name
}

// ProfileKind is what a profile samples.
type ProfileKind string

// The kinds of profiles.
const (
	CPU       ProfileKind = "cpu"
	Heap      ProfileKind = "heap"
	Mutex     ProfileKind = "mutex"
	Block     ProfileKind = "block"
	Goroutine ProfileKind = "goroutine"
)

// Profile is a set of sampled stacks with values.
type Profile struct {
	Kind     ProfileKind
	Types    []string // type and unit of each value: "samples/count", "cpu/nanoseconds", "alloc_objects/count"
	Samples  []Sample
	Duration time.Duration // time that the profile covers; 0 if unknown
	Wall     time.Duration // elapsed time of the profiled run, which shows the overhead; 0 if unknown
}

// Sample is a stack with its values.
type Sample struct {
	Stack  []Frame // innermost function first, with inlined functions
	Values []int64 // one for each of the profile's Types
}

// Frame is a position in a function.
type Frame struct {
	Function string // with its package path: "image/png.(*encoder).writeIDATs"
	File     string
	Line     int // from 1; 0 if unknown
}

// Escape is a value that the compiler allocates on the heap.
type Escape struct {
	File   string
	Line   int
	Reason string // the compiler's message, such as "x escapes to heap"
}
