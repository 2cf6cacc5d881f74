package findings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/findings/corpus"
)

// Promise is the gain that a right first finding estimates, with the gain of the fix that was measured. Fixes that gain
// nothing have none, because their programs are healthy.
type Promise struct {
	Family string
	Name   explain.Name
	Gain   explain.Gain
	Real   float64
}

// Promises returns the promises of verdicts whose gains are known.
func Promises(verdicts []Verdict) (list []Promise) {
	for _, v := range verdicts {
		if v.Gain == nil || len(v.Findings) == 0 || !v.right(v.Findings[0].Name) || v.Findings[0].Gain == nil {
			continue
		}
		family, _, _ := strings.Cut(v.Case, "/")
		list = append(list, Promise{family, v.Findings[0].Name, *v.Findings[0].Gain, v.Gain.Gain})
	}
	return list
}

// Coverage is the part of the measured gains that ranges are to contain.
const Coverage = 0.8

// Ranges describes the ranges of promises.
type Ranges struct {
	Count int     `json:"count"`
	Held  Share   `json:"held"`         // measured gains within the range
	Width float64 `json:"median_width"` // as a fraction of wall time
	// Score is the mean interval score for Coverage, of which less is better: the width of a range, and for a gain
	// outside of it the distance times 2 / (1 - Coverage) (Gneiting, Raftery: Strictly proper scoring rules,
	// prediction, and estimation, JASA 102(477), 2007).
	Score float64 `json:"interval_score"`
}

// NewRanges scores the ranges that a function gives for promises.
func NewRanges(promises []Promise, of func(Promise) (low, high float64)) (r Ranges) {
	if len(promises) == 0 {
		return Ranges{Held: share(0, 0)}
	}
	held := 0
	var widths, scores []float64
	for _, p := range promises {
		low, high := of(p)
		outside := max(0, low-p.Real, p.Real-high)
		held += count(outside == 0)
		widths = append(widths, high-low)
		scores = append(scores, high-low+outside*2/(1-Coverage))
	}
	return Ranges{len(promises), share(held, len(promises)), stat.Median(widths), stat.Mean(scores)}
}

// minFamilies is the number of families from which a finding has a range of its own. Others share one.
const minFamilies = 20

// A Calibration turns an estimate into a range that holds Coverage of the gains of right findings, by the errors of
// estimates in programs whose gain is known: the first one of each family, since those of a family are alike.
type Calibration struct {
	pooled []float64
	own    map[explain.Name][]float64 // sorted errors by finding, of those with enough families
}

// spread is the unit of the errors of an estimate. An error of an estimate of nearly all or nothing is smaller than
// that of one of the half.
func spread(estimate float64) float64 { return estimate*(1-estimate) + 0.05 }

// Calibrate computes a calibration from promises.
func Calibrate(promises []Promise) Calibration {
	c := Calibration{own: map[explain.Name][]float64{}}
	known := map[string]bool{}
	for _, p := range promises {
		if known[p.Family] {
			continue
		}
		known[p.Family] = true
		e := (p.Real - p.Gain.Estimate) / spread(p.Gain.Estimate)
		c.pooled = append(c.pooled, e)
		c.own[p.Name] = append(c.own[p.Name], e)
	}
	slices.Sort(c.pooled)
	for name, errors := range c.own {
		slices.Sort(errors)
		if len(errors) < minFamilies {
			delete(c.own, name)
		}
	}
	return c
}

// Range returns the range of an estimate.
func (c Calibration) Range(p Promise) (low, high float64) {
	errors, ok := c.own[p.Name]
	if !ok {
		errors = c.pooled
	}
	below, above := quantiles(errors)
	e, s := p.Gain.Estimate, spread(p.Gain.Estimate)
	return min(e, max(0, e+below*s)), max(e, min(0.99, e+above*s))
}

// quantiles returns the range that holds Coverage of the errors of further programs on average, if they are
// exchangeable with these: the order statistics of split conformal prediction (Vovk, Gammerman, Shafer: Algorithmic
// Learning in a Random World, 2005).
func quantiles(sorted []float64) (low, high float64) {
	n := len(sorted)
	k := int(math.Floor(float64(n+1) * (1 - Coverage) / 2)) // errors beyond each end
	if k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return sorted[k-1], sorted[n-k]
}

// CrossCalibrated returns the range of a promise by the calibration of the families in other folds.
func CrossCalibrated(promises []Promise) func(Promise) (low, high float64) {
	folds := make([]Calibration, corpus.Folds)
	for f := range folds {
		folds[f] = Calibrate(slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool {
			return corpus.Fold(p.Family) == f
		}))
	}
	return func(p Promise) (low, high float64) { return folds[corpus.Fold(p.Family)].Range(p) }
}

// RangesTable returns a table of the ranges of findings, as they are and calibrated.
func RangesTable(verdicts []Verdict) string {
	promises := Promises(verdicts)
	own := func(p Promise) (low, high float64) { return p.Gain.Low, p.Gain.High }
	calibrated := CrossCalibrated(promises)
	names := map[explain.Name]int{}
	for _, p := range promises {
		names[p.Name]++
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ranges of\tprograms\thold\tmedian width\tinterval score\tcalibrated: hold\tmedian width\t"+
		"interval score")
	row := func(name string, in []Promise) {
		r, c := NewRanges(in, own), NewRanges(in, calibrated)
		fmt.Fprintf(w, "%s\t%d\t%s\t%.2f\t%.2f\t%s\t%.2f\t%.2f\n", name, r.Count, r.Held, r.Width, r.Score, c.Held,
			c.Width, c.Score)
	}
	row("all", promises)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var in []Promise
		for _, p := range promises {
			if p.Name == name {
				in = append(in, p)
			}
		}
		row(string(name), in)
	}
	w.Flush()
	return b.String()
}
