package report

import (
	"io"
	"strings"

	"github.com/brewput/brewput/doctor"
)

// Doctor writes an examination of the machine: a line for each check, advice on those that are not good, and the
// verdict. The page begins with about.
func Doctor(w io.Writer, about []string, checks []doctor.Check, verdict doctor.Report, st Style) error {
	var b strings.Builder
	head := make([]string, len(about))
	for i, s := range about {
		head[i] = st.text(s)
	}
	wrap(&b, head, st.pick(" · ", ", "), 0, st.width())
	b.WriteString("\n")

	width := 0
	for _, c := range checks {
		width = max(width, len(c.Name))
	}
	for _, c := range checks {
		writeCheck(&b, c, width, st)
	}

	// Advice on bad checks comes first.
	for _, s := range []doctor.Status{doctor.Bad, doctor.Caution, doctor.Unknown} {
		for _, c := range checks {
			if c.Status == s {
				writeAdvice(&b, c, st)
			}
		}
	}

	b.WriteString("\n")
	var line strings.Builder
	wrap(&line, st.split(verdict.Claim), " ", 0, st.width())
	for l := range strings.Lines(line.String()) {
		b.WriteString(st.paint(bold, strings.TrimSuffix(l, "\n")) + "\n")
	}
	return st.emit(w, b.String())
}

// statusWidth is the width of the longest status.
const statusWidth = len(doctor.Unavailable)

// writeCheck writes the line "name status evidence". Evidence that does not fit continues below itself.
func writeCheck(b *strings.Builder, c doctor.Check, width int, st Style) {
	indent := width + gap + statusWidth + gap
	b.WriteString(c.Name + strings.Repeat(" ", width+gap-len(c.Name)))
	b.WriteString(st.paint(statusTone(c.Status), string(c.Status)))
	b.WriteString(strings.Repeat(" ", statusWidth+gap-len(c.Status)))
	var text strings.Builder
	wrap(&text, st.split(c.Evidence), " ", 0, max(st.width()-indent, minWidth/2))
	b.WriteString(strings.ReplaceAll(strings.TrimSuffix(text.String(), "\n"), "\n",
		"\n"+strings.Repeat(" ", indent)) + "\n")
}

// writeAdvice writes what a check means and what would improve it. Commands are on lines of their own and never
// broken, so that they can be copied.
func writeAdvice(b *strings.Builder, c doctor.Check, st Style) {
	b.WriteString("\n" + st.paint(statusTone(c.Status), c.Name) + "\n")
	writeIndented(b, c.Claim, 2, st)
	for _, fix := range c.Fixes() {
		b.WriteString("  " + st.paint(dim, st.pick("→ ", "> ")) + st.text(fix) + "\n")
	}
}

// statusTone is the tone of a status.
func statusTone(s doctor.Status) tone {
	switch s {
	case doctor.Bad:
		return alarm
	case doctor.Caution:
		return caution
	case doctor.Good:
		return plain
	}
	return dim
}
