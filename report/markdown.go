package report

import (
	"io"
	"strings"

	"github.com/brewput/brewput/compare"
)

// Markdown writes the main table as a GitHub table with its footnotes, and the verdicts as a list. It
// leaves no column out.
func Markdown(w io.Writer, rows []compare.Row, verdicts []compare.Verdict) error {
	var b strings.Builder
	escape := strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`)
	for _, f := range frames(rows) {
		blank(&b)
		columns := f.columns()
		b.WriteString(escape.Replace(strings.Join(f.shared, " · ")) + "\n\n")
		heads, rules := "|", "|"
		for _, c := range columns {
			head := strings.TrimSpace(c.group + " " + c.head)
			heads += " " + escape.Replace(head) + " |"
			if c.left {
				rules += " --- |"
			} else {
				rules += " ---: |"
			}
		}
		b.WriteString(heads + "\n" + rules + "\n")
		for i := range f.rows {
			line := "|"
			for _, c := range columns {
				line += " " + escape.Replace(c.cells[i].text) + " |"
			}
			b.WriteString(line + "\n")
		}
		for i, n := range f.footnotes(columns) {
			if i == 0 {
				b.WriteString("\n")
			}
			b.WriteString(escape.Replace(n) + "  \n") // two spaces end a line in Markdown
		}
	}
	quiet := saidOnce(verdicts)
	for i, v := range verdicts {
		if i == 0 {
			b.WriteString("\n")
		}
		at := points(v.Point, quiet)
		if at != "" {
			at += ": "
		}
		b.WriteString("- " + escape.Replace(at+sentence(v, quiet)) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
