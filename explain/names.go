package explain

// The names of findings.
const (
	UnbufferedIO       Name = "unbuffered-io"
	EscapePerOp        Name = "escape-per-op"
	HotFunction        Name = "hot-function"
	SingleThreaded     Name = "single-threaded"
	SerialPhase        Name = "serial-phase"
	GoroutineTooFine   Name = "goroutine-too-fine"
	UnboundedSpawn     Name = "unbounded-spawn"
	TooFewWorkers      Name = "too-few-workers"
	LoadImbalance      Name = "load-imbalance"
	CoarseLock         Name = "coarse-lock"
	SaturatedResource  Name = "saturated-resource"
	LockConvoy         Name = "lock-convoy"
	RWMutexMisuse      Name = "rwmutex-misuse"
	ChanHandoff        Name = "chan-handoff"
	UnbufferedLockstep Name = "unbuffered-lockstep"
	UndersizedBuffer   Name = "undersized-buffer"
	StageLimited       Name = "stage-limited"
	StopAndWait        Name = "stop-and-wait"
	OneCPUPathology    Name = "one-cpu-pathology"
	WakeLatency        Name = "wake-latency"
	CPUSaturated       Name = "cpu-saturated"
	OSOversubscription Name = "os-oversubscription"
	GCPressure         Name = "gc-pressure"
	GCThrash           Name = "gc-thrash"
	STWStopping        Name = "stw-stopping"
	BlockingSyscall    Name = "blocking-syscall"
	BusyWait           Name = "busy-wait"
	WorkInflation      Name = "work-inflation"
	NotWorthParallel   Name = "not-worth-parallel"
	GoroutineLeak      Name = "goroutine-leak"
	DependencyWait     Name = "dependency-wait"
	LibraryLimit       Name = "library-limit"
	TooFewSamples      Name = "too-few-samples"
	ProfilerNoise      Name = "profiler-noise"
)

// The answers where no change is called for. They are names of the JSON contract, but of no rule.
const (
	None              Name = "none"
	TooLittleEvidence Name = "too-little-evidence"
)

// trait is what holds for every finding of one name.
type trait struct {
	// explains lists the symptoms of the finding: they are dropped where it is found. See dominate.
	symptoms   []Name
	counted    bool // it stands on what the kernel counts, which a short run has as surely as a long one
	allCPUs    bool // a CPU that is not there makes it up: it is dropped on a loaded machine
	oneProgram bool // it is on how the parts of one run lie beside each other
	detail     bool // without a gain it is a detail of the program, not what limits it: it explains nothing then
}

// traits has every finding of a rule.
var traits = map[Name]trait{
	UnbufferedIO: {counted: true, symptoms: []Name{BlockingSyscall, CPUSaturated, HotFunction, LibraryLimit,
		SingleThreaded}},
	EscapePerOp:    {},
	HotFunction:    {detail: true, symptoms: []Name{CPUSaturated}},
	SingleThreaded: {oneProgram: true},
	SerialPhase:    {oneProgram: true, detail: true, symptoms: []Name{CPUSaturated, SingleThreaded}},
	GoroutineTooFine: {symptoms: []Name{LockConvoy, CoarseLock, SaturatedResource, WakeLatency, ChanHandoff,
		SingleThreaded, SerialPhase, CPUSaturated, WorkInflation, LoadImbalance, HotFunction}},
	UnboundedSpawn: {symptoms: []Name{CPUSaturated}},
	TooFewWorkers: {symptoms: []Name{SingleThreaded, DependencyWait, StageLimited, SerialPhase, StopAndWait,
		HotFunction}},
	LoadImbalance: {allCPUs: true, oneProgram: true, detail: true, symptoms: []Name{SerialPhase, CPUSaturated}},
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
	GCPressure:         {symptoms: []Name{CPUSaturated, STWStopping}},
	GCThrash:           {symptoms: []Name{GCPressure, CPUSaturated}},
	STWStopping:        {},
	BlockingSyscall:    {symptoms: []Name{DependencyWait}},
	BusyWait: {symptoms: []Name{ChanHandoff, CPUSaturated, LockConvoy, CoarseLock, WorkInflation, HotFunction,
		LoadImbalance}},
	WorkInflation:    {allCPUs: true, symptoms: []Name{CPUSaturated, HotFunction}},
	NotWorthParallel: {allCPUs: true, symptoms: []Name{CPUSaturated}},
	GoroutineLeak:    {symptoms: []Name{UnboundedSpawn}},
	DependencyWait:   {},
	LibraryLimit: {symptoms: []Name{SingleThreaded, CoarseLock, SaturatedResource, LockConvoy, WakeLatency,
		CPUSaturated}},
	TooFewSamples: {},
	ProfilerNoise: {},
}
