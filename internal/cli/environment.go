package cli

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/internal/config"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/sweep"
	"github.com/brewput/brewput/workload"
)

// environment sets flags that were not given from variables such as BREWPUT_COUNT, or else from brewput.conf. The
// command line takes precedence: a value that conflicts with it, or does not apply to this command, is ignored. A
// value that no command takes is an error.
type environment struct {
	workloads []*workload.Workload
	lookup    func(string) (string, bool)         // variables
	setting   func(string) (config.Setting, bool) // lines of brewput.conf by flag; nil for none
	warn      func(string)
	check     func() error // checks the current flags
}

// find returns the value of a flag, its source as errors name it, and the whole as warnings and notes name it. A
// variable sets no factor, because factors are not preferences.
func (e environment) find(f *pflag.Flag) (value, from, whole string, ok bool) {
	key := "BREWPUT_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
	v, ok := e.lookup(key)
	if ok && f.Value.Type() != help.FactorType && (v != "" || f.Value.Type() != "string") {
		return v, "the environment variable " + key, key + "=" + v, true
	}
	if e.setting == nil {
		return "", "", "", false
	}
	s, ok := e.setting(f.Name)
	return s.Value, s.Place(), s.String(), ok
}

// apply sets the flags and returns the names of those that it set, with the value and source of each.
func (e environment) apply(flags *pflag.FlagSet) (set map[string]string, err error) {
	if err := e.check(); err != nil {
		return nil, err // the command line alone is wrong
	}
	set = map[string]string{}
	flags.VisitAll(func(f *pflag.Flag) {
		v, from, whole, ok := e.find(f)
		if !ok || f.Changed || err != nil || f.Name == "help" || f.Name == "resume" {
			return
		}
		if flags.Set(f.Name, v) != nil {
			err = usage("%s: %w", from, invalidValue(f, v))
			return
		}

		conflict := e.check()
		if wrong := e.checkValue(f.Name, v, conflict); wrong != nil {
			if conflict != nil {
				wrong = conflict // it describes better what this command takes
			}
			err = usage("%s: %w", from, wrong)
			return
		}
		if conflict != nil {
			unset(f)
			e.warn(fmt.Sprintf("warning: %s is left out: %s", whole, flagText(conflict)))
			return
		}
		set[f.Name] = whole
	})
	return set, err
}

// unset resets a flag to its default.
func unset(f *pflag.Flag) {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		// "[a,b]" is how a list prints its default.
		values, _ := csv.NewReader(strings.NewReader(strings.Trim(f.DefValue, "[]"))).Read()
		list.Replace(values)
	} else {
		f.Value.Set(f.DefValue)
	}
	f.Changed = false
}

// checkValue refuses a value that no command takes, whatever the other flags. Zero operations are accepted if
// something else ends a trial, because then there is no conflict.
func (e environment) checkValue(name, v string, conflict error) error {
	switch name {
	case "format":
		if !slices.Contains(formats, v) {
			return fmt.Errorf("--format %s is not possible%s; use %s", v, didYouMean(v, formats),
				strings.Join(formats, ", "))
		}
	case "compare":
		if !slices.Contains(pairings, v) {
			return fmt.Errorf("--compare %s is not possible%s; use %s", v, didYouMean(v, pairings),
				strings.Join(pairings, " or "))
		}
	case "baseline", "designs":
		return e.checkDesigns(name, v)
	case "precision":
		_, err := parsePrecision(v)
		return err
	case "cost":
		_, err := sim.ParseCosts(v)
		return err
	case "count", "sample":
		if v == "0" || strings.HasPrefix(v, "-") {
			return fmt.Errorf("--%s %s: at least 1 is needed", name, v)
		}
	case "duration", "warmup", "budget", "time-limit":
		if d, err := time.ParseDuration(v); err != nil || d < 0 || d == 0 &&
			(name == "duration" || name == "time-limit") {
			return fmt.Errorf("--%s %s is not a positive time", name, v)
		}
	case "operations", "layouts":
		if strings.HasPrefix(v, "-") || name == "operations" && v == "0" && conflict != nil ||
			name == "layouts" && v == "2" {
			return fmt.Errorf("--%s %s is not possible; see --help", name, v)
		}
	}
	if v == "" {
		return fmt.Errorf("--%s is empty; give it a value or leave it out", name)
	}
	return nil
}

// checkDesigns refuses names that no workload has.
func (e environment) checkDesigns(flag, names string) error {
	var known []string
	for _, w := range e.workloads {
		known = append(known, designNames(w)...)
	}
	for n := range strings.SplitSeq(names, ",") {
		if !slices.Contains(known, n) {
			return fmt.Errorf("--%s: no workload has a design %q%s", flag, n, didYouMean(n, known))
		}
	}
	return nil
}

// fromEnvironment applies the environment of this process, except to explain, and brewput.conf. It returns the flags
// that they set.
func (a *app) fromEnvironment(cmd *cobra.Command, check func() error) (map[string]string, error) {
	dir, _ := os.Getwd()
	settings, err := config.Load(cmd.Context(), dir, os.Getenv, help.Flag)
	if err != nil {
		return nil, asUsage(err)
	}
	verb := help.Verb(cmd)
	e := environment{workloads: a.workloads, lookup: os.LookupEnv, check: check,
		warn: func(text string) { fmt.Fprintln(a.stderr, text) }}
	e.setting = func(flag string) (config.Setting, bool) {
		if q := cmd.Flags().Lookup("quick"); q != nil && q.Changed && slices.Contains(quickFlags, flag) {
			return config.Setting{}, false
		}
		return settings.Find(verb, flag)
	}
	if verb == "explain" {
		e.lookup = func(string) (string, bool) { return "", false }
	}
	set, err := e.apply(cmd.Flags())
	for _, s := range settings {
		if set[s.Flag] == s.String() {
			a.config = append(a.config, s.String())
		}
	}
	return set, err
}

// showSettings prints the settings of a run that come from brewput.conf: on the page, or to stderr before data.
func (a *app) showSettings(format string, settings []string) {
	w := a.text
	if format != "table" && format != "md" {
		w = a.stderr
	}
	for _, s := range settings {
		fmt.Fprintln(w, "setting:", quote.Line(s))
	}
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
	switch {
	case o.recordCosts != "" && o.replayCosts != "":
		return errBothCosts()
	case o.replayCosts != "" && o.precision != "":
		return usage("--replay-costs %s has the replications that it has: give --count in place of --precision",
			o.replayCosts)
	case o.sensitivity && (o.format == "csv" || o.format == "bench"):
		return usage("--sensitivity has no effect on --format %s, which holds trials alone; use table, json or md",
			o.format)
	case o.sensitivity && o.cost == "none":
		return usage("--sensitivity: with --cost none no cost can be varied; give costs, as in --cost wake=60us")
	}
	return nil
}

func errBothCosts() error {
	return usage("--record-costs and --replay-costs: costs that are read need not be written; give one of them")
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
