package findings

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/explain"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/proof/findings/corpus"
)

// promise is one of a family, with a range.
func promise(family string, estimate, low, high, real float64) Promise {
	return Promise{family, "coarse-lock", explain.Gain{Estimate: estimate, Low: low, High: high,
		Computed: estimate}, real}
}

// TestRanges: coverage, widths and interval scores of ranges whose values are known.
func TestRanges(t *testing.T) {
	own := func(p Promise) (estimate, low, high float64) { return p.Gain.Estimate, p.Gain.Low, p.Gain.High }
	r := NewRanges([]Promise{
		promise("a", 0.5, 0.4, 0.6, 0.4),  // on the edge: 0.2
		promise("b", 0.5, 0.4, 0.6, 0.7),  // above: 0.2 + 10 * 0.1
		promise("c", 0.5, 0.1, 0.5, 0.05), // below: 0.4 + 10 * 0.05
	}, own)
	if r.Count != 3 || r.Held.Hits != 1 || math.Abs(r.Error+0.35/3) > 1e-12 ||
		r.Computed != r.Error || math.Abs(r.Distance-0.75/3) > 1e-12 || math.Abs(r.Width-0.2) > 1e-12 ||
		math.Abs(r.Score-(0.2+1.2+0.9)/3) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if r := NewRanges(nil, own); r.Count != 0 || r.Held.Total != 0 {
		t.Errorf("none: %+v", r)
	}
}

// families returns promises of n families, whose errors are normal with a standard deviation in units of spread, and
// whose estimates are too low.
func families(n int, name explain.Name, sd float64, seed uint64) (list []Promise) {
	draws := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		e := 0.1 + 0.8*draws.Float64()
		real := max(0, min(0.99, e+explain.Spread(e)*(0.3+sd*draws.NormFloat64())))
		p := promise(fmt.Sprint(name, i), e, e, e, real)
		p.Name = name
		list = append(list, p)
	}
	return list
}

