package report

import (
	"io"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// comparisonJSON is the record that precedes the verdicts on two runs or files of benchmarks.
type comparisonJSON struct {
	Kind          string `json:"kind"` // "comparison"
	SchemaVersion int    `json:"schema_version"`
	Workload      string `json:"workload"` // "" for benchmarks of several packages
	ARun          string `json:"a_run"`
	BRun          string `json:"b_run"`
	// number of runs or files of benchmarks on a side, if one has several
	RunsA       int                 `json:"runs_a,omitempty"`
	RunsB       int                 `json:"runs_b,omitempty"`
	Paired      bool                `json:"paired"`
	Differences []result.Difference `json:"differences"`
	OnlyA       []caseJSON          `json:"only_a"` // cases that only one of the runs has
	OnlyB       []caseJSON          `json:"only_b"`
	Notes       []string            `json:"notes,omitempty"`
}

// caseJSON identifies a row.
type caseJSON struct {
	Workload string     `json:"workload,omitempty"` // only if it differs from the comparison's
	Design   string     `json:"design"`
	World    string     `json:"world"`
	Point    plan.Point `json:"point"`
}

// casesJSON returns the identities of rows in a comparison of one workload.
func casesJSON(rows []compare.Row, workload string) []caseJSON {
	list := []caseJSON{}
	for _, r := range rows {
		p := caseJSON{Design: r.Design, World: r.World, Point: r.Point}
		if r.Workload != workload {
			p.Workload = r.Workload
		}
		list = append(list, p)
	}
	return list
}

// JSON writes a line for the comparison, one for each warning, the summaries of the judged metric of both runs, the
// verdicts, and the answer.
func (c RunComparison) JSON(w io.Writer) error {
	lines := []any{comparisonJSON{"comparison", result.SchemaVersion, c.Workload, c.A, c.B, 0, 0, false,
		append([]result.Difference{}, c.Differences...),
		casesJSON(c.Comparison.OnlyA, c.Workload), casesJSON(c.Comparison.OnlyB, c.Workload), nil}}
	for _, x := range c.Warnings {
		lines = append(lines, x)
	}

	type summary struct {
		result.Summary
		Run string `json:"run"`
	}
	for _, m := range c.Comparison.Matches {
		metric, _ := (&frame{job: m.A.Job, open: m.A.Open}).measure()
		for _, side := range []struct {
			row compare.Row
			run string
		}{{m.A, c.A}, {m.B, c.B}} {
			if s, ok := side.row.Metrics[metric]; ok {
				lines = append(lines, summary{s, side.run})
			}
		}
	}

	for _, v := range c.Comparison.Verdicts() {
		lines = append(lines, v)
	}
	lines = append(lines, c.Comparison.Answer())
	for _, line := range lines {
		if err := JSON(w, line); err != nil {
			return err
		}
	}
	return nil
}
