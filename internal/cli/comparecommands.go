package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/intent"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/command"
	"github.com/brewput/brewput/lab"
)

// commandOptions are the flags of compare for commands.
type commandOptions struct {
	lab.CommandOptions
	show          bool
	resume        string
	maxRegression string         // allowed increase of wall time; "" for no decision
	flags         *pflag.FlagSet // those of commands only
}

var commandFormats = []string{"table", "json", "csv", "md"}

func (o *commandOptions) addTo(all *pflag.FlagSet) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	decimalVar(f, &o.Count, "count", 10, "commands: number of blocks; with --budget, the maximum")
	f.DurationVar(&o.Budget, "budget", 0, "commands: `TIME` for all runs; ends sooner if decided")
	decimalVar(f, &o.Warmups, "warmup-runs", 1, "commands: untimed runs of each command first")
	f.StringVar(&o.Setup, "setup", "", "`COMMAND` to run once, before all others")
	f.StringVar(&o.Prepare, "prepare", "", "`COMMAND` to run before each run, untimed")
	f.StringVar(&o.Input, "input", "", "`FILE` that is the commands' standard input (default none)")
	f.BoolVar(&o.IgnoreFailure, "ignore-failure", false, "measure commands whatever their exit status")
	f.BoolVar(&o.show, "show-output", false, "copy the commands' output to stderr")
	f.DurationVar(&o.TimeLimit, "time-limit", 0, "commands: `TIME` after which a run has failed (default none)")
	f.StringVar(&o.maxRegression, "max-regression", "", "commands: allowed increase of wall time: `PERCENT`, as in 5%")
	o.Seed = new(uint64)
	decimalVar(f, o.Seed, "seed", 1, "commands: seed of the order of runs")
	f.StringVarP(&o.Output, "output", "o", "", "commands: run directory `DIR` to create (default "+
		"brewput-runs/command-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the comparison of commands in `DIR`")
	o.flags = f
	all.AddFlagSet(f)
}

// onlyFor refuses flags of a set that do not apply here.
func onlyFor(f, set *pflag.FlagSet, what string, allowed ...string) (err error) {
	f.Visit(func(x *pflag.Flag) {
		if set.Lookup(x.Name) != nil && !slices.Contains(allowed, x.Name) {
			err = usage("--%s does not apply to %s", x.Name, what)
		}
	})
	return err
}

// compareCommands compares commands, or continues a comparison of commands.
func (a *app) compareCommands(cmd *cobra.Command, args []string, o *commandOptions, format *string) error {
	f, settings := cmd.Flags(), []string{"format"}
	count, budget, resumes := f.Changed("count"), f.Changed("budget"), f.Changed("resume")
	if !resumes {
		settings = append(settings, "budget", "count")
	}
	_, err := a.fromEnvironment(cmd, func() error {
		return cmp.Or(refuseEmpty(f), checkFormat("--format", *format, commandFormats))
	}, settings...)
	switch {
	case err != nil:
		return err
	case budget && o.Budget == 0:
		return errNoBudget()
	case o.Warmups < 0:
		return usage("--warmup-runs %d is negative; give 0 for none", o.Warmups)
	case count && !budget:
		o.Budget = 0 // a budget from the environment
	case o.Budget > 0 && !count:
		o.Count = 0
	}
	out := a.newOutput(&runOptions{format: *format})
	if o.Warmups == 0 {
		o.Warmups = -1 // none
	}
	if o.show {
		o.Show = a.stderr
	}
	if out.started, out.gates = intent.Commands, o.maxRegression != ""; out.gates {
		if out.limit, err = option.ParsePercent("max-regression", o.maxRegression); err != nil {
			return asUsage(err)
		}
	}
	o.Commands, o.Args, o.Version, o.Notify = option.SplitCommands(args), arguments(), version(), out.notify
	var r *lab.Run
	if o.Config = a.config; !resumes {
		r, err = lab.CompareCommands(cmd.Context(), o.CommandOptions)
	} else if err = onlyFor(f, o.flags, "a run that is continued", "resume", "time-limit",
		"max-regression"); err == nil {
		r, err = lab.Resume(cmd.Context(), nil, o.resume, lab.ResumeOptions{Workload: command.Workload,
			TimeLimit: o.TimeLimit, Program: name(), Notify: out.notify})
	}
	return a.printFailure(a.finish(cmd.Context(), r, err, out, runOptions{format: *format}))
}
