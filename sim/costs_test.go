package sim

import (
	"strings"
	"testing"
)

func TestParseCosts(t *testing.T) {
	for text, want := range map[string]string{
		"none": "none", "wake=60us": "wake=60µs", "chan=200ns, wake=1ms": "wake=1ms,chan=200ns", "lock=0s": "none",
	} {
		c, err := ParseCosts(text)
		if err != nil || c.String() != want {
			t.Errorf("%q: %v, %v", text, c, err)
		}
		if again, err := ParseCosts(c.String()); err != nil || again.String() != want {
			t.Errorf("%q does not survive: %v, %v", text, again, err)
		}
	}
	if c := Typical(); c.String() == "none" {
		t.Error("typical costs are none")
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
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCosts(text)
		if err != nil {
			return
		}
		if again, err := ParseCosts(c.String()); err != nil || again.String() != c.String() {
			t.Errorf("%q: %v, then %v (%v)", text, c, again, err)
		}
	})
}
