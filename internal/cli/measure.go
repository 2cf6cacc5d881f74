package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/internal/cli/intent"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// measure runs designs of a workload, live or in virtual time, and shows the results.
func (a *app) measure(cmd *cobra.Command, w *workload.Workload, o *runOptions, given map[string]string) error {
	if err := o.validate(); err != nil {
		return err
	}
	if err := o.writableFiles(w, given); err != nil {
		return err
	}
	ctx, out := cmd.Context(), a.newOutput(o)
	r, err := a.start(ctx, w, o, given, out)
	for name := o.inapplicable(err); name != ""; name = o.inapplicable(err) {
		a.leftOut(o.fromEnv[name], err)
		option.Unset(cmd.Flags().Lookup(name))
		a.config = slices.DeleteFunc(a.config, func(s string) bool { return s == o.fromEnv[name] })
		o.config = a.config
		delete(o.fromEnv, name)
		r, err = a.start(ctx, w, o, given, out)
	}
	return a.finish(ctx, r, err, out, *o)
}

// start runs the designs.
func (a *app) start(ctx context.Context, w *workload.Workload, o *runOptions, given map[string]string,
	out *output) (*lab.Run, error) {
	if o.virtual {
		s, err := o.simulateOptions(given)
		if err != nil {
			return nil, err
		}
		s.Notify = out.notify
		return lab.Simulate(ctx, w, s)
	}
	m := o.measureOptions(given)
	m.Notify = out.notify
	return lab.Measure(ctx, w, m)
}

// inapplicable returns the option that an error refuses, if its value came from the environment and the option does not
// apply to every run.
func (o *runOptions) inapplicable(err error) string {
	var r *lab.Refusal
	if errors.As(err, &r) && o.fromEnv[r.Field] != "" &&
		slices.Contains([]string{"budget", "compare", "operations", "sample", "time-limit"}, r.Field) {
		return r.Field
	}
	return ""
}

// designOptions returns the options of both worlds.
func (o *runOptions) designOptions(given map[string]string) lab.DesignOptions {
	d := lab.DesignOptions{
		Designs: o.designs, Levels: given, Count: o.count, Operations: o.operations, Duration: o.duration,
		Warmup: o.warmup, TimeLimit: o.timeLimit, Seed: &o.seed, SLO: o.slo, Baseline: o.baseline,
		AllPairs: o.pairs == allPairs, Output: o.out, Args: arguments(), Version: version(), Program: name(),
		Config: o.config,
	}
	if o.budget > 0 || o.precision != "" {
		d.Count = 0
	}
	if o.warmup == 0 {
		d.Warmup = -1 // none
	}
	return d
}

func (o *runOptions) measureOptions(given map[string]string) lab.MeasureOptions {
	return lab.MeasureOptions{DesignOptions: o.designOptions(given), Budget: o.budget, Sample: o.sample,
		Profile: o.profile, Oversubscribe: o.oversubscribe, NoCapacity: o.noCapacity,
		NoPredictions: o.noTwin, Cost: o.cost, Quick: o.quickNote}
}

func (o *runOptions) simulateOptions(given map[string]string) (s lab.SimulateOptions, err error) {
	s = lab.SimulateOptions{DesignOptions: o.designOptions(given), FixedWarmup: !o.extendWarmup, Cost: o.cost,
		RecordCosts: o.recordCosts, ReplayCosts: o.replayCosts, KeepCosts: o.recalculates()}
	if o.precision != "" {
		s.Precision, err = parsePrecision(o.precision)
	}
	return s, err
}

