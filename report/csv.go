package report

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// observed is the kind of the trials that watch resources. They are slower and in no comparison, so
// that CSV and the benchmark format leave them out; JSON has them.

// CSV writes one line a trial with every factor and every metric that some trial has. A cell is empty
// where the trial has no such number.
func CSV(w io.Writer, trials []result.Trial) error {
	var points []plan.Point
	var metrics []string
	for _, t := range trials {
		if t.Kind == result.KindObserved {
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

	out := csv.NewWriter(w)
	if err := out.Write(append(head, metrics...)); err != nil {
		return err
	}
	for _, t := range trials {
		if t.Kind == result.KindObserved {
			continue
		}
		if err := out.Write(record(t, factors, metrics)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// record is the line of a trial.
func record(t result.Trial, factors, metrics []string) []string {
	lines := ""
	if t.Lines != nil {
		lines = strconv.Itoa(*t.Lines)
	}
	wall := ""
	if t.WallSeconds > 0 { // a trial without a number has none
		wall = exact(t.WallSeconds)
	}
	line := []string{t.Workload, t.Design, t.World, strconv.Itoa(t.Block), strconv.Itoa(t.Order), t.Seed,
		string(t.Status), lines, strconv.FormatInt(t.Operations, 10), wall, t.Error}
	for _, name := range factors {
		text := ""
		if l, ok := t.Point.Get(name); ok {
			text = l.String()
		}
		line = append(line, text)
	}
	for _, name := range metrics {
		text := ""
		if v := t.Metrics.Get(name); v.Known() {
			text = exact(float64(v))
		}
		line = append(line, text)
	}
	return line
}

// exact prints the shortest text that reads back as v.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// JSON writes v as one line.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
