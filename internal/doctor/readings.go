package doctor

import "time"

// Readings are what was read of a machine and of this program.
type Readings struct {
	Program string // what the user types for this command

	CPUs       int // usable by this process
	Online     Reading[int]
	Procs      int    // GOMAXPROCS, the default number of CPUs of a trial
	ProcsFrom  string // see host.Environment
	Cores      Reading[Cores]
	Hypervisor Reading[bool]

	Load1  Reading[float64] // mean number of threads over the last minute that ran, could have, or waited for a disk
	Window time.Duration    // the examination, of which the following counters are
	Others Reading[float64] // CPUs that other programs used, on average
	Steal  Reading[float64] // CPUs that the host gave to others, on average
	// Throttled counts the periods in which a quota stopped this process, Heat the clock's throttlings by
	// temperature, on all CPUs; Swapped is pages read from and written to swap.
	Throttled, Heat, Swapped Reading[uint64]

	Quota     Reading[Quota]
	Governors Reading[[]string] // of the CPUs' clocks, each once
	Boost     Reading[Boost]
	SMT       Reading[SMT]

	ClockSource  Reading[string]
	ClockSources []string // that can be chosen instead
	ClockRead    Reading[time.Duration]
	TimerSlack   Reading[time.Duration]
	Sleep        Reading[Lateness] // of time.Sleep
	Timer        Reading[Lateness] // of a kernel timer whose descriptor the poller watches

	MemoryTotal, MemoryAvailable Reading[uint64] // bytes, of the machine or below a limit
	MemoryFile                   string          // that sets the limit; "" where there is none
	Battery                      Reading[Battery]

	Costs Reading[Costs] // of the scheduler, for virtual time

	Race, Cover Reading[bool]
	BuildFlags  []string
	GODEBUG     string // of the environment
	GOGC        string // percent in force, or off
	GOMEMLIMIT  string // bytes in force, or off
}

// Cores are the kinds of core.
type Cores struct {
	Performance, Efficiency int
	Fast                    string // a list of the CPUs of the first kind; "" where threads cannot be bound to them
}

// Quota is a limit of CPU time.
type Quota struct {
	CPUs float64 // 0: no limit
	File string  // that sets it
	Lift string  // what to write there for no limit
}

// Boost says whether clocks rise when few CPUs work, and how to turn that off.
type Boost struct {
	On    bool
	File  string
	Write string // to turn it off
}

// SMT is about the hardware threads of a core.
type SMT struct {
	Threads int    // online, the most that any core has
	Usable  int    // of those, by this process
	One     string // a list of CPUs that this process may use, one of each core
}

// Battery is the power supply.
type Battery struct {
	Present bool
	Drains  bool
}

// Costs says whether what the scheduler takes was calibrated on this machine.
type Costs struct {
	Measured time.Time
	Missing  string // why there are none that can be used; "" where there are
}

// Lateness is how long after its time a sleeper woke.
type Lateness struct {
	N           int
	Median, P90 time.Duration
}
