package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// logsByRun returns the logarithms of a row's values, by run, in the order of their blocks. It adds add to each
// value first. starts holds the first blocks of several runs. Runs without values are left out.
func logsByRun(starts []int, values map[int]float64, add float64) [][]float64 {
	parts, at := make([][]float64, max(1, len(starts))), 0
	for _, block := range sortedBlocks(values) {
		for at+1 < len(starts) && starts[at+1] <= block {
			at++
		}
		parts[at] = append(parts[at], math.Log(values[block]+add))
	}
	return slices.DeleteFunc(parts, func(logs []float64) bool { return len(logs) == 0 })
}

// compareUnpaired compares the blocks of two sides, or their runs if a side has several. ok is false if a side is
// empty.
func compareUnpaired(a, b [][]float64) (ratio stat.Comparison, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return ratio, false
	}
	if len(a)+len(b) > 2 {
		return stat.CompareRuns(a, b, ratioConfidence)
	}
	return stat.CompareUnpaired(a[0], b[0], ratioConfidence)
}

// Match is a design at one point in both runs. If one run's design has more factors, the points agree in the common
// ones.
type Match struct {
	A, B    Row
	Verdict *Verdict // nil for bounds, and if a side has fewer than 2 blocks with a value
}

// RunComparison is the comparison of two runs.
type RunComparison struct {
	Matches      []Match // in the order of A
	OnlyA, OnlyB []Row   // rows missing in the other run
}

// Verdicts returns the verdicts of all matches that have one.
func (c RunComparison) Verdicts() []Verdict {
	var list []Verdict
	for _, m := range c.Matches {
		if m.Verdict != nil {
			list = append(list, *m.Verdict)
		}
	}
	return list
}

// CompareRuns compares the designs of runs a and b at the same points. Blocks of two runs are not paired, so
// changes of the machine between them are part of the difference. If a side has several runs, the interval includes
// the variation between runs. All verdicts are one family.
func (c Criteria) CompareRuns(a, b Run) RunComparison {
	matches, onlyA, onlyB := c.match(a.Rows, b.Rows)
	va, vb := blockValues(a.Trials), blockValues(b.Trials)
	var list []Verdict
	var ratios []stat.Comparison
	var of []int // index of each verdict's match
	for i := range matches {
		m := &matches[i]
		if m.A.excluded() || m.B.excluded() {
			continue
		}
		sa, sb := logsByRun(a.starts, va[rowKey(&m.A)], 0), logsByRun(b.starts, vb[rowKey(&m.B)], 0)
		ratio, ok := compareUnpaired(sa, sb)
		if !ok {
			continue
		}
		v := newVerdict(&m.A, &m.B, ratio)
		v.ARun, v.BRun = a.Name, b.Name
		v.NA, v.NB = len(slices.Concat(sa...)), len(slices.Concat(sb...))
		if len(sa)+len(sb) > 2 {
			v.N, v.RunsA, v.RunsB = min(v.NA, v.NB), len(sa), len(sb)
		}
		list, ratios, of = append(list, v), append(ratios, ratio), append(of, i)
	}

	// All verdicts are decided together, as one family.
	c.decideAll(list, ratios)
	for i := range list {
		m := &matches[of[i]]
		list[i].widenToStates(&m.A, &m.B)
		m.Verdict = &list[i]
	}
	return RunComparison{matches, onlyA, onlyB}
}

// sortedLogs returns the logarithms of a row's values in the order of their blocks.
func sortedLogs(values map[int]float64) []float64 {
	var logs []float64
	for _, block := range sortedBlocks(values) {
		logs = append(logs, math.Log(values[block]))
	}
	return logs
}

// match finds for each row of a the rows of b with the same design and point. If there are none, it takes those
// whose points agree in the common factors.
func (c Criteria) match(a, b []Row) (matches []Match, onlyA, onlyB []Row) {
	used := make([]bool, len(b))
	for i := range a {
		same := func(k int) bool { return sameDesign(&a[i], &b[k]) && a[i].Point.Equal(b[k].Point) }
		near := func(k int) bool { return sameDesign(&a[i], &b[k]) && c.sameJob(&a[i], &b[k]) }
		found := indices(len(b), same)
		if len(found) == 0 {
			found = indices(len(b), near)
		}
		for _, k := range found {
			used[k] = true
			matches = append(matches, Match{A: a[i], B: b[k]})
		}
		if len(found) == 0 {
			onlyA = append(onlyA, a[i])
		}
	}

	for k := range b {
		if !used[k] {
			onlyB = append(onlyB, b[k])
		}
	}
	return matches, onlyA, onlyB
}

func sameDesign(a, b *Row) bool { return sameMeasure(a, b) && a.Design == b.Design }

// sameJob reports whether two points agree in their common factors, and no input is missing in one of them. Another
// input would be another job.
func (c Criteria) sameJob(a, b *Row) bool {
	if !agree(a.Point, b.Point) {
		return false
	}
	_, onlyA, onlyB := SplitPoints(a.Point, b.Point)
	for _, s := range slices.Concat(onlyA.Settings(), onlyB.Settings()) {
		if slices.Contains(c.Inputs, s.Factor) {
			return false
		}
	}
	return true
}

func indices(n int, is func(i int) bool) []int {
	var found []int
	for i := range n {
		if is(i) {
			found = append(found, i)
		}
	}
	return found
}
