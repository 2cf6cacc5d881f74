package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/brewput/brewput/explain"
)

// Changes writes what differs between two programs: those that are more than chance first.
func Changes(w io.Writer, before, after string, changes []explain.Change, notes []string, st Style) error {
	var b strings.Builder
	sharing(&b, []string{"explain", "before: " + before, "after: " + after}, st)
	columns := []column{{head: "what", left: true}, {head: "before"}, {head: "after"}, {head: "change"},
		{head: "", left: true}, {head: "where", left: true}}
	for _, c := range changes {
		t := plain
		if !c.Significant {
			t = dim
		}
		columns[0].add(c.Name, t)
		if c.Unit == "" {
			columns[1].add(yes(c.Before), t)
			columns[2].add(yes(c.After), t)
			columns[3].add("", t)
		} else {
			columns[1].add(seconds(c.Before), t)
			columns[2].add(seconds(c.After), t)
			columns[3].add(difference(c.After-c.Before), t)
		}
		remark := ""
		if !c.Significant && c.Before != c.After {
			remark = "perhaps chance"
		}
		columns[4].add(remark, t)
		columns[5].add(strings.Join(c.Where, " "), t)
	}
	fitted(&b, columns, func([]column) []string { return nil }, st)
	if len(notes) > 0 {
		heading(&b, "notes", "", st)
		for _, n := range notes {
			warning(&b, n, st)
		}
	}
	return st.emit(w, b.String())
}

// ChangesJSON writes one object a line.
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
	return nil
}

func seconds(x float64) string { return duration(time.Duration(x * float64(time.Second))) }

func difference(x float64) string {
	if x < 0 {
		return fmt.Sprint("-", seconds(-x))
	}
	return "+" + seconds(x)
}

func yes(x float64) string {
	if x > 0 {
		return "found"
	}
	return "none"
}
