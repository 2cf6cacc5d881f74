package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/brewput/brewput/internal/stat"
)

const (
	minBlocks     = 6    // below, an interval is too wide to be of use
	defaultBlocks = 10   // of a claim that does not need more
	alpha         = 0.05 // chance that a claim is said to hold although it does not
)

// comparison is the best of our designs against the best of the rivals, in one cell.
type comparison struct {
	cell          string
	design, rival string
	ratio, bound  float64 // of the wall times, ours / rival, and its one-sided upper bound at 95% against every rival
	sync          float64 // median time of a sync in seconds; 0 if nobody measured it

	// kept and broken have a p-value for each limit of the claim: the chance of such times if each of our designs took
	// longer than the limit allows, compared with the best rival, and if one of them did not.
	kept, broken []float64
}

// all returns the designs that a cell measures.
func (c *claim) all() []string { return slices.Concat(c.designs, c.rivals) }

// compare compares the designs of a claim by the times of one cell.
//
// A design keeps a limit if it does against every rival, so that its p-value is the largest of them (an
// intersection-union test). The best of our designs is chosen by the same times, so that the smallest p-value is
// multiplied by the number of designs (Bonferroni), and the bound has that level. The limit is broken if every design
// breaks it against a rival, so that these p-values are combined the other way round.
func (c *claim) compare(e entry) comparison {
	out := comparison{cell: e.Cell, ratio: math.Inf(1), kept: ones(len(c.limits)),
		broken: make([]float64, len(c.limits))}
	if len(e.Sync) > 0 {
		out.sync = stat.Median(e.Sync)
	}
	confidence := 1 - 2*alpha/float64(len(c.designs)) // two-sided
	for _, design := range c.designs {
		var worst comparison
		kept, broken := make([]float64, len(c.limits)), ones(len(c.limits))
		for _, rival := range c.rivals {
			logs := logRatios(e.Wall[design], e.Wall[rival])
			if x, ok := stat.ComparePaired(logs, confidence); ok {
				worst.bound = max(worst.bound, x.High)
				if x.Ratio > worst.ratio {
					worst.ratio, worst.rival = x.Ratio, rival
				}
			}
			for i, l := range c.limits {
				p := exceeds(logs, l.ratio)
				kept[i] = max(kept[i], p)
				broken[i] = min(broken[i], (1-p)*float64(len(c.rivals)))
			}
		}
		for i := range c.limits {
			out.kept[i] = min(out.kept[i], kept[i]*float64(len(c.designs)))
			out.broken[i] = max(out.broken[i], broken[i])
		}
		if worst.ratio < out.ratio {
			out.design, out.rival, out.ratio, out.bound = design, worst.rival, worst.ratio, worst.bound
		}
	}
	return out
}

// ones returns n p-values of 1.
func ones(n int) []float64 { return slices.Repeat([]float64{1}, n) }

// logRatios returns the logarithms of a / b, block by block.
func logRatios(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = math.Log(a[i] / b[i])
	}
	return out
}

// exceeds returns the one-sided p-value of a ratio of the limit or more; 1 minus it is that of the limit or less.
func exceeds(logs []float64, limit float64) float64 {
	shifted := slices.Clone(logs)
	for i := range shifted {
		shifted[i] -= math.Log(limit)
	}
	c, ok := stat.ComparePaired(shifted, 1-2*alpha)
	switch {
	case !ok:
		return 0.5
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

// shown returns the number of cells for which a hypothesis is rejected, by the p-values of the cells.
func shown(list []comparison, p func(comparison) float64) int {
	ps := make([]float64, len(list))
	for i, x := range list {
		ps[i] = p(x)
	}
	n := 0
	for _, ok := range holm(ps) {
		if ok {
			n++
		}
	}
	return n
}
