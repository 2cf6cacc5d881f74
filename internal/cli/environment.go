package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/internal/config"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// fromEnvironment applies the environment of this process and brewput.conf. It returns the flags that they set. only
// are the flags that they may set; without them all.
func (a *app) fromEnvironment(cmd *cobra.Command, check func() error, only ...string) (map[string]string, error) {
	verb := help.Verb(cmd)
	var settings config.Settings
	if config.Sets(verb) { // the faults of a file stop no other verb
		dir, _ := os.Getwd()
		var err error
		if settings, err = config.Load(cmd.Context(), dir, os.Getenv, help.Flag,
			func(text string) { fmt.Fprintln(a.stderr, "warning:", text) }); err != nil {
			return nil, asUsage(err)
		}
	}
	d := option.Defaults{Verb: verb, Lookup: os.LookupEnv, Settings: settings, Check: check,
		LeftOut: a.leftOut, Formats: formats, Pairings: pairings, Workloads: a.workloads,
		Precision: func(text string) error { _, err := parsePrecision(text); return err },
		Parts:     func(text string) error { return checkParts(strings.Split(text, ",")) }}
	set, lines, err := d.Apply(option.Subset(cmd.Flags(), only))
	a.config = lines
	return set, err
}

// leftOut warns of a setting of the environment or of brewput.conf that has no effect here.
func (a *app) leftOut(setting string, conflict error) {
	fmt.Fprintf(a.stderr, "warning: %s is left out: %s\n", setting, flagText(conflict))
}

// showSettings prints the settings of a run that come from brewput.conf, and those that apply to its page now: on the
// page, or to stderr before data.
func (a *app) showSettings(format string, settings []string) {
	w := a.text
	if format != "table" && format != "md" {
		w = a.stderr
	}
	settings = slices.Concat(settings, a.config)
	for i, s := range settings {
		if !slices.Contains(settings[:i], s) {
			fmt.Fprintln(w, "setting:", quote.Line(s))
		}
	}
}

// checkFormat refuses a format that a verb does not have. flag is the flag as the message names it.
func checkFormat(flag, format string, possible []string) error {
	if slices.Contains(possible, format) {
		return nil
	}
	return usage("%s %s is not possible%s; use %s", flag, format, option.DidYouMean(format, possible),
		strings.Join(possible, ", "))
}

// settle resolves contradictions between options and checks those that depend neither on points nor on the machine.
// given reports whether a flag is on the command line, not from the environment.
func (o *runOptions) settle(w *workload.Workload, flags *pflag.FlagSet, given func(string) bool) error {
	if err := refuseEmpty(flags); err != nil {
		return err
	}
	if err := o.settleEnd(flags, given("duration")); err != nil {
		return err
	}
	if err := o.settleBudget(given("count"), given("budget"), given("precision")); err != nil {
		return err
	}
	if !given("baseline") && !o.needsVerdicts() {
		o.baseline = "" // from the environment, without effect here
	}
	names, err := w.Select(o.designs)
	if err != nil {
		return asUsage(err)
	}
	return o.checkBaseline(w, names)
}

// checkBaseline refuses a baseline that is not among the designs.
func (o *runOptions) checkBaseline(w *workload.Workload, names []string) error {
	var cases []plan.Case
	for _, n := range names {
		cases = append(cases, plan.Case{Design: n})
	}
	return withExitCode(sweep.CheckBaseline(w, o.baseline, cases))
}

// checkConsistent checks combinations of valid options, which the environment may have made.
func (o *runOptions) checkConsistent() error {
	if err := o.validate(); err != nil {
		return err
	}
	if o.sensitivity && o.cost == "none" {
		return usage("--sensitivity: with --cost none no cost can be varied; give costs, as in --cost wake=60us")
	}
	return nil
}

// fromEnvironment sets options that are not given from the environment and resolves contradictions.
func (o *runOptions) fromEnvironment(a *app, cmd *cobra.Command, w *workload.Workload, given map[string]bool) error {
	onLine := func(name string) bool { return given[name] }
	var err error
	o.fromEnv, err = a.fromEnvironment(cmd, func() error {
		c := *o
		if err := c.settle(w, cmd.Flags(), onLine); err != nil {
			return err
		}
		return c.checkConsistent()
	})
	if err != nil {
		return err
	}
	o.config = a.config
	o.extendWarmup = o.virtual && !cmd.Flags().Changed("warmup")
	return o.settle(w, cmd.Flags(), onLine)
}

// decimalVar adds a flag that counts.
func decimalVar[T int | int64 | uint64](f *pflag.FlagSet, p *T, name string, value T, about string) {
	option.DecimalVar(f, p, name, value, about)
}
