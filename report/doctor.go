package report

import (
	"io"
	"strings"

	"github.com/brewput/brewput/internal/doctor"
)

// Doctor writes what an examination of the machine found: a line for each check, what follows from those
// that are not good, and the verdict. about is the head of the page.
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

// statusWidth is that of the longest status.
const statusWidth = len(doctor.Unavailable)

// checkLine is "name status evidence"; evidence that does not fit goes on below itself.
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

// advice says what a check means and what would improve it. A command stands on a line of its own and is
// never broken, so that it can be copied.
func writeAdvice(b *strings.Builder, c doctor.Check, st Style) {
	b.WriteString("\n" + st.paint(statusTone(c.Status), c.Name) + "\n")
	writeIndented(b, c.Claim, 2, st)
	for _, fix := range c.Fixes() {
		b.WriteString("  " + st.paint(dim, st.pick("→ ", "> ")) + st.text(fix) + "\n")
	}
}

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
