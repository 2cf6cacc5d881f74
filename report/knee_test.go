package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestRowNamesInSentences checks sentences about one of several points of a design: they name the design once. The
// sentence of a formula names the points where it fits best and worst, that of a knee those where the curve is flat.
func TestRowNamesInSentences(t *testing.T) {
	var rows []compare.Row
	for i, grain := range []int{1, 16, 256} {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)},
			plan.Setting{Factor: "grain", Level: plan.IntLevel(grain)})
		wall := []float64{2.5, 1, 1.5}[i]
		rows = append(rows, compare.Row{Workload: "w", Design: "pool", World: "live", Job: true, N: 3, Point: p,
			SlowDown: result.Unavailable,
			Statuses: map[result.Status]int{result.OK: 3},
			Metrics:  summaries(0.02, 3, map[string]float64{result.WallSeconds: wall}),
			Formula: &compare.Formula{Metric: result.WallSeconds,
				Text: "one", Source: "a law", Design: "pool", N: 3, PredictedSeconds: 1,
				Ratio: result.Value(wall), Low: 0.9, High: 3},
			SerialFraction: &compare.SerialFraction{Design: "pool", Point: p, Speedup: 1.5, Low: result.Unavailable,
				High: result.Unavailable, Share: 1. / 3}})
	}
	compare.AddKnees(rows, nil)
	f := frames(rows)[0]
	for _, c := range []struct {
		got, want string
	}{
		{f.serialTexts()[1], "pool at grain 16: 1.50 on 2 CPUs, serial share 0.333"},
		{f.formulaTexts()[0], "pool = one: measured 1.000 (at grain 16) to 2.50 (at grain 1) of it; a law"},
		{strings.Join(f.kneeTexts(), "\n"), "pool: grain 16 (1.000s at 16), 2.50x at 1, 1.50x at 256; by " +
			"its formula 1 to 256"},
	} {
		if c.got != c.want {
			t.Errorf("%q\nwant %q", c.got, c.want)
		}
	}
	rows[0].Metrics, rows[0].Knees = summaries(0.02, 3, map[string]float64{result.WallSeconds: 0.5}), nil
	rows[1].Knees, rows[2].Knees = nil, nil
	compare.AddKnees(rows, nil)
	text := "pool: grain 1 (500.0ms at 1), 2.00x at 16; by its formula 1 to 256"
	var table, markdown strings.Builder
	if err := errors.Join(Table(&table, rows, nil, nil, compare.Answer{}, Style{Full: true, Width: 100}),
		Markdown(&markdown, rows, nil, nil, compare.Answer{})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "\n  "+text+"\n") {
		t.Errorf("the table lacks %q:\n%s", text, &table)
	}
	if !strings.Contains(markdown.String(), "\n- "+text+"\n") {
		t.Errorf("the list lacks %q:\n%s", text, &markdown)
	}
}

// TestPointsAreNoIntervals checks that a plot of exact values does not mention intervals.
func TestPointsAreNoIntervals(t *testing.T) {
	for high, want := range map[result.Value]bool{1: false, 1.1: true, result.Unavailable: false} {
		s := result.Summary{Metric: result.Throughput, Median: 1, Low: 1, High: high}
		f := frame{rows: []compare.Row{{Metrics: map[string]result.Summary{result.Throughput: s}}}}
		if f.intervals(result.Throughput) != want {
			t.Errorf("from 1 to %v: %t, want %t", high, !want, want)
		}
	}
}

// TestFewReplications checks the interval of the mean of two very different replications, which reaches below 0: it
// is not drawn. Useful intervals are drawn and the plot names their bars.
func TestFewReplications(t *testing.T) {
	for half, want := range map[result.Value]string{12: "no intervals: an interval needs at least 2 replications, " +
		"or more if they vary much", 0.5: "bars: 95% intervals"} {
		var rows []compare.Row
		for _, cpus := range []int{1, 2, 4} {
			s := result.Summary{Metric: result.Throughput, Median: 3, Low: result.Unavailable, High: result.Unavailable,
				Mean: &result.Interval{Mean: 3, Low: 3 - half, High: 3 + half}}
			rows = append(rows, compare.Row{Workload: "w", Design: "pool", World: result.Virtual, N: 2,
				Statuses: map[result.Status]int{result.OK: 2}, SlowDown: result.Unavailable,
				Point:   plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)}),
				Metrics: map[string]result.Summary{result.Throughput: s}})
		}
		var page strings.Builder
		if err := Table(&page, rows, nil, nil, compare.Answer{}, Style{Full: true, Width: 100}); err != nil {
			t.Fatal(err)
		}
		if got := page.String(); !strings.Contains(got, want) || strings.Contains(got, "95% interval") != (half < 3) {
			t.Errorf("3, give or take %v: no %q in\n%s", half, want, got)
		}
	}
}
