package report

import (
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// references are two designs with a reference and a bound, and with formulas: one that holds and one that lacks
// something.
func references() []compare.Row {
	var rows []compare.Row
	for i, d := range []string{"one-byte", "buffered", "wc", "probe"} {
		wall := []float64{2.1, 0.021, 0.0071, 0.0004}[i]
		r := compare.Row{Workload: "words", Design: d, World: "live", Job: true, N: 10, Lines: ptr(10 + 9*i),
			Point:    plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)}),
			Statuses: map[result.Status]int{result.OK: 10}, SlowDown: result.Unavailable,
			Metrics: summaries(0.02, 10,
				map[string]float64{result.WallSeconds: wall, result.BytesRate: 1.27e6 / wall, result.Parallelism: 0.99,
					"cpu_user_seconds": wall / 4, "cpu_system_seconds": wall / 2,
					"read_calls": []float64{1.27e6, 311, 80, 1}[i], "write_calls": 0,
					"allocs": []float64{1.27e6, 3, 0, 0}[i], "alloc_bytes": 5120})}
		if d != "wc" && d != "probe" {
			r.BaselineVerdict = &compare.Verdict{A: d, B: "wc", Ratio: result.Value(wall / 0.0071)}
			r.Formula = &compare.Formula{Metric: result.WallSeconds,
				Text: "bytes x cost of a read", Source: "one read a byte", Design: d, N: 10,
				Ratio: 1.034, Low: 1.021, High: 1.047}
		}
		if r.Answer = map[string]any{"words": 215828.0, "rule": "printable"}; d == "wc" {
			r.Answer["rule_of"] = "wc (GNU coreutils) 9.1"
		} else if d == "probe" {
			r.Answer = nil
		}
		rows = append(rows, r)
	}
	rows[1].Formula = &compare.Formula{Metric: result.WallSeconds,
		Text: "bytes / 4096 x cost of a read", Source: "one read a buffer",
		Design: "buffered", Reason: "no trial of slice fits"}
	rows[2].Reference = true
	rows[3].Bound, rows[3].Statuses = true, map[result.Status]int{result.StatusBound: 10}
	return rows
}

// merging are two designs whose formulas predict a metric, one of them not at its point, and one without a formula.
func merging() []compare.Row {
	var rows []compare.Row
	for i, d := range []string{"original", "carried", "flush"} {
		calls := []float64{0.489, 0.251, 0.1}[i]
		r := compare.Row{Workload: "merge", Design: d, World: "live", Job: true, N: 10, Lines: ptr(10 + 9*i),
			Point:    plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(2)}),
			Statuses: map[result.Status]int{result.OK: 10}, SlowDown: result.Unavailable,
			Metrics: summaries(0.02, 10, map[string]float64{result.WallSeconds: 0.1, "calls_per_event": calls})}
		f := &compare.Formula{Metric: "calls_per_event", Text: "E(calls) / E(events)", Source: "a Markov chain",
			Design: d}
		switch d {
		case "original":
			f.N, f.Predicted, f.Measured, f.Ratio, f.Low, f.High = 10, 0.49, 0.489, 0.998, 0.99, 1.01
			r.Formula = f
		case "carried":
			f.Predicted, f.Ratio, f.Reason = result.Unavailable, result.Unavailable, "it does not apply at this point"
			r.Formula = f
		}
		rows = append(rows, r)
	}
	return rows
}
