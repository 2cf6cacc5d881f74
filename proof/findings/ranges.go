package findings

import (
	"fmt"
	"go/format"
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

// Ranges describes the ranges of promises.
type Ranges struct {
	Count int     `json:"count"`
	Held  Share   `json:"held"`         // measured gains within the range
	Width float64 `json:"median_width"` // as a fraction of wall time
	// Score is the mean interval score for explain.Coverage, of which less is better: the width of a range, and for a
	// gain outside of it the distance times 2 / (1 - explain.Coverage) (Gneiting, Raftery: Strictly proper scoring
	// rules, prediction, and estimation, JASA 102(477), 2007).
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
		scores = append(scores, high-low+outside*2/(1-explain.Coverage))
	}
	return Ranges{len(promises), share(held, len(promises)), stat.Median(widths), stat.Mean(scores)}
}

// minFamilies is the number of families from which a finding has a range of its own. Others share one.
const minFamilies = 20

// A Calibration turns an estimate into a range that holds explain.Coverage of the gains of right findings, by the
// errors of estimates in programs whose gain is known: the first one of each family, since those of a family are alike.
// The range of all findings has the empty name.
type Calibration map[explain.Name]explain.Range

// Calibrate computes a calibration from promises, with ranges of their own for some findings.
func Calibrate(promises []Promise, own map[explain.Name]bool) Calibration {
	errors := map[explain.Name][]float64{"": nil}
	for _, p := range ofFamilies(promises) {
		e := (p.Real - p.Gain.Estimate) / explain.Spread(p.Gain.Estimate)
		errors[""] = append(errors[""], e)
		if own[p.Name] {
			errors[p.Name] = append(errors[p.Name], e)
		}
	}
	c := Calibration{}
	for name, list := range errors {
		slices.Sort(list)
		r := explain.Range{Programs: len(list), Own: name != ""}
		r.Below, r.Above = quantiles(list)
		c[name] = r
	}
	return c
}

// withOwnRange returns the findings with enough families for a range of their own.
func withOwnRange(promises []Promise) map[explain.Name]bool {
	n, own := map[explain.Name]int{}, map[explain.Name]bool{}
	for _, p := range ofFamilies(promises) {
		n[p.Name]++
		own[p.Name] = n[p.Name] >= minFamilies
	}
	return own
}

// ofFamilies returns the first promise of each family.
func ofFamilies(promises []Promise) (list []Promise) {
	known := map[string]bool{}
	for _, p := range promises {
		if !known[p.Family] {
			known[p.Family] = true
			list = append(list, p)
		}
	}
	return list
}

// Range returns the range of an estimate.
func (c Calibration) Range(p Promise) (low, high float64) {
	r, ok := c[p.Name]
	if !ok {
		r = c[""]
	}
	return r.Of(p.Gain.Estimate)
}

// quantiles returns the range that holds explain.Coverage of the errors of further programs on average, if they are
// exchangeable with these: the order statistics of split conformal prediction (Vovk, Gammerman, Shafer: Algorithmic
// Learning in a Random World, 2005).
func quantiles(sorted []float64) (low, high float64) {
	n := len(sorted)
	k := int(math.Floor(float64(n+1) * (1 - explain.Coverage) / 2)) // errors beyond each end
	if k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return sorted[k-1], sorted[n-k]
}

// CrossCalibrated returns the range of a promise by the calibration of the families in other folds.
func CrossCalibrated(promises []Promise) func(Promise) (low, high float64) {
	folds, own := make([]Calibration, corpus.Folds), withOwnRange(promises)
	for f := range folds {
		folds[f] = Calibrate(slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool {
			return corpus.Fold(p.Family) == f
		}), own)
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

// leastFamilies is the number of families from which ranges are stored.
const leastFamilies = 40

// CalibratedSource returns the ranges as a file of package explain, with how many gains the ranges hold that all other
// families give. The families that are held out have no part in it.
func CalibratedSource(promises []Promise) ([]byte, error) {
	promises = slices.DeleteFunc(ofFamilies(promises), func(p Promise) bool {
		return corpus.Fold(p.Family) == corpus.HeldOut
	})
	if len(promises) < leastFamilies {
		return nil, fmt.Errorf("the gains of right findings of %d families are known, and ranges need %d",
			len(promises), leastFamilies)
	}
	ranges := Calibrate(promises, withOwnRange(promises))
	var b strings.Builder
	b.WriteString("// Code generated by \"make verdicts-ranges\"; DO NOT EDIT.\n\npackage explain\n\n" +
		"// calibrated holds the ranges of findings.\nvar calibrated = map[Name]Range{\n")
	for _, name := range slices.Sorted(maps.Keys(ranges)) {
		r := ranges[name]
		in := slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool { return name != "" && p.Name != name })
		score := NewRanges(in, leavingOut(in))
		fmt.Fprintf(&b, "%q: {Below: %.3f, Above: %.3f, Programs: %d, Held: %.3f, Width: %.3f, Own: %v},\n", name,
			r.Below, r.Above, r.Programs, score.Held.Value, score.Width, r.Own)
	}
	b.WriteString("}\n")
	return format.Source([]byte(b.String()))
}

// leavingOut returns the range of a promise by the other families among some.
func leavingOut(promises []Promise) func(Promise) (low, high float64) {
	return func(p Promise) (low, high float64) {
		return Calibrate(slices.DeleteFunc(slices.Clone(promises), func(o Promise) bool {
			return o.Family == p.Family
		}), nil).Range(p)
	}
}
