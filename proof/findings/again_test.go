package findings

import (
	"strings"
	"testing"

	"github.com/brewput/brewput/explain"
)

// first is a first finding with an estimate and a range around it, or without a gain.
func first(name explain.Name, estimate, low, high float64) explain.Finding {
	f := explain.Finding{Name: name}
	if high > 0 {
		f.Gain = &explain.Gain{Estimate: estimate, Low: low, High: high}
	}
	return f
}

// word is an answer of Again.
func word(yes, known bool) string {
	switch {
	case !known:
		return "unknown"
	case yes:
		return "yes"
	}
	return "no"
}

// TestAgain: answers agree if the first findings of those with enough evidence are the same, and if each estimate is in
// the range of every other.
func TestAgain(t *testing.T) {
	lock, wait := first("coarse-lock", 0.4, 0.3, 0.5), first("busy-wait", 0.4, 0.3, 0.5)
	few := first(explain.TooFewSamples, 0, 0, 0)
	for name, x := range map[string]struct {
		first      []explain.Finding
		same, kept string
	}{
		"one":      {[]explain.Finding{lock}, "unknown", "unknown"},
		"same":     {[]explain.Finding{lock, lock, lock}, "yes", "yes"},
		"other":    {[]explain.Finding{lock, lock, wait}, "no", "yes"},
		"thin":     {[]explain.Finding{few, lock, few, lock}, "yes", "yes"},
		"all thin": {[]explain.Finding{few, few}, "unknown", "unknown"},
		"no gain":  {[]explain.Finding{lock, first("coarse-lock", 0, 0, 0)}, "yes", "unknown"},
		"near":     {[]explain.Finding{lock, first("coarse-lock", 0.5, 0.4, 0.6)}, "yes", "yes"},
		"above":    {[]explain.Finding{lock, first("coarse-lock", 0.51, 0.4, 0.6)}, "yes", "no"},
		"below":    {[]explain.Finding{lock, first("coarse-lock", 0.45, 0.41, 0.5)}, "yes", "no"},
	} {
		a := Again{name, x.first}
		if got := word(a.Same()); got != x.same {
			t.Errorf("%s: same: %s", name, got)
		}
		if got := word(a.Kept()); got != x.kept {
			t.Errorf("%s: kept: %s", name, got)
		}
	}
	list := []Again{{"z/fixed", []explain.Finding{few}}, {"a/sick1", []explain.Finding{lock, lock}},
		{"b/sick1", []explain.Finding{lock, wait}},
		{"c/sick1", []explain.Finding{few, first("coarse-lock", 0.9, 0.8, 0.95), lock}}}
	moved := lock
	moved.Where = []string{"main.go:7"}
	if p := NewAgreement([]Again{{"a", []explain.Finding{lock, moved}}, {"b", []explain.Finding{moved, few, moved}},
		{"c", []explain.Finding{lock, wait}}}).Placed; p.Hits != 1 || p.Total != 2 {
		t.Errorf("placed: %+v", p)
	}
	a := NewAgreement(list)
	if a.Answers != 3 || a.Same.Hits != 2 || a.Same.Total != 3 || a.Kept.Hits != 2 || a.Kept.Total != 3 ||
		a.Thin.Hits != 2 || a.Thin.Total != 8 {
		t.Errorf("%+v", a)
	}
	for _, target := range a.Targets() {
		if target.Met || !target.Known {
			t.Errorf("%+v", target)
		}
	}
	if met := NewAgreement(list[:2]).Targets(); !met[0].Met || !met[1].Met {
		t.Errorf("%+v", met)
	}
	if none := NewAgreement(nil).Targets(); none[0].Known || none[1].Known {
		t.Errorf("%+v", none)
	}
	text := AgreementTable(list)
	for _, want := range []string{"b/sick1  2        coarse-lock 40; busy-wait 40\n",
		"c/sick1  3        too-few-samples -; coarse-lock 90 40\n",
		"4 programs, 3 answers each: the same first finding in 0.67"} {
		if !strings.Contains(text, want) || strings.Contains(text, "a/sick1") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
