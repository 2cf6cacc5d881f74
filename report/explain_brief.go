package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/internal/quote"
)

// briefLines is the number of lines of a finding on a page without evidence.
const briefLines = 5

// pageLines is the number of lines of a page of brief findings, as terminals have.
const pageLines = 24

// writeFindings writes the findings in full, or in brief as many of them as leave room for the rest of the page, a
// number of lines. It always writes the first.
func writeFindings(b *strings.Builder, found []explain.Finding, p evidence.Program, rest int, st Style) {
	texts, cut := make([]string, len(found)), make([]bool, len(found))
	for i := range found {
		texts[i], cut[i] = findingText(found, i, p, st)
	}
	shown := len(found)
	isShortened := func() bool { return shown < len(found) || slices.Contains(cut[:shown], true) }
	length := func() int {
		n := strings.Count(b.String()+strings.Join(texts[:shown], ""), "\n") + rest
		if isShortened() {
			n += 2 // the sentence below and a blank line
		}
		return n
	}
	for !st.shows("evidence") && shown > 1 && length() > pageLines {
		shown--
	}
	b.WriteString(strings.Join(texts[:shown], ""))
	switch {
	case shown < len(found):
		writeParagraphs(b, []string{"Some findings are only in the list below; -v prints all in full."}, st)
	case isShortened():
		writeParagraphs(b, []string{"Findings are shortened; -v prints them in full."}, st)
	}
}

// findingText is the i-th finding below its heading or a blank line, and whether something was left out.
func findingText(found []explain.Finding, i int, p evidence.Program, st Style) (text string, leftOut bool) {
	var b strings.Builder
	f := found[i]
	switch {
	case i == 0 && f.IsDefect():
		b.WriteString(st.paint(bold, "correctness") + "\n")
	case i > 0 && found[i-1].IsDefect() != f.IsDefect():
		b.WriteString("\n" + st.paint(bold, "performance") + "\n")
	case i > 0:
		b.WriteString("\n")
	}
	if st.shows("evidence") {
		writeFinding(&b, f, len(found) > 1, p, st)
	} else {
		leftOut = writeBrief(&b, f, p, st)
	}
	return b.String(), leftOut
}

// part is a text of a finding with its label.
type part struct{ label, text string }

// writeBrief writes a finding in at most five lines: its location, the claim with the gain, the strongest evidence, the
// fix and the experiment. It reports whether something did not fit: clauses of the evidence, or whole parts.
func writeBrief(b *strings.Builder, f explain.Finding, p evidence.Program, st Style) (leftOut bool) {
	room, parts := briefLines, []part{{"", f.Claim}}
	for _, e := range f.Evidence[:min(briefLines-1, len(f.Evidence))] {
		parts = append(parts, part{"why  ", e})
	}
	if isCause(f) {
		title := st.text(fmt.Sprintf("%d %s", f.Rank, f.Name))
		at := ""
		if len(f.Where) > 0 {
			at = "  " + locate(f, 0, p, st.width()-quote.Width(title)-2, st)
		}
		b.WriteString(st.paint(bold, title) + at + "\n")
		room, parts = room-1, append(parts[:min(2, len(parts))], part{"fix  ", f.Fix}, part{"try  ", f.Experiment})
	}
	parts[0].text, leftOut = claimWithGain(f, room, st)
	parts = slices.DeleteFunc(parts, func(x part) bool { return x.text == "" })
	parts, shortened := fitParts(parts, room, st)
	for _, x := range parts {
		b.WriteString("  " + st.paint(dim, x.label) +
			strings.Join(x.lines(st), "\n"+strings.Repeat(" ", 2+len(x.label))) + "\n")
	}
	return leftOut || shortened || !isCause(f) && len(f.Evidence) > briefLines-1
}

// claimWithGain is the claim of a finding with its gain. On a narrow page, the gain has no interval. A claim that needs
// more lines than there are ends in dots, and leaves the fix its lines, unless the fix alone fills the page.
func claimWithGain(f explain.Finding, room int, st Style) (text string, cut bool) {
	claim, gain := f.Claim, ""
	if f.Gain != nil {
		claim, gain = strings.TrimSuffix(f.Claim, "."), ": saves "+gainText(f)
		if quote.Width(claim+gain)+2 > st.width() {
			gain = ": saves " + decimal.WholePercent(f.Gain.Estimate)
		}
	}
	lines := func(text string) int { return len(part{text: text}.lines(st)) }
	if lines(claim+gain) <= room {
		return claim + gain, false
	}
	if fix := len(part{"fix  ", f.Fix}.lines(st)); f.Fix != "" && fix < room {
		room -= fix
	}
	words := strings.Fields(claim)
	for text = claim + gain; len(words) > 1 && lines(text) > room; {
		words = words[:len(words)-1]
		text = strings.Join(words, " ") + " ..." + gain
	}
	return text, true
}

// fitParts leaves out what does not fit the lines of a finding: a part that is longer than all lines, then clauses of
// the evidence, then the experiment, and then further parts as a whole. No sentence is cut, except after a clause.
func fitParts(parts []part, room int, st Style) (fit []part, leftOut bool) {
	lines := func() (n int) {
		for _, x := range parts {
			n += len(x.lines(st))
		}
		return n
	}
	for i, x := range parts {
		if x.label == "why  " && len(x.lines(st)) > room {
			parts[i].text, leftOut = clauses(x.text, st.width()-2-len(x.label)), true
		}
	}
	n := len(parts)
	parts = slices.DeleteFunc(parts, func(x part) bool { return len(x.lines(st)) > room })
	leftOut = leftOut || len(parts) < n
	for i := range parts {
		if x := &parts[i]; x.label == "why  " && lines() > room {
			text := clauses(x.text, st.width()-2-len(x.label))
			x.text, leftOut = text, leftOut || text != x.text
		}
	}
	for ; len(parts) > 0 && lines() > room; leftOut = true {
		i := len(parts) - 1
		last := parts[i]
		why := slices.IndexFunc(parts, func(x part) bool { return x.label == "why  " })
		if why >= 0 && (last.label == "fix  " || last.label == "try  " && lines()-len(last.lines(st)) > room) {
			i = why // it must go in any case
		}
		parts = slices.Delete(parts, i, i+1)
	}
	return parts, leftOut
}

// clauseEnd matches what separates clauses, and a position from its source.
var clauseEnd = regexp.MustCompile(`[:;] `)

// position matches a position at the end of a text.
var position = regexp.MustCompile(`:\d+$`)

// clauses returns the clauses that fit some columns, or the whole text if not even one does. A source line that follows
// a position is one clause.
func clauses(text string, room int) string {
	fit := text
	if quote.Width(text) <= room {
		return text
	}
	for _, m := range clauseEnd.FindAllStringIndex(text, -1) {
		if quote.Width(text[:m[0]]) > room {
			break
		}
		clause := text[:m[0]]
		if quote.Width(clause) >= room/4 { // a shorter one is a label
			fit = clause
		}
		if position.MatchString(clause) {
			break
		}
	}
	return fit
}

// lines wraps the text of a part next to its label. A name that is wider than a line is cut.
func (x part) lines(st Style) []string {
	room := st.width() - 2 - len(x.label)
	words := st.split(x.text)
	for i, w := range words {
		if quote.Width(w) > room {
			words[i] = quote.Cut(w, room-3) + "..."
		}
	}
	return lines(words, 0, room)
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
