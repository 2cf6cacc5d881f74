// Package trial runs one trial: one design at one point in one fresh process. Its API is not stable yet, unlike
// that of package lab.
//
// The parent ([Run]) re-executes the running binary with a sentinel in its environment. The child's
// main function must call [Main] before anything else; brewput.Main does. The child reads one [Spec]
// from its standard input and writes one [Outcome] to its standard output. It exits when its standard
// input closes, so that it never outlives its parent.
package trial

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/timeline"
)

// Sentinel is the environment variable that tells a process that it is a trial's child.
const Sentinel = "BREWPUT_TRIAL"

// protocol is the sentinel's value: parent and child are the same binary, so it only guards against
// a variable set by hand.
const protocol = "1"

// Spec says what to measure.
type Spec struct {
	Workload     string     `json:"workload"`
	Design       string     `json:"design"`
	Point        plan.Point `json:"point"`
	Block        int        `json:"block"`
	Order        int        `json:"order"`
	Seed         uint64     `json:"seed"`
	Instrumented bool       `json:"observed"` // watch resources: an observed trial is in no verdict

	Profiled bool `json:"profiled,omitempty"` // with Observed: a CPU profile instead of meters

	// collect it while the window is open; what the trial measures is disturbed
	Evidence *hook.Request `json:"evidence,omitempty"`

	Duration   time.Duration `json:"duration"`   // window of a stream
	Warmup     time.Duration `json:"warmup"`     // before the window
	Operations int64         `json:"operations"` // if > 0: instead of a window
	Sample     int           `json:"sample"`     // time every Sample-th operation
	BurnRate   float64       `json:"burn_rate"`  // iterations of live.Spin per nanosecond
	// BurnPace is how much slower than calibrated the CPU was when BurnRate was set, as a multiple; 0: it is as
	// calibrated.
	BurnRatio float64 `json:"burn_pace,omitempty"`

	// a child's trial in virtual time: what the scheduler takes, see sim.ParseCosts; "" is live
	Costs string `json:"costs,omitempty"`

	// in virtual time: if the load repeats itself, see what disturbances of one burn do to that
	Disturb bool `json:"disturb,omitempty"`

	Late *Late `json:"late,omitempty"` // in virtual time: the burn that lasts longer; nil: none

	Open *OpenLoad `json:"open,omitempty"` // a stream's open loop; nil: a closed one

	Limit time.Duration `json:"-"` // in virtual time: of real time, after which the trial counts as hung; 0 is none
	Room  func() bool   `json:"-"` // in virtual time: see virtual.Config; nil: see usage.fits
	// Stop, if not nil, ends a trial in virtual time when it is closed: the trial has failed then.
	Stop     <-chan struct{} `json:"-"`
	Timeline time.Duration   `json:"-"` // in virtual time: how much is recorded, from the opening of the window on

	// Recording has or takes in what real code costs in virtual time; nil: it is measured and forgotten.
	Recording *Recording `json:"-"`
	// Crowded says that other trials run at the same time: one that must measure real code, or for which memory has
	// no room beside them, then ends with Outcome.Crowded.
	Crowded bool `json:"crowded,omitempty"`
}

// Late is a disturbance: the first burn that begins at a time or later lasts longer.
type Late struct {
	At time.Duration `json:"at"` // since the simulation began
	By time.Duration `json:"by"`
}

// OpenLoad is the load that is offered in an open loop, beside what the point says of it.
type OpenLoad struct {
	Rate     float64         `json:"rate"`           // requests a second
	Capacity float64         `json:"capacity"`       // what the design serves at most, requests a second; 0: unknown
	Gaps     []time.Duration `json:"gaps,omitempty"` // recorded arrivals
}

// validate refuses a specification that would measure nothing, or something else.
func (s *Spec) validate() error {
	switch {
	case !s.Point.Has("cpus"):
		return fmt.Errorf("%s/%s: the point (%s) has no cpus", s.Workload, s.Design, s.Point)
	case !(s.BurnRate > 0) && s.Costs == "":
		return fmt.Errorf("%s/%s: a burn rate of %v would make every burn take no time; measure one first", s.Workload,
			s.Design, s.BurnRate)
	case s.Operations < 0 || s.Warmup < 0 || s.Duration < 0 || s.Sample < 0:
		return fmt.Errorf("%s/%s: negative operations, warm-up, duration or sample", s.Workload, s.Design)
	case s.Operations == 0 && s.Duration == 0 && s.Point.Has("workers"):
		return fmt.Errorf("%s/%s: a stream needs a duration or a number of operations", s.Workload, s.Design)
	case s.Open != nil && (s.Operations > 0 || s.Sample > 1):
		return fmt.Errorf("%s/%s: an open loop has a duration and times every request", s.Workload, s.Design)
	}
	return nil
}

// Outcome is what came of a trial.
type Outcome struct {
	Trial result.Trial `json:"trial"`
	// Histograms are in HdrHistogram's format (see internal/hist), by what they are of: "latency".
	Histograms map[string][]byte `json:"histograms,omitempty"`
	Failure    string            `json:"-"` // of a failed trial: what it printed, its stacks
	// the trial came to nothing, as it must run alone; see Spec.Crowded
	Crowded bool `json:"crowded,omitempty"`
	// in virtual time: the limit of real time has ended it, and would end others of its case
	Limited bool `json:"limited,omitempty"`
	// in virtual time, if it was asked for and the window opened
	Timeline *timeline.Timeline `json:"-"`
}
