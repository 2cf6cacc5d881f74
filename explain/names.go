package explain

// The names of findings, each with the cause that it stands for.
const (
	UnbufferedIO Name = "unbuffered-io" // each system call reads or writes only a few bytes
	EscapePerOp  Name = "escape-per-op" // each operation allocates a value that could be reused

	// one avoidable call, or a linear search, takes much of the CPU time
	HotFunction        Name = "hot-function"
	SingleThreaded     Name = "single-threaded"     // one goroutine does all the work
	SerialPhase        Name = "serial-phase"        // one goroutine works alone for part of the time
	GoroutineTooFine   Name = "goroutine-too-fine"  // goroutines do less work than it costs to start them
	UnboundedSpawn     Name = "unbounded-spawn"     // far more goroutines than CPUs are runnable at once
	TooFewWorkers      Name = "too-few-workers"     // all workers are in use while CPUs are idle
	LoadImbalance      Name = "load-imbalance"      // one goroutine works while its siblings lack work or ended
	CoarseLock         Name = "coarse-lock"         // a lock is held for most of what its users do
	SaturatedResource  Name = "saturated-resource"  // a lock or pool guards a resource that is always in use
	LockConvoy         Name = "lock-convoy"         // a lock is held briefly, but so often that goroutines park for it
	RWMutexMisuse      Name = "rwmutex-misuse"      // an RWMutex costs more than the section that it guards
	ChanHandoff        Name = "chan-handoff"        // sending values over channels costs more than the work on them
	UnbufferedLockstep Name = "unbuffered-lockstep" // two pipeline stages wait for each other in turns
	UndersizedBuffer   Name = "undersized-buffer"   // a channel buffer is too small for the variation of the stages
	StageLimited       Name = "stage-limited"       // one stage limits the throughput of a pipeline
	StopAndWait        Name = "stop-and-wait"       // a client waits for each reply before it sends the next request
	OneCPUPathology    Name = "one-cpu-pathology"   // the program runs on one CPU of several
	WakeLatency        Name = "wake-latency"        // goroutines wait for idle CPUs to wake up
	CPUSaturated       Name = "cpu-saturated"       // all CPUs are in use
	OSOversubscription Name = "os-oversubscription" // the system gives the process fewer CPUs than GOMAXPROCS
	GCPressure         Name = "gc-pressure"         // garbage collection takes much of the CPU time
	GCThrash           Name = "gc-thrash"           // the memory limit forces the garbage collector to run too often
	STWStopping        Name = "stw-stopping"        // the world is stopped too often or for too long
	BlockingSyscall    Name = "blocking-syscall"    // system calls block their threads for much of the time
	BusyWait           Name = "busy-wait"           // a loop polls instead of blocking
	WorkInflation      Name = "work-inflation"      // the same work takes more CPU time on several CPUs than on one
	PageFaults         Name = "page-faults"         // the kernel makes memory accessible for much of the CPU time
	NotWorthParallel   Name = "not-worth-parallel"  // the program is no faster on several CPUs than on one
	GoroutineLeak      Name = "goroutine-leak"      // goroutines are started and never end
	DependencyWait     Name = "dependency-wait"     // the program waits for something external, or sleeps
	LibraryLimit       Name = "library-limit"       // a lock or a cost inside a library limits the program
	TooFewSamples      Name = "too-few-samples"     // a run is too short to estimate gains
	ProfilerNoise      Name = "profiler-noise"      // profilers take much of the CPU time that they measure
)

// The names of a report in which no rule applies.
const (
	None              Name = "none"                // no rule applies
	TooLittleEvidence Name = "too-little-evidence" // the runs are too short, or were not profiled
)

// trait is what all findings of one name have in common.
type trait struct {
	symptoms []Name // findings that this one explains; see dropSymptoms

	// counted says that the finding rests on counts of the kernel, which are as reliable for short runs.
	counted bool

	allCPUs    bool // other processes can cause it: it is dropped on a loaded machine
	oneProgram bool // it is about the order of the parts of one run, so it does not apply to several benchmarks
	detail     bool // without a gain it is a minor detail, which explains nothing
	diagnosis  bool // without a gain it does not limit the program, although it is worth knowing
	calls      bool // it is about the cost of calls at a line, or of their garbage
	defect     bool // it is wrong whatever it costs
}

