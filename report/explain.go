package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/decimal"
	"github.com/brewput/brewput/result"
)

// Explanation writes what limits a program: five lines for each finding as far as the page has room for them, notes,
// one line for each finding, and the answer. Optional parts are "evidence" (all that is known of each finding, and the
// profiles that were read), "cpu" (where the CPU time went), "plots" (the demand for CPUs over time, with its phases),
// and "overhead". overheads are the slow-downs by each profiler.
func Explanation(w io.Writer, r explain.Report, e *evidence.Evidence, overheads []string, st Style) error {
	var b, end strings.Builder
	writeNotes(&end, r.Notes, st)
	writeSummary(&end, r.Findings, st)
	writeAnswer(&end, r.Answer(), st)

	writeShared(&b, explanationHead(e, st.shows("evidence")), st)
	writeFindings(&b, r.Findings, e.Program, 1+strings.Count(end.String(), "\n"), st)
	if st.shows("cpu") {
		writeTimeSpent(&b, r.CPUTime, st)
	}
	if st.shows("plots") {
		writeDemand(&b, r, e.Trace, st)
	}
	if len(overheads) > 0 && st.shows("overhead") {
		writeHeading(&b, "overhead", "", st)
		wrap(&b, st.split("each kind of evidence has its own run; run times relative to undisturbed runs: "+
			strings.Join(overheads, ", ")), " ", 0, st.width())
	}
	if end.Len() > 0 {
		blankLine(&b)
	}
	b.WriteString(end.String())
	return st.emit(w, b.String())
}

// writeNotes writes the notes.
func writeNotes(b *strings.Builder, notes []string, st Style) {
	if len(notes) > 0 {
		blankLine(b)
	}
	for _, n := range notes {
		writeWarning(b, n, st)
	}
}

// explanationHead lists the program and its runs, and all its profiles if wanted.
func explanationHead(e *evidence.Evidence, all bool) []string {
	words := []string{"explain", e.Program.Name}
	for _, r := range e.Runs {
		text := fmt.Sprintf("%s on %s", duration(r.Wall), result.Count(r.CPUs, "CPU"))
		if r.Count > 1 {
			text += fmt.Sprintf(" (%d runs, %s to %s)", r.Count, duration(r.WallLow), duration(r.WallHigh))
		}
		words = append(words, text)
	}
	if !all && len(e.Runs) > 0 {
		return words
	}
	for _, p := range e.Profiles {
		words = append(words, string(p.Kind)+" profile")
	}
	if e.Trace != nil {
		words = append(words, "trace of "+duration(e.Trace.Duration))
	}
	return words
}

// duration prints a time with three significant digits.
func duration(d time.Duration) string {
	return number(result.Value(d.Nanoseconds()), result.Nanoseconds, 3)
}

// writeFinding writes one finding.
func writeFinding(b *strings.Builder, f explain.Finding, ranked bool, p evidence.Program, st Style) {
	title := string(f.Name)
	if ranked {
		title = strconv.Itoa(f.Rank) + " " + title
	}

	var remarks []string
	if f.Gain != nil {
		remarks = append(remarks, fmt.Sprintf("a change saves %s of the %s", gainText(f), metricName(f.Gain.Metric)))
	}
	if f.Share > 0 {
		remarks = append(remarks, "concerns "+decimal.WholePercent(f.Share)+" of the time")
	}
	remarks = append(remarks, string(f.Confidence)+" confidence, evidence level "+string(f.Level))

	b.WriteString(st.paint(bold, st.text(title)) + "\n")
	writePart(b, "", f.Claim, st)
	writePart(b, "", strings.Join(remarks, st.pick(" · ", ", ")), st)

	indent := strings.Repeat(" ", 2+labelWidth+gap)
	for i := range f.Where {
		b.WriteString(indent + locate(f, i, p, st.width()-len(indent), st) + "\n")
	}
	for i, line := range f.Evidence {
		label := ""
		if i == 0 {
			label = "evidence"
		}
		writePart(b, label, line, st)
	}

	writePart(b, "fix", f.Fix, st)
	writePart(b, "or else", f.Alternative, st)
	writePart(b, "prove it", f.Experiment, st)
}

// labelWidth is the width of the longest label of a part of a finding.
const labelWidth = len("evidence")

// writePart writes a labelled text. With an empty label it continues the part before.
func writePart(b *strings.Builder, label, text string, st Style) {
	if text != "" {
		writeHanging(b, "  "+st.paint(dim, label)+strings.Repeat(" ", labelWidth+gap-len(label)), text, st)
	}
}

// cutLast cuts s around the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// metricName is a metric's name for people.
func metricName(metric string) string {
	if metric == result.WallSeconds {
		return "wall time"
	}
	return strings.ReplaceAll(metric, "_", " ")
}

// writeTimeSpent writes where the CPU time of the program went.
func writeTimeSpent(b *strings.Builder, l explain.CPUTime, st Style) {
	if len(l.Entries) == 0 {
		return
	}
	width, used := 0, time.Duration(0)
	for _, x := range l.Entries {
		width, used = max(width, len(x.Name)), used+x.Time
	}
	total := fmt.Sprintf("%s x %s", result.Count(l.CPUs, "CPU"), duration(l.Wall))
	if l.CPUs == 0 {
		total = fmt.Sprintf("%s of CPU time in %s (CPUs unknown)", duration(used), duration(l.Wall))
	}
	writeHeading(b, "where the time went", total+", by "+l.Source, st)
	room := max(10, min(st.width(), maxPlotWidth)-width-16)
	for _, x := range l.Entries {
		bar := int(math.Round(x.Share * float64(room)))
		line := fmt.Sprintf("  %s%s %8s %5s  %s", x.Name, strings.Repeat(" ", width-len(x.Name)), duration(x.Time),
			decimal.WholePercent(x.Share),
			strings.Repeat(st.pick("▇", "#"), max(0, min(bar, room))))
		b.WriteString(st.ascii(strings.TrimRight(line, " ")) + "\n")
	}
}
