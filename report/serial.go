package report

import (
	"fmt"
	"strings"
)

// serialTexts returns a sentence for each row that has a serial share.
func (f *frame) serialTexts() (texts []string) {
	for i := range f.rows {
		s := f.rows[i].SerialFraction
		if s == nil {
			continue
		}
		interval := ""
		if s.Low.Known() {
			interval = " (" + intervalText("", s.Low, s.High) + ")"
		}
		texts = append(texts, fmt.Sprintf("%s%s: %s%s on %d CPUs, serial share %.3f", s.Design,
			f.pointSuffix(f.rows[i]), ratio(s.Speedup), interval, s.Point.Int("cpus"), float64(s.Share)))
	}
	return texts
}

// writeSerials writes the share of a job's time that more CPUs do not shorten.
func writeSerials(b *strings.Builder, f *frame, st Style) {
	for i, text := range f.serialTexts() {
		if i == 0 {
			writeHeading(b, f.rows[0].Workload+": speed-up over one CPU",
				"and the serial share of it, by Karp and Flatt", st)
		}
		b.WriteString("  ")
		wrap(b, st.split(text), " ", 4, st.width()-2)
	}
}

// markdownSerials writes the same as a list.
func markdownSerials(b *strings.Builder, f *frame) {
	for i, text := range f.serialTexts() {
		if i == 0 {
			b.WriteString("\nSpeed-up over one CPU, and the serial share of it by Karp and Flatt:\n\n")
		}
		b.WriteString("- " + markdownLine(text) + "\n")
	}
}
