// Package evidence holds the types of evidence about a running program: its runs, its profiles, its execution trace
// added up, and the compiler's decisions. It is pure. Its API is not stable yet, unlike that of package lab. Package
// evidence/collect collects the evidence, and package explain says what it means.
package evidence

import "time"

// Evidence is what is known about the runs of one program. What was not collected is nil or zero; each profile may come
// from a run of its own.
type Evidence struct {
	Program  Program
	Runs     []Run // undisturbed, at one or more numbers of CPUs
	Profiles []Profile
	Trace    *Trace
	Escapes  []Escape // the compiler's decisions, where the source is at hand
	// Notes say what disturbs all claims: a loaded machine, throttled CPUs, overheads of profilers.
	Notes []string
}

// Program is what was looked at.
type Program struct {
	Name   string
	Module string // its path; "" where it is not known
	Dir    string // of the module: positions are given relative to it
	Main   string // import path of the package that the user's own code is judged by, as far as known
	// Several is whether it is several benchmarks, one after the other: nothing follows from how they lie beside each
	// other.
	MultipleBenchmarks bool
	// Source returns a line of a file of the program, "" where it is not at hand.
	Source func(file string, line int) string
}

// Run is one run without any profiler, or the mean of several.
type Run struct {
	CPUs        int // GOMAXPROCS
	MachineCPUs int // CPUs that the process could have used
	Count       int // runs that the figures are medians of
	Wall        time.Duration
	WallLow     time.Duration // of its interval, where there are several
	WallHigh    time.Duration
	User        time.Duration
	System      time.Duration
	Reads       int64 // system calls, as the kernel counts them for the process; -1 unknown
	Writes      int64
	ReadBytes   int64
	WriteBytes  int64
	Voluntary   int64 // context switches
	Involuntary int64
	Throttled   time.Duration // by a quota
	OtherCPUs   float64       // CPUs that other processes used meanwhile, in the mean
	Operations  int64         // b.N or whatever the program counts; 0 unknown
	Metrics     map[string]float64
}

// ProfileKind is what a profile samples.
type ProfileKind string

// The kinds of profile.
const (
	CPU       ProfileKind = "cpu"
	Heap      ProfileKind = "heap"
	Mutex     ProfileKind = "mutex"
	Block     ProfileKind = "block"
	Goroutine ProfileKind = "goroutine"
)

// Profile is a set of stacks with values.
type Profile struct {
	Kind     ProfileKind
	Types    []string // of the values, as "samples/count", "cpu/nanoseconds", "alloc_objects/count"
	Samples  []Sample
	Duration time.Duration // that it covers; 0 unknown
	// of the run that it was taken in, beside that of the undisturbed one: the overhead; 0 unknown
	Wall time.Duration
}

// Sample is a stack and what was found there.
type Sample struct {
	Stack  []Frame // innermost first, inlined functions included
	Values []int64
}

// Frame is a place in a function.
type Frame struct {
	Function string // with its package path
	File     string
	Line     int
}

// Escape is a value that the compiler puts on the heap.
type Escape struct {
	File   string
	Line   int
	Reason string // in the compiler's words
}
