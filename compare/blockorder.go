package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// blockTable is what the order of blocks is tested on: the logarithms of speed, row by row and block by
// block, less their row's mean. A missing trial is NaN.
type blockTable struct {
	rows   [][]float64
	spread []float64 // variance of each row
}

// leastVariance is the least variance of a row: differences below 0.01 % are none.
const minVariance = 1e-8

// firstStretch are the trials of the blocks up to one that lacks a case of the first. A budget drops cases, and
// a block of fewer cases scatters more: it cannot change places with another.
func leadingBlocks(trials []result.Trial) []result.Trial {
	if len(trials) == 0 {
		return nil
	}
	first := trials[0].Block
	for i := range trials {
		first = min(first, trials[i].Block)
	}
	end := math.MaxInt
	for _, blocks := range triedBlocks(trials) {
		if b := first; blocks[b] {
			for blocks[b] {
				b++
			}
			end = min(end, b)
		}
	}
	return slices.DeleteFunc(slices.Clone(trials), func(t result.Trial) bool { return t.Block >= end })
}

// tabulate makes the table of the good throughput trials. Rows with fewer than 3 of them are left out.
func tabulate(trials []result.Trial) blockTable {
	trials = leadingBlocks(trials)
	values := blockValues(trials)
	var keys []key
	times, seen := map[key]bool{}, map[int]bool{}
	for i := range trials {
		k := trialKey(&trials[i])
		if _, known := times[k]; !known && len(values[k]) >= 3 {
			keys = append(keys, k)
			times[k] = !result.LargerIsBetter(measureOfTrial(&trials[i]))
			for b := range values[k] {
				seen[b] = true
			}
		}
	}
	var blocks []int
	for b := range seen {
		blocks = append(blocks, b)
	}
	slices.Sort(blocks)
	var t blockTable
	for _, k := range keys {
		row, variance := centred(values[k], blocks, times[k])
		t.rows, t.spread = append(t.rows, row), append(t.spread, variance)
	}
	return t
}

// centred is one row of the table and its variance. What is measured as a time is
// as fast as that is short.
func centred(values map[int]float64, blocks []int, isTime bool) (row []float64, variance float64) {
	mean, squares := stat.Mean(sortedLogs(values)), 0.0
	row = make([]float64, len(blocks))
	for i, b := range blocks {
		v, ok := values[b]
		if !ok {
			row[i] = math.NaN()
			continue
		}
		row[i] = math.Log(v) - mean
		if isTime {
			row[i] = -row[i]
		}
		squares += row[i] * row[i]
	}
	return row, max(squares/float64(len(values)-1), minVariance)
}

// trend is by how much the logarithm of speed changes from the first block to the last, and the p-value
// of the hypothesis that the order of the blocks does not matter. Each row counts by its precision. What
// a block does to all its rows is in one number, so that rows which share it are no more evidence.
func (t blockTable) trend() (change, p float64) {
	if len(t.rows) == 0 {
		return 0, 1
	}
	var effects []float64
	for b := range t.rows[0] {
		sum, weights := 0.0, 0.0
		for r, row := range t.rows {
			if !math.IsNaN(row[b]) {
				sum += row[b] / t.spread[r]
				weights += 1 / t.spread[r]
			}
		}
		effects = append(effects, sum/weights)
	}
	slope, p := stat.Trend(effects)
	return slope * float64(len(effects)-1), p
}

// serial is the correlation of a row's neighbouring blocks, over all rows, and its p-value against a
// correlation above what the order by chance gives. Blocks change places with all their rows.
func (t blockTable) serial() (correlation, p float64) {
	rows := make([][]float64, len(t.rows))
	for r, row := range t.rows {
		rows[r] = slices.Clone(row)
		for b := range row {
			rows[r][b] /= math.Sqrt(t.spread[r])
			if math.IsNaN(row[b]) {
				rows[r][b] = 0
			}
		}
	}
	return stat.SerialCorrelation(rows)
}
