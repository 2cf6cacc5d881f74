package cli

import (
	"strconv"
	"testing"
	"time"

	"github.com/brewput/brewput/result"
)

func TestParsePrecision(t *testing.T) {
	for text, want := range map[string]float64{"1%": 0.01, "0.5%": 0.005, "0.02": 0.02, "50%": 0.5, "0.01%": 0.0001} {
		if got, err := parsePrecision(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "x", "0", "0%", "-1%", "51%", "NaN", "Inf", "1%%", strconv.Itoa(1)} {
		if got, err := parsePrecision(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestMorePrecise checks that the advice names a flag that the trials obey.
func TestMorePrecise(t *testing.T) {
	for _, c := range []struct {
		metrics    []string
		operations int64
		want       string
	}{
		{[]string{result.Throughput, result.LatencyMean}, 0, "a longer --duration"},
		{[]string{result.Throughput}, 100, "more --operations"},
		{[]string{result.WallSeconds}, 0, "--count for more replications, instead of --precision"},
		{[]string{result.Throughput, result.WallSeconds}, 100, "--count for more replications, instead of --precision"},
	} {
		if got := morePrecise(c.metrics, c.operations); got != c.want {
			t.Errorf("%v, %d operations: %q, want %q", c.metrics, c.operations, got, c.want)
		}
	}
}

// TestTimelineArgs checks that the flags in a message after an interrupt ask for the same timeline again.
func TestTimelineArgs(t *testing.T) {
	for _, c := range []struct {
		file string
		span time.Duration
		want string
	}{
		{"k.svg", defaultTimeline, "--timeline k.svg"},
		{"my k.svg", 20 * time.Millisecond, "--timeline 'my k.svg' --timeline-span 20ms"},
	} {
		if got := (&runOptions{timeline: c.file, timelineSpan: c.span}).timelineArgs(); got != c.want {
			t.Errorf("asked for again by %q, want %q", got, c.want)
		}
	}
}
