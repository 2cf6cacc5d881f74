package explain

import "testing"

// TestRangeOf: a finding without a range of its own has that of all findings. A range contains the estimate, and no
// more than a program can gain.
func TestRangeOf(t *testing.T) {
	own, all := Range{Below: -1, Programs: 20, Own: true}, Range{Above: 1, Programs: 90}
	known := map[Name]Range{CoarseLock: own, allFindings: all}
	if rangeOf(known, CoarseLock) != own || rangeOf(known, LockConvoy) != all || rangeOf(nil, CoarseLock) != (Range{}) {
		t.Error("wrong range")
	}
	for name, r := range calibrated {
		if r.Programs < 20 || r.Own != (name != allFindings) || RangeOf(name) != r || r.Below > r.Above ||
			r.Held < 0.5 || r.Width <= 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, x := range []struct {
		r                   Range
		estimate, low, high float64
	}{
		{Range{Below: -1, Above: 2}, 0.5, 0.2, 0.99},
		{Range{Below: -1, Above: 0.5}, 0.5, 0.2, 0.65},
		{Range{Below: 0.5, Above: 1}, 0.5, 0.5, 0.8},
		{Range{Below: -1, Above: -0.5}, 0.5, 0.2, 0.5},
		{Range{Below: -2, Above: 1}, 0.1, 0, 0.24},
	} {
		low, high := x.r.Of(x.estimate)
		if low < x.low-1e-9 || low > x.low+1e-9 || high < x.high-1e-9 || high > x.high+1e-9 {
			t.Errorf("%+v of %v: %v to %v", x.r, x.estimate, low, high)
		}
	}
}

// TestPlausible: a known range replaces that of a rule.
func TestPlausible(t *testing.T) {
	var none *Gain
	r := Range{Below: -1, Above: 0.5, Programs: 20}
	if g := newGain(0.5, 0.45, 0.55).plausible(r); *g != *newGain(0.5, 0.2, 0.65) {
		t.Errorf("%+v", g)
	}
	if g := newGain(0.5, 0.45, 0.55).plausible(Range{Below: -1}); *g != *newGain(0.5, 0.45, 0.55) {
		t.Errorf("unknown: %+v", g)
	}
	if none.plausible(r) != nil {
		t.Error("no gain has a range")
	}
	f := Finding{Name: CoarseLock, Gain: newGain(0.5, 0.45, 0.55)}
	if f.quantify(r); *f.Gain != *newGain(0.5, 0.2, 0.65) {
		t.Errorf("%+v", f.Gain)
	}
	a := &analysis{}
	if a.rangeOf(CoarseLock) != (Range{}) {
		t.Error("without a trace")
	}
}

// TestExplainCalibrates: gains of a program with a trace have plausible ranges.
func TestExplainCalibrates(t *testing.T) {
	c := wideCase()
	c.evidence.Program.Source = sourceOf("package main\nfunc f() {\nb, _ := json.Marshal(terms)\nuse(b)\n}\n" +
		"var terms = load()")
	c.cpu(200, "encoding/json.Marshal", "main.f:3", "net/http.(*conn).serve")
	g := Explain(&c.evidence).Findings[0].Gain
	if low, high := RangeOf(HotFunction).Of(g.Estimate); *g != *newGain(g.Estimate, low, high) {
		t.Errorf("%+v, want %v to %v", g, low, high)
	}
	if own := explainWith(nil, &c.evidence).Findings[0].Gain; *own == *g || own.Estimate != g.Estimate {
		t.Errorf("%+v and %+v", own, g)
	}
	c.evidence.Trace = nil
	if g := Explain(&c.evidence).Findings[0].Gain; *g != *explainWith(nil, &c.evidence).Findings[0].Gain {
		t.Errorf("without a trace: %+v", g)
	}
}
