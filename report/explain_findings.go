package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/decimal"
)

// FindingDocs writes the documentation of one finding, or one line for each that a rule may report if name is empty.
// known is false, and nothing is written, if there is no finding of that name.
func FindingDocs(w io.Writer, name string, st Style) (known bool, err error) {
	docs := docsOf(name)
	var b strings.Builder
	switch {
	case len(docs) == 0:
		return false, nil
	case name == "":
		writeFindingList(&b, slices.DeleteFunc(docs, explain.Doc.Reserved), st)
	default:
		writeFindingDoc(&b, docs[0], st)
	}
	return true, st.emit(w, b.String())
}

// FindingDocsJSON writes one object for a finding, or for each of them if name is empty. known is false if there is no
// finding of that name.
func FindingDocsJSON(w io.Writer, name string) (known bool, err error) {
	docs := docsOf(name)
	for _, d := range docs {
		if err := JSON(w, d); err != nil {
			return true, err
		}
	}
	return len(docs) > 0, nil
}

// docsOf returns the documentation of a finding, or of all if name is empty.
func docsOf(name string) []explain.Doc {
	return slices.DeleteFunc(explain.Docs(), func(d explain.Doc) bool { return name != "" && string(d.Name) != name })
}

// writeFindingList writes what each finding means.
func writeFindingList(b *strings.Builder, docs []explain.Doc, st Style) {
	width := 0
	for _, d := range docs {
		width = max(width, len(d.Name))
	}
	for _, d := range docs {
		writeHanging(b, fmt.Sprintf("%-*s  ", width, d.Name), d.Meaning, st)
	}
}

// docWidth is the width of the longest label in the documentation of a finding.
const docWidth = len("thresholds")

// writeFindingDoc writes the documentation of one finding.
func writeFindingDoc(b *strings.Builder, d explain.Doc, st Style) {
	b.WriteString(st.paint(bold, st.text(string(d.Name))) + "\n")
	part := func(label, text string) {
		writeHanging(b, st.paint(dim, label)+strings.Repeat(" ", docWidth+gap-len(label)), text, st)
	}

	part("meaning", d.Meaning)
	part("evidence", d.Evidence)
	for i, t := range d.Thresholds {
		label := ""
		if i == 0 {
			label = "thresholds"
		}
		part(label, t)
	}
	part("example", d.Example)
	part("fix", d.Fix)
	if r := d.Range; r != nil {
		of := "this finding"
		if !r.Own {
			of = "any finding"
		}
		part("range", fmt.Sprintf("plausible ranges held %s of the measured gains of %d programs with %s (median "+
			"width %s); estimates differed from these gains by %.0f points on average", decimal.WholePercent(r.Held),
			r.Programs, of, decimal.WholePercent(r.Width), 100*r.Distance))
	}
	if len(d.Explains) > 0 {
		var names []string
		for _, n := range d.Explains {
			names = append(names, string(n))
		}
		part("explains", strings.Join(names, ", ")+" (then not reported, unless one gains much more)")
	}
}
