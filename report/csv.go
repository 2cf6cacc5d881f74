package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// CSV writes one line for each trial, with all factors and all metrics that some trial has. A cell is empty if the
// trial has no such number. If predictions do not hold, a last column gives the reason.
//
// Instrumented trials are slower and in no comparison. CSV and the benchmark format leave them out; JSON has them.
func CSV(w io.Writer, trials []result.Trial) error {
	var points []plan.Point
	var metrics []string
	for _, t := range trials {
		if t.Kind == result.KindInstrumented {
			continue
		}
		points = append(points, t.Point)
		for name := range t.Metrics {
			// A job's metric wall_seconds is the column of that name, which every trial has.
			if name != result.WallSeconds && !slices.Contains(metrics, name) {
				metrics = append(metrics, name)
			}
		}
	}

	slices.Sort(metrics)
	factors := factorOrder(points)
	head := append([]string{"workload", "design", "world", "block", "order", "seed", "status", "lines",
		"operations", "wall_seconds", "error"}, factors...)

	head = append(head, metrics...)
	refused := slices.ContainsFunc(trials, func(t result.Trial) bool { return t.NotModelled != "" })
	if refused {
		head = append(head, "not_modelled")
	}

	out := csv.NewWriter(w)
	if err := out.Write(quoteCells(head)); err != nil {
		return err
	}

	for _, t := range trials {
		if t.Kind == result.KindInstrumented {
			continue
		}
		line := csvLine(t, factors, metrics)
		if refused {
			line = append(line, quote.CSV(t.NotModelled))
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// quoteCells quotes cells of text in place.
func quoteCells(cells []string) []string {
	for i := range cells {
		cells[i] = quote.CSV(cells[i])
	}
	return cells
}

// csvLine is the line of a trial.
func csvLine(t result.Trial, factors, metrics []string) []string {
	lines := ""
	if t.Lines != nil {
		lines = strconv.Itoa(*t.Lines)
	}
	wall := ""
	if t.WallSeconds > 0 { // a trial without a number has none
		wall = formatExact(t.WallSeconds)
	}

	line := []string{quote.CSV(t.Workload), quote.CSV(t.Design), quote.CSV(t.World), strconv.Itoa(t.Block),
		strconv.Itoa(t.Order),
		quote.CSV(t.Seed), quote.CSV(string(t.Status)), lines, strconv.FormatInt(t.Operations, 10), wall,
		quote.CSV(t.Error)}

	for _, name := range factors {
		text := ""
		if l, ok := t.Point.Get(name); ok {
			text = l.String()
			if _, number := l.Number(); !number {
				text = quote.CSV(text)
			}
		}
		line = append(line, text)
	}

	for _, name := range metrics {
		text := ""
		if v := t.Metrics.Get(name); v.Known() {
			text = formatExact(float64(v))
		}
		line = append(line, text)
	}
	return line
}

// formatExact prints the shortest text that reads back as v.
func formatExact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// JSON writes v as one line. It escapes what a terminal could act on or hide; the values of strings do not change.
func JSON(w io.Writer, v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := bytes.TrimSuffix(line.Bytes(), []byte("\n"))
	_, err := w.Write(append(quote.JSON(text), '\n'))
	return err
}
