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
	return Promise{family, "coarse-lock", explain.Gain{Estimate: estimate, Low: low, High: high}, real}
}

// TestRanges: coverage, widths and interval scores of ranges whose values are known.
func TestRanges(t *testing.T) {
	own := func(p Promise) (low, high float64) { return p.Gain.Low, p.Gain.High }
	r := NewRanges([]Promise{
		promise("a", 0.5, 0.4, 0.6, 0.4),  // on the edge: 0.2
		promise("b", 0.5, 0.4, 0.6, 0.7),  // above: 0.2 + 10 * 0.1
		promise("c", 0.5, 0.1, 0.5, 0.05), // below: 0.4 + 10 * 0.05
	}, own)
	if r.Count != 3 || r.Held.Hits != 1 || math.Abs(r.Width-0.2) > 1e-12 ||
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
		p := promise(fmt.Sprint(name, i), e, e, e, e+explain.Spread(e)*(0.3+sd*draws.NormFloat64()))
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
	if len(c) != 3 || c[""].Programs != len(few) || c[""].Own || c["coarse-lock"].Programs != 100 ||
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
		if low, high := c.Range(p); low > p.Gain.Estimate || high < p.Gain.Estimate || low < 0 || high > 0.99 {
			t.Errorf("%v: %v to %v", p, low, high)
		}
	}
	if low, high := Calibrate(nil, nil).Range(known[0]); low != 0 || high != 0.99 {
		t.Errorf("nothing is known: %v to %v", low, high)
	}
}

// TestCrossCalibrated: the ranges of a family do not depend on its own gains.
func TestCrossCalibrated(t *testing.T) {
	list := families(200, "busy-wait", 0.2, 1)
	low, high := CrossCalibrated(list)(list[0])
	fold := corpus.Fold(list[0].Family)
	for i := range list {
		if corpus.Fold(list[i].Family) == fold {
			list[i].Real = 0
		}
	}
	if l, h := CrossCalibrated(list)(list[0]); l != low || h != high {
		t.Errorf("%v to %v, and %v to %v with other gains of the same fold", low, high, l, h)
	}
	for i := range list {
		list[i].Real = 0
	}
	if l, h := CrossCalibrated(list)(list[0]); l == low && h == high {
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

// TestCalibratedSource: the file has the range of all findings, and of those with enough families, with the coverage of
// ranges that other families give. Families that are held out have no part in it.
func TestCalibratedSource(t *testing.T) {
	list := slices.Concat(families(120, "busy-wait", 0.2, 1), families(28, "gc-pressure", 3, 2),
		families(16, "coarse-lock", 0.2, 3))
	source, err := CalibratedSource(append(list, list...)) // further programs of a family do not count
	if err != nil {
		t.Fatal(err)
	}
	text := string(source)
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
	for _, name := range []explain.Name{"", "busy-wait", "gc-pressure"} {
		in := slices.DeleteFunc(slices.Clone(used), func(p Promise) bool { return name != "" && p.Name != name })
		var inside []Promise
		for _, p := range in {
			rest := slices.DeleteFunc(slices.Clone(in), func(o Promise) bool { return o.Family == p.Family })
			if low, high := Calibrate(rest, nil).Range(p); low <= p.Real && p.Real <= high {
				inside = append(inside, p)
			}
		}
		held := float64(len(inside)) / float64(len(in))
		want := fmt.Sprintf("{Below: %.3f, Above: %.3f, Programs: %d, Held: %.3f, Width: ", all[name].Below,
			all[name].Above, len(in), held)
		if !strings.Contains(text, want) || held < 0.65 || held > 0.95 {
			t.Errorf("%q: no %s in %s", name, want, text)
		}
	}
	if wide, narrow := all["gc-pressure"], all["busy-wait"]; wide.Above-wide.Below < 2*(narrow.Above-narrow.Below) {
		t.Errorf("its errors are larger: %+v, %+v", wide, narrow)
	}
	if strings.Contains(text, "coarse-lock") {
		t.Errorf("too few families: %s", text)
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
	if len(lines) != 3 || !strings.HasPrefix(lines[1], "all  ") || !strings.HasPrefix(lines[2], "coarse-lock  30") {
		t.Errorf("%q", lines)
	}
}
