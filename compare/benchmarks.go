package compare

import (
	"slices"

	"github.com/brewput/brewput/result"
)

// BenchComparison is what two sides of Go benchmarks, such as two files, show of each other.
type BenchComparison struct {
	Workload     string // the package; "" if a side has several
	Paired       bool   // the sides were measured in the same blocks
	Pairs        []Pair
	Metrics      []MetricVerdicts // in the order of tables
	OnlyA, OnlyB []Row            // what the other side lacks
}

// Benchmarks compares Go benchmarks of two runs, or files, by every metric. paired says that their trials were measured
// in common blocks. declared are the metrics' own directions; see [Declared].
func (j Criteria) CompareBenchmarks(a, b Run, paired bool, declared map[string]string) *BenchComparison {
	c := &BenchComparison{Paired: paired}
	c.Pairs, c.OnlyA, c.OnlyB = j.PairRuns(a, b, paired)
	c.Metrics = j.ByMetric(c.Pairs, declared)
	return c
}

// Few are the benchmarks of the newer side that are not compared, because a side has one result of them.
func (c *BenchComparison) SingleResults() (rows []Row) {
	for _, s := range c.Pairs {
		if min(s.A.N, s.B.N) < 2 {
			rows = append(rows, *s.A)
		}
	}
	return rows
}

// UnmatchedMetric is a metric that one side alone has of benchmarks that both have, so that nothing is compared by it.
type UnmatchedMetric struct {
	Metric       string
	OnlyA, OnlyB []Row // the benchmarks of which A or B alone has it
}

// UnmatchedMetrics are the metrics of which some benchmark has values on one side alone, in the order of tables.
func (c *BenchComparison) UnmatchedMetrics() (list []UnmatchedMetric) {
	var rows []Row
	for _, s := range c.Pairs {
		rows = append(rows, *s.A, *s.B)
	}
	for _, metric := range append([]string{result.TimePerOp, result.AllocedPerOp, result.AllocsPerOp},
		CustomMetrics(rows)...) {
		m := UnmatchedMetric{Metric: metric}
		for _, s := range c.Pairs {
			switch inA, inB := s.A.Metric(metric).Median.Known(), s.B.Metric(metric).Median.Known(); {
			case inA && !inB:
				m.OnlyA = append(m.OnlyA, *s.A)
			case inB && !inA:
				m.OnlyB = append(m.OnlyB, *s.B)
			}
		}
		if len(m.OnlyA)+len(m.OnlyB) > 0 {
			list = append(list, m)
		}
	}
	return list
}

// Replicated reports whether any verdict is by several files or runs of a side, and names the benchmarks whose verdicts
// are not, unless they are exact.
func (c *BenchComparison) Replicated() (some bool, others []string) {
	for _, m := range c.Metrics {
		for _, g := range m.Groups {
			for _, v := range g.Verdicts {
				some = some || v.RunsA > 0
				if v.RunsA == 0 && !v.Exact && !slices.Contains(others, v.A) {
					others = append(others, v.A)
				}
			}
		}
	}
	return some, others
}
