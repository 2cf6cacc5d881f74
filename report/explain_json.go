package report

import (
	"io"
	"math"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/result"
)

// ExplanationJSON writes one object for each finding by rank, then those of the other kinds: the CPU time (kind
// "ledger"), the parallelism, the phases, the undisturbed runs, the notes and the answer.
func ExplanationJSON(w io.Writer, r explain.Report, e *evidence.Evidence) error {
	var all []any
	for _, f := range r.Findings {
		f.Kind = "finding"
		f.Where, f.Functions, f.Evidence = nonNil(f.Where), nonNil(f.Functions), nonNil(f.Evidence)
		all = append(all, f)
	}

	if l := r.CPUTime; len(l.Entries) > 0 {
		all = append(all, cpuTimeJSON{"ledger", l.Source, known(l.CPUs), l.Wall.Seconds(), l.Entries})
	}
	if p := r.Parallelism; p.CPUs > 0 || p.Running > 0 {
		all = append(all, parallelismJSON{"parallelism", known(p.CPUs), finite(p.Running), finite(p.Demand),
			finite(p.SerialFraction), finite(p.MaxSpeedup), finite(p.Speedup), finite(p.Inflation)})
	}

	for _, p := range r.Phases {
		all = append(all, phaseJSON{"phase", p.From.Seconds(), p.To.Seconds(), p.Demand, p.Running})
	}
	for _, run := range e.Runs {
		all = append(all, runJSON{"run", run.CPUs, run.Count, run.Wall.Seconds(), run.WallLow.Seconds(),
			run.WallHigh.Seconds(), run.User.Seconds(), run.System.Seconds()})
	}
	for _, n := range r.Notes {
		all = append(all, noteJSON{"note", n})
	}
	all = append(all, compare.AnswerOf(r.Answer()))

	for _, x := range all {
		if err := JSON(w, x); err != nil {
			return err
		}
	}
	return nil
}

type cpuTimeJSON struct {
	Kind    string          `json:"kind"`
	Source  string          `json:"source"`
	CPUs    *int            `json:"cpus"`
	Wall    float64         `json:"wall_seconds"`
	Entries []explain.Entry `json:"entries"`
}

type parallelismJSON struct {
	Kind      string       `json:"kind"`
	CPUs      *int         `json:"cpus"`
	Running   result.Value `json:"running"`
	Wants     result.Value `json:"wants"`
	Serial    result.Value `json:"serial_fraction"`
	Limit     result.Value `json:"amdahl_limit"`
	At        result.Value `json:"amdahl_limit_here"`
	Inflation result.Value `json:"work_inflation"`
}

type phaseJSON struct {
	Kind  string  `json:"kind"`
	From  float64 `json:"from_seconds"`
	To    float64 `json:"to_seconds"`
	Wants float64 `json:"wants"`
	Runs  float64 `json:"runs"`
}

type runJSON struct {
	Kind   string  `json:"kind"`
	CPUs   int     `json:"cpus"`
	Count  int     `json:"count"`
	Wall   float64 `json:"wall_seconds"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	User   float64 `json:"cpu_user_seconds"`
	System float64 `json:"cpu_system_seconds"`
}

type noteJSON struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// known returns a number of CPUs, or nil if it is unknown.
func known(cpus int) *int {
	if cpus == 0 {
		return nil
	}
	return &cpus
}

// finite returns x, or result.Unavailable if x is not a finite number.
func finite(x float64) result.Value {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return result.Unavailable
	}
	return result.Value(x)
}

// nonNil returns an empty list for nil, which JSON would print as null.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
