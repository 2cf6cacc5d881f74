package cli

import (
	"fmt"
	"os"
	"slices"

	"github.com/brewput/brewput/compare"
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

	sensitivity []compare.Sensitivity // of what was calculated to the scheduler's costs, if it was asked for
}

func (a *app) newOutput(format string, s *sweep.Sweep) *output {
	return &output{app: a, format: format, sweep: s}
}

// block takes the trials of a finished block.
func (o *output) block(trials []result.Trial) {
	if o.format == "json" {
		o.write(trials)
	}
}

// write sends trials of whole or broken blocks as JSON: each throughput trial with the resources of
// its observed twin, then the observed trials themselves.
func (o *output) write(trials []result.Trial) {
	o.sent += len(trials)
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

// finish writes the rest once the sweep has ended, complete or not.
func (o *output) finish(trials []result.Trial) error {
	rows := compare.Rows(trials, o.sweep.Plan.Cases)
	verdicts := o.sweep.Judgement.Verdicts(rows, trials)
	compare.Beside(rows, o.sensitivity)
	warnings := compare.Warnings(trials, o.sweep.Header.LookBlocks())
	w := o.app.stdout
	switch o.format {
	case "json":
		if o.sent < len(trials) {
			o.write(trials[o.sent:])
		}
		for _, s := range compare.Summaries(rows) {
			if o.err == nil {
				o.err = report.JSON(w, s)
			}
		}
		for _, v := range verdicts {
			if o.err == nil {
				o.err = report.JSON(w, v)
			}
		}
		for _, x := range o.sensitivity {
			if o.err == nil {
				o.err = report.JSON(w, x)
			}
		}
		for _, x := range warnings {
			if o.err == nil {
				o.err = report.JSON(w, x)
			}
		}
		return o.err
	case "csv", "bench": // which hold trials alone
		for _, x := range warnings {
			fmt.Fprintln(o.app.stderr, "warning:", x.Text)
		}
	}
	switch o.format {
	case "csv":
		return report.CSV(w, compare.Attach(trials))
	case "bench":
		env := o.sweep.Header.Environment
		header := [][2]string{{"goos", env.GOOS}, {"goarch", env.GOARCH}, {"pkg", modulePath}}
		if env.CPUModel != nil {
			header = append(header, [2]string{"cpu", *env.CPUModel})
		}
		return report.Bench(w, compare.Attach(trials), header)
	case "md":
		return report.Markdown(w, rows, verdicts, warnings)
	}
	width, isTerminal := terminal(w)
	return report.Table(w, rows, verdicts, warnings, report.StyleFor(os.Getenv, isTerminal, width))
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