// TestCalibration: calibrated ranges hold the part of further gains that they are to hold, also of a finding whose
// errors are larger than those of the others, if it has enough families. They contain the estimate.
func TestCalibration(t *testing.T) {
	known := append(families(300, "busy-wait", 0.2, 1), families(100, "coarse-lock", 1, 2)...)
	few := append(known, families(minFamilies-1, "chan-handoff", 3, 3)...)
	c := Calibrate(append(few, few...), withOwnRange(few)) // further programs of a family do not count
	if len(c) != 4 || c[""].Programs != len(few) || c[""].Own || c["coarse-lock"].Programs != 100 ||
		!c["coarse-lock"].Own {
		t.Errorf("%+v", c)
	}
	for name, sd := range map[explain.Name]float64{"busy-wait": 0.2, "coarse-lock": 1} {
		r := NewRanges(families(2000, name, sd, 4), c.Range)
		if r.Held.Value < explain.Coverage-0.08 || r.Held.Value > explain.Coverage+0.08 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, p := range few {
		if estimate, low, high := c.Range(p); low > estimate || high < estimate || low < 0 || high > 0.99 {
			t.Errorf("%v: %v (%v to %v)", p, estimate, low, high)
		}
	}
	if estimate, low, high := Calibrate(nil, nil).Range(known[0]); estimate != known[0].Gain.Computed || low != 0 ||
		high != 0.99 {
		t.Errorf("nothing is known: %v (%v to %v)", estimate, low, high)
	}
}

// TestCrossCalibrated: the ranges of a family do not depend on its own gains.
func TestCrossCalibrated(t *testing.T) {
	list := families(200, "busy-wait", 0.2, 1)
	estimate, low, high := CrossCalibrated(list)(list[0])
	fold := corpus.Fold(list[0].Family)
	for i := range list {
		if corpus.Fold(list[i].Family) == fold {
			list[i].Real = 0
		}
	}
	if e, l, h := CrossCalibrated(list)(list[0]); e != estimate || l != low || h != high {
		t.Errorf("%v (%v to %v), and %v (%v to %v) with other gains of the same fold", estimate, low, high, e, l, h)
	}
	for i := range list {
		list[i].Real = 0
	}
	if e, l, h := CrossCalibrated(list)(list[0]); e == estimate || l == low && h == high {
		t.Error("gains of other folds have no effect")
	}
}

// TestQuantiles: the ends leave out the same number of errors, which hold a share of further ones in the mean.
func TestQuantiles(t *testing.T) {
	for n, want := range map[int][2]float64{8: {math.Inf(-1), math.Inf(1)}, 9: {0, 8}, 18: {0, 17}, 19: {1, 17},
		99: {9, 89}} {
		var sorted []float64
		for i := range n {
			sorted = append(sorted, float64(i))
		}
		if low, high := quantiles(sorted); low != want[0] || high != want[1] {
			t.Errorf("%d: %v to %v", n, low, high)
		}
	}
	held, trials := 0, 4000
	for i := range trials {
		var errors []float64
		draws := rand.New(rand.NewPCG(uint64(i), 0))
		for range 29 {
			errors = append(errors, draws.NormFloat64())
		}
		slices.Sort(errors)
		low, high := quantiles(errors)
		x := draws.NormFloat64()
		held += count(low <= x && x <= high)
	}
	if low, high := stat.WilsonInterval(held, trials); low > explain.Coverage || high < explain.Coverage {
		t.Errorf("%d of %d are held", held, trials)
	}
}

// TestCalibratedSource: the file has the shifts of all findings, and ranges of those with enough families, with the
// coverage and the mean error that other families give. Families that are held out have no part in it.
func TestCalibratedSource(t *testing.T) {
	list := slices.Concat(families(120, "busy-wait", 0.2, 1), families(28, "gc-pressure", 3, 2),
		families(16, "coarse-lock", 0.2, 3))
	source, err := CalibratedSource(append(list, list...)) // further programs of a family do not count
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(source)), " ")
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
	if err != nil || !ast.IsGenerated(file) {
		t.Errorf("%v: %s", err, text)
	}
	used := slices.DeleteFunc(list, func(p Promise) bool { return corpus.Fold(p.Family) == corpus.HeldOut })
	own := withOwnRange(used)
	if !own["busy-wait"] || !own["gc-pressure"] || own["coarse-lock"] {
		t.Fatalf("own: %v", own)
	}
	all := Calibrate(used, own)
	for _, name := range []explain.Name{"", "busy-wait", "gc-pressure", "coarse-lock"} {
		in := slices.DeleteFunc(slices.Clone(used), func(p Promise) bool { return own[name] && p.Name != name })
		inside, distance := 0, 0.0
		for _, p := range in {
			rest := slices.DeleteFunc(slices.Clone(used), func(o Promise) bool { return o.Family == p.Family })
			estimate, low, high := Calibrate(rest, own).Range(p)
			inside += count(low <= p.Real && p.Real <= high)
			distance += math.Abs(p.Real - estimate)
		}
		held := float64(inside) / float64(len(in))
		r := all[name]
		errors := fmt.Sprintf("Below: %.3f, Above: %.3f, Programs: %d, Held: %.3f, Width: ", r.Below, r.Above,
			len(in), held)
		wants := []string{errors, fmt.Sprintf("Distance: %.3f, Own: %v}", distance/float64(len(in)), own[name])}
		switch {
		case own[name]:
			wants = append(wants, fmt.Sprintf("%q: {Shift: %.3f, %s", name, r.Shift, errors))
		case name == "":
			wants = append(wants, fmt.Sprintf("allFindings: pooled(%.3f), ", r.Shift))
		default:
			wants = append(wants, fmt.Sprintf("%q: pooled(%.3f), ", name, r.Shift))
		}
		for _, want := range wants {
			if !strings.Contains(text, want) || held < 0.65 || held > 0.95 {
				t.Errorf("%q: no %s in %s", name, want, text)
			}
		}
	}
	if wide, narrow := all["gc-pressure"], all["busy-wait"]; wide.Above-wide.Below < 2*(narrow.Above-narrow.Below) {
		t.Errorf("its errors are larger: %+v, %+v", wide, narrow)
	}
	if _, err := CalibratedSource(families(40, "busy-wait", 0.2, 1)); err == nil {
		t.Error("too few families in all")
	}
}

// TestRangesTable: the table has a row for all findings and one for each.
func TestRangesTable(t *testing.T) {
	v := given("coarse-lock", 30, found("coarse-lock", 0.5))
	for i := range v {
		v[i].Case = fmt.Sprintf("f%d/sick1", i)
		v[i].Gain = &corpus.Intervention{Gain: 0.45}
	}
	lines := strings.Split(strings.TrimSpace(RangesTable(v)), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "all  ") || !strings.HasPrefix(lines[2], "held out  ") ||
		!strings.HasPrefix(lines[3], "coarse-lock  30") {
		t.Errorf("%q", lines)
	}
}

