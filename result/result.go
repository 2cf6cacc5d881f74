// Package result defines the records of trials and their summaries: metrics with units, resources and warnings.
//
// The JSON of its types is a contract with other programs. A value that could not be measured is null, never 0. The
// name of a metric ends with its unit: see [UnitOf].
package result

import "github.com/brewput/brewput/plan"

// SchemaVersion is the version of the JSON objects. It increases with a change that readers have to follow.
const SchemaVersion = 1

// Status is how a trial ended.
type Status string

// The values of Status.
const (
	OK          Status = "ok"
	Wrong       Status = "wrong-answer" // the answer is wrong, so the trial has no throughput
	Violated    Status = "violated"     // a station had two users at once
	StatusBound Status = "bound"        // the design is a bound, not a solution
	Failed      Status = "failed"       // crash, deadlock or hang
)

// The kinds of trial.
const (
	KindTrial        = "trial"
	KindInstrumented = "observed" // additional trial that records resources; it is in no verdict
)

// The worlds.
const (
	Live    = "live"    // measured on the Go runtime
	Virtual = "virtual" // simulated in virtual time
)

// The types of design.
const (
	Stream = "stream" // an operation that is repeated
	Job    = "job"    // a fixed amount of work that runs once

	Benchmark = "benchmark" // a Go benchmark
)

// The sources of the cost of real code in virtual time.
const (
	RealMeasured = "measured" // CPU time in this run, which varies from run to run
	RealRecorded = "recorded" // a file of recorded costs, written or read by this run
)

// Trial is the result of one trial: a design at a point, in one process or one simulation.
type Trial struct {
	Kind          string     `json:"kind"` // KindTrial or KindInstrumented
	SchemaVersion int        `json:"schema_version"`
	Workload      string     `json:"workload"`
	Design        string     `json:"design"`
	World         string     `json:"world"` // Live or Virtual
	Point         plan.Point `json:"point"`
	Block         int        `json:"block"` // number of the block, from 0
	Order         int        `json:"order"` // position within the block, in the order of execution
	Seed          string     `json:"seed"`
	Status        Status     `json:"status"`
	Expected      bool       `json:"expected"` // the design declares this status
	Error         string     `json:"error,omitempty"`
	Failure       string     `json:"failure,omitempty"` // file of the run directory with details of the failure
	// Lines is the number of lines of code of the design. It is null if the source is not available.
	Lines     *int   `json:"lines"`
	Type      string `json:"type"`                // Stream, Job or Benchmark
	Bound     bool   `json:"bound"`               // the design is a bound, whatever the status
	Reference bool   `json:"peer,omitempty"`      // the design is an independent solution, such as wc
	Guarantee string `json:"guarantee,omitempty"` // of the design, such as "survives power loss"
	Open      bool   `json:"open,omitempty"`      // the load was an open loop
	// Unstable is true for an open loop in which more was offered than could be served. There are no response times.
	Unstable bool `json:"unstable,omitempty"`
	// Invalid is true for a trial that failed because its load was not the requested one. The design is not at fault.
	Invalid bool `json:"invalid,omitempty"`
	// Limited is true for a simulation or a benchmark that reached the limit of real time, or was not run because
	// another trial of its case reached it.
	Limited    bool  `json:"limited,omitempty"`
	Operations int64 `json:"operations"` // completed inside the window
	// Progress is the number of operations inside the window of a closed loop. An operation across an end of the window
	// counts by the fraction of its time inside. Verdicts use it.
	Progress    float64 `json:"progress,omitempty"`
	WallSeconds float64 `json:"wall_seconds"` // length of the window; for a job, how long it ran
	// Period is that of a periodic load in virtual time. Rate and times are then those of one period.
	Period    *Period `json:"period,omitempty"`
	RealCode  string  `json:"real_code,omitempty"` // virtual: RealMeasured or RealRecorded; "" without real code
	Decisions string  `json:"decisions,omitempty"` // virtual: checksum of all scheduling decisions
	// Disturbed is the effect of disturbances on a periodic load in virtual time; absent if none were tried.
	Disturbed *Disturbed `json:"disturbed,omitempty"`
	Metrics   Metrics    `json:"metrics"`
	Resources []Resource `json:"resources"`
	// NotModelled is the reason why a prediction is not shown, which then has no numbers. Only CSV has it.
	NotModelled string   `json:"not_modelled,omitempty"`
	Answer      any      `json:"answer"` // what the workload computed: see workload.Answer
	Warnings    []string `json:"warnings"`
}

// Period is the part of a load in virtual time that repeats itself, exact to the nanosecond.
type Period struct {
	Operations int     `json:"operations"`
	Seconds    float64 `json:"seconds"`
	Repeats    int     `json:"repeats"` // how often it was seen
}

// Good reports whether the trial has numbers to compare: its answer is right, or its design is a bound.
func (t *Trial) Good() bool { return t.Status == OK || t.Status == StatusBound }

// Resource contains what an instrumented trial recorded about the resources with one name. Null means not applicable.
type Resource struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`         // station, mutex, rwmutex or chan
	Count       int      `json:"count"`        // number of resources with this name
	Utilization *float64 `json:"utilization"`  // 0 to 1
	BusyMeanNs  *float64 `json:"busy_mean_ns"` // mean time that a use held the resource
	// WaitMeanNs is the mean time of a use until the lock was acquired or the value received. That of a station is the
	// time of the lock or channel with the station's name.
	WaitMeanNs *float64 `json:"wait_mean_ns"`
	Uses       int64    `json:"uses"`
	Waits      int64    `json:"waits"` // uses that parked
	Violations int64    `json:"violations"`
	Capacity   *int     `json:"capacity,omitempty"`    // of a channel
	Occupancy  *float64 `json:"occupancy,omitempty"`   // channel: mean number of values sent and not yet received
	SendParked *float64 `json:"send_parked,omitempty"` // channel: mean number of goroutines parked in a send
	RecvWaits  *int64   `json:"recv_waits,omitempty"`  // channel: receives that parked
	RecvParked *float64 `json:"recv_parked,omitempty"` // channel: mean number of goroutines parked in a receive
}
