package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// isBenchmarks reports whether a path is a file, or a run of benchmarks.
func isBenchmarks(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return err == nil // what is no file is refused when it is opened
	}
	journal, err := store.Open(path)
	if err != nil {
		return false
	}
	var h sweep.Header
	return json.Unmarshal(journal.Header, &h) == nil && h.Bench != nil
}

// benchSide is one of two files or runs of benchmarks that are compared.
type benchSide struct {
	*gobench.File
	name       string              // old or new
	experiment *gobench.Experiment // of a run; nil of a file
	header     *sweep.Header       // the same
	partial    []compare.Warning   // of a run that was stopped
}

// readBenchmarks reads a file in the Go benchmark format, or a run of benchmarks.
func (a *app) readBenchmarks(ctx context.Context, name, path string) (*benchSide, error) {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		f, err := gobench.ReadFile(ctx, path)
		if err != nil {
			return nil, asUsage(err)
		}
		return &benchSide{File: f, name: name}, nil
	}
	r, err := a.openRun(path)
	if err != nil {
		return nil, err
	}
	if r.header.Bench == nil {
		return nil, usage("%s is not a run of benchmarks; give two runs of benchmarks, or files in the Go benchmark format", path)
	}
	x := new(gobench.Experiment)
	if err := json.Unmarshal(r.header.Bench, x); err != nil {
		return nil, usage("%s: what its header says of the benchmarks cannot be read: %w", path, err)
	}
	env := r.header.Environment
	f := &gobench.File{Path: path, Trials: r.Trials, Better: declaredDirections(r.Trials), Budget: r.header.Rule != nil,
		Config: map[string]string{"goos": env.GOOS, "goarch": env.GOARCH, "pkg": r.header.Workload}}
	if env.CPUModel != nil {
		f.Config["cpu"] = *env.CPUModel
	}
	p, err := (&r.header).Plan(x.Workload())
	if err != nil {
		return nil, asUsage(err)
	}
	f.Cases = p.Cases
	return &benchSide{File: f, name: name, experiment: x, header: &r.header, partial: r.partial}, nil
}

