// Package sweep executes a plan: every trial of every block in its order, stored as it goes, so that a sweep that
// was interrupted goes on where it stopped. Its API is not stable yet, unlike that of package lab.
package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/calibrate"
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Header is the first record of a run directory: all that is needed to go on with the sweep and to
// judge it later.
type Header struct {
	Workload     string      `json:"workload"`
	World        string      `json:"world"`
	Args         []string    `json:"args"` // the command line
	Version      string      `json:"version"`
	Started      time.Time   `json:"started"`
	Seed         string      `json:"seed"`
	Blocks       int         `json:"blocks"`
	Instrumented bool        `json:"observed"` // each design and point has an observed trial in each block
	Cases        []plan.Case `json:"cases"`
	// what is compared, unless it is asked for otherwise: see compare.Criteria
	Baseline     string           `json:"baseline,omitempty"`
	All          bool             `json:"all_pairs,omitempty"` // the same
	Settings     Settings         `json:"settings"`
	Environment  host.Environment `json:"environment"`
	Burn         calibrate.Burn   `json:"burn"`
	Warnings     []string         `json:"warnings"`
	Quick        string           `json:"quick,omitempty"`      // what --quick changed, in words
	Capacities   []Capacity       `json:"capacities,omitempty"` // open loop: measured before the sweep
	ArrivalFiles []InputFile      `json:"recorded,omitempty"`   // open loop: files of arrivals
	// live: the cases that are predicted, those beyond the machine's CPUs among them
	PredictedCases []plan.Case `json:"twin,omitempty"`
	Predicts       bool        `json:"predicts,omitempty"` // virtual time: it is the twin of a live run
	// virtual time, and that of a twin: what the scheduler takes; see sim.ParseCosts
	Costs     string `json:"costs,omitempty"`
	CostsFrom string `json:"costs_from,omitempty"` // the same: given, typical, or calibrated and when
	// virtual time: the file for what real code costs, written when all is calculated
	RecordingFile string      `json:"records,omitempty"`
	ReplayedFile  *InputFile  `json:"replayed,omitempty"` // virtual time: the file that it is read from
	Rule          *BudgetRule `json:"rule,omitempty"`     // of a run with a budget
	// of a run of Go benchmarks: what they are; see internal/gobench
	Bench        json.RawMessage `json:"bench,omitempty"`
	WarmupReason string          `json:"settled,omitempty"`   // virtual time: why the warm-up is not the least one
	Precision    *Precision      `json:"precision,omitempty"` // virtual time: when the replications are enough
}

// Calibrated begins CostsFrom where the costs are those of a machine that was calibrated; when follows.
const CostsCalibrated = "calibrated "

// Typical is what CostsFrom says of costs of no machine in particular.
const CostsTypical = "typical"

// costsName tells costs in a few words: those of a calibration are long.
func (h *Header) costsText() string {
	if strings.HasPrefix(h.CostsFrom, CostsCalibrated) {
		return "what was " + h.CostsFrom
	}
	return h.Costs
}

// Settings are what all trials of a sweep have in common.
type Settings struct {
	Duration   Duration `json:"duration"`
	Warmup     Duration `json:"warmup"`
	Operations int64    `json:"operations"`
	Sample     int      `json:"sample"`
	TimeLimit  Duration `json:"time_limit"`        // of one trial
	Limited    bool     `json:"limited,omitempty"` // the user said so
	Profile    bool     `json:"profile,omitempty"` // observed trials take a CPU profile instead of meters
}

// Duration is a time that JSON writes as "1s".
type Duration time.Duration

// MarshalJSON writes the duration as a string.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON reads "1s".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// Plan is the plan of the header, its levels recast to the kinds that the workload's factors declare.
func (h *Header) Plan(w *workload.Workload) (plan.Plan, error) {
	seed, err := strconv.ParseUint(h.Seed, 10, 64)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("the run's seed %q is not a number", h.Seed)
	}
	if h.Blocks < 1 || len(h.Cases)+len(h.PredictedCases) == 0 {
		return plan.Plan{}, errors.New("the run's plan is empty")
	}
	if h.Precision != nil {
		if err := h.Precision.Validate(); err != nil {
			return plan.Plan{}, err
		}
	}
	p := plan.Plan{Seed: seed, Blocks: h.Blocks, Instrumented: h.Instrumented}
	for _, c := range h.Cases {
		if _, ok := w.Find(c.Design); !ok {
			return plan.Plan{}, fmt.Errorf("the run measures %s/%s, a design that this program does not have", w.Name,
				c.Design)
		}
		point, err := w.Recast(c.Point)
		if err != nil {
			return plan.Plan{}, err
		}
		if !point.Has("cpus") {
			return plan.Plan{}, fmt.Errorf("the run's point (%s) has no cpus", point)
		}
		p.Cases = append(p.Cases, plan.Case{Design: c.Design, Point: point})
	}
	return p, nil
}
