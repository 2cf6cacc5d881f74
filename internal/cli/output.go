package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// output hands what a sweep measures to report, in the format asked for. JSON is written block by
// block, the other formats at the end.
type output struct {
	app    *app
	format string
	sweep  *sweep.Sweep
	sent   int // trials already written
	err    error

	predictions []result.Trial        // of the twin
	sensitivity []compare.Sensitivity // of what was calculated to the scheduler's costs, if it was asked for
}

func (a *app) newOutput(format string, s *sweep.Sweep) *output {
	return &output{app: a, format: format, sweep: s}
}

// predicted takes the predictions, which are all there before anything is measured.
func (o *output) predicted() {
	if o.format == "json" {
		o.write(o.predictions)
	}
}

// block takes the trials of a finished block.
func (o *output) block(trials []result.Trial) {
	if o.format == "json" {
		o.sent += len(trials)
		o.write(trials)
	}
}

// write sends trials of whole or broken blocks as JSON: each throughput trial with the resources of
// its observed trial, then the observed trials themselves.
func (o *output) write(trials []result.Trial) {
	all := compare.Attach(trials)
	for _, t := range trials {
		if t.Kind == result.KindObserved {
			all = append(all, t)
		}
	}
	for _, t := range all {
		if o.err == nil {
			o.err = report.JSON(o.app.stdout, t)
		}
	}
}

// beyond are the predictions of what could not be measured.
func (o *output) beyond() []result.Trial {
	cases := o.sweep.Beyond()
	return slices.DeleteFunc(slices.Clone(o.predictions), func(t result.Trial) bool {
		return !slices.ContainsFunc(cases, func(c plan.Case) bool { return c.Design == t.Design && c.Point.String() == t.Point.String() })
	})
}

// finish writes the rest once the sweep has ended, complete or not.
func (o *output) finish(trials []result.Trial) error {
	h := &o.sweep.Header
	rows := compare.Rows(trials, o.sweep.Plan.Cases)
	verdicts := o.sweep.Judgement.Verdicts(rows, trials) // of what was measured alone
	compare.Beside(rows, o.sensitivity)
	o.sweep.Judgement.WithBaseline(rows, verdicts)
	compare.WithFormulas(rows, trials, closedForms(o.sweep.Workload))
	compare.WithSerial(rows, trials)
	compare.WithKnees(rows, o.sweep.Judgement.Inputs)
	warnings := append(compare.Warnings(trials, h.LookBlocks()), o.sweep.Judgement.RatioWarnings(rows, trials)...)
	rows = compare.WithTwin(rows, trials, o.predictions, h.Twin)
	warnings = append(warnings, compare.Unpredicted(o.predictions, h.Twin)...)
	warnings = append(warnings, compare.Doubts(o.predictions)...)
	if h.CostsFrom == sweep.Typical && slices.ContainsFunc(rows, func(r compare.Row) bool { return len(r.Twins) > 0 || r.World == result.Virtual }) {
		warnings = append(warnings, compare.NewWarning(h.Workload, compare.WarnCosts, "predictions are made with typical costs of a scheduler, not with those of this machine: "+name()+" calibrate measures them"))
	}
	w := o.app.stdout
	switch o.format {
	case "json":
		if o.sent < len(trials) {
			o.write(trials[o.sent:])
		}
		o.writeAll(rows, verdicts, warnings)
		return o.err
	case "csv", "bench": // which hold trials alone
		for _, x := range warnings {
			fmt.Fprintln(o.app.stderr, "warning:", x.Text)
		}
	}
	switch o.format {
	case "csv":
		return report.CSV(w, append(compare.Refused(compare.Attach(o.predictions), rows), compare.Attach(trials)...))
	case "bench":
		header := [][2]string{{"goos", h.Environment.GOOS}, {"goarch", h.Environment.GOARCH}, {"pkg", modulePath}}
		if cpu := h.Environment.CPUModel; cpu != nil {
			header = append(header, [2]string{"cpu", *cpu})
		}
		beyond := slices.DeleteFunc(compare.Refused(compare.Attach(o.beyond()), rows), func(t result.Trial) bool { return t.NotModelled != "" })
		return report.Bench(w, append(beyond, compare.Attach(trials)...), header) // what was measured is not there twice
	case "md":
		return report.Markdown(w, rows, verdicts, warnings)
	}
	width, isTerminal := terminal(w)
	return report.Table(w, rows, verdicts, warnings, report.StyleFor(os.Getenv, isTerminal, width))
}

// writeAll writes what follows the trials in JSON.
func (o *output) writeAll(rows []compare.Row, verdicts []compare.Verdict, warnings []compare.Warning) {
	var all []any
	for _, s := range compare.Summaries(rows) {
		all = append(all, s)
	}
	for _, r := range rows {
		for _, t := range r.Twins {
			all = append(all, t)
		}
	}
	for _, r := range rows {
		if r.Formula != nil {
			all = append(all, r.Formula)
		}
		if r.Serial != nil {
			all = append(all, r.Serial)
		}
		for _, k := range r.Knees {
			all = append(all, k)
		}
	}
	for _, v := range verdicts {
		all = append(all, v)
	}
	for _, x := range o.sensitivity {
		all = append(all, x)
	}
	for _, x := range warnings {
		all = append(all, x)
	}
	for _, x := range all {
		if o.err == nil {
			o.err = report.JSON(o.app.stdout, x)
		}
	}
}

// closedForms are the formulas of a workload's designs.
func closedForms(w *workload.Workload) map[string]compare.ClosedForm {
	forms := map[string]compare.ClosedForm{}
	for _, d := range w.Designs {
		if f := d.Formula; f != nil {
			forms[d.Name] = compare.ClosedForm{Text: f.Text, Source: f.Source, Seconds: func(p plan.Point, of func(string, string, plan.Point) (float64, bool)) float64 {
				return f.Seconds(p, of)
			}}
		}
	}
	return forms
}

// inputs are the factors that get no verdict between their levels.
func inputs(w *workload.Workload) []string {
	var names []string
	for _, f := range w.AllFactors() {
		if f.Input {
			names = append(names, f.Name)
		}
	}
	return names
}

// exitCode is what the trials say of the command: a declared failure is none.
func exitCode(trials []result.Trial) int {
	unexpected := func(statuses ...result.Status) bool {
		return slices.ContainsFunc(trials, func(t result.Trial) bool {
			return !t.Expected && slices.Contains(statuses, t.Status)
		})
	}
	switch {
	case unexpected(result.Failed), len(neverValid(trials)) > 0:
		return exitFailed
	case unexpected(result.Wrong, result.Violated):
		return exitWrong
	}
	return exitOK
}

// neverValid are the cases that have no valid trial: a single one that came to nothing is the machine's
// doing and expected now and then, all of them are no measurement.
func neverValid(trials []result.Trial) []string {
	var cases []string
	valid := map[string]bool{}
	for _, t := range trials {
		c := t.Design + " " + t.Point.String()
		if t.Kind != result.KindTrial {
			continue
		}
		if !slices.Contains(cases, c) {
			cases = append(cases, c)
		}
		valid[c] = valid[c] || !t.Invalid
	}
	return slices.DeleteFunc(cases, func(c string) bool { return valid[c] })
}
