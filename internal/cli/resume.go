package cli

import (
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// resume continues the run in o.resume; w is nil or the workload that the user named.
func (a *app) resume(cmd *cobra.Command, w *workload.Workload, o runOptions) error {
	if err := onlyResume(cmd); err != nil {
		return err
	}
	if format, ok := os.LookupEnv("BREWPUT_FORMAT"); ok && !cmd.Flags().Changed("format") {
		given := o
		o.format = format // how a run is shown is none of its settings
		if slices.Contains(formats, format) && (o.validateFormat() != nil || o.sensitivity && !o.needsVerdicts()) {
			o = given // which the command line contradicts
		}
	}
	if o.resume == "" {
		return usage("--resume is empty; name the directory of a run")
	}
	if err := o.validateFormat(); err != nil {
		return err
	}
	run, journal, err := store.Resume(o.resume)
	if err != nil {
		return storeError(err)
	}
	return closing(run, a.goOn(cmd, w, o, run, journal))
}

// goOn continues a run that is open, or shows it again where it is complete.
func (a *app) goOn(cmd *cobra.Command, w *workload.Workload, o runOptions, run *store.Run,
	journal *store.Journal) error {
	header, err := a.stored(o.resume, journal)
	if err != nil {
		return err
	}
	if w != nil && w.Name != header.Workload {
		return usage("%s is a run of %s, not of %s", o.resume, header.Workload, w.Name)
	}
	if w, err = a.find(header.Workload); err != nil {
		return err
	}
	p, err := header.Plan(w)
	if err != nil {
		return usage("%s cannot be continued: %w", o.resume, err)
	}
	if err := checkBaseline(w, o.baseline, p.Cases); err != nil {
		return err
	}
	runs, err := o.checkResumed(header, journal.Ended)
	if err != nil {
		return err
	}
	o.virtual = header.World == result.Virtual // either verb continues either
	if cmd.Flags().Changed("time-limit") {
		set := &header.Settings
		if err := o.validateLimit(window(time.Duration(set.Warmup), time.Duration(set.Duration), p.Cases),
			set.Operations); err != nil {
			return err
		}
		if o.timeLimit == 0 {
			return usage("--time-limit 0s sets none: leave it out to keep the run's %v, or give a positive time",
				time.Duration(set.TimeLimit))
		}
		set.TimeLimit, set.Limited = sweep.Duration(o.timeLimit), true
	}
	s, err := sweep.New(w, header)
	if err != nil {
		return usage("%s cannot be continued: %w", o.resume, err)
	}
	s.Store, s.Retry = run, cmd.Flags().Changed("time-limit")
	s.Continue(journal.Trials, journal.Blocks, journal.Ended)
	if runs {
		if err := s.RereadArrivals(cmd.Context()); err != nil {
			return asUsage(err)
		}
	}
	if err := o.resumeCosts(cmd.Context(), s, runs); err != nil {
		return err
	}
	if err := a.resumeVerdicts(cmd, s, journal, o); err != nil {
		return err
	}
	a.measuring = true
	return a.execute(cmd.Context(), s, o.resume, o)
}

// onlyResume refuses flags that would change the plan of the run that is continued.
func onlyResume(cmd *cobra.Command) error {
	var wrong string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		switch f.Name {
		case "resume", "format", "time-limit", "baseline", "compare", "timeline", "timeline-span", "sensitivity":
		default:
			wrong = f.Name
		}
	})
	if err := spanOfTimeline(cmd); err != nil {
		return err
	}
	if wrong != "" {
		also := "--compare and --time-limit"
		if cmd.Flags().Lookup("timeline") != nil {
			also = "--compare, --time-limit, --timeline and --sensitivity"
		}
		return usage("--%s cannot change a run that is continued: --resume takes only --format, --baseline, %s with it",
			wrong, also)
	}
	return nil
}

// checkResumed refuses to continue a run elsewhere, or with a timeline that could not be made. It reports whether
// trials will be run at all: those of a run that has ended are calculated again for a timeline.
func (o *runOptions) checkResumed(h sweep.Header, ended bool) (runs bool, err error) {
	if o.timeline != "" && h.World != result.Virtual {
		return false, usage("--timeline: %s was measured live, and only virtual time has timelines so far", o.resume)
	}
	if err := o.checkTimeline(len(h.Cases)); err != nil {
		return false, err
	}
	if ended && !o.again() {
		return false, nil
	}
	return true, sameHere(h, o.resume)
}

// sameHere refuses to mix trials of two machines or two builds in one run.
func sameHere(h sweep.Header, dir string) error {
	here := host.Read()
	if h.World == result.Virtual {
		here.Machine = h.Environment.Machine // virtual time is the same everywhere
	}
	if err := here.SameMachine(h.Environment); err != nil {
		return usage("%s cannot be continued on this machine: %w; continue it there, or start a new run", dir, err)
	}
	if err := here.SameBuild(h.Environment); err != nil {
		return usage("%s cannot be continued by this program: %w; continue with the program that began it, "+
			"or start a new run", dir, err)
	}
	return nil
}

// continuation says how a run goes on that was interrupted, to all that it was asked for; whole says that it had all
// trials.
func (o *runOptions) continuation(s *sweep.Sweep, dir string, whole bool) string {
	if s.Header.Records != "" && !whole {
		return "what its real code cost is not kept: start it anew"
	}
	text := "continue with: " + resumeHint(s.Header, dir)
	if o.sensitivity {
		text += " --sensitivity"
	}
	if o.timeline != "" {
		text += " " + o.askedTimeline()
	}
	return text
}

// resumeHint is the command that continues a run, or shows it again.
func resumeHint(h sweep.Header, dir string) string { return h.ResumeCommand(name(), dir) }

// quoted is a path as a shell reads it.
func quoted(path string) string { return quote.Shell(path) }
