package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/gotrace"
	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/timeline"
)

// explainOptions are the flags of explain.
type explainOptions struct {
	cpus      string
	duration  time.Duration
	timeLimit time.Duration
	format    string
	out       string
	timeline  string
	pprof     bool
	before    string
	after     string
	designs   []string
}

var explainFormats = []string{"table", "json"}

func (a *app) explainCommand() *cobra.Command {
	var o explainOptions
	defaults := evidence.Defaults()
	cmd := &cobra.Command{
		Use:   "explain [TARGET] [-- COMMAND ARGS...]",
		Short: "Say why a Go program is not faster, and what to change",
		Long: `Explain runs a Go program some ten times, each time with one kind of evidence or none, and says what holds it
back: the claim, the evidence, how much a change would gain, what else it could be, the change to make and how
to prove it. Where nothing is to be gained it says so.

The target is a program with its arguments behind two dashes, a package to build and run, go test -bench, saved
profiles and traces, or the address of a process that serves net/http/pprof. A program whose source is at hand is built
again with a hook inside; nothing in your tree changes. It is run as it is given, without a shell, with what it does each time.`,
		Example: indent("NAME explain -- ./prog -n 1000\nNAME explain ./cmd/server -- -port 0\nNAME explain -- go test -bench Encode ./codec\nNAME explain cpu.pprof heap.pprof trace.out\nNAME explain http://localhost:6060 --duration 5s\nNAME explain --format json -- ./prog"),
		Args:    cobra.ArbitraryArgs, // a first one that is no workload is a target
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.before != "" || o.after != "" {
				return a.explainChanges(cmd, args, o)
			}
			return a.explain(cmd.Context(), o, func(_ context.Context, e evidence.Options) (*evidence.Collected, error) {
				return a.collect(cmd, args, o, e)
			})
		},
	}
	f := cmd.PersistentFlags()
	f.StringVar(&o.cpus, "cpus", "", "`LEVELS` of GOMAXPROCS for runs without a profiler; profiles are taken at the highest (default 1 and all)")
	f.DurationVar(&o.duration, "duration", defaults.Duration, "`TIME` that one run is watched at most")
	f.DurationVar(&o.timeLimit, "time-limit", defaults.Limit, "`TIME` for all runs together; what does not fit is left out, and said")
	f.StringVar(&o.format, "format", "table", "table or json")
	f.StringVarP(&o.out, "output", "o", "", "keep profiles and trace in `DIR`")
	f.StringVar(&o.timeline, "timeline", "", "write who ran, queued and waited in the trace to `FILE` (.json), for ui.perfetto.dev")
	f.BoolVar(&o.pprof, "pprof", false, "then show the profiles in pprof's own views, in a browser on this machine, until interrupted")
	cmd.Flags().StringVar(&o.before, "before", "", "with --after: rank what changed between two `TARGETS`, each a program, a package, a profile or a directory of profiles")
	cmd.Flags().StringVar(&o.after, "after", "", "see --before")
	f.StringSliceVar(&o.designs, "designs", nil, "the `NAME` of the design of a workload, or of a run directory")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(explainFormats, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("designs", a.completeFlagDesigns)
	for _, w := range a.workloads {
		cmd.AddCommand(a.explainWorkload(w, &o))
	}
	return cmd
}

// say tells what is being done. Arguments of programs may hold addresses with passwords.
func (a *app) say(line string) { fmt.Fprintln(a.stderr, input.Redact(line)) }

// options are what the flags ask for.
func (o *explainOptions) options(say func(string)) (evidence.Options, error) {
	e := evidence.Defaults()
	e.Duration, e.Limit, e.Keep, e.Say = o.duration, o.timeLimit, o.out, say
	switch {
	case !slices.Contains(explainFormats, o.format):
		return e, usage("explain --format %s is not possible%s; use %s", o.format, didYouMean(o.format, explainFormats), strings.Join(explainFormats, ", "))
	case o.duration <= 0:
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
		if int(n) > runtime.NumCPU() {
			return e, usage("--cpus %v: this machine has %d CPUs", l, runtime.NumCPU())
		}
		e.CPUs = append(e.CPUs, int(n))
	}
	return e, nil
}

// explain collects evidence, and writes what it says.
func (a *app) explain(ctx context.Context, o explainOptions, collect func(context.Context, evidence.Options) (*evidence.Collected, error)) error {
	options, err := o.options(a.say)
	if err != nil {
		return err
	}
	evidence.Sweep() // what an explain that was killed left behind, whatever the target is now
	c, err := collect(ctx, options)
	if err != nil {
		return a.failed(err)
	}
	defer c.Close()
	if err := a.traceTimeline(ctx, c, o.timeline); err != nil {
		return err
	}
	if err := a.present(c, o.format); err != nil || !o.pprof {
		return err
	}
	return a.servePprof(ctx, c)
}

// present writes what the evidence says.
func (a *app) present(c *evidence.Collected, format string) error {
	r := explain.Explain(c.Evidence)
	if format == "json" {
		return report.ExplanationJSON(a.stdout, r, c.Evidence)
	}
	var overheads []string
	for _, x := range c.Overheads {
		overheads = append(overheads, fmt.Sprintf("%s %.2fx", x.Kind, x.Ratio))
	}
	width, isTerminal := terminal(a.stdout)
	return report.Explanation(a.stdout, r, c.Evidence, overheads, report.StyleFor(os.Getenv, isTerminal, width))
}

