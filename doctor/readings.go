package doctor

import "time"

// Readings are the values that were read of a machine and of this program.
type Readings struct {
	Program string // name that the user types for this command

	CPUs       int // usable by this process
	Online     Reading[int]
	Procs      int    // GOMAXPROCS, the default number of CPUs of a trial
	ProcsFrom  string // see result.Environment
	Cores      Reading[Cores]
	Hypervisor Reading[bool]

	Load1  Reading[float64] // load average of the last minute: threads that were runnable or waited for a disk
	Window time.Duration    // length of the examination, which the following counters cover
	Others Reading[float64] // CPUs used by other programs, on average
	Steal  Reading[float64] // CPUs that the host gave to other machines, on average
	// Throttled counts the periods in which a quota stopped this process. Heat counts the throttlings by
	// temperature on all CPUs. Swapped counts the pages read from and written to swap.
	Throttled, Heat, Swapped Reading[uint64]

	Quota     Reading[Quota]
	Governors Reading[[]string] // distinct governors of the CPUs' clocks
	Boost     Reading[Boost]
	SMT       Reading[SMT]

	ClockSource  Reading[string]
	ClockSources []string // the available alternatives
	ClockRead    Reading[time.Duration]
	TimerSlack   Reading[time.Duration]
	Sleep        Reading[Lateness] // of time.Sleep
	Timer        Reading[Lateness] // of a kernel timer whose descriptor the poller watches

	MemoryTotal, MemoryAvailable Reading[uint64] // in bytes, of the machine or of a limit
	MemoryFile                   string          // file that sets the limit; "" if there is none
	Battery                      Reading[Battery]

	Costs Reading[Costs] // scheduler costs for virtual time

	Race, Cover Reading[bool]
	BuildFlags  []string
	GODEBUG     string // of the environment
	GOGC        string // percent in force, or off
	GOMEMLIMIT  string // bytes in force, or off
}

// Cores are the numbers of cores by kind.
type Cores struct {
	Performance, Efficiency int
	Fast                    string // list of the performance CPUs; "" if threads cannot be bound to them
}

// Quota is a limit of CPU time.
type Quota struct {
	CPUs float64 // 0: no limit
	File string  // file that sets it
	Lift string  // value to write there for no limit
}

// Boost describes whether clocks rise when few CPUs work, and how to turn that off.
type Boost struct {
	On    bool
	File  string
	Write string // value to write to turn it off
}

// SMT describes the hardware threads of a core.
type SMT struct {
	Threads int    // online, the maximum over all cores
	Usable  int    // of those, usable by this process
	One     string // list of usable CPUs, one of each core
}

// Battery describes the power supply.
type Battery struct {
	Present bool
	Drains  bool
}

// Costs reports whether the scheduler's costs were calibrated on this machine.
type Costs struct {
	Measured time.Time
	Missing  string // why there are no usable costs; "" if there are
}

// Lateness is the time between the due time of a sleeper and its wake-up.
type Lateness struct {
	N           int
	Median, P90 time.Duration
}
