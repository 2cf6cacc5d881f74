package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// output hands what a sweep measures to report, in the format asked for. JSON is written block by
// block, the other formats at the end.
type output struct {
	app    *app
	format string
	sweep  *sweep.Sweep
	err    error

	// trials already written: measured, and predicted
	sent, foretold int

	predictions []result.Trial        // of the twin
	sensitivity []compare.Sensitivity // of what was calculated to the scheduler's costs, if it was asked for
}

func (a *app) newOutput(format string, s *sweep.Sweep) *output {
	return &output{app: a, format: format, sweep: s}
}

// predicted takes the predictions of a finished block.
func (o *output) predicted(trials []result.Trial) {
	if o.format == "json" {
		o.foretold += len(trials)
		o.write(trials)
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
		return !slices.ContainsFunc(cases,
			func(c plan.Case) bool { return c.Design == t.Design && c.Point.String() == t.Point.String() })
	})
}

// finish writes the rest once the sweep has ended, complete or not.
func (o *output) finish(trials []result.Trial) error {
	h := &o.sweep.Header
	x := lab.Analyze(trials, lab.AnalyzeOptions{
		Workload: o.sweep.Workload, Cases: o.sweep.Plan.Cases, Judgement: o.sweep.Judgement,
		InterimBlocks: h.LookBlocks(),
		Predictions:   o.predictions, PredictedCases: h.Twin, CostsFrom: h.CostsFrom,
		CalibrateCommand: name() + " calibrate",
		Sensitivity:      o.sensitivity,
	})
	w := o.app.stdout
	switch o.format {
	case "json":
		if o.foretold < len(o.predictions) {
			o.write(o.predictions[o.foretold:])
		}
		if o.sent < len(trials) {
			o.write(trials[o.sent:])
		}
		for _, record := range x.Records() {
			if o.err == nil {
				o.err = report.JSON(w, record)
			}
		}
		return o.err
	case "csv", "bench": // which hold trials alone
		for _, w := range x.Warnings {
			fmt.Fprintln(o.app.stderr, "warning:", w.Text)
		}
	}
	switch o.format {
	case "csv":
		return report.CSV(w, append(compare.Refused(compare.Attach(o.predictions), x.Rows), compare.Attach(trials)...))
	case "bench":
		header := [][2]string{{"goos", h.Environment.GOOS}, {"goarch", h.Environment.GOARCH}, {"pkg", modulePath}}
		if cpu := h.Environment.CPUModel; cpu != nil {
			header = append(header, [2]string{"cpu", *cpu})
		}
		beyond := slices.DeleteFunc(compare.Refused(compare.Attach(o.beyond()), x.Rows),
			func(t result.Trial) bool { return t.NotModelled != "" })
		// what was measured is not there twice
		return report.Bench(w, append(beyond, compare.Attach(trials)...), header)
	case "md":
		return report.Markdown(w, x.Rows, x.Verdicts, x.Warnings)
	}
	width, isTerminal := terminal(w)
	return report.Table(w, x.Rows, x.Verdicts, x.Warnings, report.StyleFor(os.Getenv, isTerminal, width))
}

// exitCodes are those of outcomes.
var exitCodes = map[lab.Outcome]int{lab.Sound: exitOK, lab.Wrong: exitWrong, lab.Failed: exitFailed}

// exitCode is what the trials say of the command.
func exitCode(trials []result.Trial) int { return exitCodes[lab.OutcomeOf(trials)] }
