package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/cli/intent"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// output shows the events of a run of designs and passes its results to package report in the chosen format. It
// writes JSON block by block, and the other formats at the end.
type output struct {
	*events
	app    *app
	format string
	err    error

	// numbers of measured and of predicted trials already written
	sent, predictionsSent int

	sensitivity []compare.Sensitivity // to the scheduler's costs, if it was asked for

	slo       string              // objectives; "" for those of the run
	decisions compare.SLOAnalysis // on them

	gates bool    // commands: decide by limit, which sets the exit code
	limit float64 // 0.05 allows 5% more time
}

func (a *app) newOutput(o *runOptions) *output {
	return &output{app: a, format: o.format, slo: o.slo, events: a.newEvents(intent.Designs)}
}

// notify handles an event.
func (o *output) notify(event lab.Event) {
	switch e := event.(type) {
	case lab.Progress:
		if o.format == "json" && e.Trials != nil {
			o.sent += len(e.Trials)
			o.write(e.Trials)
		}
	case lab.Predicted:
		if o.format == "json" {
			o.predictionsSent += len(e.Trials)
			o.write(e.Trials)
		}
	}
	o.events.notify(event)
}

// write writes trials as JSON: each throughput trial with the resources of its instrumented trial, then the
// instrumented trials themselves. The last block may be incomplete.
func (o *output) write(trials []result.Trial) {
	all := compare.AttachResources(trials)
	for _, t := range trials {
		if t.Kind == result.KindInstrumented {
			all = append(all, t)
		}
	}
	for _, t := range all {
		if o.err == nil {
			o.err = report.JSON(o.app.stdout, t)
		}
	}
}

// commands analyses a comparison of commands; nil for other runs. With a limit it decides, which sets the exit code.
func (o *output) commands(r *lab.Run) *compare.CommandAnalysis {
	c := r.Commands()
	if o.gates {
		if decision := c.Gate(o.limit); o.app.code == exitOK {
			o.app.code = gateCodes[decision]
		}
	}
	if c != nil {
		o.nameFlags(c.Warnings, c.Answer)
	}
	return c
}

// analyze analyses a run.
func (o *output) analyze(r *lab.Run) *lab.Analysis {
	x := r.Analyze(o.sensitivity...)
	if slo, err := compare.ParseSLO(cmp.Or(o.slo, r.Header.SLO)); err == nil { // not without any
		o.decisions = slo.Decide(x.Rows, r.Trials)
		x.Answer.Text = append(x.Answer.Text, o.decisions.Sentence())
		if o.app.code == exitOK && !r.Interrupted {
			o.app.code = gateCodes[o.decisions.Overall]
		}
	}
	o.nameFlags(x.Warnings, x.Answer.Text)
	for _, row := range x.Rows {
		o.nameFlags(nil, row.Errors)
	}
	return x
}

// nameFlags names the options in warnings and other texts for people as flags.
func (o *output) nameFlags(warnings []compare.Warning, texts []string) {
	if o.format == "json" {
		return
	}
	for i := range warnings {
		warnings[i].Text = option.Typed(warnings[i].Text)
	}
	for i := range texts {
		texts[i] = option.Typed(texts[i])
	}
}

// finish writes the rest after the run has ended, complete or not.
func (o *output) finish(r *lab.Run) error {
	h, x, trials := &r.Header, o.analyze(r), r.Trials
	w, commands := o.app.stdout, o.commands(r)
	o.app.showSettings(o.format, h.Config)

	switch o.format {
	case "json":
		if o.predictionsSent < len(r.Predictions) {
			o.write(r.Predictions[o.predictionsSent:])
		}
		if o.sent < len(trials) {
			o.write(trials[o.sent:])
		}
		records := append(o.decisions.Records(), x.Records()...)
		if commands != nil {
			records = commands.Records()
		}
		for _, record := range records {
			if o.err == nil {
				o.err = report.JSON(w, record)
			}
		}
		return o.err
	case "csv", "bench": // these hold trials only
		o.remark(x, commands)
	}

	switch page := (report.Commands{CommandAnalysis: commands}); {
	case commands != nil && o.format == "table":
		return o.app.page(page.Table)
	case commands != nil && o.format == "md":
		return page.Markdown(w)
	}

	switch o.format {
	case "csv":
		predictions := compare.WithoutInvalidPredictions(compare.AttachResources(r.Predictions), x.Rows)
		return report.CSV(w, append(predictions, compare.AttachResources(trials)...))
	case "bench":
		header := [][2]string{{"goos", h.Environment.GOOS}, {"goarch", h.Environment.GOARCH}, {"pkg", modulePath}}
		if cpu := h.Environment.CPUModel; cpu != nil {
			header = append(header, [2]string{"cpu", *cpu})
		}
		beyond := slices.DeleteFunc(
			compare.WithoutInvalidPredictions(compare.AttachResources(r.PredictedOnly()), x.Rows),
			func(t result.Trial) bool { return t.NotModelled != "" })
		// Predictions of measured cases are left out, so that no case is there twice.
		return report.Bench(w, append(beyond, compare.AttachResources(trials)...), header)
	case "md":
		return report.Markdown(w, x.Rows, x.Verdicts, x.Warnings, x.Answer)
	}
	return o.app.page(func(w io.Writer, st report.Style) error {
		return report.Table(w, x.Rows, x.Verdicts, x.Warnings, x.Answer, st)
	})
}

// remark writes the warnings and the decisions to stderr, for formats that hold none.
func (o *output) remark(x *lab.Analysis, commands *compare.CommandAnalysis) {
	for _, w := range x.Warnings {
		fmt.Fprintln(o.app.stderr, "warning:", w.Text)
	}
	if o.gates {
		fmt.Fprintln(o.app.stderr, strings.Join(commands.Conclusion(), "\n"))
	}
	if o.decisions.Overall != "" {
		fmt.Fprintln(o.app.stderr, x.Answer.Text[len(x.Answer.Text)-1])
	}
}

// exitCodes are the exit codes of outcomes.
var exitCodes = map[result.Outcome]int{result.Sound: exitOK, result.SomeWrong: exitWrong, result.SomeFailed: exitFailed}

// exitCode is the exit code for trials.
func exitCode(trials []result.Trial) int { return exitCodes[result.OutcomeOf(trials)] }

// warnLostFailures warns of files with the output of failed trials that are no longer in a run directory.
func (a *app) warnLostFailures(dir string, trials []result.Trial) {
	if text := store.LostFailures(dir, trials); text != "" {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
}
