package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/cli/help"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/workload"
)

// runOptions are the flags of run and sim.
type runOptions struct {
	designs       []string
	count         int
	budget        time.Duration // 0: a fixed count of blocks
	pairs         string        // neighbours or all
	duration      time.Duration
	warmup        time.Duration
	operations    int64
	sample        int
	seed          uint64
	baseline      string
	format        string
	out           string
	resume        string
	timeLimit     time.Duration
	oversubscribe bool
	noTwin        bool
	noCapacity    bool
	quick         bool
	profile       bool   // CPU profiles in instrumented trials
	quickNote     string // what --quick changed
	slo           string // objectives that set the exit code; "" for none
	virtual       bool   // sim
	cost          string // sim: costs of the scheduler; "" for typical ones
	precision     string // sim: relative half-width of intervals; "": a fixed count of replications
	extendWarmup  bool   // sim: the warm-up is a minimum
	timeline      string // sim: file; "" for none
	timelineSpan  time.Duration
	costOptions                     // sim
	fromEnv       map[string]string // flags that the environment set; see option.Defaults
	config        []string          // settings of brewput.conf
}

// verb is the command that has these options.
func (o *runOptions) verb() string {
	if o.virtual {
		return "sim"
	}
	return "run"
}

var formats = []string{"table", "json", "csv", "bench", "md"}

func (a *app) runCommand() *cobra.Command {
	var o runOptions
	run := &cobra.Command{
		Use:   "run WORKLOAD",
		Short: "Measure designs on this machine, each trial in a fresh process",
	}
	a.withoutWorkload(run, &o)
	a.view.addTo(run.PersistentFlags())
	o.addTo(run.PersistentFlags())
	run.RegisterFlagCompletionFunc("designs", a.completeFlagDesigns)
	run.RegisterFlagCompletionFunc("compare", cobra.FixedCompletions(pairings, cobra.ShellCompDirectiveNoFileComp))
	run.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	for _, w := range a.workloads {
		run.AddCommand(a.runWorkload(w, &o))
	}
	return run
}

// withoutWorkload makes a verb without a workload continue a run.
func (a *app) withoutWorkload(cmd *cobra.Command, o *runOptions) {
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if w, design, ok := strings.Cut(args[0], "/"); ok && slices.Contains(a.workloadNames(), w) {
			return usage("%s takes designs by a flag: type %s %[1]s %[3]s --designs %[4]s", o.verb(), name(), w, design)
		}
		_, err := a.find(args[0])
		return err
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed("resume") {
			return usage("%s needs a workload: %s; see %s list", o.verb(), strings.Join(a.workloadNames(), ", "),
				name())
		}
		return a.resume(cmd, nil, o)
	}
}

// addTo adds the flags of run.
func (o *runOptions) addTo(f *pflag.FlagSet) {
	o.addCommon(f)
	decimalVar(f, &o.count, "count", 10, "blocks; each measures every design once at every point (one level of each "+
		"factor)")
	f.DurationVar(&o.budget, "budget", 0, "`TIME` for all trials, instead of a count: spends it on comparisons that "+
		"are still undecided")
	f.DurationVar(&o.duration, "duration", time.Second, "measured `TIME` of each trial of a stream of operations")
	f.DurationVar(&o.warmup, "warmup", 100*time.Millisecond, "warm-up `TIME` before each measurement")
	decimalVar(f, &o.sample, "sample", 1, "time only every `N`th operation, if reading the clock costs too much")
	f.DurationVar(&o.timeLimit, "time-limit", 0, "`TIME` after which a trial counts as hung (default 30s beyond "+
		"its window, with a server 3m30s; jobs 10m)")
	f.BoolVar(&o.oversubscribe, "oversubscribe", false, "measure --cpus beyond those of this machine, "+
		"on the CPUs that it has")
	f.BoolVar(&o.quick, "quick", false, "quick look, at most two minutes: 3 short blocks and the workload's small "+
		"input, unless you set them")
	f.BoolVar(&o.profile, "profile", false, "instrumented trials take a CPU profile instead of metering resources: "+
		"CPU time of channels, scheduler and garbage collector")
	f.BoolVar(&o.noCapacity, "no-capacity", false, "with --rate: skip the closed loops at full load that measure the "+
		"capacity, and the formulas that need it")
	f.BoolVar(&o.noTwin, "no-twin", false, "skip the simulated predictions")
}

// addCommon adds the flags that run and sim share.
func (o *runOptions) addCommon(f *pflag.FlagSet) {
	f.StringSliceVar(&o.designs, "designs", nil, "the designs to compare, `NAMES` separated by commas (default all)")
	f.StringVar(&o.pairs, "compare", "neighbours", "designs to compare with each other: `PAIRS` of "+
		"neighbours, or all")
	decimalVar(f, &o.operations, "operations", 0, "operations of each trial, instead of a duration")
	decimalVar(f, &o.seed, "seed", 1, "seed of the trial order and of all random draws")
	f.StringVar(&o.baseline, "baseline", "", "compare every design with this `DESIGN`, in addition to its neighbour")
	f.StringVar(&o.slo, "slo", "", "`OBJECTIVES` that every design must keep, such as p99<20ms,errors<0.1%: exit code "+
		"1 if one fails, 3 if undecided")
	f.StringVar(&o.format, "format", "table", "table, json, csv, bench (Go benchmark format) or md")
	f.StringVarP(&o.out, "output", "o", "", "run directory `DIR` to create (default brewput-runs/WORKLOAD-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the run in `DIR`")
}

