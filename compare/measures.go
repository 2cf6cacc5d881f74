package compare

import (
	"maps"
	"math"
	"slices"

	"github.com/brewput/brewput/result"
)

// key identifies the trials of a row.
type key struct{ workload, world, design, point string }

func rowKey(r *Row) key { return key{r.Workload, r.World, r.Design, r.Point.String()} }

func trialKey(t *result.Trial) key { return key{t.Workload, t.World, t.Design, t.Point.String()} }

// blockValues returns the measures of the good throughput trials, by row and block.
func blockValues(trials []result.Trial) map[key]map[int]float64 {
	values := map[key]map[int]float64{}
	for i := range trials {
		t := &trials[i]
		if t.Kind != result.KindTrial || !t.Good() || t.Unstable {
			continue
		}
		k := trialKey(t)
		if values[k] == nil {
			values[k] = map[int]float64{}
		}
		if v := valueOf(t); v > 0 && !math.IsInf(v, 0) {
			values[k][t.Block] = v
		}
	}
	return values
}

// triedBlocks returns the blocks in which each row had a throughput trial, whatever its status.
func triedBlocks(trials []result.Trial) map[key]map[int]bool {
	tried := map[key]map[int]bool{}
	for i := range trials {
		if t := &trials[i]; t.Kind == result.KindTrial {
			k := trialKey(t)
			if tried[k] == nil {
				tried[k] = map[int]bool{}
			}
			tried[k][t.Block] = true
		}
	}
	return tried
}

// valueOf returns the measure of a trial. The reported throughput of a closed loop counts whole operations.
// Verdicts also count the parts of operations within the window, so that rounding does not affect them. Trials of
// older journals lack this count.
func valueOf(t *result.Trial) float64 {
	metric := measureOfTrial(t)
	if metric == result.Throughput && t.Progress > 0 && t.WallSeconds > 0 {
		return t.Progress / t.WallSeconds
	}
	return float64(t.Metrics.Get(metric))
}

// measureOf returns the metric by which a row is compared.
func measureOf(r *Row) string {
	switch {
	case r.Job:
		return result.WallSeconds
	case r.Open:
		return result.ResponseP50
	}
	return result.Throughput
}

func measureOfTrial(t *result.Trial) string {
	return measureOf(&Row{Job: t.Type == result.Job, Open: t.Open})
}

func sortedBlocks[T any](m map[int]T) []int { return slices.Sorted(maps.Keys(m)) }
