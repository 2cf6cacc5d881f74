package cli

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// compareBenchmarks compares files or runs of benchmarks, one or several of each side.
func (a *app) compareBenchmarks(ctx context.Context, oldPaths, newPaths []string, format string) error {
	oldParts, err := a.readSide(ctx, "old", oldPaths)
	if err != nil {
		return err
	}
	newParts, err := a.readSide(ctx, "new", newPaths)
	if err != nil {
		return err
	}
	all := slices.Concat(oldParts, newParts)
	if err := oneMachine(all); err != nil {
		return err
	}
	if format == "bench" {
		return a.printSides(oldParts, newParts)
	}
	doubts := copies(all)
	older, oldNotes, oldDoubts := join("old", oldParts)
	newer, newNotes, newDoubts := join("new", newParts)
	facts, notes := align(older, newer)
	page, err := unlessInterrupted(ctx, func() report.Benchmarks { return benchBetween(older, newer) })
	if err != nil {
		return err
	}
	page.Facts, page.Notes = facts, slices.Concat(oldNotes, newNotes, notes, page.Notes)
	page.Warnings = slices.Concat(page.Warnings, older.partial, newer.partial, doubts, oldDoubts, newDoubts)
	if text := unknownMachine(all); text != "" {
		page.Warnings = append(page.Warnings, compare.NewWarning(page.Workload, compare.WarnSettings, text))
	}
	if len(page.Metrics) == 0 {
		return nothingCommon(older, newer)
	}
	a.measuring = true
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
	width, isTerminal := terminal(a.stdout)
	return page.Table(a.stdout, report.StyleFor(os.Getenv, isTerminal, width))
}