// completeFlagDesigns completes the last name of --designs a,b.
func (a *app) completeFlagDesigns(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	w, err := a.find(cmd.Name())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	head := typed[:strings.LastIndexByte(typed, ',')+1]
	var names []string
	for _, d := range w.AllDesigns() {
		names = append(names, head+d.Name+"\t"+d.Doc)
	}
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// runWorkload is the command "run NAME" or "sim NAME", whose flags are the factors of the workload.
func (a *app) runWorkload(w *workload.Workload, o *runOptions) *cobra.Command {
	summary, _, _ := strings.Cut(w.Doc, "\n")
	var levels func() map[string]string
	given := workload.Given{}
	cmd := &cobra.Command{
		Use:   w.Name,
		Short: summary,
		Example: strings.TrimSpace(fmt.Sprintf("%[1]s %[2]s %[3]s %[4]s", name(), o.verb(), w.Name, exampleOf(w))) +
			fmt.Sprintf("\n%s %s %s %s --format json", name(), o.verb(), w.Name,
				cmp.Or(exampleOf(w), fmt.Sprintf("--cpus 1..%d", runtime.NumCPU()))),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("%s %s takes no argument %q; options and factors are flags, as in %s", o.verb(), w.Name,
					args[0], cmp.Or(exampleOf(w), "--cpus 1..2"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("resume") {
				return a.resume(cmd, w, o)
			}
			set := map[string]bool{}
			cmd.Flags().Visit(func(f *pflag.Flag) { set[f.Name] = true })
			if set["operations"] && set["duration"] {
				return usage("--operations and --duration both set the end of a trial; give one of them")
			}
			if err := checkTimelineSpan(cmd); err != nil {
				return err
			}
			if err := o.fromEnvironment(a, cmd, w, set); err != nil {
				return err
			}
			w, err := w.With(given)
			if err != nil {
				return withExitCode(err)
			}
			if w.Limited && set["warmup"] {
				return usage("--warmup has no effect on load that goes to other machines, which has none; leave it out")
			}
			levels := levels()
			if o.quick {
				o.shorten(w, levels, cmd.Flags().Changed)
			}
			return a.measure(cmd, w, o, levels)
		},
	}
	levels = factorFlags(cmd.Flags(), w)
	option.AddGiven(cmd.Flags(), w, given)
	return cmd
}

// factorFlags adds a flag for each factor of a workload. The returned function gives the levels of those that were
// given, after flags are parsed.
func factorFlags(flags *pflag.FlagSet, w *workload.Workload) func() map[string]string {
	levels := map[string]*string{}
	for _, f := range w.AllFactors() {
		about := f.Doc
		if f.Default != "" {
			about += " (default " + f.Default + ")"
		}
		levels[f.Name] = new(string)
		flags.Var((*levelsFlag)(levels[f.Name]), f.Name, about)
	}
	return func() map[string]string {
		given := map[string]string{}
		for name, level := range levels {
			if flags.Changed(name) {
				given[name] = *level
			}
		}
		return given
	}
}

// levelsFlag is the flag of a factor. Its text is parsed after all factors are known.
type levelsFlag string

func (l *levelsFlag) String() string     { return string(*l) }
func (l *levelsFlag) Set(s string) error { *l = levelsFlag(s); return nil }
func (l *levelsFlag) Type() string       { return help.FactorType }

// refuseEmpty refuses flags such as --designs "", because an unset variable of a shell would measure something else
// than intended, and 0 where package lab means the default by it.
func refuseEmpty(flags *pflag.FlagSet) error {
	zero := map[string]string{"count": "0: at least one block is needed", "duration": "0s is not a positive time",
		"sample":     "0: 1 times every operation, 10 every tenth",
		"time-limit": "0s sets none: give a positive time, or leave it out"}
	if flags.Lookup("precision") != nil {
		zero["count"] = "0: at least one replication is needed"
	}
	var empty error
	flags.Visit(func(f *pflag.Flag) {
		switch v := f.Value.String(); {
		case !f.Changed:
		case v == "" || v == "[]":
			empty = usage("--%s is empty; give it a value or leave it out", f.Name)
		case strings.Trim(v, "0s") == "" && zero[f.Name] != "":
			empty = usage("--%s %s", f.Name, zero[f.Name])
		}
	})
	return empty
}

// validate refuses options that cannot be carried out.
func (o *runOptions) validate() error {
	var err error
	if o.virtual {
		var s lab.SimulateOptions
		if s, err = o.simulateOptions(nil); err == nil {
			err = s.Validate()
		}
	} else {
		err = o.measureOptions(nil).Validate()
	}
	if err != nil {
		return withExitCode(err)
	}
	return o.validateFormat()
}

func (o *runOptions) validateFormat() error {
	if _, err := compare.ParseSLO(o.slo); o.slo != "" && err != nil {
		return withExitCode(err)
	}
	if o.baseline != "" && !o.needsVerdicts() {
		return usage("--baseline has no effect on --format %s, which holds trials but no verdicts", o.format)
	}
	if o.sensitivity && !o.needsVerdicts() {
		return usage("--sensitivity has no effect on --format %s, which holds only trials; use table, json or md",
			o.format)
	}
	if !slices.Contains(pairings, o.pairs) {
		return usage("--compare %s is not possible%s; use %s", o.pairs, option.DidYouMean(o.pairs, pairings),
			strings.Join(pairings, " or "))
	}
	return checkFormat("--format", o.format, formats)
}

// needsVerdicts reports whether verdicts matter, because the format shows them or a budget depends on them.
func (o *runOptions) needsVerdicts() bool {
	return o.budget > 0 || o.format != "csv" && o.format != "bench"
}
