package result

import "time"

// KindCalibration is the kind of a Calibration.
const KindCalibration = "calibration"

// Calibration contains the measured costs of the scheduler and its primitives on one machine. Its JSON is a contract,
// and the format in which calibrations are stored.
type Calibration struct {
	Kind          string         `json:"kind"` // KindCalibration
	SchemaVersion int            `json:"schema_version"`
	Fingerprint   string         `json:"fingerprint"` // identifies the machine, see result.Machine
	GoVersion     string         `json:"go_version"`
	Measured      time.Time      `json:"measured"` // when it was measured
	Seconds       float64        `json:"seconds"`  // how long it took
	Rounds        int            `json:"rounds"`   // each round runs every microprogram in a process of its own
	Costs         string         `json:"costs"`    // in the format of sim.ParseCosts
	Prices        []CostEstimate `json:"prices"`
	// HandOvers compares simulated wake-up latencies with live ones. It is absent on a machine with one CPU, and in
	// calibrations that were stored before this field was added.
	HandOvers []HandOver      `json:"hand_overs,omitempty"`
	Ladder    []OperationCost `json:"ladder"`
	Warnings  []string        `json:"warnings"`
}

// Estimate is a median in ns with its 95% confidence interval over the rounds. Below 6 rounds the ends are null.
type Estimate struct {
	Median Value `json:"median_ns"`
	Low    Value `json:"low_ns"`
	High   Value `json:"high_ns"`
}

// CostEstimate is the estimate of one cost of the scheduler, with a check of the simulation against a measurement. The
// cost burn is a fraction; its times are those of a burn of 1 ms, so that 1 ns is a millionth.
type CostEstimate struct {
	Cost string `json:"cost"` // name of the cost, as in sim.ParseCosts
	Estimate
	// The 10% and 90% quantiles of a cost that is a distribution; otherwise null.
	P10 Value `json:"p10_ns"`
	P90 Value `json:"p90_ns"`
	// The check: the median of one reading of a microprogram in ns, live and in virtual time with all costs.
	Reading string `json:"reading"` // describes what is read
	Live    Value  `json:"live_ns"`
	Virtual Value  `json:"virtual_ns"`
}

// HandOver is the wake-up latency: the time from when a goroutine becomes runnable until another CPU runs it. It was
// measured live and simulated.
type HandOver struct {
	// The cost that applies after these idle times: spin, wake or deep; "" for all idle times.
	Cost    string         `json:"cost"`
	Reading string         `json:"reading"` // describes what is read, with the idle times
	Live    UpperQuantiles `json:"live"`
	Virtual UpperQuantiles `json:"virtual"`
}

// UpperQuantiles are the median and two upper quantiles of times, in ns.
type UpperQuantiles struct {
	P50 Value `json:"p50_ns"`
	P90 Value `json:"p90_ns"`
	P99 Value `json:"p99_ns"`
}

// OperationCost is the time of a synchronization operation for the goroutine that performs it.
type OperationCost struct {
	Operation string   `json:"operation"`
	Same      Estimate `json:"same_cpu"`  // without contention
	Other     Estimate `json:"other_cpu"` // while a goroutine on another CPU uses the same object all the time
}
