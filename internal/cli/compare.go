package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

var betweenFormats = []string{"table", "json", "md"}

func (a *app) compareCommand() *cobra.Command {
	format := "table"
	cmd := &cobra.Command{
		Use:   "compare OLD NEW",
		Short: "Compare two stored runs of one workload on one machine, or two files of Go benchmarks",
		Long: `Compare gives verdicts between two stored runs, such as those of two versions of
a program: is each design at each point faster in the run in NEW than in the run
in OLD? Of throughputs, "new is 1.20x old" says that it is faster by 20 %; of
times, as benchmarks and jobs have, "new takes 1.20x the time of old" says that
it is slower by 20 %. The verdict says which: faster or slower, of other metrics
better or worse.

Blocks of two runs lie apart in time, so they are not paired: the machine's
drift from one run to the other is part of the difference, and more blocks are
needed than within a run. Where two designs can be in one run, put them there.
Live runs of two machines are refused.

Give several runs, or files of Go benchmarks, of each side with commas, as in
OLD1,OLD2,OLD3 NEW1,NEW2,NEW3, measured in turn. They are then the replicates,
and the intervals hold what differs from one to the next. One run or file of
each side cannot show that; compare warns of it. For Go benchmarks, bench --base
measures both sides in the same blocks.

Of Go benchmarks, runs and files are refused whose goos, goarch or model of the
CPU differ; what else differs between two runs is said. Of a run with --base the
head is compared. Where one run varies what the other does not, such as GOGC,
the level is compared at which the other was measured, or each level by itself
where that level is not known, or was not measured.`,
		Example: indent("NAME run coffee -o old\nNAME run coffee -o new          # after a change of the " +
			"program\nNAME compare old new\nNAME compare old new --format json\nNAME compare old1,old2,old3 " +
			"new1,new2,new3\nNAME compare before.txt after.txt\nNAME compare old1.txt,old2.txt,old3.txt " +
			"new1.txt,new2.txt,new3.txt"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("compare takes two run directories or files, the old and the new one, not %d; as "+
					"in compare old new, "+
					"or several of a side with commas: compare old1,old2 new1,new2", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) >= 2 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.compareSides(cmd.Context(), runsOf(args[0]), runsOf(args[1]), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "table, json or md; of benchmarks also bench (for "+
		"benchstat -col side)")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(betweenFormats, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// compareSides compares runs of designs, or files or runs of benchmarks.
func (a *app) compareSides(ctx context.Context, older, newer []string, format string) error {
	if slices.Contains(older, "") || slices.Contains(newer, "") {
		return usage("a run has an empty name: give two, or several of a side with commas and without spaces, as in " +
			"old1,old2 new1,new2")
	}
	if err := distinct(slices.Concat(older, newer)); err != nil {
		return err
	}
	benchmarks, possible := slices.ContainsFunc(slices.Concat(older, newer), isBenchmarks), betweenFormats
	if benchmarks {
		possible = append(slices.Clone(possible), "bench")
	}
	if !slices.Contains(possible, format) {
		return usage("--format %s is not possible here%s; use %s", format, didYouMean(format, possible),
			strings.Join(possible, ", "))
	}
	if benchmarks {
		return a.compareBenchmarks(ctx, older, newer, format)
	}
	return a.compareRuns(older, newer, format)
}

// storedRun is a run that was read back.
type storedRun struct {
	*sweep.StoredRun
	raw     []byte // the header as it stands in the journal
	partial []compare.Warning
}

// openRun reads a run directory.
func (a *app) openRun(dir string) (*storedRun, error) {
	journal, err := store.Open(dir)
	if err != nil {
		return nil, storeError(err)
	}
	r := &storedRun{raw: journal.Header,
		StoredRun: &sweep.StoredRun{Run: compare.Run{Name: dir, Trials: journal.Trials}}}
	if r.Header, err = a.stored(dir, journal); err != nil {
		return nil, err
	}
	if len(r.Trials) == 0 && len(r.Header.Cases) == 0 {
		return nil, usage("%s holds no measurement, only what is predicted of CPUs that were not there; that is a "+
			"run of its own: give %s", dir, quoted(filepath.Join(dir, twinName)))
	}
	if len(r.Trials) == 0 {
		return nil, usage("%s holds no trial yet: continue it with %s", dir, resumeHint(r.Header, dir))
	}
	if !journal.Ended {
		r.partial = []compare.Warning{compare.Partial(r.Header.Workload, dir, resumeHint(r.Header, dir),
			len(journal.Blocks), r.Header.Blocks)}
	}
	r.Rows = compare.Rows(journal.Trials, r.Header.Cases)
	return r, nil
}

// runsOf are the runs of a side: one path, or several with commas between them.
func runsOf(side string) []string {
	if _, err := os.Stat(side); err == nil {
		return []string{side}
	}
	return strings.Split(side, ",")
}

// distinct sees that no path is given twice.
func distinct(paths []string) error {
	for i, path := range paths {
		for _, other := range paths[:i] {
			if !sameFile(other, path) {
				continue
			}
			what := "file"
			if info, err := os.Stat(path); err == nil && info.IsDir() {
				what = "directory"
			}
			return usage("%s and %s are the same %s: a run beside itself says nothing; give two runs", other, path,
				what)
		}
	}
	return nil
}

// openSides reads all runs, and sees that no two are copies.
func (a *app) openSides(oldDirs, newDirs []string) (older, newer []*storedRun, err error) {
	var all []*storedRun
	for _, dir := range slices.Concat(oldDirs, newDirs) {
		r, err := a.openRun(dir)
		if err != nil {
			return nil, nil, err
		}
		for _, other := range all {
			if bytes.Equal(other.raw, r.raw) {
				return nil, nil, usage("%s and %s hold the same run, which began at %s: one is a copy; give two runs",
					other.Name, dir, r.Header.Started.Format("2006-01-02 15:04:05"))
			}
		}
		a.lostFailures(dir, r.Trials)
		all = append(all, r)
	}
	return all[:len(oldDirs)], all[len(oldDirs):], nil
}

// compareRuns reads the runs of both sides, sees that they may be compared, and renders what they say.
func (a *app) compareRuns(oldDirs, newDirs []string, format string) error {
	older, newer, err := a.openSides(oldDirs, newDirs)
	if err != nil {
		return err
	}
	facts, doubts, err := sweep.Sides(headed(older), headed(newer))
	if err != nil {
		return asUsage(err)
	}
	all := slices.Concat(older, newer)
	oldSide, newSide := sweep.OneSide(headed(older)), sweep.OneSide(headed(newer))
	contrast := compare.Usual("", a.inputsOf(all...)).Between(newSide, oldSide)
	if len(contrast.Matches) == 0 {
		return nothingInCommon(oldSide, newSide)
	}
	header := newer[0].Header
	page := report.Between{Workload: header.Workload, A: newSide.Name, B: oldSide.Name, Contrast: contrast,
		Facts: facts}
	page.Warnings = append(page.Warnings, doubts...)
	if len(all) == 2 && header.World == result.Live && len(contrast.Verdicts()) > 0 {
		page.Warnings = append(page.Warnings,
			compare.OneRun(page.Workload, "measure each side in several runs, in turn, and give them with commas: "+
				"compare OLD1,OLD2,OLD3 NEW1,NEW2,NEW3"))
	}
	for _, r := range all {
		page.Warnings = append(page.Warnings, r.warnings()...)
	}
	a.measuring = true // what fails from here on is the output
	if err := a.printBetween(page, format); err != nil {
		return fmt.Errorf("the comparison could not be printed: %w", err)
	}
	return nil
}

func headed(runs []*storedRun) (list []*sweep.StoredRun) {
	for _, r := range runs {
		list = append(list, r.StoredRun)
	}
	return list
}

// nothingInCommon is the error of sides that have no design at a common point.
func nothingInCommon(older, newer compare.Run) error {
	if slices.ContainsFunc(newer.Rows, func(r compare.Row) bool { return r.Open }) {
		return usage("%s and %s have no design at a common point and rate: an open loop's responses are compared at "+
			"equal rates only, and --load is a fraction of what each run measured as capacity; measure both "+
			"with the same --rate", older.Name, newer.Name)
	}
	return usage("%s and %s have no design at a common point: the old run has %s; the new run has %s; measure one of "+
		"them at points of the other",
		older.Name, newer.Name, compare.CaseNames(older.Rows), compare.CaseNames(newer.Rows))
}

// warnings are a run's, with its directory.
func (r *storedRun) warnings() []compare.Warning {
	list := r.partial
	for _, text := range r.Header.Warnings {
		w := compare.NewWarning(r.Header.Workload, compare.WarnSettings, text)
		w.Run = r.Name
		list = append(list, w)
	}
	if r.Header.Rule != nil {
		list = append(list, compare.Budgeted(r.Header.Workload, r.Name))
	}
	for _, w := range compare.Warnings(r.Trials, r.Header.LookBlocks()) {
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
	if w, err := a.find(runs[0].Header.Workload); err == nil {
		return w.InputFactors()
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
