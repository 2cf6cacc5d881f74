package report

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/quote"
)

// writeBrief writes a finding in at most five lines: its location, the claim with the gain, the strongest evidence, the
// fix and the experiment. What does not fit is cut.
func writeBrief(b *strings.Builder, f explain.Finding, p evidence.Program, st Style) {
	if !isCause(f) {
		line(b, "", f.Claim, st)
		for _, e := range f.Evidence[:min(4, len(f.Evidence))] {
			line(b, "why  ", e, st)
		}
		return
	}

	title := st.text(fmt.Sprintf("%d %s", f.Rank, f.Name))
	at := ""
	if len(f.Where) > 0 {
		at = "  " + locate(f, 0, p, st.width()-quote.Width(title)-2, st)
	}
	b.WriteString(st.paint(bold, title) + at + "\n")

	claim := strings.TrimSuffix(f.Claim, ".")
	switch gain := ": saves " + gainText(f); {
	case f.Gain == nil:
		claim = f.Claim
	case quote.Width(claim+gain)+2 > st.width():
		claim = shorten(claim, st.width()-15, st) + ": saves " + decimal.WholePercent(f.Gain.Estimate)
	default:
		claim += gain
	}
	line(b, "", claim, st)
	if len(f.Evidence) > 0 {
		line(b, "why  ", f.Evidence[0], st)
	}
	line(b, "fix  ", f.Fix, st)
	line(b, "try  ", f.Experiment, st)
}

// line writes one indented line with a label.
func line(b *strings.Builder, label, text string, st Style) {
	if text != "" {
		b.WriteString("  " + st.paint(dim, label) + shorten(text, st.width()-2-len(label), st) + "\n")
	}
}

// shorten cuts a text after a word so that it fits some columns.
func shorten(text string, room int, st Style) string {
	text = st.text(text)
	if quote.Width(text) <= room {
		return text
	}
	text = quote.Cut(text, room-4)
	if i := strings.LastIndexByte(text, ' '); i > 0 {
		text = text[:i]
	}
	return text + " ..."
}

// isCause reports whether a finding names a cause.
func isCause(f explain.Finding) bool {
	return f.Name != explain.None && f.Name != explain.TooLittleEvidence
}

// gainText is the gain of a finding with its interval, or "" without a gain.
func gainText(f explain.Finding) string {
	if f.Gain == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s to %s)", decimal.WholePercent(f.Gain.Estimate), decimal.WholePercent(f.Gain.Low),
		decimal.WholePercent(f.Gain.High))
}

// place is the i-th position of a finding with its function.
func place(f explain.Finding, i int, st Style) string {
	if i >= len(f.Where) {
		return ""
	}
	at := f.Where[i]
	if i < len(f.Functions) && f.Functions[i] != "" && f.Functions[i] != at {
		at += " " + f.Functions[i]
	}
	return st.text(at)
}

// locate is the i-th position of a finding, with its function and as much of its source as fits some columns.
func locate(f explain.Finding, i int, p evidence.Program, room int, st Style) string {
	at := place(f, i, st)
	file, number, _ := cutLast(f.Where[i], ":")
	quoted := ""
	if n, err := strconv.Atoi(number); err == nil && p.Source != nil {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Dir, file)
		}
		quoted = st.text(strings.Join(strings.Fields(p.Source(file, n)), " "))
	}

	if quote.Width(at) > room {
		return quote.Cut(at, max(0, room-3)) + "..."
	}
	room -= quote.Width(at) + 2
	switch {
	case quoted == "" || room < 8:
		return at
	case quote.Width(quoted) > room:
		quoted = quote.Cut(quoted, room-3) + "..."
	}
	return at + "  " + st.paint(dim, quoted)
}

// summaryWidth is the width of a page from which the summary has the intervals of the gains.
const summaryWidth = 60

// writeSummary writes one line for each finding: its name, where it is, and what a change saves.
func writeSummary(b *strings.Builder, findings []explain.Finding, st Style) {
	if len(findings) == 0 || !isCause(findings[0]) {
		return
	}

	saves := make([]string, len(findings))
	names, places, gains := 0, 0, 0
	for i, f := range findings {
		switch {
		case f.Name == explain.UnboundedSpawn:
			saves[i] = "saves memory"
		case f.Gain == nil:
			saves[i] = "no estimate"
		case st.width() < summaryWidth:
			saves[i] = "saves " + decimal.WholePercent(f.Gain.Estimate)
		default:
			saves[i] = "saves " + gainText(f)
		}
		names, gains = max(names, len(f.Name)), max(gains, len(saves[i]))
		places = max(places, quote.Width(place(f, 0, st)))
	}

	blankLine(b)
	rank := len(strconv.Itoa(len(findings)))
	places = min(places, max(4, st.width()-rank-1-names-2-2-gains))
	for i, f := range findings {
		at := place(f, 0, st)
		if quote.Width(at) > places {
			at = quote.Cut(at, places-3) + "..."
		}
		if places > 0 {
			at += strings.Repeat(" ", places-quote.Width(at)) + "  "
		}
		fmt.Fprintf(b, "%*d %-*s  %s%s\n", rank, f.Rank, names, st.text(string(f.Name)), at, saves[i])
	}
}
