package compare

import (
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/result"
)

// blockTable is the input of the tests of block order: logarithms of speed by row and block, centred by row. A
// missing trial is NaN.
type blockTable struct {
	rows   [][]float64
	spread []float64 // variance of each row
}

// minVariance is the smallest variance of a row. Variation below 0.01% is ignored.
const minVariance = 1e-8

// leadingBlocks returns the trials before the first block that lacks a case of block 0. A budget drops cases, and a
// mean over fewer cases varies more, so such blocks are not exchangeable with the others.
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

// tabulate returns the table of the good throughput trials. It leaves out rows with fewer than 3 of them.
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

// centred returns one row of the table and its variance. Speed is the inverse of a time.
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

// trend tests for a drift of speed. It returns the change of log speed from the first block to the last, and the
// p-value of exchangeable blocks. Rows are weighted by their precision. Rows of a block are averaged first, because
// a disturbance of the block affects all of them.
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

// serial returns the lag-1 correlation between blocks over all rows, and its one-sided permutation p-value.
// Permutations move blocks with all their rows.
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
