package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/sweep"
)

func (a *app) showCommand() *cobra.Command {
	o := runOptions{pairs: neighbours}
	cmd := &cobra.Command{
		Use:   "show [RUN]",
		Short: "Show a stored run as it printed, by default the latest",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("show takes one run, not %d; %s compare OLD NEW compares two", len(args), name())
			}
			check := o.validateFormat
			if o.format == "svg" { // show alone has it
				check = func() error { return nil }
			}
			if _, err := a.fromEnvironment(cmd, check, "format"); err != nil {
				return err
			}
			if len(args) == 1 && sweep.IsDesign(a.workloads, args[0]) {
				return a.showDesign(args[0])
			}
			dir, err := sweep.FindRun(slices.Concat(args, []string{""})[0])
			if err != nil {
				return withExitCode(err)
			}
			return a.showRun(cmd.Context(), dir, &o)
		},
	}
	cmd.Flags().StringVar(&o.format, "format", "table", "table, json, csv, bench (Go benchmark format), md or svg")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(append(slices.Clone(formats), "svg"),
		cobra.ShellCompDirectiveNoFileComp))
	a.view.addTo(cmd.Flags())
	return cmd
}

// showDesign prints the source of a design, as source does. A directory of the same name is refused, because it may be
// the one that was meant.
func (a *app) showDesign(design string) error {
	if exists(design) {
		return usage("%s is a design and a directory: type %s source %s for the source of the design, or %s show ./%s "+
			"for the run in the directory", design, name(), design, name(), design)
	}
	return a.printSource(design)
}

// showRun prints a stored run. It measures and writes nothing.
func (a *app) showRun(ctx context.Context, dir string, o *runOptions) error {
	stored, err := sweep.Open(dir)
	if err != nil {
		return withExitCode(err)
	}
	h := &stored.Header
	fmt.Fprintf(a.notes, "%s: %s %s, begun %s\n", dir, name(), strings.Join(h.Args, " "),
		h.Started.Local().Format("2006-01-02 15:04:05"))
	if !stored.Ended {
		fmt.Fprintf(a.stderr, "warning: this run is incomplete: %s; continue it with: %s\n", stored.Progress(),
			resumeHint(*h, dir))
	}
	a.warnLostFailures(dir, stored.Trials)
	switch {
	case h.Bench != nil && o.format == "svg":
		return usage("--format svg shows the fastest designs by two factors, but %s has benchmarks", dir)
	case h.Bench != nil:
		return a.showStoredBench(dir, o.format)
	}
	r, err := lab.Resume(ctx, a.workloads, dir, lab.ResumeOptions{ReadOnly: true, Program: name(), Notify: a.warn})
	if err != nil {
		return withExitCode(err)
	}
	a.warnLostFailures(dir, r.Predictions)
	a.measuring = true // what fails from here on is the output
	if o.format == "svg" {
		return withExitCode(report.WinnersSVG(a.stdout, r.Analyze().Answer.Winners))
	}
	if err := a.newOutput(o).finish(r); err != nil {
		return err
	}
	a.code = exitOK // what the run decided is no failure of show
	a.reportFailures(r.Checked())
	return nil
}

// showStoredBench prints a stored run of benchmarks, or of a gate.
func (a *app) showStoredBench(dir, format string) error {
	r, err := lab.ReadBench(dir, a.warn)
	if err != nil {
		return withExitCode(err)
	}
	gate, err := r.Gate()
	if err != nil {
		return withExitCode(err)
	}
	a.showSettings(format, r.Header.Config)
	switch {
	case gate == nil || !slices.Contains(gateFormats, format):
		err = a.showBench(r, format)
	default:
		maxRegression := 0.0
		for _, v := range gate.Decisions {
			maxRegression = v.MaxRegression // all have the same
		}
		err = a.showGate(gate, maxRegression, format)
	}
	a.measuring = true
	a.reportFailures(r.Trials)
	return err
}