// traits holds the traits of all findings.
var traits = map[Name]trait{
	UnbufferedIO: {counted: true, symptoms: []Name{BlockingSyscall, CPUSaturated, HotFunction, LibraryLimit,
		SingleThreaded}},
	EscapePerOp:    {diagnosis: true, calls: true, symptoms: []Name{PageFaults}},
	HotFunction:    {detail: true, calls: true, symptoms: []Name{CPUSaturated}},
	SingleThreaded: {oneProgram: true},
	SerialPhase:    {oneProgram: true, detail: true, symptoms: []Name{CPUSaturated, SingleThreaded}},
	GoroutineTooFine: {symptoms: []Name{LockConvoy, CoarseLock, SaturatedResource, WakeLatency, ChanHandoff,
		SingleThreaded, SerialPhase, CPUSaturated, WorkInflation, LoadImbalance, HotFunction}},
	UnboundedSpawn: {diagnosis: true, symptoms: []Name{CPUSaturated}},
	TooFewWorkers: {symptoms: []Name{SingleThreaded, DependencyWait, StageLimited, SerialPhase, StopAndWait,
		HotFunction}},
	LoadImbalance: {allCPUs: true, oneProgram: true, detail: true, symptoms: []Name{SerialPhase, CPUSaturated,
		SingleThreaded}},
	CoarseLock: {symptoms: []Name{SingleThreaded, SerialPhase, LockConvoy, WakeLatency, TooFewWorkers,
		LoadImbalance, DependencyWait, CPUSaturated, HotFunction, StageLimited}},
	SaturatedResource: {symptoms: []Name{SingleThreaded, SerialPhase, LockConvoy, WakeLatency, LoadImbalance,
		DependencyWait, CPUSaturated, HotFunction, StageLimited, TooFewWorkers}},
	LockConvoy: {symptoms: []Name{SingleThreaded, WakeLatency, CPUSaturated, WorkInflation, ChanHandoff,
		SerialPhase}},
	RWMutexMisuse: {symptoms: []Name{LockConvoy, CoarseLock, SaturatedResource, WorkInflation, CPUSaturated,
		WakeLatency, LibraryLimit}},
	ChanHandoff: {symptoms: []Name{WakeLatency, UnbufferedLockstep, UndersizedBuffer, StageLimited, SingleThreaded,
		TooFewWorkers, CPUSaturated, LockConvoy, SerialPhase}},
	UnbufferedLockstep: {allCPUs: true, symptoms: []Name{SingleThreaded, SerialPhase, WakeLatency,
		UndersizedBuffer, CPUSaturated}},
	UndersizedBuffer: {allCPUs: true, symptoms: []Name{SingleThreaded, SerialPhase, WakeLatency, CPUSaturated}},
	StageLimited: {symptoms: []Name{SingleThreaded, DependencyWait, SerialPhase, UnbufferedLockstep,
		UndersizedBuffer, TooFewWorkers, HotFunction}},
	StopAndWait:        {symptoms: []Name{DependencyWait, SingleThreaded}},
	OneCPUPathology:    {symptoms: []Name{SingleThreaded, CPUSaturated}},
	WakeLatency:        {allCPUs: true, symptoms: []Name{SingleThreaded, CPUSaturated}},
	CPUSaturated:       {},
	OSOversubscription: {symptoms: []Name{CPUSaturated}},
	GCPressure:         {calls: true, symptoms: []Name{CPUSaturated, STWStopping, PageFaults}},
	GCThrash:           {symptoms: []Name{GCPressure, CPUSaturated, PageFaults}},
	STWStopping:        {},
	BlockingSyscall:    {symptoms: []Name{DependencyWait}},
	BusyWait: {symptoms: []Name{ChanHandoff, CPUSaturated, LockConvoy, CoarseLock, WorkInflation, HotFunction,
		LoadImbalance}},
	WorkInflation:    {allCPUs: true, symptoms: []Name{CPUSaturated, HotFunction}},
	PageFaults:       {diagnosis: true},
	NotWorthParallel: {allCPUs: true, symptoms: []Name{CPUSaturated}},
	GoroutineLeak:    {diagnosis: true, defect: true, symptoms: []Name{UnboundedSpawn}},
	DependencyWait:   {},
	LibraryLimit: {calls: true, symptoms: []Name{SingleThreaded, CoarseLock, SaturatedResource, LockConvoy, WakeLatency,
		CPUSaturated}},
	TooFewSamples: {},
	ProfilerNoise: {diagnosis: true},
}