// finish shows the result of a run of designs. r is nil if nothing was measured.
func (a *app) finish(ctx context.Context, r *lab.Run, err error, out *output, o runOptions) error {
	out.progress.clear()
	if r == nil {
		return a.errorWithoutRun(err)
	}
	a.measuring = true
	complete := err == nil
	if complete && o.sensitivity {
		out.sensitivity, err = r.Sensitivity(ctx)
		out.progress.clear()
	}
	interrupted := errors.Is(err, context.Canceled)
	var lost *lab.StorageError
	if errors.As(err, &lost); interrupted {
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; %s\n",
			intent.Progress(&r.Header, len(r.Trials), r.Total()), o.continuation(r, complete))
		a.code = exitInterrupted
		if err = nil; lost != nil {
			err = lost
		}
	}

	stopped := err != nil || interrupted
	if !stopped {
		err = a.summarize(ctx, r, o)
	}
	outErr := out.finish(r) // last, because the page ends with the answer
	if outErr != nil {
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored, print them "+
			"with: %s%s --format %s", outErr, resumeHint(r.Header, r.Dir), o.sloArgs(r), o.format))
	}
	if stopped || outErr != nil {
		return withExitCode(err)
	}
	return err
}

// summarize prints what is known of a finished run besides its page, writes its timelines and sets the exit code.
func (a *app) summarize(ctx context.Context, r *lab.Run, o runOptions) error {
	a.code = exitCodes[r.Outcome]
	a.reportFailures(r.Checked())
	a.warnLostFailures(r.Dir, r.Trials)
	a.warnLostFailures(r.Dir, r.Predictions)
	a.conclude(r)
	if r.Header.Commands == nil { // a comparison of commands has no progress between its first line and its page
		fmt.Fprintf(a.notes, "stored in %s\n", r.Dir)
	}
	err := a.writeTimelines(ctx, r, o)
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(a.stderr, "brewput: interrupted before the timeline was written; write it with: %s%s %s\n",
			resumeHint(r.Header, r.Dir), o.sloArgs(r), o.timelineArgs())
		a.code, err = exitInterrupted, nil
	}
	return err
}

// errorWithoutRun returns the error of a run that stored nothing.
func (a *app) errorWithoutRun(err error) error {
	var early *lab.CanceledError
	var unserved *sweep.PreparationError
	var refused *lab.Refusal
	switch {
	case errors.As(err, &refused):
	case errors.As(err, &early):
		hint := ""
		if early.Pilots {
			hint = " (with --warmup TIME each trial is stored as it ends)"
		}
		a.code = exitInterrupted
		a.interrupted(" while %s; nothing is stored yet%s", early.During, hint)
		return nil
	case errors.As(err, &unserved):
		fmt.Fprint(a.stderr, firstLines(unserved.Failure, 60))
		return exitError{fmt.Errorf("%w; nothing is stored", err), exitCode([]result.Trial{unserved.Trial})}
	}
	return withExitCode(err)
}

// firstLines returns the first lines of a text, and how many follow.
func firstLines(text string, limit int) string {
	lines := strings.SplitAfter(text, "\n")
	if len(lines) <= limit {
		return text
	}
	return strings.Join(lines[:limit], "") + fmt.Sprintf("... %d more lines\n", len(lines)-limit)
}

// reportFailures prints the reason for the exit code, because formats for programs show numbers only.
func (a *app) reportFailures(trials []result.Trial) {
	n, first := 0, -1
	for i, t := range trials {
		if !t.Expected {
			n++
			if first < 0 {
				first = i
			}
		}
	}
	if cases := result.NeverValid(trials); len(cases) > 0 {
		fmt.Fprintf(a.stderr, "brewput: %s: no trial was valid, because arrivals were always noticed late; see the "+
			"errors\n",
			cases[0])
	}
	if n == 0 {
		return
	}

	t := trials[first]
	text := fmt.Sprintf("%d of %s failed; the first: %s %s: %s: %s", n, result.Count(len(trials), "trial"),
		t.Design, t.Point, t.Status, t.Error)
	if t.Failure != "" {
		text += "; see " + t.Failure
	}
	fmt.Fprintln(a.stderr, "brewput:", quote.Line(option.Typed(text)))
}
