package result

import "time"

// KindCalibration is the kind of a Calibration.
const KindCalibration = "calibration"

// Calibration is what the scheduler and its primitives take on one machine. Its JSON is a contract, and what is stored.
type Calibration struct {
	Kind          string    `json:"kind"` // KindCalibration
	SchemaVersion int       `json:"schema_version"`
	Fingerprint   string    `json:"fingerprint"` // of the machine, see host.Machine
	GoVersion     string    `json:"go_version"`
	Measured      time.Time `json:"measured"`
	Seconds       float64   `json:"seconds"` // that it took
	Rounds        int       `json:"rounds"`  // in each of which every microprogram had a process of its own
	Costs         string    `json:"costs"`   // as sim.ParseCosts reads them
	Prices        []CostEstimate   `json:"prices"`
	// HandOvers compares simulated hand-overs of a goroutine to an idle CPU with live ones. It is absent with one CPU,
	// and in calibrations that were stored before it was added.
	HandOvers []HandOver `json:"hand_overs,omitempty"`
	Ladder    []OperationCost     `json:"ladder"`
	Warnings  []string   `json:"warnings"`
}

// Estimate is a median in ns with its 95 % interval over the rounds; the ends are null below 6 rounds.
type Estimate struct {
	Median Value `json:"median_ns"`
	Low    Value `json:"low_ns"`
	High   Value `json:"high_ns"`
}

// Price is one cost of the scheduler, and how well virtual time keeps to it. Of burn, which is a share, all times are
// those of a burn of one millisecond: a nanosecond of them is a millionth.
type CostEstimate struct {
	Cost string `json:"cost"` // a name of sim.ParseCosts
	Estimate
	// Of a cost that is drawn, where 10 and 90 % of the times lie below; else null.
	P10 Value `json:"p10_ns"`
	P90 Value `json:"p90_ns"`
	// What a reading of the microprogram took in ns, its median: live, and in virtual time under all the costs.
	Reading string `json:"reading"`
	Live    Value  `json:"live_ns"`
	Virtual Value  `json:"virtual_ns"`
}

// HandOver is how long a goroutine that is made ready waits until another CPU runs it, live and in virtual time.
type HandOver struct {
	// that is taken after these idle times: spin, wake or deep; empty for all idle times
	Cost    string         `json:"cost"`
	Reading string         `json:"reading"` // with the idle times
	Live    UpperQuantiles `json:"live"`
	Virtual UpperQuantiles `json:"virtual"`
}

// UpperQuantiles are the median and the upper quantiles of times in ns.
type UpperQuantiles struct {
	P50 Value `json:"p50_ns"`
	P90 Value `json:"p90_ns"`
	P99 Value `json:"p99_ns"`
}

// Rung is one operation of the price ladder: for the goroutine that makes it, where nobody else wants what it uses, and
// where a goroutine on another CPU uses it all the time.
type OperationCost struct {
	Operation string   `json:"operation"`
	Same      Estimate `json:"same_cpu"`
	Other     Estimate `json:"other_cpu"`
}