// unlessInterrupted computes what may take minutes; after an interrupt nobody waits for it.
func unlessInterrupted[T any](ctx context.Context, compute func() T) (T, error) {
	done := make(chan T, 1)
	go func() { done <- compute() }()
	select {
	case x := <-done:
		return x, nil
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// nothingCommon says why two sides have nothing to compare.
func nothingCommon(older, newer *benchSide) error {
	why := fmt.Sprintf("the old has %s; the new has %s", compare.CaseNames(compare.Rows(older.Trials, older.Cases)),
		compare.CaseNames(compare.Rows(newer.Trials, newer.Cases)))
	why = strings.Join(slices.Concat([]string{why}, older.unused, newer.unused), "; ")
	return usage("%s and %s have no benchmark at the same point with at least 2 results each that can be compared: %s",
		older.Path, newer.Path, why)
}

// oneMachine refuses files and runs of several machines.
func oneMachine(all []*benchSide) error {
	for _, key := range machineKeys {
		var first *benchSide
		for _, s := range all {
			switch x := s.Config[key]; {
			case x == "":
			case first == nil:
				first = s
			case x != first.Config[key]:
				return usage("%s and %s are of two machines: %s is %s in the %s and %s in the %s; raw values of two "+
					"machines say nothing about the programs: measure both on one",
					first.Path, s.Path, key, first.Config[key], first.name, x, s.name)
			}
		}
	}
	return nil
}

// unknownMachine says that one file names its machine and another does not; "" where all do, or none.
func unknownMachine(all []*benchSide) string {
	var parts []string
	for _, key := range machineKeys {
		with := slices.IndexFunc(all, func(s *benchSide) bool { return s.Config[key] != "" })
		without := slices.IndexFunc(all, func(s *benchSide) bool { return s.Config[key] == "" })
		if with >= 0 && without >= 0 {
			parts = append(parts, fmt.Sprintf("the %s has a line %s: %s, and the %s has none", all[with].name, key,
				all[with].Config[key], all[without].name))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ": if they are of two machines, the ratios say nothing about the programs"
}

// machineKeys are the lines of a file that say which machine it is of.
var machineKeys = []string{"goos", "goarch", "cpu"}

// benchBetween is the page of two sides.
func benchBetween(older, newer *benchSide) report.Benchmarks {
	workload := oneWorkload(older.File, newer.File)
	b, n := older.run(), newer.run()
	paired := older.Run != "" && older.Run == newer.Run
	j := compare.Usual("", []string{"cpus"})
	j.Apart = true
	sides, onlyNew, onlyOld := j.Across(n, b, paired)
	page := report.Benchmarks{Title: fmt.Sprintf("old is %s, new is %s", older.title(), newer.title()), A: "new",
		B: "old", ARun: newer.Path, BRun: older.Path,
		Workload: workload, Paired: paired}
	if older.members != nil || newer.members != nil {
		page.RunsA, page.RunsB = len(newer.parts()), len(older.parts())
	}
	declared := maps.Clone(older.Better)
	maps.Copy(declared, newer.Better)
	page.Metrics = j.ByMetric(sides, declared)
	page.Notes, page.OnlyA, page.OnlyB = lone(sides), onlyNew, onlyOld
	nested, single := replicated(page.Metrics)
	page.How = "unpaired: the files do not say which of their lines were measured together, so what the machine did " +
		"differently between them is part of the difference"
	switch {
	case paired:
		page.How = "paired: the lines of both files were measured in the same blocks, so that what the " +
			"machine did falls on both"
	case nested:
		page.How = "unpaired: the files or runs of a side are the replicates, so what differs from one to the next " +
			"is in the intervals"
		if len(single) > 0 {
			page.Notes = append(page.Notes, "in one file or run of each side alone, so that their intervals hold no "+
				"difference from one to the next: "+strings.Join(single, ", "))
		}
	case len(page.Metrics) > 0:
		page.Warnings = append(page.Warnings, compare.OneRun(workload,
			"measure both sides in one run, with bench --base, whose blocks hold both, or in several files in turn: "+
				"compare OLD1,OLD2,OLD3 NEW1,NEW2,NEW3"))
	}
	for _, s := range slices.Concat(older.parts(), newer.parts()) {
		for _, w := range compare.Disturbances(s.Trials) {
			w.Run, w.Text = s.Path, s.Path+": "+w.Text
			page.Warnings = append(page.Warnings, w)
		}
		if s.Budget && len(sides) > 0 {
			page.Warnings = append(page.Warnings, compare.Budgeted(sides[0].A.Workload, s.Path))
		}
		page.Notes = append(page.Notes, s.unused...)
	}
	return page
}

// replicated reports whether any verdict is by several files or runs of a side, and names the benchmarks whose verdicts
// are not, unless they are exact.
func replicated(metrics []compare.MetricVerdicts) (nested bool, single []string) {
	for _, m := range metrics {
		for _, g := range m.Groups {
			for _, v := range g.Verdicts {
				if nested = nested || v.RunsA > 0; v.RunsA == 0 && !v.Exact && !slices.Contains(single, v.A) {
					single = append(single, v.A)
				}
			}
		}
	}
	return nested, single
}

// hasValues reports whether any trial of a file has a metric.
func hasValues(f *gobench.File) bool {
	return slices.ContainsFunc(f.Trials, func(t result.Trial) bool { return len(t.Metrics) > 0 })
}

// lone names the benchmarks that are not compared, for a side has one result of them.
func lone(sides []compare.Sides) (notes []string) {
	var few []compare.Row
	for _, s := range sides {
		if min(s.A.N, s.B.N) < 2 {
			few = append(few, *s.A)
		}
	}
	if len(few) > 0 {
		notes = append(notes, "left out, for there is only one result of them on a side: "+compare.CaseNames(few))
	}
	return notes
}

// oneWorkload gives both the package of the newer, where each has one, and returns it: a package that was renamed is
// compared with itself.
func oneWorkload(older, newer *gobench.File) string {
	for _, f := range []*gobench.File{older, newer} {
		if len(f.Trials) == 0 || slices.ContainsFunc(f.Trials,
			func(t result.Trial) bool { return t.Workload != f.Trials[0].Workload }) {
			return ""
		}
	}
	for i := range older.Trials {
		older.Trials[i].Workload = newer.Trials[0].Workload
	}
	return newer.Trials[0].Workload
}

// printSides writes all files and runs in the Go benchmark format, for benchstat -col side. A key of one that the next
// does not have ends between them: readers would take it for both.
func (a *app) printSides(older, newer []*benchSide) error {
	has := func(s *benchSide) bool { return hasValues(s.File) }
	if !slices.ContainsFunc(older, has) || !slices.ContainsFunc(newer, has) {
		x, _, _ := join("old", older)
		y, _, _ := join("new", newer)
		return nothingCommon(x, y)
	}
	all := slices.Concat(older, newer)
	for _, s := range all {
		for _, w := range s.partial {
			fmt.Fprintf(a.stderr, "warning: %s: %s\n", w.Run, w.Text)
		}
	}
	if text := unknownMachine(all); text != "" {
		fmt.Fprintln(a.stderr, "warning:", text)
	}
	for _, s := range all {
		for _, text := range s.unused {
			fmt.Fprintln(a.stderr, "warning:", text)
		}
	}
	ended := map[string]string{}
	for i, s := range all {
		header, config := [][2]string{{"side", map[bool]string{true: "old", false: "new"}[i < len(older)]}},
			maps.Clone(ended)
		maps.Copy(config, s.Config)
		maps.Copy(config, s.Alike)
		for _, key := range slices.Sorted(maps.Keys(config)) {
			header, ended[key] = append(header, [2]string{key, config[key]}), ""
		}
		for _, c := range s.Cases {
			for _, setting := range c.Point.Without("cpus").Settings() {
				ended[strings.ToLower(setting.Factor)] = ""
			}
		}
		if err := report.GoBench(a.stdout, s.Trials, header, s.Better, "", ""); err != nil {
			return err
		}
	}
	return nil
}
