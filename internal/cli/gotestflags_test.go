package cli

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestDoubleDashes checks that flags of go test are rewritten for bench and gate, and nothing else is: no value, no
// shorthand, and nothing of other verbs or after two dashes.
func TestDoubleDashes(t *testing.T) {
	for args, want := range map[string]string{
		"bench -bench Encode -count 5 -cpu 1,2 -benchtime 100ms ./codec": "bench --bench Encode --count 5 --cpu 1,2 " +
			"--benchtime 100ms ./codec",
		"bench -bench=. -benchmem -run=^$ -benchtime=200x": "bench --bench=. --benchmem --run=^$ --benchtime=200x",
		"gate --base main -count=9":                        "gate --base main --count=9",
		"bench --bench -count -count 5":                    "bench --bench -count --count 5",
		"bench -o -bench -bench X":                         "bench -o -bench --bench X",
		"bench -qo -bench -bench X":                        "bench -qo -bench --bench X",
		"bench -obench -q -v":                              "bench -obench -q -v",
		"bench --bench=x -count 3":                         "bench --bench=x --count 3",
		"bench -qv -cpu 2 -- -bench":                       "bench -qv --cpu 2 -- -bench",
		"bench bench count":                                "bench bench count",
		"-q bench -count 3":                                "-q bench --count 3",
		"run coffee -count 3":                              "run coffee -count 3",
		"bench - -x -benchx":                               "bench - -x -benchx",
	} {
		got := doubleDashes((&app{}).root(), strings.Fields(args))
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q, not %q", args, got, want)
		}
	}
}

// TestBenchTime checks times and numbers of iterations.
func TestBenchTime(t *testing.T) {
	var d time.Duration
	var n int
	b := benchTime{&d, &n}
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
		if got, ok := parsePercent(text); !ok || got != want {
			t.Errorf("%s: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "%", "0.05", "-1%", "1001%", "5%%", "five", "0x5", "NaN", "inf%"} {
		if got, ok := parsePercent(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
}
