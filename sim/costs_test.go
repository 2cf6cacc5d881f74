package sim

import (
	"reflect"
	"strings"
	"testing"
)

func TestParseCosts(t *testing.T) {
	for text, want := range map[string]string{
		"none": "none", "wake=60us": "wake=60µs", "chan=200ns, wake=1ms": "wake=1ms,chan=200ns", "lock=0s": "none",
		"spin=0s,wake=60us": "wake=60µs", "spin=1us,lock=5ns": "spin=1µs,lock=5ns",
	} {
		c, err := ParseCosts(text)
		if err != nil || c.String() != want {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		survives(t, c)
	}
	if c := Typical(); c.String() == "none" {
		t.Error("typical costs are none")
	}
	survives(t, Typical())
	for _, c := range []Costs{{Wake: Quantiles(1, 2)}, {Deep: Ns(1), DeepAfter: 1}, {SpinFor: 1}, {LockSpin: Ns(1)}, {Lock: Ns(1)}} {
		if again, err := ParseCosts(c.String()); err == nil {
			t.Errorf("%+v has a text, %v, that stands for %+v", c, c, again)
		}
	}
	for text, want := range map[string]string{
		"": "is not a cost", "wake": `"wake" is not a cost`, "wale=1us": `no cost "wale"; there are wake`, "wake=60": `"60" is not a time`,
		"wake=-1us": "out of range", "wake=2s": "out of range", "wake=1us,wake=2us": "twice",
	} {
		if _, err := ParseCosts(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParseCosts(f *testing.F) {
	f.Add("wake=60us,chan=1ns")
	f.Add("spin=0s,wake=60us")
	f.Add("lock=5ns,spin=1us")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCosts(text)
		if err != nil {
			return
		}
		survives(t, c)
	})
}

// survives is that costs are the same after they were written and read.
func survives(t *testing.T, c Costs) {
	t.Helper()
	if again, err := ParseCosts(c.String()); err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%+v is written as %v and read as %+v (%v)", c, c, again, err)
	}
}

func TestScaledCosts(t *testing.T) {
	c := Costs{Wake: Ns(15), Deep: Quantiles(10, 31), DeepAfter: 5, Chan: Quantiles(2, 8, 20), SpinFor: 100}
	if got := strings.Join(c.Names(), " "); got != "wake chan" {
		t.Errorf("the costs are %s", got)
	}
	was := Costs{Wake: Ns(15), Deep: Quantiles(10, 31), DeepAfter: 5, Chan: Quantiles(2, 8, 20), SpinFor: 100}
	for name, want := range map[string]Costs{
		"wake": {Wake: Ns(7), Deep: Quantiles(5, 15), DeepAfter: 5, Chan: was.Chan, SpinFor: 100},
		"chan": {Wake: was.Wake, Deep: was.Deep, DeepAfter: 5, Chan: Quantiles(1, 4, 10), SpinFor: 100},
		"lock": was,
	} {
		if got := c.Scaled(name, 1, 2); !reflect.DeepEqual(got, want) {
			t.Errorf("half of %s: %+v", name, got)
		}
	}
	if !reflect.DeepEqual(c, was) {
		t.Errorf("the costs themselves have become %+v", c)
	}
	if got := Typical().Scaled("steal", 2, 1).Steal; !reflect.DeepEqual(got, Ns(180_000)) {
		t.Errorf("twice the steal is %+v", got)
	}
}
