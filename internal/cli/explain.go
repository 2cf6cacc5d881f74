package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/evidence/collect"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/timeline"
	"github.com/brewput/brewput/workload"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	cpus      string
	duration  time.Duration
	timeLimit time.Duration
	quick     bool
	format    string
	out       string
	timeline  string
	pprof     bool
	before    string
	after     string
	designs   []string
	list      bool // the names of the findings
}

var explainFormats = []string{"table", "json"}

func (a *app) explainCommand() *cobra.Command {
	var o explainOptions
	defaults := collect.DefaultOptions()
	cmd := &cobra.Command{
		Use:   "explain [TARGET] [-- COMMAND ARGS...]",
		Short: "Find what holds a Go program back, and what to change",
		Args:  cobra.ArbitraryArgs, // a first argument that is not a workload is a finding or a target
		RunE: func(cmd *cobra.Command, args []string) error {
			if known, err := a.explainFinding(cmd, o, args); known || err != nil {
				return err
			}
			if err := o.fromConfig(a, cmd); err != nil {
				return err
			}
			return a.explain(cmd, o, func(e *lab.ExplainOptions) (stop func() error, err error) {
				if err := o.targets(cmd, args, a.workloads, e); err != nil {
					return nil, err
				}
				return nil, a.checkApplicable(cmd, o, e)
			})
		},
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.cpus, "cpus", "", "GOMAXPROCS `LEVELS` of runs without a profiler; profiles are taken at the "+
		"highest (default 1 and all)")
	f.DurationVar(&o.duration, "duration", defaults.Duration, "maximum `TIME` that one run is watched")
	f.DurationVar(&o.timeLimit, "time-limit", defaults.TimeLimit, "`TIME` for building and all runs together; "+
		"evidence that did not fit is listed")
	f.BoolVar(&o.quick, "quick", false, "only a CPU profile and a trace, in about 5 seconds after the build")
	f.StringVar(&o.format, "format", "table", "table or json")
	f.StringVarP(&o.out, "output", "o", "", "keep profiles and trace in `DIR`")
	f.StringVar(&o.timeline, "timeline", "", "write the timeline of goroutines (running, runnable, waiting) to "+
		"`FILE` (.json), for ui.perfetto.dev")
	f.BoolVar(&o.pprof, "pprof", false, "afterwards serve pprof's own views of the profiles, on this "+
		"machine, until interrupted")
	cmd.Flags().StringVar(&o.before, "before", "", "with --after: rank the changes from this `TARGET` to that, each a "+
		"program, a package, a profile or a directory of profiles")
	cmd.Flags().StringVar(&o.after, "after", "", "the `TARGET` after the change; see --before")
	cmd.Flags().BoolVar(&o.list, "list", false, "list the findings; explain FINDING describes one")
	a.view.addTo(f)
	f.StringSliceVar(&o.designs, "designs", nil, "design `NAME` of a workload or a run directory")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(explainFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("designs", a.completeFlagDesigns)
	for _, w := range a.workloads {
		cmd.AddCommand(a.explainWorkload(w, &o))
	}
	return cmd
}

// fromConfig sets options that are not given from brewput.conf.
func (o *explainOptions) fromConfig(a *app, cmd *cobra.Command) error {
	_, err := a.fromEnvironment(cmd, func() error { _, err := o.options(); return err }, "cpus", "duration", "format")
	return err
}

// explainFinding writes the documentation of all findings or of one. known is false if the arguments are a target.
func (a *app) explainFinding(cmd *cobra.Command, o explainOptions, args []string) (known bool, err error) {
	switch {
	case o.list && len(args) > 0:
		return true, usage("--list takes no target %q; explain FINDING describes one finding", args[0])
	case !slices.Contains(explainFormats, o.format),
		!o.list && (len(args) != 1 || args[0] == "" || cmd.ArgsLenAtDash() >= 0):
		return false, nil
	}
	name := strings.Join(args, "")
	if o.format == "json" {
		known, err = report.FindingDocsJSON(a.stdout, name)
	} else {
		err = a.page(func(w io.Writer, st report.Style) (err error) {
			known, err = report.FindingDocs(w, name, st)
			return err
		})
	}
	if known && name != "" && exists(name) {
		fmt.Fprintf(a.notes, "note: %s is a finding and a file; write ./%s for the file\n", name, name)
	}
	return known, err
}

// options returns the options of package lab for the flags, without targets.
func (o *explainOptions) options() (lab.ExplainOptions, error) {
	e := lab.ExplainOptions{Duration: o.duration, TimeLimit: o.timeLimit, Quick: o.quick, Keep: o.out}
	switch err := checkFormat("explain --format", o.format, explainFormats); {
	case err != nil:
		return e, err
	case o.duration <= 0: // 0 is the default of package lab
		return e, usage("--duration %v is not a positive time", o.duration)
	case o.timeLimit <= 0:
		return e, usage("--time-limit %v is not a positive time", o.timeLimit)
	}

	if o.timeline != "" {
		if filepath.Ext(o.timeline) != ".json" {
			return e, usage("--timeline %s: the name must end in .json, for ui.perfetto.dev", o.timeline)
		}
		if err := writable("--timeline", o.timeline); err != nil {
			return e, err
		}
	}

	if o.cpus == "" {
		return e, nil
	}
	c, err := (plan.Factor{Name: "cpus", Kind: plan.Int, Min: 1}).Parse(o.cpus, nil)
	if err != nil {
		return e, asUsage(err)
	}
	for _, l := range c.Levels {
		n, _ := l.Number()
		e.CPUs = append(e.CPUs, int(n))
	}
	return e, nil
}

// explain explains the targets that choose adds to the options. The function stop that choose may return ends the load
// of a server when the evidence is taken, even without success. Its error says whether replies were wrong: then the
// evidence has no meaning, and nothing is printed.
func (a *app) explain(cmd *cobra.Command, o explainOptions,
	choose func(*lab.ExplainOptions) (stop func() error, err error)) error {
	options, err := o.options()
	if err != nil {
		return err
	}
	collect.RemoveAbandoned() // removes what a killed explain left behind, even if there is no target now
	stop, err := choose(&options)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	options.Stdin, _ = cmd.InOrStdin().(*os.File)
	options.Notify = a.steps(time.Now)
	a.measuring = true

	x, err := lab.Explain(ctx, options)
	var failed error
	if stop != nil {
		failed = stop()
	}
	wrong := failed != nil && ctx.Err() == nil && !errors.As(failed, &workload.FailedError{})
	if wrong {
		failed = exitError{failed, exitWrong}
	}
	if err != nil {
		return errors.Join(a.printFailure(err), failed)
	}
	defer x.Close()
	if wrong {
		return failed
	}
	o.pprof = o.pprof && failed == nil
	return errors.Join(a.presentAll(ctx, x, o), failed)
}

// presentAll writes the explanation, or what changed, and all else that the flags ask for.
func (a *app) presentAll(ctx context.Context, x *lab.Explanation, o explainOptions) error {
	a.showSettings(o.format, a.config)
	if o.before != "" {
		return a.presentChanges(x, o)
	}
	if err := a.traceTimeline(ctx, x, o.timeline); err != nil {
		return err
	}
	a.goesOn = o.pprof
	if err := a.present(x, o.format); err != nil || !o.pprof {
		return err
	}
	return a.servePprof(ctx, x.Evidence)
}

// present writes the explanation.
func (a *app) present(x *lab.Explanation, format string) error {
	if format == "json" {
		return report.ExplanationJSON(a.stdout, x.Report, x.Evidence.Evidence)
	}
	var overheads []string
	for _, o := range x.Evidence.Overheads {
		overheads = append(overheads, fmt.Sprintf("%s %.2fx", o.Kind, o.Ratio))
	}
	return a.page(func(w io.Writer, st report.Style) error {
		return report.Explanation(w, x.Report, x.Evidence.Evidence, overheads, st)
	})
}

// presentChanges writes what changed between two targets.
func (a *app) presentChanges(x *lab.Explanation, o explainOptions) error {
	if o.format == "json" {
		return report.ChangesJSON(a.stdout, x.Changes, x.Notes)
	}
	return a.page(func(w io.Writer, st report.Style) error {
		return report.Changes(w, o.before, o.after, x.Changes, x.Notes, st)
	})
}

// printFailure prints the output of a program that failed.
func (a *app) printFailure(err error) error {
	var f *collect.Failure
	if errors.As(err, &f) {
		if text := strings.TrimSpace(f.Output); text != "" {
			lines := strings.Split(text, "\n")
			fmt.Fprintln(a.stderr, "    "+input.Redact(strings.Join(lines[max(0, len(lines)-20):], "\n    ")))
		}
	}
	if errors.Is(err, context.Canceled) {
		a.interrupted("; nothing is left behind")
	}
	return withExitCode(err)
}

// traceTimeline writes the timeline of the collected trace.
func (a *app) traceTimeline(ctx context.Context, x *lab.Explanation, path string) error {
	if path == "" {
		return nil
	}
	t, err := x.Timeline(ctx)
	if err != nil {
		return withExitCode(err)
	}
	if t == nil {
		fmt.Fprintln(a.stderr, "brewput: no trace was recorded, so there is no timeline")
		return nil
	}
	write := func(w io.Writer) error { return report.TimelineJSON(w, []*timeline.Timeline{t}) }
	if err := store.Replace(path, write); err != nil {
		return exitError{fmt.Errorf("the timeline could not be written: %w", err), exitFailed}
	}
	fmt.Fprintf(a.notes, "timeline in %s: %s of %s in %v\n", path, result.Count(len(t.Spans), "span"),
		result.Count(len(t.Goroutines), "goroutine"), time.Duration(t.To))
	return nil
}
