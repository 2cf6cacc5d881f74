package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// resume continues the run in o.resume. w is nil or the workload that the user named.
func (a *app) resume(cmd *cobra.Command, w *workload.Workload, o *runOptions) error {
	if err := onlyResume(cmd); err != nil {
		return err
	}
	if _, err := a.fromEnvironment(cmd, o.validateFormat, "format"); err != nil {
		return err // the format is not a setting of the run
	}
	if o.resume == "" {
		return usage("--resume is empty; name the directory of a run")
	}
	if cmd.Flags().Changed("time-limit") && o.timeLimit <= 0 {
		return usage("--time-limit %v sets none: leave it out to keep the run's own, or give a positive time",
			o.timeLimit)
	}

	out := a.newOutput(o)
	options := lab.ResumeOptions{TimeLimit: o.timeLimit, KeepCosts: o.recalculates(), Program: name(),
		Notify: out.notify}
	if w != nil {
		options.Workload = w.Name
	}
	if !cmd.Flags().Changed("time-limit") {
		options.TimeLimit = 0
	}
	if cmd.Flags().Changed("baseline") {
		options.Baseline = &o.baseline
	}
	if all := o.pairs == allPairs; cmd.Flags().Changed("compare") {
		options.AllPairs = &all
	}
	if o.recalculates() {
		if err := o.checkAgain(); err != nil {
			return err
		}
	}

	r, err := lab.Resume(cmd.Context(), a.workloads, o.resume, options)
	return a.finish(cmd.Context(), r, err, out, *o)
}

// checkAgain refuses to calculate a stored run again for an option that does not apply to it.
func (o *runOptions) checkAgain() error {
	run, err := sweep.Open(o.resume)
	if err != nil {
		return withExitCode(err)
	}
	h := &run.Header
	if o.timeline != "" && h.World != result.Virtual {
		return usage("--timeline: %s was measured live, and only virtual time has timelines so far", o.resume)
	}
	if err := o.checkTimeline(len(h.Cases)); err != nil {
		return err
	}
	return o.checkSensitivity(h)
}

// onlyResume refuses flags that would change the plan of the continued run.
func onlyResume(cmd *cobra.Command) error {
	allowed := []string{"time-limit", "baseline", "compare", "slo"}
	if cmd.Flags().Lookup("timeline") != nil {
		allowed = append(allowed, "timeline", "timeline-span", "sensitivity")
	}
	return cmp.Or(checkTimelineSpan(cmd), refuseChanges(cmd.Flags(), allowed...))
}

// refuseChanges refuses flags that would change a run that is continued: all but --resume, those of the page, and those
// that are allowed.
func refuseChanges(flags *pflag.FlagSet, allowed ...string) (err error) {
	allowed = append([]string{"format", "show", "full", "quiet", "verbose"}, allowed...)
	flags.Visit(func(f *pflag.Flag) {
		if f.Name != "resume" && !slices.Contains(allowed, f.Name) {
			err = usage("--%s cannot change a run that is continued: --resume takes only --%s with it", f.Name,
				strings.Join(allowed, ", --"))
		}
	})
	return err
}

// continuation says how to continue an interrupted run with all options that were asked for. complete says that all
// its trials ended.
func (o *runOptions) continuation(r *lab.Run, complete bool) string {
	if r.Header.RecordingFile != "" && !complete {
		return "the costs of its real code were not kept: start it again"
	}
	text := "continue with: " + resumeHint(r.Header, r.Dir) + o.sloArgs(r)
	if o.sensitivity {
		text += " --sensitivity"
	}
	if o.timeline != "" {
		text += " " + o.timelineArgs()
	}
	return text
}

// sloArgs is the flag of objectives other than those that the run stores; "" without any.
func (o *runOptions) sloArgs(r *lab.Run) string {
	if o.slo == "" || o.slo == r.Header.SLO {
		return ""
	}
	return " --slo " + quote.Shell(o.slo)
}

// resumeHint returns the command that resumes a run, or shows a finished one again.
func resumeHint(h sweep.Header, dir string) string {
	verb := "run"
	switch {
	case h.Bench != nil:
		verb = "bench"
	case h.Commands != nil:
		verb = "compare"
	case h.World == result.Virtual:
		verb = "sim"
	}
	return name() + " " + verb + " --resume " + quote.Shell(dir)
}
