// Package sweep executes a plan. Its API is not stable; programs should use package lab.
//
// A sweep runs every trial of every block in the planned order and stores each trial before the next one begins. An
// interrupted sweep therefore resumes where it stopped.
package sweep

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/workload"
)

// Header is the first record of a run directory. It holds everything needed to resume the sweep and to analyse it
// later.
type Header struct {
	Workload     string         `json:"workload"`
	Given        workload.Given `json:"given,omitempty"` // values of the workload's options
	World        string         `json:"world"`
	Args         []string       `json:"args"`             // the command line
	Config       []string       `json:"config,omitempty"` // settings of configuration files that apply, in words
	Version      string         `json:"version"`
	Started      time.Time      `json:"started"`
	Seed         string         `json:"seed"`
	Blocks       int            `json:"blocks"`
	Instrumented bool           `json:"observed"` // each case has an instrumented trial in each block
	Cases        []plan.Case    `json:"cases"`
	// the default comparison; see compare.Criteria
	Baseline     string             `json:"baseline,omitempty"`
	All          bool               `json:"all_pairs,omitempty"`     // compare all pairs
	BaselineOnly bool               `json:"baseline_only,omitempty"` // compare only with Baseline
	SLO          string             `json:"slo,omitempty"`           // objectives; see compare.ParseSLO
	Settings     Settings           `json:"settings"`
	Environment  result.Environment `json:"environment"`
	Burn         result.Burn        `json:"burn"`
	Warnings     []string           `json:"warnings"`
	Quick        string             `json:"quick,omitempty"`      // what a quick run changed, in words
	Capacities   []Capacity         `json:"capacities,omitempty"` // open loop: capacities measured before the sweep
	ArrivalFiles []InputFile        `json:"recorded,omitempty"`   // open loop: files of recorded arrivals
	Inputs       []InputFile        `json:"inputs,omitempty"`     // the files of the workload
	// live: the cases to predict, including those with more CPUs than the machine has
	PredictedCases []plan.Case `json:"twin,omitempty"`
	Predicts       bool        `json:"predicts,omitempty"` // virtual: this is the prediction of a live run
	// virtual, and live with a prediction: the scheduler's costs; see sim.ParseCosts
	Costs     string `json:"costs,omitempty"`
	CostsFrom string `json:"costs_from,omitempty"` // source of Costs: given, typical, or calibrated and when
	// virtual: the file to which the costs of real code are written at the end
	RecordingFile string      `json:"records,omitempty"`
	ReplayedFile  *InputFile  `json:"replayed,omitempty"` // virtual: the file with the costs of real code
	Rule          *BudgetRule `json:"rule,omitempty"`     // with a time budget
	// Go benchmarks: the experiment; see internal/gobench
	Bench        json.RawMessage `json:"bench,omitempty"`
	Commands     json.RawMessage `json:"commands,omitempty"`  // commands: the experiment; see internal/command
	Programs     json.RawMessage `json:"programs,omitempty"`  // live: see internal/plugin
	WarmupReason string          `json:"settled,omitempty"`   // virtual: why the warm-up is longer than requested
	Precision    *Precision      `json:"precision,omitempty"` // virtual: when there are enough replications
}

// CostsCalibrated is the prefix of Header.CostsFrom for costs measured on a machine. The time of the calibration
// follows.
const CostsCalibrated = "calibrated "

// CostsTypical is Header.CostsFrom for typical costs, of no particular machine.
const CostsTypical = "typical"

// costsText names the costs. Calibrated costs are too long to list, so it names their source instead.
func (h *Header) costsText() string {
	if strings.HasPrefix(h.CostsFrom, CostsCalibrated) {
		return "what was " + h.CostsFrom
	}
	return h.Costs
}

// Settings are the settings that all trials of a sweep share.
type Settings struct {
	Duration   Duration `json:"duration"`
	Warmup     Duration `json:"warmup"`
	Operations int64    `json:"operations"`
	Sample     int      `json:"sample"`
	TimeLimit  Duration `json:"time_limit"`            // of one trial
	Limited    bool     `json:"limited,omitempty"`     // the user set TimeLimit
	NoCapacity bool     `json:"no_capacity,omitempty"` // no capacity is measured before an open loop
	Profile    bool     `json:"profile,omitempty"`     // instrumented trials take a CPU profile instead of meters
}

// Duration is a time.Duration that is a string such as "1s" in JSON.
type Duration time.Duration

// MarshalJSON encodes the duration as a string.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(time.Duration(d).String()) }

// UnmarshalJSON decodes a string such as "1s".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// Plan returns the plan of the header. It converts the levels to the kinds that the workload's factors declare.
func (h *Header) Plan(w *workload.Workload) (plan.Plan, error) {
	seed, err := strconv.ParseUint(h.Seed, 10, 64)
	if err != nil {
		return plan.Plan{}, fmt.Errorf("the run's seed %q is not a number", h.Seed)
	}
	if h.Blocks < 1 || len(h.Cases)+len(h.PredictedCases) == 0 {
		return plan.Plan{}, errors.New("the run's plan is empty")
	}
	if h.Bench != nil && h.Commands != nil {
		return plan.Plan{}, errors.New("the run has both benchmarks and commands: it was changed, or another program " +
			"wrote it")
	}
	if h.Precision != nil {
		if err := h.Precision.Validate(); err != nil {
			return plan.Plan{}, err
		}
	}

	p := plan.Plan{Seed: seed, Blocks: h.Blocks, Instrumented: h.Instrumented}
	for _, c := range h.Cases {
		if _, err := w.Select([]string{c.Design}); err != nil {
			return plan.Plan{}, fmt.Errorf("the run measures %s/%s, a design that this program does not have: %w",
				w.Name, c.Design, err)
		}
		point, err := w.Recast(c.Point)
		if err != nil {
			return plan.Plan{}, err
		}
		if !point.Has("cpus") && h.Commands == nil {
			return plan.Plan{}, fmt.Errorf("the run's point (%s) has no cpus", point)
		}
		p.Cases = append(p.Cases, plan.Case{Design: c.Design, Point: point})
	}
	return p, nil
}
