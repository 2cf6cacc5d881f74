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

// Promise is the gain that a right finding estimates, with the gain of the fix that was measured. Fixes that gain
// nothing have none, because their programs are healthy.
type Promise struct {
	Family string
	Name   explain.Name
	Gain   explain.Gain
	Real   float64
}

// Promises returns the promises of verdicts whose gains are known: those of the finding for which a rule computes the
// largest gain, if it is right. So an earlier calibration, which changes the ranks, has no effect on the next one.
func Promises(verdicts []Verdict) (list []Promise) {
	for _, v := range verdicts {
		var most *explain.Finding
		for i, f := range v.Findings {
			if f.Gain != nil && (most == nil || f.Gain.Computed > most.Gain.Computed) {
				most = &v.Findings[i]
			}
		}
		if v.Gain == nil || most == nil || !v.right(most.Name) {
			continue
		}
		family, _, _ := strings.Cut(v.Case, "/")
		list = append(list, Promise{family, most.Name, *most.Gain, v.Gain.Gain})
	}
	return list
}

// Ranges describes the estimates of promises and their ranges.
type Ranges struct {
	Count int `json:"count"`
	// Errors are the measured gains minus the gains that rules compute, and minus the estimates.
	Computed float64 `json:"mean_error_of_computed"`
	Error    float64 `json:"mean_error"`
	Distance float64 `json:"mean_distance"` // of the estimates from the measured gains

	Held  Share   `json:"held"`         // measured gains within the range
	Width float64 `json:"median_width"` // as a fraction of wall time
	// Score is the mean interval score for explain.Coverage, of which less is better: the width of a range, and for a
	// gain outside of it the distance times 2 / (1 - explain.Coverage) (Gneiting, Raftery: Strictly proper scoring
	// rules, prediction, and estimation, JASA 102(477), 2007).
	Score float64 `json:"interval_score"`
}

// NewRanges scores the estimates and ranges that a function gives for promises.
func NewRanges(promises []Promise, of func(Promise) (estimate, low, high float64)) (r Ranges) {
	if len(promises) == 0 {
		return Ranges{Held: share(0, 0)}
	}
	held := 0
	var computed, errors, distances, widths, scores []float64
	for _, p := range promises {
		estimate, low, high := of(p)
		outside := max(0, low-p.Real, p.Real-high)
		held += count(outside == 0)
		computed, errors = append(computed, p.Real-p.Gain.Computed), append(errors, p.Real-estimate)
		distances = append(distances, math.Abs(p.Real-estimate))
		widths = append(widths, high-low)
		scores = append(scores, high-low+outside*2/(1-explain.Coverage))
	}
	return Ranges{len(promises), stat.Mean(computed), stat.Mean(errors), stat.Mean(distances),
		share(held, len(promises)), stat.Median(widths), stat.Mean(scores)}
}

// minFamilies is the number of families from which a finding has a range of its own. Others share one.
const minFamilies = 20

// A Calibration turns a computed gain into an estimate without bias and a range that holds explain.Coverage of the
// gains of right findings, by the errors in programs whose gain is known: the first one of each family, since those of
// a family are alike. The entry of all findings has the empty name.
type Calibration map[explain.Name]explain.Range

// Calibrate computes a calibration from promises, with ranges of their own for some findings. The errors that ranges
// are to hold are those of estimates that the other families give.
func Calibrate(promises []Promise, own map[explain.Name]bool) Calibration {
	promises = ofFamilies(promises)
	errors := map[explain.Name][]float64{"": nil}
	for i, p := range promises {
		others := slices.Delete(slices.Clone(promises), i, i+1)
		estimate, _, _ := explain.Range{Shift: shift(others, p.Name)}.Of(p.Gain)
		e := (p.Real - estimate) / explain.Spread(p.Gain.Computed)
		errors[""] = append(errors[""], e)
		if own[p.Name] {
			errors[p.Name] = append(errors[p.Name], e)
		}
	}
	ranges := Calibration{}
	for name, list := range errors {
		slices.Sort(list)
		r := explain.Range{Shift: shift(promises, name), Programs: len(list), Own: name != ""}
		r.Below, r.Above = quantiles(list)
		ranges[name] = r
	}
	for _, p := range promises {
		if _, ok := ranges[p.Name]; !ok {
			r := ranges[""]
			r.Shift = shift(promises, p.Name)
			ranges[p.Name] = r
		}
	}
	return ranges
}

// priorPrograms is the number of programs with the mean error of all findings that are added to those of one finding.
// Without them, a finding of one program would repeat its error. With fewer, findings whose gains are mostly much
// larger than computed would come before others in too many programs.
const priorPrograms = 8

