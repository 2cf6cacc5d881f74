package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/result"
)

// Changes writes what differs between two programs, and last whether it is faster. Changes that may be chance are an
// optional part, "evidence".
func Changes(w io.Writer, before, after string, changes []explain.Change, notes []string, st Style) error {
	var b strings.Builder
	writeShared(&b, []string{"explain", "before: " + before, "after: " + after}, st)
	columns := []column{{head: "what", left: true}, {head: "before"}, {head: "after"}, {head: "change"},
		{head: "", left: true}, {head: "where", left: true}}

	left := 0
	for i, c := range changes {
		if i > 0 && !c.Significant && !st.shows("evidence") {
			left++
			continue
		}
		t := plain
		if !c.Significant {
			t = dim
		}
		columns[0].add(c.Name, t)
		if c.Unit == "" {
			columns[1].add(foundText(c.Before), t)
			columns[2].add(foundText(c.After), t)
			columns[3].add("", t)
		} else {
			columns[1].add(formatSeconds(c.Before), t)
			columns[2].add(formatSeconds(c.After), t)
			columns[3].add(formatDifference(c.After-c.Before), t)
		}
		remark := ""
		if !c.Significant && c.Before != c.After {
			remark = "perhaps chance"
		}
		columns[4].add(remark, t)
		columns[5].add(strings.Join(c.Where, " "), t)
	}

	writeTable(&b, columns, func([]column) []string {
		if left == 0 {
			return nil
		}
		return []string{result.Count(left, "other change") + " may be chance"}
	}, st)
	writeNotes(&b, notes, st)
	writeAnswer(&b, explain.SummarizeChanges(changes), st)
	return st.emit(w, b.String())
}

// ChangesJSON writes one object for each change and each note, and last the answer.
func ChangesJSON(w io.Writer, changes []explain.Change, notes []string) error {
	for _, c := range changes {
		if err := JSON(w, c); err != nil {
			return err
		}
	}
	for _, n := range notes {
		if err := JSON(w, noteJSON{"note", n}); err != nil {
			return err
		}
	}
	return JSON(w, compare.AnswerOf(explain.SummarizeChanges(changes)))
}

// formatSeconds prints a time given in seconds.
func formatSeconds(x float64) string { return duration(time.Duration(x * float64(time.Second))) }

// formatDifference prints a difference in seconds with its sign.
func formatDifference(x float64) string {
	if x < 0 {
		return fmt.Sprint("-", formatSeconds(-x))
	}
	return "+" + formatSeconds(x)
}

// foundText says whether a finding is there.
func foundText(x float64) string {
	if x > 0 {
		return "found"
	}
	return "none"
}
