package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

// byRun parts the logarithms of a row's blocks, to whose values add is added, by the runs that hold any. starts are the
// first blocks of several runs.
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

// unpaired compares the blocks of two sides: by their runs where a side has several. ok is false where a side has none.
func compareUnpaired(a, b [][]float64) (ratio stat.Comparison, ok bool) {
	if len(a) == 0 || len(b) == 0 {
		return ratio, false
	}
	if len(a)+len(b) > 2 {
		return stat.CompareRuns(a, b, ratioConfidence)
	}
	return stat.CompareUnpaired(a[0], b[0], ratioConfidence)
}

// Match is a design at one point in both runs. Where one run's design has a factor more, the points agree
// in those that both have.
type Match struct {
	A, B    Row
	Verdict *Verdict // nil where a side has fewer than 2 blocks with a number, and for bounds
}

// Contrast is what two runs say of each other.
type RunComparison struct {
	Matches      []Match // in the order of A
	OnlyA, OnlyB []Row   // what the other has not
}

// Verdicts are those that there are.
func (c RunComparison) Verdicts() []Verdict {
	var list []Verdict
	for _, m := range c.Matches {
		if m.Verdict != nil {
			list = append(list, *m.Verdict)
		}
	}
	return list
}

// Between compares the designs of run a with the same ones of run b, at the same points. Blocks of two runs
// lie apart in time, so they are not paired: what the machine did differently in the two is part of
// the difference. Where a side has several runs, what differs from run to run is in the interval. All verdicts are one
// family.
func (j Criteria) CompareRuns(a, b Run) RunComparison {
	matches, onlyA, onlyB := j.match(a.Rows, b.Rows)
	va, vb := blockValues(a.Trials), blockValues(b.Trials)
	var list []Verdict
	var ratios []stat.Comparison
	var of []int // the match of each verdict
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
	j.decideAll(list, ratios)
	for i := range list {
		m := &matches[of[i]]
		list[i].widenToStates(&m.A, &m.B)
		m.Verdict = &list[i]
	}
	return RunComparison{matches, onlyA, onlyB}
}

// logsOfBlocks has the logarithms of a row's blocks in their order.
func sortedLogs(values map[int]float64) []float64 {
	var logs []float64
	for _, block := range sortedBlocks(values) {
		logs = append(logs, math.Log(values[block]))
	}
	return logs
}

// match finds for each row of a those of b with the same design: at the same point or, where b has none
// there, at the points that agree in the factors of both.
func (j Criteria) match(a, b []Row) (matches []Match, onlyA, onlyB []Row) {
	used := make([]bool, len(b))
	for i := range a {
		same := func(k int) bool { return sameDesign(&a[i], &b[k]) && a[i].Point.String() == b[k].Point.String() }
		near := func(k int) bool { return sameDesign(&a[i], &b[k]) && j.sameJob(&a[i], &b[k]) }
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

// sharing reports whether two points agree in the factors of both, and whether what one has beyond them
// is a choice of the design: an input that only one has makes it another job.
func (j Criteria) sameJob(a, b *Row) bool {
	if !agree(a.Point, b.Point) {
		return false
	}
	_, onlyA, onlyB := SplitPoints(a.Point, b.Point)
	for _, s := range slices.Concat(onlyA.Settings(), onlyB.Settings()) {
		if slices.Contains(j.Inputs, s.Factor) {
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
