package report

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/result"
)

// Explanation writes what limits a program: the findings by rank, where the CPU time went, how many goroutines wanted
// a CPU, and notes. overheads are the slow-downs by each profiler.
func Explanation(w io.Writer, r explain.Report, e *evidence.Evidence, overheads []string, st Style) error {
	var b strings.Builder
	writeShared(&b, explanationHead(e), st)
	for i, f := range r.Findings {
		if i > 0 {
			b.WriteString("\n")
		}
		writeFinding(&b, f, len(r.Findings) > 1, e.Program, st)
	}
	writeTimeSpent(&b, r.CPUTime, st)
	writeDemand(&b, r, e.Trace, st)
	if len(r.Notes)+len(overheads) > 0 {
		writeHeading(&b, "notes", "", st)
		for _, n := range r.Notes {
			writeWarning(&b, n, st)
		}
		if len(overheads) > 0 {
			wrap(&b, st.split("each kind of evidence has its own run; compared with undisturbed ones it took: "+
				strings.Join(overheads, ", ")), " ", 0, st.width())
		}
	}
	return st.emit(w, b.String())
}

// explanationHead lists the program, its runs and its profiles.
func explanationHead(e *evidence.Evidence) []string {
	words := []string{"explain", e.Program.Name}
	for _, r := range e.Runs {
		text := fmt.Sprintf("%s on %s", duration(r.Wall), result.Count(r.CPUs, "CPU"))
		if r.Count > 1 {
			text += fmt.Sprintf(" (%d runs, %s to %s)", r.Count, duration(r.WallLow), duration(r.WallHigh))
		}
		words = append(words, text)
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
		remarks = append(remarks, fmt.Sprintf("a change saves %s (%s to %s) of the %s", roundPercent(f.Gain.Estimate),
			roundPercent(f.Gain.Low), roundPercent(f.Gain.High), metricName(f.Gain.Metric)))
	}
	if f.Share > 0 {
		remarks = append(remarks, "concerns "+roundPercent(f.Share)+" of the time")
	}
	remarks = append(remarks, string(f.Confidence)+" confidence, evidence level "+string(f.Level))

	b.WriteString(st.paint(bold, st.text(title)) + "\n")
	writePart(b, "", f.Claim, st)
	writePart(b, "", strings.Join(remarks, st.pick(" · ", ", ")), st)

	for _, at := range f.Where {
		writeSource(b, at, p, st)
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
	if text == "" {
		return
	}
	indent := 2 + labelWidth + gap
	b.WriteString("  " + st.paint(dim, label) + strings.Repeat(" ", labelWidth+gap-len(label)))
	var lines strings.Builder
	wrap(&lines, st.split(text), " ", 0, max(st.width()-indent, minWidth/2))
	b.WriteString(strings.ReplaceAll(strings.TrimSuffix(lines.String(), "\n"), "\n",
		"\n"+strings.Repeat(" ", indent)) + "\n")
}

// writeSource writes file:line and the source code there.
func writeSource(b *strings.Builder, at string, p evidence.Program, st Style) {
	file, number, _ := cutLast(at, ":")
	quoted := ""
	if line, err := strconv.Atoi(number); err == nil && p.Source != nil {
		if !filepath.IsAbs(file) {
			file = filepath.Join(p.Dir, file)
		}
		quoted = p.Source(file, line)
	}
	indent := strings.Repeat(" ", 2+labelWidth+gap)
	text := indent + st.text(at)
	if quoted != "" {
		room := st.width() - quote.Width(text) - 2
		quoted = st.text(strings.Join(strings.Fields(quoted), " "))
		if quote.Width(quoted) > room && room > 3 {
			quoted = quote.Cut(quoted, room-3) + "..."
		}
		text += "  " + st.paint(dim, quoted)
	}
	b.WriteString(text + "\n")
}

// cutLast cuts s around the last separator.
func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// roundPercent prints a fraction in whole percent, below 1% with one decimal.
func roundPercent(x float64) string {
	if math.IsNaN(x) {
		return unavailable
	}
	if x > 0 && x < 0.01 {
		return strconv.FormatFloat(100*x, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(100*x, 'f', 0, 64) + "%"
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
	writeHeading(b, "where the time went", fmt.Sprintf("%s x %s, by %s", result.Count(l.CPUs, "CPU"), duration(l.Wall),
		l.Source), st)
	width := 0
	for _, x := range l.Entries {
		width = max(width, len(x.Name))
	}
	room := max(10, min(st.width(), maxPlotWidth)-width-16)
	for _, x := range l.Entries {
		bar := int(math.Round(x.Share * float64(room)))
		line := fmt.Sprintf("  %s%s %8s %5s  %s", x.Name, strings.Repeat(" ", width-len(x.Name)), duration(x.Time),
			roundPercent(x.Share),
			strings.Repeat(st.pick("▇", "#"), max(0, min(bar, room))))
		b.WriteString(st.ascii(strings.TrimRight(line, " ")) + "\n")
	}
}
