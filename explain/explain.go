// Package explain finds out what limits the performance of a Go program and what to change. [Explain] applies a set of
// rules to the [evidence.Evidence] of a program and returns a [Report] with ranked [Finding]s. [Changes] compares two
// programs, or one program before and after a change.
//
// Findings are ranked by the wall time that a change is estimated to save, never by how long goroutines wait: idle
// goroutines wait for work, and that costs nothing. If no change is worthwhile, or if there is too little evidence, the
// report says so.
//
// The package is pure: it runs nothing and reads no clock, and it reads source lines only by [evidence.Program].Source.
// Its functions may be called concurrently if Source may be. Package evidence/collect collects the evidence. Package
// evidence, whose types are the input, is not stable yet.
package explain

import (
	"slices"

	"github.com/brewput/brewput/evidence"
)

// Finding is one cause that limits the program: the claim, its evidence and what to change. It encodes to the JSON
// object that the command explain prints.
type Finding struct {
	Kind        string        `json:"kind"`       // always "finding"
	Rank        int           `json:"rank"`       // from 1: defects, then by Gain
	Name        Name          `json:"finding"`    // which cause it is
	Level       EvidenceLevel `json:"tier"`       // the best evidence that the rule used
	Claim       string        `json:"claim"`      // what limits the program, in one sentence
	Where       []string      `json:"where"`      // statements, as file:line relative to the module; may be empty
	Functions   []string      `json:"functions"`  // the function around each of Where; "" if unknown
	Share       float64       `json:"share"`      // 0 to 1: the part of the time that the claim is about
	Gain        *Gain         `json:"gain"`       // what the change saves; nil if the finding only diagnoses
	Confidence  Confidence    `json:"confidence"` // how certain the claim is
	Evidence    []string      `json:"evidence"`   // the observations that support the claim
	Alternative string        `json:"rival"`      // another explanation of the same evidence
	Fix         string        `json:"fix"`        // what to change
	Experiment  string        `json:"experiment"` // a run that would refute the claim

	local    bool    // the cost of calls at its lines: it explains no other finding, and none explains it
	savesCPU bool    // the gain is CPU time of the goroutines at its lines, and that of the collector for them
	garbage  float64 // the part of the gain that is the collector's
}

// IsDefect reports whether the finding is a certain bug, whatever it costs, such as a leak. Defects rank first.
func (f Finding) IsDefect() bool { return traits[f.Name].defect && f.Confidence == High }

// Gain is the estimated fraction of a metric that a change saves, 0 to 0.99.
type Gain struct {
	Metric   string  `json:"metric"`   // always "wall_seconds"
	Estimate float64 `json:"estimate"` // the expected fraction
	Low      float64 `json:"low"`      // at most Estimate
	High     float64 `json:"high"`     // at least Estimate
	Computed float64 `json:"computed"` // what the rule computes; Estimate corrects it by the errors of other programs

	// Left is what the change still saves after that of the first finding with a gain, as a fraction of the metric now.
	// It is nil for that finding, and where it is unknown.
	Left *float64 `json:"left"`

	most float64 // that a change can save, if the rule knows it; otherwise 0
}

// EvidenceLevel is the kind of evidence that a finding needs.
type EvidenceLevel string

// The levels of evidence. "C" is reserved for programs rebuilt with named channels and locks.
const (
	ProfileLevel EvidenceLevel = "A" // profiles and the metrics of the runtime
	TraceLevel   EvidenceLevel = "B" // an execution trace, too
)

// Confidence is how certain a finding is.
type Confidence string

// The levels of confidence.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// Name identifies a kind of finding, such as "coarse-lock". Names are stable: programs may rely on them.
type Name string

// Explain returns what limits a program, with findings ranked by their estimated gain. It never returns an empty list
// of findings. Evidence that contradicts itself is left out, and Notes says so.
func Explain(e *evidence.Evidence) Report { return explainWith(calibrated, e) }

// explainWith is Explain with some ranges of gains. Without ranges, gains have those of the rules.
func explainWith(ranges map[Name]Range, e *evidence.Evidence) Report {
	e, left := dropImplausible(e)
	a := newAnalysis(e)
	a.ranges = ranges
	r := a.report()
	r.Notes = slices.Concat(e.Notes, left, r.Notes)
	return r
}
