package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

const (
	minBlocks = 6    // below, an interval is too wide to be of use
	alpha     = 0.05 // chance that a claim is said to hold although it does not
)

// comparison is the best of our designs against the best of the rivals, in one cell.
type comparison struct {
	cell          string
	design, rival string
	ratio, bound  float64 // of the wall times, ours / rival, and its one-sided upper bound at 95%
	sync          float64 // median time of a sync in seconds; 0 if nobody measured it

	// p has a p-value for each limit of the claim: the chance of such times if each of our designs took longer than the
	// limit allows, compared with the best rival.
	p []float64
}

// all returns the designs that a cell measures.
func (c *claim) all() []string { return slices.Concat(c.designs, c.rivals) }

// compare compares the designs of a claim by the times of one cell.
//
// A design keeps a limit if it does against every rival, so that its p-value is the largest of them (an
// intersection-union test). The best of our designs is chosen by the same times, so that the smallest p-value is
// multiplied by the number of designs (Bonferroni).
func (c *claim) compare(e entry) comparison {
	out := comparison{cell: e.Cell, sync: stat.Median(e.Sync), ratio: math.Inf(1), p: make([]float64, len(c.limits))}
	for i := range out.p {
		out.p[i] = 1
	}
	if len(e.Sync) == 0 {
		out.sync = 0
	}
	for _, design := range c.designs {
		worst := comparison{ratio: 0}
		ps := make([]float64, len(c.limits))
		for _, rival := range c.rivals {
			logs := logRatios(e.Wall[design], e.Wall[rival])
			if x, ok := stat.ComparePaired(logs, 1-2*alpha); ok && x.Ratio > worst.ratio {
				worst = comparison{design: design, rival: rival, ratio: x.Ratio, bound: x.High}
			}
			for i, l := range c.limits {
				ps[i] = max(ps[i], exceeds(logs, l.ratio))
			}
		}
		for i, p := range ps {
			out.p[i] = min(out.p[i], p*float64(len(c.designs)))
		}
		if worst.ratio < out.ratio {
			out.design, out.rival, out.ratio, out.bound = worst.design, worst.rival, worst.ratio, worst.bound
		}
	}
	return out
}

// logRatios returns the logarithms of a / b, block by block.
func logRatios(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = math.Log(a[i] / b[i])
	}
	return out
}

// exceeds returns the one-sided p-value of a ratio of the limit or more.
func exceeds(logs []float64, limit float64) float64 {
	shifted := slices.Clone(logs)
	for i := range shifted {
		shifted[i] -= math.Log(limit)
	}
	c, ok := stat.ComparePaired(shifted, 1-2*alpha)
	switch {
	case !ok:
		return 1
	case c.Ratio < 1:
		return c.P() / 2
	}
	return 1 - c.P()/2
}

// holm returns which hypotheses are rejected at level alpha (S. Holm, Scandinavian Journal of Statistics 6(2), 1979).
func holm(ps []float64) []bool {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(ps[a], ps[b]) })
	rejected := make([]bool, len(ps))
	for k, i := range order {
		if !(ps[i] <= alpha/float64(len(ps)-k)) {
			break
		}
		rejected[i] = true
	}
	return rejected
}

// kept returns, for the i-th limit, in which cells it is shown to be kept.
func kept(list []comparison, i int) []bool {
	ps := make([]float64, len(list))
	for k := range list {
		ps[k] = list[k].p[i]
	}
	return holm(ps)
}
