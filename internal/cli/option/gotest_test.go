package option

import (
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestForeignLetters checks that a shorthand that is no ASCII letter stays, for the error that names it.
func TestForeignLetters(t *testing.T) {
	flags := pflag.NewFlagSet("bench", pflag.ContinueOnError)
	flags.StringP("output", "o", "", "")
	args := []string{"-é", "-oé", "-\xff", "-", "", "-o", "-bench", "-bench"}
	want := append(slices.Clone(args[:7]), "--bench")
	if got := doubleDashes(flags, []string{"bench"}, args); !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

// TestBenchTime checks times and numbers of iterations.
func TestBenchTime(t *testing.T) {
	var d time.Duration
	var n int
	b := BenchTime{&d, &n}
	for text, want := range map[string]string{"200x": "200x", "1.5s": "1.5s"} {
		if err := b.Set(text); err != nil || b.String() != want {
			t.Errorf("%s: %v, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "x", "0x", "-3x", "1.5x", "5", "0x10x"} {
		if b.Set(text) == nil {
			t.Errorf("%q is accepted: %v", text, b)
		}
	}
}

// TestParsePercent checks limits with and without the sign.
func TestParsePercent(t *testing.T) {
	for text, want := range map[string]float64{"5%": 0.05, "5": 0.05, "0": 0, "0%": 0, "0.5%": 0.005, "2.5": 0.025,
		"1000": 10} {
		if got, err := ParsePercent("limit", text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "0.05", "-1%", "1001%", "5%%", "five", "0x5", "NaN", "inf%"} {
		if got, err := ParsePercent("limit", text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}
