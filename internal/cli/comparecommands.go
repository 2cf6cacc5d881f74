package cli

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/command"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// commandOptions are the flags of compare for commands.
type commandOptions struct {
	lab.CommandOptions
	show   bool
	resume string
}

var commandFormats = []string{"table", "json", "csv", "md"}

func (o *commandOptions) addTo(f *pflag.FlagSet) {
	decimalVar(f, &o.Count, "count", 10, "commands: blocks; each runs every command once")
	f.DurationVar(&o.Budget, "budget", 0, "commands: `TIME` for all runs; ends sooner if the comparison is decided")
	decimalVar(f, &o.Warmups, "warmup-runs", 1, "commands: untimed `RUNS` of each command first")
	f.StringVar(&o.Setup, "setup", "", "`COMMAND` to run once before everything")
	f.StringVar(&o.Prepare, "prepare", "", "`COMMAND` to run before each run, untimed")
	f.StringVar(&o.Input, "input", "", "`FILE` that is the commands' standard input (default: empty)")
	f.BoolVar(&o.IgnoreFailure, "ignore-failure", false, "measure commands whatever their exit status")
	f.BoolVar(&o.show, "show-output", false, "print what the commands print, to stderr")
	f.DurationVar(&o.TimeLimit, "time-limit", 0, "`TIME` after which a command has failed (default: none)")
	decimalVar(f, &o.Seed, "seed", 1, "commands: seed of the order of runs")
	f.StringVarP(&o.Output, "output", "o", "", "commands: run directory to create (default brewput-runs/command-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the comparison of commands in `DIR`")
}

// commandArgs reports whether the arguments are commands, and refuses arguments that may be meant as some.
func commandArgs(cmd *cobra.Command, args []string) (commands bool, err error) {
	dashed, separated := cmd.ArgsLenAtDash() >= 0, slices.Contains(args, command.Separator)
	const form = "as in compare -- ./old ::: ./new"
	switch {
	case cmd.ArgsLenAtDash() > 0:
		return true, usage("leave out %q: commands follow two dashes, %s", args[0], form)
	case separated && !dashed:
		return true, usage("put -- before the first command, %s", form)
	case dashed && !separated && len(args) > 0:
		if path, err := exec.LookPath(args[0]); err == nil {
			return true, usage("%s is a program: put ::: between two commands, %s", path, form)
		}
	}
	return separated || cmd.Flags().Changed("resume"), nil
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
func (a *app) compareCommands(cmd *cobra.Command, args []string, o *commandOptions, format string) error {
	f, out := cmd.Flags(), a.newOutput(&runOptions{format: format})
	if err := refuseEmpty(f); err != nil {
		return err
	}
	if !slices.Contains(commandFormats, format) {
		return usage("--format %s is not possible%s; use %s", format, didYouMean(format, commandFormats),
			strings.Join(commandFormats, ", "))
	}
	out.started = commandIntent
	if f.Changed("resume") {
		if len(args) > 0 {
			return usage("--resume continues the comparison as it began: leave %s out", args[0])
		}
		if err := onlyFor(f, f, "a run that is continued", "resume", "format", "time-limit"); err != nil {
			return err
		}
		r, err := lab.Resume(cmd.Context(), nil, o.resume, lab.ResumeOptions{Workload: command.Workload,
			TimeLimit: o.TimeLimit, Program: name(), Notify: out.notify})
		return a.finishCommands(cmd, r, err, out)
	}
	switch {
	case f.Changed("count") && f.Changed("budget"):
		return usage("--count and --budget both say how many blocks there are; give one of them")
	case f.Changed("count") && o.Count == 0:
		return usage("--count 0: at least one block is needed")
	case o.Budget > 0:
		o.Count = 0
	}
	if o.show {
		o.Show = a.stderr
	}
	o.Commands, o.Args, o.Version, o.Notify = command.Split(args), arguments(), version(), out.notify
	r, err := lab.CompareCommands(cmd.Context(), o.CommandOptions)
	return a.finishCommands(cmd, r, err, out)
}

// finishCommands shows the result, and what a command that failed printed.
func (a *app) finishCommands(cmd *cobra.Command, r *lab.Run, err error, out *output) error {
	err = a.finish(cmd.Context(), r, err, out, runOptions{format: out.format})
	var usageError exitError
	if err == nil || errors.As(err, &usageError) && usageError.code == exitUsage {
		return err
	}
	return a.printFailure(err)
}

// commandIntent describes what is still to be measured.
func commandIntent(s lab.Started) string {
	h := &s.Header
	if s.Complete {
		return s.Dir + " is complete"
	}
	text := result.Count(len(h.Cases), "command")
	if h.Rule != nil {
		text += budgetIntent(h, s.Estimate)
	} else {
		text += fmt.Sprintf(" x %s", result.Count(h.Blocks, "block"))
	}
	return input.Redact(text + "; stored in " + s.Dir)
}

// showCommands shows the analysis of commands as text.
func (a *app) showCommands(x *compare.CommandAnalysis, format string) error {
	if format == "md" {
		return report.Commands{CommandAnalysis: x}.Markdown(a.stdout)
	}
	return report.Commands{CommandAnalysis: x}.Table(a.stdout, a.pageStyle())
}
