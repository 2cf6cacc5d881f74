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
	for _, c := range []Costs{{Wake: Quantiles(1, 2)}, {Deep: Ns(1), DeepAfter: 1}, {SpinFor: 1}, {PollGrain: 1}, {LockSpin: Ns(1)}, {Lock: Ns(1)}} {
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