// TestShift: a finding is shifted by its own mean error, and by that of all findings if few programs have it.
func TestShift(t *testing.T) {
	var list []Promise
	add := func(n int, name explain.Name, err float64) {
		for i := range n {
			p := promise(fmt.Sprint(name, i), 0.5, 0, 1, 0.5+err)
			p.Name = name
			list = append(list, p)
		}
	}
	add(30, "busy-wait", 0.03)
	add(12, "coarse-lock", -0.06)
	add(1, "wake-latency", 0.45)
	const spread = 0.25 // 0.5 (1 - 0.5)
	all := (30*0.03 - 12*0.06 + 0.45) / 43
	for name, want := range map[explain.Name]float64{
		"":             all,
		"gc-pressure":  all,
		"busy-wait":    (30*0.03 + priorPrograms*all) / (30 + priorPrograms),
		"coarse-lock":  (-12*0.06 + priorPrograms*all) / (12 + priorPrograms),
		"wake-latency": (0.45 + priorPrograms*all) / (1 + priorPrograms),
	} {
		if got := shift(list, name); math.Abs(got*spread-want) > 1e-12 {
			t.Errorf("%q: %v, want %v", name, got*spread, want)
		}
	}
	if shift(nil, "busy-wait") != 0 {
		t.Error("nothing is known")
	}
	e, _, _ := Calibrate(list, nil).Range(list[0])
	if math.Abs(e-(0.5+(30*0.03+priorPrograms*all)/(30+priorPrograms))) > 1e-12 {
		t.Errorf("estimate %v", e)
	}
}

// TestUnbiased: calibrated estimates of further programs have no mean error, whatever the findings' own errors.
func TestUnbiased(t *testing.T) {
	known := families(150, "busy-wait", 0.2, 1)
	low := families(60, "coarse-lock", 0.2, 2)
	for i := range low {
		low[i].Real -= 0.2
	}
	c := Calibrate(append(known, low...), nil)
	further := families(400, "coarse-lock", 0.2, 3)
	for i := range further {
		further[i].Real -= 0.2
	}
	raw := func(p Promise) (estimate, low, high float64) { return p.Gain.Computed, 0, 1 }
	if r := NewRanges(further, c.Range); math.Abs(r.Error) > 0.02 || math.Abs(NewRanges(further, raw).Error) < 0.04 {
		t.Errorf("mean error %v, computed %v", r.Error, NewRanges(further, raw).Error)
	}
}

// TestRangeTargets: bias, coverage and width are required of many programs.
func TestRangeTargets(t *testing.T) {
	met := func(list []Promise) (all []bool) {
		for _, target := range RangeTargets(list) {
			all = append(all, target.Met && target.Known)
		}
		return all
	}
	good := families(200, "busy-wait", 0.2, 1)
	if got := met(good); !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("%v", got)
	}
	if got := met(families(leastFamilies-1, "busy-wait", 0.2, 1)); got != nil {
		t.Errorf("of few programs: %v", got)
	}
	wide := families(200, "busy-wait", 1.5, 1)
	if got := met(wide); !slices.Equal(got, []bool{true, true, false}) {
		t.Errorf("wide: %v", got)
	}
	for i := range good { // one fold differs from the others, so that these do not know its errors
		if corpus.Fold(good[i].Family) == corpus.HeldOut {
			good[i].Real = 0
		}
	}
	if got := met(good); got[0] || got[1] {
		t.Errorf("biased: %v", got)
	}
	if got := met(append(families(200, "busy-wait", 0.2, 1), good...)); !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("further programs of a family count: %v", got)
	}
}

// TestPromises: a promise is that of the largest computed gain, whatever the ranks, if that finding is right.
func TestPromises(t *testing.T) {
	lock := explain.Finding{Name: "coarse-lock", Gain: &explain.Gain{Estimate: 0.5, Computed: 0.4}}
	wait := explain.Finding{Name: "busy-wait", Gain: &explain.Gain{Estimate: 0.6, Computed: 0.3}}
	leak := explain.Finding{Name: "goroutine-leak"}
	real := &corpus.Intervention{Gain: 0.45}
	list := Promises([]Verdict{
		{Case: "a/sick1", Actual: "coarse-lock", Gain: real, Findings: []explain.Finding{leak, wait, lock}},
		{Case: "b/sick1", Actual: "busy-wait", Gain: real, Findings: []explain.Finding{wait, lock}},
		{Case: "c/sick1", Actual: "coarse-lock", Findings: []explain.Finding{lock}},
		{Case: "d/sick1", Actual: "goroutine-leak", Gain: real, Findings: []explain.Finding{leak}},
		{Case: "e/sick1", Actual: "busy-wait", Also: []string{"coarse-lock"}, Gain: real,
			Findings: []explain.Finding{lock}},
	})
	if len(list) != 2 || list[0] != (Promise{"a", "coarse-lock", *lock.Gain, 0.45}) || list[1].Family != "e" {
		t.Errorf("%+v", list)
	}
}
