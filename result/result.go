// Package result holds what one trial measured: metrics with units, resources, warnings. Its JSON is
// a contract that other programs rely on.
package result

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
)

// SchemaVersion is the version of the JSON objects. It grows when a reader would have to change.
const SchemaVersion = 1

// Status is how a trial ended.
type Status string

// The ways a trial ends.
const (
	OK          Status = "ok"
	Wrong       Status = "wrong-answer" // its answer is wrong; it has no number
	Violated    Status = "violated"     // a station served two users at once
	StatusBound Status = "bound"        // the design is a bound, not a solution
	Failed      Status = "failed"       // crash, deadlock, hang
)

// The kinds of trial.
const (
	KindTrial        = "trial"
	KindInstrumented = "observed" // the extra trial that watches resources and is in no verdict
)

// The worlds.
const (
	Live    = "live"    // measured, on the Go runtime
	Virtual = "virtual" // calculated, in virtual time
)

// The types of design.
const (
	Stream = "stream" // one operation, repeated
	Job    = "job"    // a fixed amount of work, run once

	Benchmark = "benchmark" // a Go benchmark of somebody's package
)

// Where the cost of real code in virtual time came from.
const (
	RealMeasured = "measured" // its CPU time in this run, which is never quite the same
	RealRecorded = "recorded" // a file that was written or read
)

// Trial is one trial.
type Trial struct {
	Kind          string     `json:"kind"` // KindTrial or KindObserved
	SchemaVersion int        `json:"schema_version"`
	Workload      string     `json:"workload"`
	Design        string     `json:"design"`
	World         string     `json:"world"` // live or virtual
	Point         plan.Point `json:"point"`
	Block         int        `json:"block"`
	Order         int        `json:"order"` // place within the block, in the order of execution
	Seed          string     `json:"seed"`
	Status        Status     `json:"status"`
	Expected      bool       `json:"expected"` // the design declares this status of itself
	Error         string     `json:"error,omitempty"`
	Failure       string     `json:"failure,omitempty"` // the file of the run directory that says more
	// lines of code of the design; null where its source is not at hand
	Lines     *int   `json:"lines"`
	Type      string `json:"type"`           // stream or job
	Bound     bool   `json:"bound"`          // the design is a bound, however the trial ended
	Reference bool   `json:"peer,omitempty"` // the design is somebody else's solution, a yardstick
	Open      bool   `json:"open,omitempty"` // under an open loop
	// open loop: more was offered than could be served; no response times
	Unstable bool `json:"unstable,omitempty"`
	// failed, and not by the design: the load was not the one asked for
	Invalid bool `json:"invalid,omitempty"`
	// virtual: the limit of real time has ended it, or another trial of its case, so that it was not run
	Limited    bool  `json:"limited,omitempty"`
	Operations int64 `json:"operations"`
	// closed loop: the operations inside the window, those across its ends by their share of time inside; what verdicts
	// judge by
	Progress    float64 `json:"progress,omitempty"`
	WallSeconds float64 `json:"wall_seconds"` // the window; for a job, the time it took
	// virtual: of a load that repeats itself; rate and times are then those of one period
	Period *Period `json:"period,omitempty"`
	// virtual: where the cost of real code came from: RealMeasured or RealRecorded
	RealCode  string `json:"real_code,omitempty"`
	Decisions string `json:"decisions,omitempty"` // virtual: checksum of all decisions of the scheduler
	// virtual: what a load that repeats itself does after one burn took longer; absent where none was tried
	Disturbed *Disturbed `json:"disturbed,omitempty"`
	Metrics   Metrics    `json:"metrics"`
	Resources []Resource `json:"resources"`
	// virtual, in CSV alone: why the prediction does not hold; it has no numbers then
	NotModelled string   `json:"not_modelled,omitempty"`
	Answer      any      `json:"answer"`
	Warnings    []string `json:"warnings"`
}

// Period is the stretch that a load repeats, to the nanosecond.
type Period struct {
	Operations int     `json:"operations"`
	Seconds    float64 `json:"seconds"`
	Repeats    int     `json:"repeats"` // how often it was seen
}

// Good reports whether the trial has a number to compare: it is right, or a bound.
func (t *Trial) Good() bool { return t.Status == OK || t.Status == StatusBound }

