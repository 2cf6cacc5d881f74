package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

var gateFormats = []string{"table", "json", "md"}

// gateOptions are the flags of gate.
type gateOptions struct {
	benchOptions
	maxRegression string
	metrics       []string
	allow         string
}

func (a *app) gateCommand() *cobra.Command {
	var o gateOptions
	cmd := &cobra.Command{
		Use:   "gate [PACKAGES] --base REVISION --max-regression PERCENT",
		Short: "Fail if benchmarks became slower than allowed; for CI",
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := a.fromEnvironment(cmd,
				func() error { return errors.Join(refuseEmpty(cmd.Flags()), o.checkFlags()) }); err != nil {
				return err
			}
			return a.gate(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	o.addTo(f)
	f.Lookup("budget").DefValue = "5m0s"
	o.Budget = 5 * time.Minute
	decimalVar(f, &o.Count, "count", 80, "maximum number of blocks; noisy metrics need at least 6 blocks")
	f.StringVar(&o.Base, "base", "", "git `REVISION` to compare with")
	f.StringVar(&o.maxRegression, "max-regression", "", "allowed increase over the base: `PERCENT`, as in 5% or 5")
	f.StringSliceVar(&o.metrics, "metric", []string{"ns/op"}, "`METRICS` to judge, as go test prints them")
	f.StringVar(&o.allow, "allow", "", "allow-list `FILE`: benchmarks that may exceed the limit for a while")
	f.StringVar(&o.format, "format", "table", "table, json or md")
	f.StringVarP(&o.Output, "output", "o", "", "run directory `DIR` to create (default brewput-runs/bench-TIME)")
	a.view.addTo(f)
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(gateFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// checkFlags checks the flags that gate shares with bench.
func (o *gateOptions) checkFlags() error {
	return cmp.Or(checkFormat("--format", o.format, gateFormats), o.validate())
}

// gate measures until the decision is known.
func (a *app) gate(ctx context.Context, args []string, o gateOptions) error {
	g := lab.GateOptions{Metrics: o.metrics, Allow: o.allow}
	if o.Base != "" { // package lab reports a missing base first
		if o.maxRegression == "" {
			return usage("gate needs --max-regression, as in --max-regression 5%%")
		}
		var err error
		if g.MaxRegression, err = option.ParsePercent("max-regression", o.maxRegression); err != nil {
			return asUsage(err)
		}
	}

	e := a.benchEvents(args, &o.BenchOptions)
	within := fmt.Sprintf(" in %v", o.Budget)
	g.BenchOptions = o.BenchOptions
	if g.Budget == 0 {
		g.Budget, within = -1, "" // none
	}
	e.started = func(s lab.Started) string {
		return fmt.Sprintf("%s: each block measures every benchmark of both revisions once (%s), until all are "+
			"decided; at most %s%s; stored in %s",
			s.Header.Workload, result.Count(len(s.Header.Cases), "trial"), result.Count(o.Count, "block"), within,
			s.Dir)
	}

	res, err := lab.Gate(ctx, g)
	e.end()
	switch {
	case res == nil:
		return a.errorWithoutRun(err)
	case res.Interrupted:
		fmt.Fprintf(a.stderr, "brewput: interrupted after %s; what was measured is stored in %s\n",
			result.Count(len(res.Trials), "trial"), res.Dir)
		a.code = exitInterrupted
	}
	a.measuring = true
	if err != nil {
		return withExitCode(err)
	}

	a.code = gateCodes[res.Decision]
	a.reportFailures(res.Trials)
	a.warnLostFailures(res.Dir, res.Trials)
	a.reportBroken(res.Suite)
	if res.Decision == compare.Pass && os.Getenv("CI") == "" {
		fmt.Fprintln(a.notes, "run it in CI: https://github.com/brewput/brewput/blob/main/docs/manual/3-gate.md#github")
	}
	err = a.writeBenchFiles(&res.BenchRun, false)
	a.showSettings(o.format, a.config)
	// The page comes last, because it ends with the answer.
	if failed := a.showGate(res, g.MaxRegression, o.format); failed != nil {
		err = errors.Join(err, fmt.Errorf("the results could not be printed: %w; they are stored in %s", failed,
			res.Dir))
	}
	return err
}

// gateCodes are the exit codes of decisions.
var gateCodes = map[string]int{compare.Pass: exitOK, compare.Fail: exitWrong, compare.Undecided: exitUndecided,
	compare.Error: exitFailed}

// showGate renders the decisions.
func (a *app) showGate(r *lab.GateResult, maxRegression float64, format string) error {
	p := report.Gate{Title: r.Suite.Title, List: r.Decisions, NotJudged: r.Suite.NotJudged, Decision: r.Decision,
		MaxRegression: maxRegression, Layouts: r.Suite.Layouts, BlockTime: r.BlockTime, Loaded: r.LoadWarning != nil,
		Notes: gateNotes(r), Warnings: r.Warnings, Option: asFlag}
	switch format {
	case "json":
		return p.JSON(a.stdout)
	case "md":
		return p.Markdown(a.stdout)
	}
	return a.page(p.Table)
}

// gateNotes explains the decision.
func gateNotes(r *lab.GateResult) []string {
	var notes []string
	if compare.OverallDecision(r.Decisions) == compare.Undecided {
		if r.LoadWarning != nil {
			notes = append(notes, "other processes were busy meanwhile, so only counts that do not vary are decided")
		}
		if s := r.BudgetEnded; s != nil {
			notes = append(notes, fmt.Sprintf("the budget of %v is enough for %s of about %s each", s.Budget,
				result.Count(s.Blocks, "block"), result.Rounded(s.Each)))
		}
	}
	if r.DefaultLayouts {
		notes = append(notes, fmt.Sprintf("each revision is linked %d times in random function order, because "+
			"the limit is under 5%%: the layouts decide, not the blocks (--layouts 1 leaves placement to the linker)",
			r.Suite.Layouts))
	}
	for _, row := range r.Rows {
		for _, w := range slices.Concat(row.Errors, row.Warnings) {
			if text := row.Design + ": " + w; !slices.Contains(notes, text) {
				notes = append(notes, text)
			}
		}
	}

	for _, e := range r.Stale {
		line := fmt.Sprintf("the allow-list's line %d (%s %s)", e.Line, e.Name, e.Metric)
		if e.Expired {
			notes = append(notes, fmt.Sprintf("%s expired on %s and has no effect", line, e.Until))
		} else {
			notes = append(notes, fmt.Sprintf("%s matches no benchmark of %s: remove it, unless another package is "+
				"judged with the same list", line, r.Suite.Package))
		}
	}
	return notes
}
