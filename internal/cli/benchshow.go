package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/gobench"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/report"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// benchPage is the page of a run of benchmarks.
func benchPage(r *lab.BenchResult, analysis *compare.BenchAnalysis) report.Benchmarks {
	s := r.Suite
	p := report.Benchmarks{Title: s.Title, Rows: analysis.Rows, Scalings: analysis.Scalings,
		Warnings: analysis.Warnings, Metrics: analysis.Metrics, Broken: s.Broken}
	if s.HasBase() {
		p.A, p.B = gobench.Head, gobench.Base
		isBase := func(point plan.Point) bool {
			return point.Has(gobench.FactorRev) && point.Text(gobench.FactorRev) == gobench.Base
		}
		p.Rows = slices.DeleteFunc(slices.Clone(analysis.Rows), func(r compare.Row) bool { return isBase(r.Point) })
		p.Scalings = slices.DeleteFunc(slices.Clone(analysis.Scalings),
			func(s compare.Scaling) bool { return isBase(s.Point) })
	}

	if len(p.Metrics) > 0 {
		p.How = "paired: each block measures both sides, so changes of the machine affect both"
		if s.First != nil {
			p.How = "paired: each block measures all levels, so changes of the machine affect all; each is compared " +
				"with the first, " + strings.Join(s.First, ", ")
		}
		if s.Layouts > 1 {
			p.How += fmt.Sprintf("; %d layouts of the code are the replicates", s.Layouts)
		}
	}

	if s.NoCounters != "" {
		p.Notes = append(p.Notes, "the limits of scaling are unknown, because the runtime's counters could not be "+
			"read: "+s.NoCounters)
	}
	if len(s.Skipped) > 0 {
		p.Notes = append(p.Notes, "not measured, because they skip themselves: "+s.SkippedText())
	}
	if len(s.Broken) > 0 {
		p.Notes = append(p.Notes, "not measured, because they fail: "+
			strings.ReplaceAll(s.BrokenText(false), "\n", "; "))
	}
	if n := onlyInOneRevision(s); n != "" && s.HasBase() {
		p.Notes = append(p.Notes, n)
	}
	return p
}

// onlyInOneRevision names the benchmarks that only one revision has.
func onlyInOneRevision(s *result.Suite) string {
	only := map[string][]string{}
	for _, n := range s.NotJudged {
		only[n.Reason] = append(only[n.Reason], n.Design)
	}
	var parts []string
	for _, group := range [][2]string{{result.Removed, gobench.Base}, {result.Added, gobench.Head}} {
		if names := only[group[0]]; len(names) > 0 {
			parts = append(parts, fmt.Sprintf("only in the %s: %s", group[1], strings.Join(names, ", ")))
		}
	}
	return strings.Join(parts, "; ")
}

// showBench renders a run of benchmarks.
func (a *app) showBench(r *lab.BenchResult, format string) error {
	w := a.stdout
	switch format {
	case "json":
		return a.benchJSON(r)
	case "csv":
		return report.CSV(w, compare.AttachResources(r.Trials))
	case "bench":
		return report.GoBench(w, r.Suite.ByPackage(r.Trials), benchHeader(&r.Header),
			compare.DeclaredDirections(r.Trials), benchID(&r.Header), "")
	case "md":
		return benchPage(r, r.Analyze()).Markdown(w)
	}
	return a.page(benchPage(r, r.Analyze()).Table)
}

// benchHeader returns the lines of the Go benchmark format that hold for all trials.
func benchHeader(h *sweep.Header) [][2]string {
	env := h.Environment
	header := [][2]string{{"goos", env.GOOS}, {"goarch", env.GOARCH}, {"pkg", h.Workload}}
	if env.CPUModel != nil {
		header = append(header, [2]string{"cpu", *env.CPUModel})
	}
	return header
}

// benchJSON writes the trials and then the analysis.
func (a *app) benchJSON(r *lab.BenchResult) error {
	analysis := r.Analyze()
	var lines []any
	for _, t := range r.Trials {
		lines = append(lines, t)
	}
	for _, s := range compare.Summaries(analysis.Rows) {
		lines = append(lines, s)
	}
	lines = append(lines, benchPage(r, analysis).Lines()...)
	for _, line := range lines {
		if err := report.JSON(a.stdout, line); err != nil {
			return err
		}
	}
	return nil
}

// benchID identifies the run in files.
func benchID(h *sweep.Header) string {
	return h.Started.UTC().Format("20060102T150405.000") + "-" + h.Seed
}

// writeRevisionFiles writes a file in the Go benchmark format for each revision into the run directory, for benchstat
// and compare. It leaves files that are already right.
func writeRevisionFiles(r *lab.BenchRun) error {
	for _, rev := range r.Suite.Revisions {
		trials := slices.DeleteFunc(slices.Clone(r.Suite.ByPackage(r.Trials)), func(t result.Trial) bool {
			return t.Point.Has(gobench.FactorRev) && t.Point.Text(gobench.FactorRev) != rev
		})
		var b strings.Builder
		if err := report.GoBench(&b, trials, benchHeader(&r.Header), compare.DeclaredDirections(trials),
			benchID(&r.Header), gobench.FactorRev); err != nil {
			return err
		}
		if err := store.Update(filepath.Join(r.Dir, rev+".txt"), b.String()); err != nil {
			return err
		}
	}
	return nil
}
