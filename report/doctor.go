package report

import (
	"io"
	"strings"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/result"
)

// Doctor writes an examination of the machine: advice on each check that is not good, and last the verdict. The page
// begins with about. A full page also has a line for each check, and all that would improve the machine.
func Doctor(w io.Writer, about []string, checks []doctor.Check, verdict doctor.Report, st Style) error {
	var b strings.Builder
	head := make([]string, len(about))
	for i, s := range about {
		head[i] = st.text(s)
	}
	wrap(&b, head, st.pick(" · ", ", "), 0, st.width())
	b.WriteString("\n")

	var widths [2]int
	for _, c := range checks {
		if st.Full || c.NotGood() {
			widths[0], widths[1] = max(widths[0], len(c.Name)), max(widths[1], len(c.Status))
		}
	}
	if st.Full {
		for _, c := range checks {
			writeCheck(&b, c, widths, st)
		}
		blankLine(&b)
	}

	// Advice on bad checks comes first.
	advised := false
	for _, s := range []doctor.Status{doctor.Bad, doctor.Caution, doctor.Unknown} {
		for _, c := range checks {
			if c.Status == s {
				writeAdvice(&b, c, widths, st)
				advised = true
			}
		}
	}
	if advised {
		b.WriteString("\n")
	}
	wrapPainted(&b, st.split(verdict.Claim), bold, st)
	return st.emit(w, b.String())
}

// DoctorJSON writes each check as a record of the JSON contract, then the verdict, and last its answer.
func DoctorJSON(w io.Writer, checks []doctor.Check, verdict doctor.Report) error {
	records := make([]any, 0, len(checks)+2)
	for _, c := range checks {
		records = append(records, c)
	}
	records = append(records, verdict, struct {
		Kind          string   `json:"kind"`
		SchemaVersion int      `json:"schema_version"`
		Text          []string `json:"text"`
	}{"answer", result.SchemaVersion, verdict.Answer()})
	for _, r := range records {
		if err := JSON(w, r); err != nil {
			return err
		}
	}
	return nil
}

// writeCheck writes the line "name status evidence". Evidence that does not fit continues below itself. widths are
// those of names and statuses.
func writeCheck(b *strings.Builder, c doctor.Check, widths [2]int, st Style) {
	prefix := c.Name + strings.Repeat(" ", widths[0]+gap-len(c.Name)) +
		st.paint(statusTone(c.Status), string(c.Status)) + strings.Repeat(" ", widths[1]+gap-len(c.Status))
	writeHanging(b, prefix, c.Evidence, st)
}

// writeAdvice writes a check, what it means, and what would improve it. Commands are on lines of their own and never
// broken, so that they can be copied. Only a full page has more than the first improvement.
func writeAdvice(b *strings.Builder, c doctor.Check, widths [2]int, st Style) {
	if st.Full {
		b.WriteString(st.paint(statusTone(c.Status), c.Name) + "\n")
	} else {
		writeCheck(b, c, widths, st)
	}
	writeIndented(b, c.Claim, 2, st)
	fixes := c.Fixes()
	if !st.Full {
		fixes = fixes[:min(len(fixes), 1)]
	}
	for _, fix := range fixes {
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
