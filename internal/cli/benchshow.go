package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
)

// benchPage computes what is shown of the trials of a run.
func (r *benchRun) page(trials []result.Trial) report.Benchmarks {
	x := r.bench.Experiment
	rows := compare.Rows(trials, r.sweep.Plan.Cases)
	p := report.Benchmarks{Title: x.Title(), Rows: rows, Scalings: compare.Scalings(rows, trials), Warnings: compare.Warnings(trials, r.sweep.Header.LookBlocks())}
	j := r.sweep.Judgement
	if x.BaseCommit != "" {
		p.A, p.B = gobench.Head, gobench.Base
		isBase := func(point plan.Point) bool {
			return point.Has(gobench.FactorRev) && point.Text(gobench.FactorRev) == gobench.Base
		}
		p.Rows = slices.DeleteFunc(slices.Clone(rows), func(r compare.Row) bool { return isBase(r.Point) })
		p.Scalings = slices.DeleteFunc(p.Scalings, func(s compare.Scaling) bool { return isBase(s.Point) })
	}
	p.Metrics = benchMetrics(j, j.Levels(rows, trials), declaredDirections(trials))
	if len(p.Metrics) > 0 {
		p.How = "paired: each block holds both sides, so that what the machine does falls on both"
		if x.BaseCommit == "" && x.ByFirst {
			p.How = "paired: each block holds all levels, so that what the machine does falls on all; each is compared with the first, " + strings.Join(x.First(), ", ")
		}
		if j.Layouts > 1 {
			p.How += fmt.Sprintf("; %d layouts of the code are the replicates", j.Layouts)
		}
	}
	if x.Unprobed != "" {
		p.Notes = append(p.Notes, "the counters of the runtime could not be read, so that nothing is said of what limits scaling: "+x.Unprobed)
	}
	if len(x.Skipped) > 0 {
		p.Notes = append(p.Notes, "not measured, for they skip themselves: "+skipped(x))
	}
	for _, b := range x.Broken {
		p.Broken = append(p.Broken, report.Broken{Design: b.Name, Rev: b.Rev, Error: b.Error})
	}
	if len(x.Broken) > 0 {
		p.Notes = append(p.Notes, "not measured, for they go wrong: "+strings.ReplaceAll(broken(x, false), "\n", "; "))
	}
	if n := inOneRevision(x); n != "" && x.BaseCommit != "" {
		p.Notes = append(p.Notes, n)
	}
	return p
}

// inOneRevision names the benchmarks that one revision alone has.
func inOneRevision(x *gobench.Experiment) string {
	only := map[string][]string{}
	for _, n := range x.NotCompared() {
		only[n.Reason] = append(only[n.Reason], n.Design)
	}
	var parts []string
	for _, of := range [][2]string{{result.Removed, gobench.Base}, {result.Added, gobench.Head}} {
		if names := only[of[0]]; len(names) > 0 {
			parts = append(parts, fmt.Sprintf("only in the %s: %s", of[1], strings.Join(names, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// benchMetrics compares sides by every metric that both have, but those that follow from time.
func benchMetrics(j compare.Judgement, sides []compare.Sides, declared map[string]string) []report.BenchMetric {
	if len(sides) == 0 {
		return nil
	}
	var rows []compare.Row
	for _, s := range sides {
		rows = append(rows, *s.A, *s.B)
	}
	var list []report.BenchMetric
	groups := compare.ByLevels(sides)
	for _, metric := range append([]string{result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp}, report.OwnMetrics(rows)...) {
		m := report.BenchMetric{Name: metric}
		of := map[string][]compare.Verdict{}
		for _, v := range j.MetricVerdicts(sides, metric, compare.Direction(metric, declared)) {
			of[v.Apart()] = append(of[v.Apart()], v)
		}
		for _, group := range groups {
			g := report.BenchGroup{Sides: group, Verdicts: of[group[0].Apart()]}
			g.Geomean, g.GeoLow, g.GeoTop, g.N = j.Geomean(group, metric)
			if len(g.Verdicts) > 0 {
				m.Groups = append(m.Groups, g)
			}
		}
		if len(m.Groups) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// declaredDirections are what benchmarks say of their own metrics.
func declaredDirections(trials []result.Trial) map[string]string {
	all := map[string]string{}
	for _, t := range trials {
		answer, _ := t.Answer.(map[string]any)
		switch better := answer["better"].(type) {
		case map[string]any: // read back
			for unit, word := range better {
				all[unit] = fmt.Sprint(word)
			}
		case map[string]string:
			for unit, word := range better {
				all[unit] = word
			}
		}
	}
	return all
}

// show renders the trials.
func (r *benchRun) show(trials []result.Trial, format string) error {
	a, w := r.app, r.app.stdout
	switch format {
	case "json":
		return r.json(trials)
	case "csv":
		return report.CSV(w, compare.Attach(trials))
	case "bench":
		return report.GoBench(w, trials, r.benchHeader(), declaredDirections(trials), r.id(), "")
	case "md":
		return r.page(trials).Markdown(w)
	}
	width, isTerminal := terminal(a.stdout)
	return r.page(trials).Table(w, report.StyleFor(os.Getenv, isTerminal, width))
}

// benchHeader are the lines of the Go benchmark format that hold for all trials.
func (r *benchRun) benchHeader() [][2]string {
	env := r.sweep.Header.Environment
	header := [][2]string{{"goos", env.GOOS}, {"goarch", env.GOARCH}, {"pkg", r.bench.Package}}
	if env.CPUModel != nil {
		header = append(header, [2]string{"cpu", *env.CPUModel})
	}
	return header
}

// json writes the trials, then what follows from them.
func (r *benchRun) json(trials []result.Trial) error {
	p := r.page(trials)
	var lines []any
	for _, t := range trials {
		lines = append(lines, t)
	}
	for _, s := range compare.Summaries(compare.Rows(trials, r.sweep.Plan.Cases)) {
		lines = append(lines, s)
	}
	lines = append(lines, p.Lines()...)
	for _, line := range lines {
		if err := report.JSON(r.app.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// id names the run in files.
func (r *benchRun) id() string {
	return r.sweep.Header.Started.UTC().Format("20060102T150405.000") + "-" + r.sweep.Header.Seed
}

// files writes a file in the Go benchmark format for each revision into the run directory, for benchstat and compare.
func (r *benchRun) files(trials []result.Trial) error {
	for _, rev := range r.bench.Revs() {
		path := filepath.Join(r.dir, rev+".txt")
		if r.sweep.Complete && exists(path) {
			continue
		}
		of := slices.DeleteFunc(slices.Clone(trials), func(t result.Trial) bool {
			return t.Point.Has(gobench.FactorRev) && t.Point.Text(gobench.FactorRev) != rev
		})
		var b strings.Builder
		if err := report.GoBench(&b, of, r.benchHeader(), declaredDirections(of), r.id(), gobench.FactorRev); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