// compareBenchmarks compares files or runs of benchmarks.
func (a *app) compareBenchmarks(ctx context.Context, oldPath, newPath, format string) error {
	older, err := a.readBenchmarks(ctx, "old", oldPath)
	if err != nil {
		return err
	}
	newer, err := a.readBenchmarks(ctx, "new", newPath)
	if err != nil {
		return err
	}
	for _, key := range machineKeys {
		x, y := older.Config[key], newer.Config[key]
		if x != "" && y != "" && x != y {
			return usage("%s and %s are of two machines: %s is %s in the old and %s in the new; raw values of two machines say nothing about the programs: measure both on one", oldPath, newPath, key, x, y)
		}
	}
	partial := append(slices.Clone(older.partial), newer.partial...)
	if format == "bench" {
		if !hasValues(older.File) || !hasValues(newer.File) {
			return nothingCommon(older.File, newer.File)
		}
		for _, w := range partial {
			fmt.Fprintf(a.stderr, "warning: %s: %s\n", w.Run, w.Text)
		}
		if text := unknownMachine(older, newer); text != "" {
			fmt.Fprintln(a.stderr, "warning:", text)
		}
		for _, text := range append(leftOut(older.File), leftOut(newer.File)...) {
			fmt.Fprintln(a.stderr, "warning:", text)
		}
		return a.printBoth(older.File, newer.File)
	}
	facts, notes := align(older, newer)
	page, err := unlessInterrupted(ctx, func() report.Benchmarks { return benchBetween(older.File, newer.File) })
	if err != nil {
		return err
	}
	page.Facts, page.Notes = facts, append(notes, page.Notes...)
	page.Warnings = append(page.Warnings, partial...)
	if text := unknownMachine(older, newer); text != "" {
		page.Warnings = append(page.Warnings, compare.NewWarning(page.Workload, compare.WarnSettings, text))
	}
	if len(page.Metrics) == 0 {
		return nothingCommon(older.File, newer.File)
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

// nothingCommon says why two files have nothing to compare.
func nothingCommon(older, newer *gobench.File) error {
	why := fmt.Sprintf("the old has %s; the new has %s", report.Cases(compare.Rows(older.Trials, older.Cases)), report.Cases(compare.Rows(newer.Trials, newer.Cases)))
	for _, f := range []*gobench.File{older, newer} {
		if text := f.Left(); text != "" {
			why += "; " + text
		}
	}
	return usage("%s and %s have no benchmark at the same point with at least 2 results each that can be compared: %s", older.Path, newer.Path, why)
}

// unknownMachine says that one file names its machine and the other does not; "" where both do, or neither.
func unknownMachine(older, newer *benchSide) string {
	var parts []string
	for _, key := range machineKeys {
		x, y := older.Config[key], newer.Config[key]
		if (x == "") != (y == "") {
			with, without := older.name, newer.name
			if x == "" {
				with, without = without, with
			}
			parts = append(parts, fmt.Sprintf("the %s has a line %s: %s, and the %s has none", with, key, x+y, without))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "; ") + ": if they are of two machines, the ratios say nothing about the programs"
}

// machineKeys are the lines of a file that say which machine it is of.
var machineKeys = []string{"goos", "goarch", "cpu"}

// benchBetween is the page of two files.
func benchBetween(older, newer *gobench.File) report.Benchmarks {
	workload := oneWorkload(older, newer)
	b := compare.Run{Name: older.Path, Rows: compare.Rows(older.Trials, older.Cases), Trials: older.Trials}
	n := compare.Run{Name: newer.Path, Rows: compare.Rows(newer.Trials, newer.Cases), Trials: newer.Trials}
	paired := older.Run != "" && older.Run == newer.Run
	j := compare.Usual("", []string{"cpus"})
	j.Apart = true
	sides, onlyNew, onlyOld := j.Across(n, b, paired)
	page := report.Benchmarks{Title: fmt.Sprintf("old is %s, new is %s", older.Path, newer.Path), A: "new", B: "old", ARun: newer.Path, BRun: older.Path,
		Workload: workload, Paired: paired}
	page.How = "unpaired: the files do not say which of their lines were measured together, so what the machine did differently between them is part of the difference"
	if paired {
		page.How = "paired: the lines of both files were measured in the same blocks, so that what the machine did falls on both"
	}
	declared := maps.Clone(older.Better)
	maps.Copy(declared, newer.Better)
	page.Metrics = benchMetrics(j, sides, declared)
	if !paired && len(page.Metrics) > 0 {
		page.Warnings = append(page.Warnings, compare.OneRun(workload, "measure both sides in one run, with bench --base, whose blocks hold both"))
	}
	page.Notes, page.OnlyA, page.OnlyB = lone(sides), onlyNew, onlyOld
	for _, f := range []*gobench.File{older, newer} {
		for _, w := range compare.Disturbances(f.Trials) {
			w.Run, w.Text = f.Path, f.Path+": "+w.Text
			page.Warnings = append(page.Warnings, w)
		}
		if f.Budget && len(sides) > 0 {
			page.Warnings = append(page.Warnings, compare.Budgeted(sides[0].A.Workload, f.Path))
		}
		page.Notes = append(page.Notes, leftOut(f)...)
	}
	return page
}

// leftOut says what of a file is not used.
func leftOut(f *gobench.File) (notes []string) {
	if text := f.Left(); text != "" {
		notes = append(notes, text)
	}
	if f.Long > 0 {
		notes = append(notes, fmt.Sprintf("%s: lines left out, for they are longer than 65536 bytes and no results: %d", f.Path, f.Long))
	}
	if f.Torn > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d lines look like results and cannot be read; they are left out", f.Path, f.Torn))
	}
	return notes
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
		notes = append(notes, "left out, for there is only one result of them on a side: "+report.Cases(few))
	}
	return notes
}

// oneWorkload gives both the package of the newer, where each has one, and returns it: a package that was renamed is compared
// with itself.
func oneWorkload(older, newer *gobench.File) string {
	for _, f := range []*gobench.File{older, newer} {
		if len(f.Trials) == 0 || slices.ContainsFunc(f.Trials, func(t result.Trial) bool { return t.Workload != f.Trials[0].Workload }) {
			return ""
		}
	}
	for i := range older.Trials {
		older.Trials[i].Workload = newer.Trials[0].Workload
	}
	return newer.Trials[0].Workload
}

// printBoth writes both in the Go benchmark format, for benchstat -col side. A key of the old that the new does not have ends
// between them: readers would take it for both.
func (a *app) printBoth(older, newer *gobench.File) error {
	ended := map[string]string{}
	for _, f := range []struct {
		side string
		*gobench.File
	}{{"old", older}, {"new", newer}} {
		header, config := [][2]string{{"side", f.side}}, maps.Clone(ended)
		maps.Copy(config, f.Config)
		maps.Copy(config, f.Alike)
		for _, key := range slices.Sorted(maps.Keys(config)) {
			header, ended[key] = append(header, [2]string{key, config[key]}), ""
		}
		for _, c := range f.Cases {
			for _, s := range c.Point.Without("cpus").Settings() {
				ended[strings.ToLower(s.Factor)] = ""
			}
		}
		if err := report.GoBench(a.stdout, f.Trials, header, f.Better, "", ""); err != nil {
			return err
		}
	}
	return nil
}