// collect finds out what kind of target it is, and collects its evidence.
func (a *app) collect(cmd *cobra.Command, args []string, flags explainOptions, o evidence.Options) (*evidence.Collected, error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case len(args) == 0:
		return nil, usage("explain needs a target: a program behind two dashes, a package, profiles or an address, as in explain -- ./prog; see %s explain --help", name())
	case dash == 0:
		return a.command(cmd, args, o)
	case dash > 1:
		return nil, usage("explain takes one package before the two dashes, not %d", dash)
	case dash == 1:
		return a.command(cmd, evidence.Package(args[0], args[1:]), o)
	case strings.Contains(args[0], "://"):
		if len(args) > 1 {
			return nil, usage("explain takes one address at a time")
		}
		a.measuring = true
		c, err := evidence.Endpoint(cmd.Context(), args[0], o)
		if errors.Is(err, evidence.ErrAddress) {
			return nil, asUsage(err)
		}
		return c, err
	case store.Holds(args[0]):
		return a.explainRun(cmd.Context(), args[0], flags.designs, o)
	case len(flags.designs) > 0:
		return nil, usage("--designs is for a workload or a run directory, and %s is neither", args[0])
	case isPackage(args[0]):
		if len(args) > 1 {
			return nil, usage("explain takes one package; arguments of its program stand behind two dashes: explain %s -- %s", args[0], strings.Join(args[1:], " "))
		}
		return a.command(cmd, evidence.Package(args[0], nil), o)
	}
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil {
			return nil, usage("%s", input.RedactWords(fmt.Sprintf("%s is neither a package nor a file, nor an address: %v; a program stands behind two dashes, as in explain -- ./prog", arg, err)))
		}
	}
	if len(args) == 1 && evidence.IsProgram(cmd.Context(), args[0]) {
		return nil, usage("%s is a program: to run it write explain -- %s", args[0], args[0])
	}
	return a.files(cmd.Context(), args)
}

// isPackage reports whether a word names a package: a directory, or a path that the go command knows.
func isPackage(word string) bool {
	info, err := os.Stat(word)
	if err != nil {
		return strings.HasPrefix(word, "./") && filepath.Ext(word) == "" || strings.Contains(word, ".") && strings.Contains(word, "/") && filepath.Ext(word) == ""
	}
	return info.IsDir() || strings.HasSuffix(word, ".go")
}

// command collects the evidence of a command.
func (a *app) command(cmd *cobra.Command, command []string, o evidence.Options) (*evidence.Collected, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	stop, err := forRuns(cmd.Context(), cmd.InOrStdin(), &o)
	if err != nil {
		return nil, err
	}
	defer stop()
	return evidence.Command(cmd.Context(), dir, command, o)
}

// forRuns gives the runs what this process can read.
func forRuns(ctx context.Context, in io.Reader, o *evidence.Options) (stop func() error, err error) {
	f, ok := in.(*os.File)
	if !ok {
		return func() error { return nil }, nil
	}
	place, err := evidence.OpenPlace("stdin")
	if err != nil {
		return nil, err
	}
	remark := ""
	if o.Stdin, remark, err = evidence.Stdin(ctx, f, place.Dir); err != nil {
		return nil, errors.Join(err, place.Close())
	}
	if remark != "" {
		o.Say(remark)
	}
	return place.Close, nil
}

// failed says what a program that goes wrong printed.
func (a *app) failed(err error) error {
	var f *evidence.Failure
	if errors.As(err, &f) {
		a.measuring = true
		if text := strings.TrimSpace(f.Output); text != "" {
			lines := strings.Split(text, "\n")
			fmt.Fprintln(a.stderr, "    "+input.Redact(strings.Join(lines[max(0, len(lines)-20):], "\n    ")))
		}
	}
	if errors.Is(err, context.Canceled) {
		a.interrupted("; nothing is left behind")
	}
	return err
}

// mostSpans is how many spans of a trace are written: more than a browser shows.
const mostSpans = 1 << 20

// traceTimeline writes the timeline of the trace that was collected.
func (a *app) traceTimeline(ctx context.Context, c *evidence.Collected, path string) error {
	if path == "" {
		return nil
	}
	from := c.Path("trace")
	if from == "" {
		fmt.Fprintln(a.stderr, "brewput: there is no trace, and so no timeline")
		return nil
	}
	f, err := input.Open(ctx, from, input.Trace)
	if err != nil {
		return err
	}
	defer f.Close()
	t, err := gotrace.Timeline(f, mostSpans)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	t.Title = c.Program.Name
	if err := replaceFile(path, func(w io.Writer) error { return report.TimelineJSON(w, []*timeline.Timeline{t}) }); err != nil {
		return fmt.Errorf("the timeline could not be written: %w", err)
	}
	fmt.Fprintf(a.stderr, "timeline in %s: %s of %s in %v\n", path, result.Count(len(t.Spans), "span"), result.Count(len(t.Goroutines), "goroutine"), time.Duration(t.To))
	return nil
}
