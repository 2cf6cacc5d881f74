package cli

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
)

// benchOptions are the flags of bench and gate.
type benchOptions struct {
	pattern   string
	cpus      string
	base      string
	count     int
	budget    time.Duration
	duration  time.Duration
	layouts   int
	env       []string
	goes      []string
	pgo       []string
	seed      uint64
	format    string
	out       string
	resume    string
	timeLimit time.Duration
}

func (a *app) benchCommand() *cobra.Command {
	var o benchOptions
	cmd := &cobra.Command{
		Use:   "bench [PACKAGE]",
		Short: "Measure the Go benchmarks of a package as they are, and compare two revisions",
		Long: `Bench measures the benchmarks that a package already has. It compiles the package's tests once for each
revision; each trial is a fresh process of that binary, of one benchmark at one number of CPUs; a block holds
all of them once, in random order, and is finished before the next begins. So what the machine does meanwhile
falls on both revisions alike.

--base compares with another revision, which is checked out to a worktree in the cache and removed at the end;
the head is the tree as it stands, uncommitted changes included. Nothing in the tree changes. --env, --go and
--pgo vary what surrounds the benchmarks: without --base each level is compared with the first, with --base the
revisions are compared at each level. Flags of the go command are given by GOFLAGS.`,
		Example: indent("NAME bench\nNAME bench ./codec --bench Encode --cpus 1,2,4\nNAME bench ./codec --base main --count 20\nNAME bench ./codec --base HEAD~1 --layouts 3 --budget 5m\nNAME bench ./codec --env GOGC=100,50,200"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("bench takes one package, not %d; flags begin with two dashes", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.bench(cmd, args, &o) },
	}
	o.addTo(cmd.Flags())
	f := cmd.Flags()
	decimalVar(f, &o.count, "count", 10, "blocks: how often every benchmark is measured")
	f.StringVar(&o.base, "base", "", "compare with this `REVISION` of git")
	f.StringSliceVar(&o.goes, "go", nil, "`VERSIONS` of Go that are installed, such as go1.25.0,go1.26.0")
	f.StringSliceVar(&o.pgo, "pgo", nil, "`PROFILES` to compile with: off, auto or files")
	f.StringVar(&o.format, "format", "table", "table, json, csv, bench (Go benchmark format) or md")
	f.StringVarP(&o.out, "output", "o", "", "run directory to make (default brewput-runs/bench-TIME)")
	f.StringVar(&o.resume, "resume", "", "continue the run in `DIR`")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// everyBenchmark is the pattern where none is given.
const everyBenchmark = "."

// addTo adds the flags that bench and gate share.
func (o *benchOptions) addTo(f *pflag.FlagSet) {
	f.StringVar(&o.pattern, "bench", everyBenchmark, "only the benchmarks that match this `PATTERN`, as go test -bench takes it")
	f.StringVar(&o.cpus, "cpus", "", "`LEVELS` of GOMAXPROCS")
	f.DurationVar(&o.budget, "budget", 0, "`TIME` for all trials, which end sooner where all comparisons are decided")
	f.DurationVar(&o.duration, "duration", 500*time.Millisecond, "`TIME` that each trial measures: -benchtime of go test")
	decimalVar(f, &o.layouts, "layouts", 0, "link each build `K` times with its functions in other places, which is chance and no change of the program")
	f.StringArrayVar(&o.env, "env", nil, "a variable of the environment with its levels, as in `GOGC=100,50,200`, compared with the first without --base; may be repeated")
	decimalVar(f, &o.seed, "seed", 1, "seed of the order of trials")
	f.DurationVar(&o.timeLimit, "time-limit", 0, "`TIME` after which a trial counts as hung (default 1m beyond twenty times its duration)")
}

// validate refuses settings that make no sense.
func (o *benchOptions) validate() error {
	switch {
	case o.count < 1:
		return usage("--count %d: at least one block is needed", o.count)
	case o.budget < 0:
		return usage("--budget %v is negative; give a time such as 5m", o.budget)
	case o.duration <= 0:
		return usage("--duration %v is not a positive time", o.duration)
	case o.layouts < 0 || o.layouts == 2:
		return usage("--layouts %d: by 3 or more the chance that lies in placement can be judged; 1 leaves it to the linker", o.layouts)
	case o.timeLimit < 0 || o.timeLimit > 0 && o.timeLimit <= 2*o.duration:
		return usage("--time-limit %v would end every trial: it must be longer than twice --duration, %v", o.timeLimit, o.duration)
	case !slices.Contains(formats, o.format):
		return usage("--format %s is not possible%s; use %s", o.format, didYouMean(o.format, formats), strings.Join(formats, ", "))
	}
	for _, part := range strings.Split(o.pattern, "/") {
		if _, err := regexp.Compile(part); err != nil && !strings.ContainsAny(o.pattern, "[(") {
			return usage("--bench %s: %w", o.pattern, err)
		}
	}
	return nil
}

// limit is the time after which a trial has hung. A benchmark's rounds before the last, and its preparation in each of
// them, may take many times what is measured.
func (o *benchOptions) limit() time.Duration {
	if o.timeLimit > 0 {
		return o.timeLimit
	}
	return 20*o.duration + time.Minute
}

// levels are the numbers of CPUs: 1 and all, unless they are given.
func (o *benchOptions) levels() ([]plan.Level, error) {
	if o.cpus == "" {
		one, all := plan.IntLevel(1), plan.IntLevel(runtime.GOMAXPROCS(0))
		if one == all {
			return []plan.Level{one}, nil
		}
		return []plan.Level{one, all}, nil
	}
	f := plan.Factor{Name: "cpus", Kind: plan.Int, Min: 1}
	c, err := f.Parse(o.cpus, nil)
	if err != nil {
		return nil, asUsage(err)
	}
	have := runtime.NumCPU()
	for _, l := range c.Levels {
		if n, _ := l.Number(); int(n) > have {
			return nil, usage("--cpus %v: this machine has %d CPUs", l, have)
		}
	}
	return c.Levels, nil
}

// experiment is what the flags ask for.
func (o *benchOptions) experiment(args []string) (*gobench.Experiment, error) {
	env, err := o.variables()
	if err != nil {
		return nil, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	pkg := "."
	if len(args) > 0 {
		pkg = args[0]
	}
	return &gobench.Experiment{Package: pkg, Dir: dir, Pattern: o.pattern, BaseRev: o.base, Layouts: max(1, o.layouts),
		Time: o.duration, Limit: o.limit(), Go: o.goes, PGO: o.pgo, Env: env, ByFirst: true}, nil
}

// none says that no benchmark matches.
func none(x *gobench.Experiment) error {
	if len(x.Broken) > 0 {
		return exitError{fmt.Errorf("no benchmark of %s can be measured:\n%s", x.Package, broken(x, true)), exitFailed}
	}
	if len(x.Skipped) > 0 {
		return usage("the benchmarks of %s that match --bench %s skip themselves: %s", x.Package, x.Pattern, skipped(x))
	}
	return usage("no benchmark of %s matches --bench %s; go test -list Benchmark shows those there are", x.Package, x.Pattern)
}

// noneOfBoth says that no benchmark can be compared with the base, and why. One that the head breaks is shown whole.
func noneOfBoth(x *gobench.Experiment) error {
	if slices.ContainsFunc(x.Broken, func(b gobench.Broken) bool { return b.Rev == gobench.Head }) {
		return exitError{fmt.Errorf("no benchmark that matches --bench %s can be measured in both revisions:\n%s", x.Pattern, broken(x, true)), exitFailed}
	}
	var why []string
	for _, n := range x.NotCompared() {
		why = append(why, n.String())
	}
	return usage("no benchmark that matches --bench %s is in both revisions; the base is %s:\n%s", x.Pattern, x.BaseRev, strings.Join(why, "\n"))
}

// skipped lists the benchmarks that skip themselves, those of one reason together.
func skipped(x *gobench.Experiment) string {
	var reasons []string
	of := map[string][]string{}
	for _, s := range x.Skipped {
		if of[s.Reason] == nil {
			reasons = append(reasons, s.Reason)
		}
		if !slices.Contains(of[s.Reason], s.Name) { // in both revisions
			of[s.Reason] = append(of[s.Reason], s.Name)
		}
	}
	var parts []string
	for _, reason := range reasons {
		text := strings.Join(of[reason], ", ")
		if reason != "" {
			text += " (" + reason + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// broken lists the benchmarks that go wrong; whole adds what they printed, but for the line that their error is of.
func broken(x *gobench.Experiment, whole bool) string {
	var lines []string
	for _, b := range x.Broken {
		line := b.Name + ": " + b.Error
		if x.BaseCommit != "" {
			line = b.Rev + ": " + line
		}
		lines = append(lines, line)
		if !whole {
			continue
		}
		for text := range strings.Lines(b.Text) {
			if said := strings.TrimSpace(text); said == "" || !strings.HasSuffix(b.Error, ": "+said) {
				lines = append(lines, strings.TrimRight("    "+text, " \t\r\n"))
			}
		}
	}
	return strings.Join(lines, "\n")
}
