package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/sweep"
)

var betweenFormats = []string{"table", "json", "md"}

func (a *app) compareCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two stored runs of one workload on one machine, or two files of Go benchmarks",
		Long: `Compare gives verdicts between two stored runs, such as those of two versions of a program: is each design
at each point faster in the run in NEW than in the run in OLD? "new is 1.20x old" says that it is by 20 %.

Blocks of two runs lie apart in time, so they are not paired: the machine's drift from one run to the
other is part of the difference, and more blocks are needed than within a run. Where two designs can be
in one run, put them there. Live runs of two machines are refused.

Of Go benchmarks, runs and files are refused whose goos, goarch or model of the CPU differ; what else differs between
two runs is said. Of a run with --base the head is compared. Where one run varies what the other does not, such as
GOGC, the level is compared at which the other was measured, or each level by itself where that level is not known,
or was not measured.`,
		Example: indent("NAME run coffee -o old\nNAME run coffee -o new          # after a change of the program\nNAME compare old new\nNAME compare old new --format json\nNAME compare before.txt after.txt"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("compare takes two run directories, the old and the new one, not %d; as in compare old new", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(_ *cobra.Command, args []string) error {
			benchmarks, possible := isBenchmarks(args[0]) || isBenchmarks(args[1]), betweenFormats
			if benchmarks {
				possible = append(slices.Clone(possible), "bench")
			}
			if !slices.Contains(possible, format) {
				return usage("--format %s is not possible here%s; use %s", format, didYouMean(format, possible), strings.Join(possible, ", "))
			}
			if benchmarks && !sameFile(args[0], args[1]) {
				return a.compareBenchmarks(args[0], args[1], format)
			}
			return a.compareRuns(args[0], args[1], format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "table, json or md; of benchmarks also bench (for benchstat -col side)")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(betweenFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// storedRun is a run that was read back.
type storedRun struct {
	compare.Run
	header  sweep.Header
	raw     []byte // the header as it stands in the journal
	partial []compare.Warning
}

// openRun reads a run directory.
func openRun(dir string) (*storedRun, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, storeError(err)
	}
	r := &storedRun{Run: compare.Run{Name: dir, Trials: journal.Trials}, raw: journal.Header}
	if err := json.Unmarshal(journal.Header, &r.header); err != nil {
		return nil, usage("%s is not a run of brewput: its header cannot be read: %w", dir, err)
	}
	if r.header.Workload == "" {
		return nil, usage("%s is not a run of brewput: its header names no workload; give the directory of a run", dir)
	}
	if len(r.Trials) == 0 && len(r.header.Cases) == 0 {
		return nil, usage("%s holds no measurement, only what is predicted of CPUs that were not there; that is a run of its own: give %s", dir, quoted(filepath.Join(dir, "twin")))
	}
	if len(r.Trials) == 0 {
		return nil, usage("%s holds no trial yet: continue it with %s", dir, resumeHint(r.header, dir))
	}
	if !journal.Ended {
		r.partial = []compare.Warning{compare.Partial(r.header.Workload, dir, len(journal.Blocks), r.header.Blocks)}
	}
	r.Rows = compare.Rows(journal.Trials, r.header.Cases)
	return r, nil
}

// compareRuns reads both runs, sees that they may be compared, and renders what they say.
func (a *app) compareRuns(oldDir, newDir, format string) error {
	if sameFile(oldDir, newDir) {
		return usage("%s and %s are the same directory: a run beside itself says nothing; give two runs", oldDir, newDir)
	}
	older, err := openRun(oldDir)
	if err != nil {
		return err
	}
	newer, err := openRun(newDir)
	if err != nil {
		return err
	}
	if bytes.Equal(older.raw, newer.raw) {
		return usage("%s and %s hold the same run, which began at %s: one is a copy; give two runs", oldDir, newDir, newer.header.Started.Format("2006-01-02 15:04:05"))
	}
	differences, doubts, err := newer.header.Beside(&older.header)
	if err != nil {
		return usage("%s and %s cannot be compared: %w", oldDir, newDir, err)
	}
	contrast := compare.Usual("", a.inputsOf(older, newer)).Between(newer.Run, older.Run)
	if len(contrast.Matches) == 0 {
		if slices.ContainsFunc(newer.Rows, func(r compare.Row) bool { return r.Open }) {
			return usage("%s and %s have no design at a common point and rate: an open loop's responses are compared at equal rates only, and --load is a fraction of what each run measured as capacity; measure both with the same --rate", oldDir, newDir)
		}
		return usage("%s and %s have no design at a common point: the old run has %s; the new run has %s; measure one of them at points of the other",
			oldDir, newDir, report.Cases(older.Rows), report.Cases(newer.Rows))
	}
	page := report.Between{Workload: newer.header.Workload, A: newDir, B: oldDir, Contrast: contrast}
	for _, d := range differences {
		page.Facts = append(page.Facts, report.Fact(d))
	}
	for _, text := range doubts {
		page.Warnings = append(page.Warnings, compare.NewWarning(page.Workload, compare.WarnSettings, text))
	}
	page.Warnings = slices.Concat(page.Warnings, older.warnings(), newer.warnings())
	a.measuring = true // what fails from here on is the output
	if err := a.printBetween(page, format); err != nil {
		return fmt.Errorf("the comparison could not be printed: %w", err)
	}
	return nil
}

// warnings are a run's, with its directory.
func (r *storedRun) warnings() []compare.Warning {
	list := r.partial
	for _, text := range r.header.Warnings {
		w := compare.NewWarning(r.header.Workload, compare.WarnSettings, text)
		w.Run = r.Name
		list = append(list, w)
	}
	if r.header.Rule != nil {
		list = append(list, compare.Budgeted(r.header.Workload, r.Name))
	}
	for _, w := range compare.Warnings(r.Trials, r.header.LookBlocks()) {
		w.Run = r.Name
		list = append(list, w)
	}
	return list
}

func (a *app) printBetween(page report.Between, format string) error {
	switch format {
	case "json":
		return page.JSON(a.stdout)
	case "md":
		return page.Markdown(a.stdout)
	}
	width, isTerminal := terminal(a.stdout)
	return page.Table(a.stdout, report.StyleFor(os.Getenv, isTerminal, width))
}

// inputsOf are the factors that make another job. Of a workload that this program does not have, all may.
func (a *app) inputsOf(runs ...*storedRun) []string {
	if w, err := a.find(runs[0].header.Workload); err == nil {
		return inputs(w)
	}
	var all []string
	for _, r := range runs {
		for _, row := range r.Rows {
			for _, s := range row.Point.Settings() {
				all = append(all, s.Factor)
			}
		}
	}
	return all
}

// sameFile reports whether two paths lead to one directory.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	return errors.Join(errA, errB) == nil && os.SameFile(x, y)
}
