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
	writeList(b, f.rows, f.serialTexts(), "speed-up over one CPU", "and the serial share of it, by Karp and Flatt", st)
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
