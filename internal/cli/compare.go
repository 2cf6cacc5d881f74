package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/cli/option"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/sweep"
)

var compareFormats = []string{"table", "json", "md"}

func (a *app) compareCommand() *cobra.Command {
	format := "table"
	var o commandOptions
	cmd := &cobra.Command{
		Use:   "compare OLD NEW | -- COMMAND ::: COMMAND",
		Short: "Compare two stored runs, two files of Go benchmarks, or commands",
		Args:  compareArgs,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.ArgsLenAtDash() >= 0 && slices.Contains(args, option.Separator) || cmd.Flags().Changed("resume") {
				return a.compareCommands(cmd, args, &o, &format)
			}
			older, newer, possible := splitRuns(args[0]), splitRuns(args[1]), compareFormats
			if sweep.HasBenchmarks(slices.Concat(older, newer)...) {
				possible = append(slices.Clone(possible), "bench")
			}
			_, err := a.fromEnvironment(cmd, func() error {
				return cmp.Or(onlyFor(cmd.Flags(), o.flags, "stored runs: it is for commands"),
					checkFormat("--format", format, possible))
			}, "format")
			if err != nil {
				return err
			}
			return a.compareSides(cmd.Context(), older, newer, format, a.config)
		},
	}
	o.addTo(cmd.Flags())
	cmd.Flags().StringVar(&format, "format", format, "table, json or md; of benchmarks also bench (for "+
		"benchstat -col side)")
	a.view.addTo(cmd.Flags())
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(compareFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// compareArgs checks the arguments: two sides, or commands.
func compareArgs(cmd *cobra.Command, args []string) error {
	commands, err := option.HasCommands(args, cmd.ArgsLenAtDash())
	switch resumes := cmd.Flags().Changed("resume"); {
	case resumes && len(args) > 0:
		return usage("--resume continues a run as it began: leave %s out", args[0])
	case resumes || commands || err != nil:
		return withExitCode(err)
	}
	if len(args) != 2 {
		return usage("compare takes two run directories or files, the old and the new one, not %d, as in compare "+
			"old1,old2 new1,new2; or commands after two dashes, as in compare -- ./old ::: ./new", len(args))
	}
	return nil
}

// compareSides compares runs of designs, or files or runs of benchmarks. The page lists the settings.
func (a *app) compareSides(ctx context.Context, older, newer []string, format string, settings []string) error {
	c, err := lab.Compare(ctx, older, newer, lab.CompareOptions{Workloads: a.workloads, ResumeHint: resumeHint,
		Results: format == "bench", Notify: a.warn})
	if err != nil {
		return withExitCode(err)
	}
	a.showSettings(format, settings)
	a.measuring = true // what fails from here on is the output
	switch {
	case c.Results != nil:
		return a.printResults(c)
	case c.Benchmarks != nil:
		return a.printBenchmarks(benchmarksPage(c), format)
	}

	page := report.RunComparison{Workload: c.Workload, A: c.Newer.Name, B: c.Older.Name, Comparison: *c.Designs,
		Differences: c.Differences, Warnings: c.Warnings}
	if err := a.printRuns(page, format); err != nil {
		return fmt.Errorf("the comparison could not be printed: %w", err)
	}
	return nil
}

// splitRuns returns the runs of a side: one path, or several separated by commas.
func splitRuns(side string) []string {
	if _, err := os.Stat(side); err == nil {
		return []string{side}
	}
	return strings.Split(side, ",")
}

func (a *app) printRuns(page report.RunComparison, format string) error {
	switch format {
	case "json":
		return page.JSON(a.stdout)
	case "md":
		return page.Markdown(a.stdout)
	}
	return a.page(page.Table)
}

func (a *app) printBenchmarks(page report.Benchmarks, format string) error {
	switch format {
	case "json":
		for _, line := range page.Lines() {
			if err := report.JSON(a.stdout, line); err != nil {
				return err
			}
		}
		return nil
	case "md":
		return page.Markdown(a.stdout)
	}
	return a.page(page.Table)
}

// benchmarksPage is the page that compares two sides of Go benchmarks.
func benchmarksPage(c *lab.Comparison) report.Benchmarks {
	b := c.Benchmarks
	title := fmt.Sprintf("old is %s, new is %s", report.SideTitle(c.Older), report.SideTitle(c.Newer))
	page := report.Benchmarks{Title: title, A: "new", B: "old", ARun: c.Newer.Name, BRun: c.Older.Name,
		Workload: c.Workload, Paired: b.Paired,
		Differences: c.Differences, OnlyA: b.OnlyA, OnlyB: b.OnlyB, Metrics: b.Metrics, Warnings: c.Warnings}
	if len(c.Older.Paths)+len(c.Newer.Paths) > 2 {
		page.RunsA, page.RunsB = len(c.Newer.Paths), len(c.Older.Paths)
	}
	page.Notes = c.Notes
	if few := b.SingleResults(); len(few) > 0 {
		page.Notes = append(page.Notes, "left out, because a side has only one result: "+
			compare.CaseNames(few))
	}
	page.Notes = append(page.Notes, report.LoneMetrics(b)...)

	nested, single := b.Replicated()
	page.How = "unpaired: the files do not say which lines were measured together, so changes of the machine count " +
		"as differences"
	if !c.Older.Files || !c.Newer.Files {
		page.How = "unpaired: no block holds both sides, so changes of the machine count as differences"
	}
	switch {
	case b.Paired:
		page.How = "paired: the lines of both files were measured in the same blocks, so changes of the machine " +
			"affect both"
	case nested:
		page.How = "unpaired: the files or runs of a side are the replicates, so the intervals include the " +
			"variation between them"
		if len(single) > 0 {
			page.Notes = append(page.Notes, "in only one file or run of each side, so their intervals exclude the "+
				"variation between files or runs: "+strings.Join(single, ", "))
		}
	}
	page.Notes = append(page.Notes, c.Unused...)
	return page
}

// printResults writes all files and runs in the Go benchmark format, for benchstat -col side.
func (a *app) printResults(c *lab.Comparison) error {
	for _, w := range c.Warnings {
		if w.Run != "" {
			w.Text = w.Run + ": " + w.Text
		}
		fmt.Fprintln(a.stderr, "warning:", w.Text)
	}
	for _, text := range c.Unused {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
	return report.GoBenchSides(a.stdout, c.Results)
}
