package explain

import (
	"math"
	"slices"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// TestRangeOf: a finding without a range of its own has that of all findings. A range contains the estimate, and no
// more than a program can gain.
func TestRangeOf(t *testing.T) {
	own, all := Range{Below: -1, Programs: 20, Own: true}, Range{Above: 1, Programs: 90}
	known := map[Name]Range{CoarseLock: own, allFindings: all}
	if rangeOf(known, CoarseLock) != own || rangeOf(known, LockConvoy) != all || rangeOf(nil, CoarseLock) != (Range{}) {
		t.Error("wrong range")
	}
	for name, r := range calibrated {
		if r.Programs < 20 || r.Own && name == allFindings || RangeOf(name) != r || r.Below > 0 || r.Above < 0 ||
			r.Shift < -0.5 || r.Shift > 2 || r.Held < 0.5 || r.Width <= 0 || r.Distance <= 0 || r.Distance > 0.2 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	for _, x := range []struct {
		r                   Range
		estimate, low, high float64 // of 0.5, whose spread is 0.3, with a limit of 0.9
	}{
		{Range{Below: -1, Above: 2}, 0.5, 0.2, 0.95},
		{Range{Below: 0.5, Above: 1}, 0.5, 0.5, 0.8},
		{Range{Below: -1, Above: -0.5}, 0.5, 0.2, 0.5},
		{Range{Below: -2, Above: 1}, 0.5, 0, 0.8},
		{Range{Shift: 0.6, Below: -1, Above: 0.5}, 0.65, 0.35, 0.8},
		{Range{Shift: -1.2, Below: -1, Above: 1}, 0.2, 0, 0.5},
		{Range{Shift: 2, Below: -1, Above: 1}, 0.9, 0.6, 0.95},
		{Range{Shift: -2, Below: -1, Above: 1}, 0, 0, 0.3},
	} {
		estimate, low, high := x.r.Of(Gain{Computed: 0.5, most: 0.9})
		if math.Abs(estimate-x.estimate) > 1e-9 || math.Abs(low-x.low) > 1e-9 || math.Abs(high-x.high) > 1e-9 {
			t.Errorf("%+v: %v (%v to %v)", x.r, estimate, low, high)
		}
	}
}

// TestUnbounded: without a known limit, a gain is at most 0.99. Small gains have small corrections.
func TestUnbounded(t *testing.T) {
	r := Range{Shift: 1, Above: 3}
	if estimate, _, high := r.Of(Gain{Computed: 0.5}); estimate != 0.75 || high != 0.99 {
		t.Errorf("%v to %v", estimate, high)
	}
	if estimate, _, _ := r.Of(Gain{Computed: 0.01}); math.Abs(estimate-0.0199) > 1e-9 {
		t.Error(estimate)
	}
}

// TestSpread: gains near 0 or 1 have smaller errors.
func TestSpread(t *testing.T) {
	if s := Spread(0.5); s != 0.3 || math.Abs(Spread(0.1)-0.14) > 1e-9 || math.Abs(Spread(0.9)-0.14) > 1e-9 {
		t.Errorf("%v, %v and %v", Spread(0.1), s, Spread(0.9))
	}
}

// TestPlausible: a known range replaces that of a rule.
func TestPlausible(t *testing.T) {
	var none *Gain
	r := Range{Shift: 0.6, Below: -1, Above: 0.5, Programs: 20}
	want := *newGain(0.65, 0.35, 0.8)
	want.Computed = 0.5
	if g := newGain(0.5, 0.45, 0.55).plausible(r); *g != want {
		t.Errorf("%+v", g)
	}
	if g := newGain(0.5, 0.45, 0.55).plausible(Range{Shift: 1}); *g != *newGain(0.5, 0.45, 0.55) {
		t.Errorf("unknown: %+v", g)
	}
	g := newGain(0.5, 0.45, 0.55).bounded().plausible(r)
	if want := *newGain(0.55, 0.25, 0.6); g.Estimate != want.Estimate || g.Low != want.Low || g.High != want.High ||
		g.most != 0.55 {
		t.Errorf("bounded: %+v", g)
	}
	if none.plausible(r) != nil {
		t.Error("no gain has a range")
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
	own := explainWith(nil, &c.evidence).Findings[0].Gain
	want := newGain(RangeOf(HotFunction).Of(*own))
	want.Computed = own.Estimate
	if g := Explain(&c.evidence).Findings[0].Gain; *g != *want || *own == *g {
		t.Errorf("%+v, want %+v", g, want)
	}
	c.evidence.Trace = nil
	if g := Explain(&c.evidence).Findings[0].Gain; *g != *explainWith(nil, &c.evidence).Findings[0].Gain {
		t.Errorf("without a trace: %+v", g)
	}
}

// TestBoundedGains: no correction lets a finding promise more than CPUs or a lock can give. Other gains have no limit.
func TestBoundedGains(t *testing.T) {
	most := map[Name]Range{allFindings: {Shift: 99, Above: 99, Programs: 20}}
	gain := func(c *testCase, name Name, ranges map[Name]Range) *Gain {
		found := explainWith(ranges, &c.evidence).Findings
		if i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == name }); i >= 0 {
			return found[i].Gain
		}
		return nil
	}
	bounded := []Name{SingleThreaded, SerialPhase, OneCPUPathology, CoarseLock, SaturatedResource}
	for _, x := range cases {
		rule, got := gain(x.example(), x.name, nil), gain(x.example(), x.name, most)
		if rule == nil || got == nil || x.example().evidence.Trace == nil {
			continue
		}
		limit, high := 0.99, 0.99
		if slices.Contains(bounded, x.name) {
			limit, high = rule.High, math.Min(0.99, rule.High+mostError)
		}
		if math.Abs(got.Estimate-limit) > 1e-9 || math.Abs(got.High-high) > 1e-9 || got.Computed != rule.Estimate {
			t.Errorf("%s: %+v, the rule has %+v", x.name, got, rule)
		}
	}
}

// TestCorrect: findings rank by their estimates, not by what rules compute. Too low estimates are left out.
func TestCorrect(t *testing.T) {
	a := &analysis{trace: &evidence.Trace{}, ranges: map[Name]Range{
		CoarseLock:    {Shift: 1, Programs: 20},
		BusyWait:      {Shift: -1, Programs: 20},
		allFindings:   {Programs: 20},
		GoroutineLeak: {Shift: 1, Programs: 20},
	}}
	got := rank(a.correct([]Finding{
		{Name: HotFunction, Gain: newGain(0.4, 0.3, 0.5)},
		{Name: CoarseLock, Gain: newGain(0.3, 0.2, 0.4)},
		{Name: BusyWait, Gain: newGain(0.1, 0.1, 0.1)},
		{Name: GoroutineLeak},
	}))
	if len(got) != 3 || got[0].Name != CoarseLock || got[0].Gain.Estimate != 0.51 || got[0].Gain.Computed != 0.3 ||
		got[1].Name != HotFunction || got[2].Gain != nil {
		t.Errorf("%+v", got)
	}
}

// TestQuoteGain: the experiment of a coarse lock names the final gain, if there is one.
func TestQuoteGain(t *testing.T) {
	f := Finding{Name: CoarseLock, Gain: newGain(0.5, 0.45, 0.55), Experiment: "Time should drop."}
	if f.quoteGain(); f.Experiment != "Time should drop 50%." {
		t.Error(f.Experiment)
	}
	f = Finding{Name: CoarseLock, Experiment: "Time should drop."}
	if f.quoteGain(); f.Experiment != "Time should drop." {
		t.Error(f.Experiment)
	}
}