// shift returns the mean error of the computed gains of a finding, in units of c(1-c) for a gain c, with priorPrograms
// further ones.
func shift(promises []Promise, name explain.Name) float64 {
	if len(promises) == 0 {
		return 0
	}
	var err, spread, ownErr, ownSpread float64
	for _, p := range promises {
		e, s := p.Real-p.Gain.Computed, p.Gain.Computed*(1-p.Gain.Computed)
		err, spread = err+e, spread+s
		if p.Name == name {
			ownErr, ownSpread = ownErr+e, ownSpread+s
		}
	}
	if spread == 0 {
		return 0
	}
	prior := priorPrograms / float64(len(promises))
	return (ownErr + prior*err) / (ownSpread + prior*spread)
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

// Range returns the estimate and the range of a promise.
func (c Calibration) Range(p Promise) (estimate, low, high float64) {
	r, ok := c[p.Name]
	if !ok {
		r = c[""]
	}
	return r.Of(p.Gain)
}

// quantiles returns the range that holds explain.Coverage of the errors of further programs on average, if they are
// exchangeable with these, by order statistics. Errors of estimates that leave a family out are nearly so (the
// jackknife+: Barber, Candès, Ramdas, Tibshirani: Predictive inference with the jackknife+, Annals of Statistics 49(1),
// 2021).
func quantiles(sorted []float64) (low, high float64) {
	n := len(sorted)
	k := int(math.Floor(float64(n+1) * (1 - explain.Coverage) / 2)) // errors beyond each end
	if k == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	return sorted[k-1], sorted[n-k]
}

// CrossCalibrated returns the estimate and range of a promise by the calibration of the families in other folds.
func CrossCalibrated(promises []Promise) func(Promise) (estimate, low, high float64) {
	folds, own := make([]Calibration, corpus.Folds), withOwnRange(promises)
	for f := range folds {
		folds[f] = Calibrate(slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool {
			return corpus.Fold(p.Family) == f
		}), own)
	}
	return func(p Promise) (estimate, low, high float64) { return folds[corpus.Fold(p.Family)].Range(p) }
}

// RangesTable returns a table of the errors of gains: as rules compute them, as explain estimates them, and as the
// families of the other folds calibrate them.
func RangesTable(verdicts []Verdict) string {
	promises := ofFamilies(Promises(verdicts))
	own := func(p Promise) (estimate, low, high float64) { return p.Gain.Estimate, p.Gain.Low, p.Gain.High }
	calibrated := CrossCalibrated(promises)
	names := map[explain.Name]int{}
	for _, p := range promises {
		names[p.Name]++
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	columns := "mean error\thold\tmedian width\tinterval score"
	fmt.Fprintf(w, "gains of\tprograms\tcomputed: mean error\testimated: %s\tby other folds: %s\n", columns, columns)
	row := func(name string, in []Promise) {
		r, c := NewRanges(in, own), NewRanges(in, calibrated)
		fmt.Fprintf(w, "%s\t%d\t%+.3f\t%+.3f\t%s\t%.2f\t%.2f\t%+.3f\t%s\t%.2f\t%.2f\n", name, r.Count, r.Computed,
			r.Error, r.Held, r.Width, r.Score, c.Error, c.Held, c.Width, c.Score)
	}
	row("all", promises)
	row("held out", heldOut(promises))
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

// heldOut returns the promises of the families that are held out.
func heldOut(promises []Promise) []Promise {
	return slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool {
		return corpus.Fold(p.Family) != corpus.HeldOut
	})
}

// leastFamilies is the number of families from which ranges are stored.
const leastFamilies = 40

// CalibratedSource returns the calibration as a file of package explain, with the coverage and the mean error that all
// other families give. The families that are held out have no part in it.
func CalibratedSource(promises []Promise) ([]byte, error) {
	promises = slices.DeleteFunc(ofFamilies(promises), func(p Promise) bool {
		return corpus.Fold(p.Family) == corpus.HeldOut
	})
	if len(promises) < leastFamilies {
		return nil, fmt.Errorf("the gains of right findings of %d families are known, and ranges need %d",
			len(promises), leastFamilies)
	}
	own := withOwnRange(promises)
	ranges, of := Calibrate(promises, own), leavingOut(promises, own)
	var b strings.Builder
	pooled := ""
	b.WriteString("// Code generated by \"make verdicts-ranges\"; DO NOT EDIT.\n\npackage explain\n\n" +
		"// calibrated holds the ranges of findings.\nvar calibrated = map[Name]Range{\n")
	for _, name := range slices.Sorted(maps.Keys(ranges)) {
		r := ranges[name]
		if !r.Own && name != "" {
			fmt.Fprintf(&b, "%q: pooled(%.3f),\n", name, r.Shift)
			continue
		}
		score := NewRanges(slices.DeleteFunc(slices.Clone(promises), func(p Promise) bool {
			return r.Own && p.Name != name
		}), of)
		text := fmt.Sprintf("Below: %.3f, Above: %.3f, Programs: %d, Held: %.3f, Width: %.3f, Distance: %.3f, Own: %v}",
			r.Below, r.Above, r.Programs, score.Held.Value, score.Width, score.Distance, r.Own)
		if name == "" {
			pooled = text
			fmt.Fprintf(&b, "allFindings: pooled(%.3f),\n", r.Shift)
			continue
		}
		fmt.Fprintf(&b, "%q: {Shift: %.3f, %s,\n", name, r.Shift, text)
	}
	fmt.Fprintf(&b, "}\n\n// pooled returns the range that findings of too few programs share, with a shift of their "+
		"own.\nfunc pooled(shift float64) Range {\nreturn Range{Shift: shift,\n%s\n}\n", pooled)
	return format.Source([]byte(b.String()))
}

// leavingOut returns the estimate and range of a promise by the other families.
func leavingOut(promises []Promise, own map[explain.Name]bool) func(Promise) (estimate, low, high float64) {
	return func(p Promise) (estimate, low, high float64) {
		return Calibrate(slices.DeleteFunc(slices.Clone(promises), func(o Promise) bool {
			return o.Family == p.Family
		}), own).Range(p)
	}
}
