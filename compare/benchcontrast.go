package compare

import "slices"

// BenchContrast is what two sides of Go benchmarks, such as two files, show of each other.
type BenchContrast struct {
	Workload     string // the package; "" if a side has several
	Paired       bool   // the sides were measured in the same blocks
	Sides        []Sides
	Metrics      []MetricVerdicts // in the order of tables
	OnlyA, OnlyB []Row            // what the other side lacks
}

// Benchmarks compares Go benchmarks of two runs, or files, by every metric. paired says that their trials were measured
// in common blocks. declared are the metrics' own directions; see [Declared].
func (j Judgement) Benchmarks(a, b Run, paired bool, declared map[string]string) *BenchContrast {
	c := &BenchContrast{Paired: paired}
	c.Sides, c.OnlyA, c.OnlyB = j.Across(a, b, paired)
	c.Metrics = j.ByMetric(c.Sides, declared)
	return c
}

// Few are the benchmarks of the newer side that are not compared, because a side has one result of them.
func (c *BenchContrast) Few() (rows []Row) {
	for _, s := range c.Sides {
		if min(s.A.N, s.B.N) < 2 {
			rows = append(rows, *s.A)
		}
	}
	return rows
}

// Replicated reports whether any verdict is by several files or runs of a side, and names the benchmarks whose verdicts
// are not, unless they are exact.
func (c *BenchContrast) Replicated() (some bool, others []string) {
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
