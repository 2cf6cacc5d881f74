// Package trial runs one trial: one design at one point in one fresh process. Its API is not stable: it may
// change in any release, unlike that of package lab.
//
// The parent ([Runner.Run]) re-executes the running binary with a sentinel in its environment. The main
// function of the child must call [Main] before anything else; brewput.Main does so. The child reads one [Spec]
// from its standard input and writes one [Outcome] to its standard output. It exits when its standard input
// closes, so it never outlives its parent.
package trial

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/internal/hook"
	"github.com/brewput/brewput/internal/proc"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/timeline"
	"github.com/brewput/brewput/workload"
)

// Sentinel is the environment variable that marks a process as the child of a trial.
const Sentinel = proc.TrialVariable

// protocol is the value of the sentinel. Parent and child are the same binary, so it only guards against a
// variable that was set by hand.
const protocol = "1"

// Spec is the specification of one trial.
type Spec struct {
	Workload string `json:"workload"`
	Design   string `json:"design"`
	// values of the workload's options
	Given        workload.Given `json:"given,omitempty"`
	Point        plan.Point     `json:"point"`
	Block        int            `json:"block"`
	Order        int            `json:"order"`
	Seed         uint64         `json:"seed"`
	Instrumented bool           `json:"observed"` // measure resources; no verdict includes such a trial

	Profiled bool `json:"profiled,omitempty"` // with Instrumented: take a CPU profile instead of reading meters

	// evidence to collect while the window is open, which disturbs the trial; nil: none
	Evidence *hook.Request `json:"evidence,omitempty"`

	Duration   time.Duration `json:"duration"`   // window of a stream
	Warmup     time.Duration `json:"warmup"`     // before the window
	Operations int64         `json:"operations"` // if > 0: replaces the window
	Sample     int           `json:"sample"`     // time every Sample-th operation
	BurnRate   float64       `json:"burn_rate"`  // iterations of live.Spin per nanosecond
	// BurnRatio is the ratio of actual to nominal burn time at the calibrated rate, when BurnRate was set; 0:
	// BurnRate is as calibrated.
	BurnRatio float64 `json:"burn_pace,omitempty"`

	// virtual time in a child: scheduler costs, see sim.ParseCosts; "": live
	Costs string `json:"costs,omitempty"`

	// virtual time: if the load repeats itself, find its steady states by disturbing single burns
	Disturb bool `json:"disturb,omitempty"`

	Disturbance *Disturbance `json:"late,omitempty"` // virtual time: one burn that lasts longer; nil: none

	Open *OpenLoad `json:"open,omitempty"` // a stream's open loop; nil: closed loop

	Limit time.Duration `json:"-"` // virtual time: limit of real time, after which the trial counts as hung; 0: none
	Room  func() bool   `json:"-"` // virtual time: see virtual.Config; nil: see usage.fits
	// Stop, if not nil, ends a trial in virtual time when it is closed. The trial has then failed.
	Stop     <-chan struct{} `json:"-"`
	Timeline time.Duration   `json:"-"` // virtual time: length of the recorded timeline, from the opening of the window

	// Recording holds the costs of real code in virtual time; nil: costs are measured and not kept.
	Recording *Recording `json:"-"`
	// Concurrent says that other trials run at the same time. A trial that must measure real code, or that
	// needs more memory than they leave, then ends with Outcome.MustRunAlone.
	Concurrent bool `json:"crowded,omitempty"`
}

// Disturbance makes the first burn that begins at a given time or later last longer.
type Disturbance struct {
	At    time.Duration `json:"at"` // since the simulation began
	Delay time.Duration `json:"by"`
}

// OpenLoad is the offered load of an open loop, apart from the factors in the point.
type OpenLoad struct {
	Rate     float64         `json:"rate"`           // requests per second
	Capacity float64         `json:"capacity"`       // capacity of the design in requests per second; 0: unknown
	Gaps     []time.Duration `json:"gaps,omitempty"` // recorded gaps between arrivals; nil: none
	Ends     bool            `json:"ends,omitempty"` // no request arrives after the window
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

// Outcome is the result of a trial with its attachments.
type Outcome struct {
	Trial result.Trial `json:"trial"`
	// Histograms are in the format of HdrHistogram (see internal/hist), by the metric that they show, such as
	// "latency".
	Histograms map[string][]byte `json:"histograms,omitempty"`
	Failure    string            `json:"-"` // of a failed trial: its output, with stacks
	// the design served the load, but too many requests failed; another trial may fare better
	RequestsFailed bool `json:"requests_failed,omitempty"`
	// the trial has no result, because it must run alone; see Spec.Concurrent
	MustRunAlone bool `json:"crowded,omitempty"`
	// virtual time: it reached the limit of real time, as other trials of its case would
	Limited bool `json:"limited,omitempty"`
	// virtual time: if it was asked for and the window opened
	Timeline *timeline.Timeline `json:"-"`
}