// Resource is what an observed trial saw of one named resource. A null is not applicable.
type Resource struct {
	Name        string   `json:"name"`
	Kind        string   `json:"kind"`  // station, mutex, rwmutex, chan
	Count       int      `json:"count"` // how many of that name
	Utilization *float64 `json:"utilization"`
	BusyMeanNs  *float64 `json:"busy_mean_ns"` // per use: how long the resource was held
	// per use: until the lock was held or the value received; a station's is that of the lock or channel of its name
	WaitMeanNs *float64 `json:"wait_mean_ns"`
	Uses       int64    `json:"uses"`
	Waits      int64    `json:"waits"` // uses that parked
	Violations int64    `json:"violations"`
	Capacity   *int     `json:"capacity,omitempty"`  // channels
	Occupancy  *float64 `json:"occupancy,omitempty"` // channels: mean number of values sent and not yet received
	SendParked *float64 `json:"send_parked,omitempty"`
	RecvWaits  *int64   `json:"recv_waits,omitempty"` // channels: receives that parked
	// channels: mean number of goroutines parked to send, to receive
	RecvParked *float64 `json:"recv_parked,omitempty"`
}

// Value is one measured number. NaN means that this platform cannot measure it; it is null in JSON
// and "unavailable" in tables, never 0.
type Value float64

// Unavailable is a number that could not be measured.
var Unavailable = Value(math.NaN())

// Known reports whether the value was measured.
func (v Value) Known() bool { return !math.IsNaN(float64(v)) }

// MarshalJSON writes null for an unavailable or infinite value.
func (v Value) MarshalJSON() ([]byte, error) {
	if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(v))
}

// UnmarshalJSON reads null as unavailable.
func (v *Value) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*v = Unavailable
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}

// Metrics are a trial's numbers by name. The name's ending is the unit: see [UnitOf].
type Metrics map[string]Value

// Get returns a metric, unavailable where there is none.
func (m Metrics) Get(name string) Value {
	if v, ok := m[name]; ok {
		return v
	}
	return Unavailable
}

// The metrics of the contract that code refers to by name.
const (
	Throughput  = "throughput_per_s"           // completed operations inside the window / window
	Rate        = "rate_per_s"                 // open loop: customers a second that were asked for
	Goodput     = "goodput_per_s"              // of them those that ended within their customer's patience
	Dropped     = "dropped"                    // customers of the window who found the queue full
	Abandoned   = "abandoned"                  // customers of the window who lost patience
	LostShare   = "lost_share"                 // of the customers of the window, those who were not served
	OfferedLoad = "offered_load"               // rate of arrivals / capacity in a closed loop
	ModelMG1    = "model_mg1_response_mean_ns" // what the formula says of the mean response
	ModelMD1    = "model_md1_response_mean_ns" // the same of a service that takes always as long
	// the window that would be long enough for one of these, where it is too short
	ModelWindow = "model_window_ns"
	// the service of a worker who is alone, where requests take turns and so take longer
	ModelAlone   = "model_alone_ns"
	ResponseP50  = "response_p50_ns"
	ResponseMean = "response_mean_ns"
	LatencyMean  = "latency_mean_ns"
	LatencyP50   = "latency_p50_ns"
	ItemsRate    = "items_per_s"
	BytesRate    = "bytes_per_s"
	WallSeconds  = "wall_seconds" // jobs: how long the whole job took
	CPUSeconds   = "cpu_seconds"
	Parallelism  = "parallelism"          // CPU seconds per second of window
	TimePerOp    = "time_per_op_ns"       // benchmarks: of the wall clock, as go test prints it
	AllocedPerOp = "alloc_bytes_per_op"   // allocated
	AllocsPerOp  = "allocs_per_op"        //
	CPUPerOp     = "cpu_per_op_ns"        // CPU time of the process while operations were timed
	MutexPerOp   = "mutex_wait_per_op_ns" // benchmarks: waits for mutexes, of all goroutines together
	GCPerOp      = "gc_cpu_per_op_ns"     // benchmarks: CPU time of the collections that ended
	SchedPerOp   = "sched_wait_per_op_ns" // benchmarks: of all goroutines together, ready and without a CPU
	Transient    = "transient_seconds"    // virtual: how long after its beginning the load had settled, by MSER-5

	TimingSeconds = "real_timing_seconds" // virtual: what timing one piece of real code costs
)

// Unit is the unit of a metric.
type Unit string

