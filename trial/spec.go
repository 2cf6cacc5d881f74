// Package trial runs one trial: one design at one point in one fresh process.
//
// The parent ([Run]) re-executes the running binary with a sentinel in its environment. The child's
// main function must call [Main] before anything else; brewput.Main does. The child reads one [Spec]
// from its standard input and writes one [Outcome] to its standard output. It exits when its standard
// input closes, so that it never outlives its parent.
package trial

import (
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// Sentinel is the environment variable that tells a process that it is a trial's child.
const Sentinel = "BREWPUT_TRIAL"

// protocol is the sentinel's value: parent and child are the same binary, so it only guards against
// a variable set by hand.
const protocol = "1"

// Spec says what to measure.
type Spec struct {
	Workload string     `json:"workload"`
	Design   string     `json:"design"`
	Point    plan.Point `json:"point"`
	Block    int        `json:"block"`
	Order    int        `json:"order"`
	Seed     uint64     `json:"seed"`
	Observed bool       `json:"observed"` // watch resources: an observed trial is in no verdict

	Duration   time.Duration `json:"duration"`   // window of a stream
	Warmup     time.Duration `json:"warmup"`     // before the window
	Operations int64         `json:"operations"` // if > 0: instead of a window
	Sample     int           `json:"sample"`     // time every Sample-th operation
	BurnRate   float64       `json:"burn_rate"`  // turns of live.Spin per nanosecond
}

// Outcome is what came of a trial.
type Outcome struct {
	Trial     result.Trial `json:"trial"`
	Histogram []byte       `json:"histogram,omitempty"` // of latencies, in HdrHistogram's format; see internal/hist
	Failure   string       `json:"-"`                   // of a failed trial: what it printed, its stacks
}
