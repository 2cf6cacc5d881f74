package lab

import (
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// AnalyzeOptions say how trials are analysed. Only Cases is required.
type AnalyzeOptions struct {
	// Workload has the closed forms of its designs; nil: there are none.
	Workload *workload.Workload
	// Cases are the designs with their points, in the order of the rows.
	Cases []plan.Case
	// Criteria says which cases are compared and how. Without Alpha it is that of [compare.DefaultCriteria] with the Baseline,
	// Inputs and All given here, so that the zero value compares neighbours.
	Criteria compare.Criteria
	// InterimBlocks are the numbers of blocks at the interim analyses of a run with a budget; nil without.
	InterimBlocks []int
	// Predictions are trials in virtual time of PredictedCases, which may go beyond the measured ones.
	Predictions    []result.Trial
	PredictedCases []plan.Case
	// CostsFrom is where the scheduler's costs of virtual time come from, such as [sweep.Typical].
	CostsFrom string
	// CalibrateCommand is what users type to measure these costs; "" for "brewput calibrate".
	CalibrateCommand string
	// Sensitivity is how results change with the costs, if that was asked for; see [sweep.Sweep.Vary].
	Sensitivity []compare.Sensitivity
}

// Analysis is what trials say.
type Analysis struct {
	// Rows are the measured and the predicted cases, in the order of the cases. A row holds the summaries of its
	// metrics and what belongs to them: predictions, closed form, serial share, knees, sensitivity, and the verdict on
	// the baseline.
	Rows []compare.Row
	// Verdicts compare measured cases; predictions take no part in them.
	Verdicts    []compare.Verdict
	Sensitivity []compare.Sensitivity
	Warnings    []compare.Warning
}

// Analyze computes rows, verdicts, predictions and warnings of the trials of one run. It does not change its arguments,
// so that it may be called at any time during a run, also concurrently.
func Analyze(trials []result.Trial, o AnalyzeOptions) *Analysis {
	if j := o.Criteria; j.Alpha == 0 {
		o.Criteria = compare.DefaultCriteria(j.Baseline, j.Inputs)
		o.Criteria.All = j.All
		if o.Workload != nil && j.Inputs == nil {
			o.Criteria.Inputs = o.Workload.InputFactors()
		}
	}
	a := &Analysis{Rows: compare.Rows(trials, o.Cases), Sensitivity: o.Sensitivity}

	// Verdicts come before predictions, which add rows.
	a.Verdicts = o.Criteria.Verdicts(a.Rows, trials)
	a.Warnings = append(compare.Warnings(trials, o.InterimBlocks), o.Criteria.RatioWarnings(a.Rows, trials)...)

	o.Criteria.AddBaselineVerdicts(a.Rows, a.Verdicts)
	compare.AddSensitivities(a.Rows, o.Sensitivity)
	compare.AddFormulas(a.Rows, trials, closedForms(o.Workload))
	compare.AddSerialFractions(a.Rows, trials)
	compare.AddKnees(a.Rows, o.Criteria.Inputs)

	a.Rows = compare.AddPredictions(a.Rows, trials, o.Predictions, o.PredictedCases)
	a.Warnings = append(a.Warnings, compare.MissingPredictionWarnings(o.Predictions, o.PredictedCases)...)
	a.Warnings = append(a.Warnings, compare.PredictionWarnings(o.Predictions)...)
	if o.CostsFrom == sweep.CostsTypical && slices.ContainsFunc(a.Rows, virtual) {
		a.Warnings = append(a.Warnings, typicalCosts(o))
	}
	return a
}

// virtual reports whether anything of a row was calculated in virtual time.
func virtual(r compare.Row) bool { return len(r.Predictions) > 0 || r.World == result.Virtual }

func typicalCosts(o AnalyzeOptions) compare.Warning {
	name, command := "", "brewput calibrate"
	if o.Workload != nil {
		name = o.Workload.Name
	}
	if o.CalibrateCommand != "" {
		command = o.CalibrateCommand
	}
	return compare.NewWarning(name, compare.WarnCosts, "predictions are made with typical costs of a scheduler, "+
		"not with those of this machine: "+command+" measures them")
}

// Records are the analysis as values of the JSON contract, in its order: summaries, predictions, closed forms, serial
// shares and knees, verdicts, sensitivities, warnings.
func (a *Analysis) Records() []any {
	var all []any
	for _, s := range compare.Summaries(a.Rows) {
		all = append(all, s)
	}
	for _, r := range a.Rows {
		for _, t := range r.Predictions {
			all = append(all, t)
		}
	}
	for _, r := range a.Rows {
		if r.Formula != nil {
			all = append(all, r.Formula)
		}
		if r.SerialFraction != nil {
			all = append(all, r.SerialFraction)
		}
		for _, k := range r.Knees {
			all = append(all, k)
		}
	}
	for _, v := range a.Verdicts {
		all = append(all, v)
	}
	for _, x := range a.Sensitivity {
		all = append(all, x)
	}
	for _, x := range a.Warnings {
		all = append(all, x)
	}
	return all
}

// closedForms are the formulas of a workload's designs, by design.
func closedForms(w *workload.Workload) map[string]compare.ClosedForm {
	if w == nil {
		return nil
	}
	forms := map[string]compare.ClosedForm{}
	for _, d := range w.Designs {
		f := d.Formula
		if f == nil {
			continue
		}
		forms[d.Name] = compare.ClosedForm{Text: f.Text, Source: f.Source,
			Seconds: func(p plan.Point, of func(string, string, plan.Point) (float64, bool)) float64 {
				return f.Seconds(p, of)
			}}
	}
	return forms
}