// The units.
const (
	Nanoseconds Unit = "ns"
	PerSecond   Unit = "/s"
	Seconds     Unit = "s"
	Bytes       Unit = "B"
	BytesPerSec Unit = "B/s"
	PerOp       Unit = "/op"
	BytesPerOp  Unit = "B/op"
	Ratio       Unit = ""
)

// Count is a number of things in words: "1 case", "2 cases".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Rounded is a time with the precision of an estimate.
func Rounded(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// UnitOf is the unit that a metric's name declares by its ending.
func UnitOf(metric string) Unit {
	switch {
	case metric == BytesRate:
		return BytesPerSec
	case strings.HasSuffix(metric, "_bytes_per_op"):
		return BytesPerOp
	case strings.HasSuffix(metric, "_per_op"):
		return PerOp
	case strings.HasSuffix(metric, "_per_s"):
		return PerSecond
	case strings.HasSuffix(metric, "_ns"):
		return Nanoseconds
	case strings.HasSuffix(metric, "_seconds"):
		return Seconds
	case strings.HasSuffix(metric, "_bytes"):
		return Bytes
	default:
		return Ratio
	}
}

// LargerIsBetter is the direction of a metric: rates grow, times and costs shrink.
func LargerIsBetter(metric string) bool {
	u := UnitOf(metric)
	return u == PerSecond || u == BytesPerSec || metric == Parallelism
}

// Quantiles are the latency quantiles of the contract, in the order of the distribution.
var Quantiles = []struct {
	Name string
	Q    float64 // 0 and 1 are the extremes
}{
	{"min", 0}, {"p5", 0.05}, {"p25", 0.25}, {"p50", 0.50}, {"p75", 0.75}, {"p90", 0.90},
	{"p95", 0.95}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1},
}

// Summary is a metric of one design at one point over all blocks.
type Summary struct {
	Kind          string     `json:"kind"` // "summary"
	SchemaVersion int        `json:"schema_version"`
	Workload      string     `json:"workload"`
	Design        string     `json:"design"`
	World         string     `json:"world"`
	Point         plan.Point `json:"point"`
	Metric        string     `json:"metric"`
	Median        Value      `json:"median"`
	Low           Value      `json:"low"`  // exact order-statistic interval of the median, at least 95 %;
	High          Value      `json:"high"` // null below 6 trials
	N             int        `json:"n"`
	Bound         bool       `json:"bound"`
	Reference     bool       `json:"peer,omitempty"`
	Mean          *Interval  `json:"mean,omitempty"` // virtual: over the replications
	// virtual: every trial repeats itself and says the same, also after disturbances; low and high are the median
	Exact bool `json:"exact,omitempty"`
	// virtual: two or more, where trials repeat themselves and disturbances change how; low and high span them
	States []State `json:"states,omitempty"`
	// a prediction that does not hold: why; its numbers are null
	NotModelled string `json:"not_modelled,omitempty"`
}

// Interval is a mean with Student's t interval, 95 %, which is null below 2 trials.
type Interval struct {
	Mean Value `json:"mean"`
	Low  Value `json:"low"`
	High Value `json:"high"`
}

// Why a benchmark is not measured in both of two revisions.
const (
	Removed   = "removed" // the base alone has it
	Added     = "added"   // the head alone has it
	HeadSkips = "skips-in-head"
	BaseSkips = "skips-in-base"
	BothSkip  = "skips-in-both"
	HeadFails = "fails-in-head"
	BaseFails = "fails-in-base"
	BothFail  = "fails-in-both"
)

// NotJudged is a benchmark that cannot be compared with its base. Its JSON is a contract.
type NotJudged struct {
	Design string `json:"design"`
	Reason string `json:"reason"`         // one of the constants
	Output   string `json:"said,omitempty"` // by the benchmark, when it failed or skipped itself
}

// notJudged are the reasons in a sentence.
var notJudged = map[string]string{
	Removed: "is only in the base", Added: "is only in the head",
	HeadSkips: "skips itself in the head", BaseSkips: "skips itself in the base",
	BothSkip:  "skips itself in both revisions",
	HeadFails: "goes wrong in the head", BaseFails: "goes wrong in the base", BothFail: "goes wrong in both revisions",
}

// String is a sentence.
func (n NotJudged) String() string {
	text := n.Design + ": not judged: it " + notJudged[n.Reason]
	if n.Output != "" {
		text += ": " + n.Output
	}
	return text
}
