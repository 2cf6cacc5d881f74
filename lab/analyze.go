package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// AnalyzeOptions are the options of [Analyze]. Only Cases is required.
type AnalyzeOptions struct {
	// Workload supplies the closed forms of its designs; nil for none.
	Workload *workload.Workload
	// Cases are the designs with their points, in the order of the rows.
	Cases []plan.Case
	// Criteria says which cases are compared, and how; the zero value compares neighbours. If Alpha is 0, it and a
	// Margin of 0 are those of [compare.DefaultCriteria], and nil Inputs those of the workload.
	Criteria compare.Criteria
	// InterimBlocks are the numbers of blocks at which a run with a budget was analysed; nil without a budget.
	InterimBlocks []int
	// Predictions are the trials in virtual time of PredictedCases, which may include cases that were not measured.
	Predictions    []result.Trial
	PredictedCases []plan.Case
	// CostsFrom is the source of the scheduler's costs in virtual time, such as [sweep.CostsTypical].
	CostsFrom string
	// HeaderWarnings are those of [sweep.Header]. They hold the reason for typical costs, which a warning repeats.
	HeaderWarnings []string
	// Program is the name of the command in warnings; default "brewput".
	Program string
	// Sensitivity is the result of [Run.Sensitivity]; nil for none.
	Sensitivity []compare.Sensitivity
}

// Analysis is the result of [Analyze].
type Analysis struct {
	// Rows are the measured cases in their order, followed by the cases that were only predicted. A row holds the
	// summaries of its metrics, its predictions, closed form, serial fraction, knees and sensitivity, and its verdict
	// against the baseline.
	Rows []compare.Row
	// Verdicts compare measured cases. They do not use predictions.
	Verdicts    []compare.Verdict
	Sensitivity []compare.Sensitivity
	Warnings    []compare.Warning
	// Answer is what the analysis shows, in a few sentences.
	Answer compare.Answer
}

// Analyze computes the rows, verdicts, predictions and warnings of the trials of one run. It does not change its
// arguments, so it may be called at any time during a run. Concurrent calls are safe.
func Analyze(trials []result.Trial, o AnalyzeOptions) *Analysis {
	if j := &o.Criteria; j.Alpha == 0 {
		defaults := compare.DefaultCriteria("", nil)
		j.Alpha, j.Margin = defaults.Alpha, cmp.Or(j.Margin, defaults.Margin)
		if o.Workload != nil && j.Inputs == nil {
			j.Inputs = o.Workload.InputFactors()
		}
	}
	a := &Analysis{Rows: compare.Rows(trials, o.Cases), Sensitivity: o.Sensitivity}

	// Verdicts come before predictions, which add rows.
	a.Verdicts = o.Criteria.Verdicts(a.Rows, trials)
	a.Warnings = append(compare.Warnings(trials, o.InterimBlocks), o.Criteria.RatioWarnings(a.Rows, trials)...)

	o.Criteria.AddBaselineVerdicts(a.Rows, a.Verdicts)
	compare.AddSensitivities(a.Rows, o.Sensitivity)
	compare.AddFormulas(a.Rows, trials, o.Workload)
	compare.AddSerialFractions(a.Rows, trials)
	compare.AddKnees(a.Rows, o.Criteria.Inputs)

	a.Rows = compare.AddPredictions(a.Rows, trials, o.Predictions, o.PredictedCases)
	a.Warnings = append(a.Warnings, compare.MissingPredictionWarnings(o.Predictions, o.PredictedCases)...)
	a.Warnings = append(a.Warnings, compare.PredictionWarnings(o.Predictions)...)
	if o.CostsFrom == sweep.CostsTypical && slices.ContainsFunc(a.Rows, virtual) {
		a.Warnings = append(a.Warnings, typicalCosts(o))
	}
	a.Answer = compare.NewAnswer(a.Rows, a.Verdicts, compare.AnswerOptions{Baseline: o.Criteria.Baseline,
		Inputs: o.Criteria.Inputs, FurtherVerdicts: o.Criteria.FurtherVerdicts(a.Rows, trials)})
	return a
}

// virtual reports whether a row contains simulated results.
func virtual(r compare.Row) bool { return len(r.Predictions) > 0 || r.World == result.Virtual }

func typicalCosts(o AnalyzeOptions) compare.Warning {
	name := ""
	if o.Workload != nil {
		name = o.Workload.Name
	}
	return compare.NewWarning(name, compare.WarnCosts, "predictions use typical scheduler costs, not those of "+
		"this machine"+sweep.TypicalReason(o.HeaderWarnings)+"; to measure them, type "+
		program(o.Program)+" calibrate")
}

// Records returns the analysis as records of the JSON contract, in this order: summaries, predictions, closed forms,
// serial fractions and knees, verdicts, sensitivities, warnings, and last the answer.
func (a *Analysis) Records() []any {
	return compare.Records(a.Rows, a.Verdicts, a.Sensitivity, a.Warnings, a.Answer)
}

// String returns the sentences of the answer, the verdicts and the warnings, one a line.
func (a *Analysis) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(a.Answer.Text, "\n"))
	for _, v := range a.Verdicts {
		fmt.Fprintln(&b, v)
	}
	for _, w := range a.Warnings {
		fmt.Fprintln(&b, "warning:", w.Text)
	}
	return b.String()
}
