package cli

import (
	"strconv"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
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

// TestIntent checks the description of a run: it counts designs and cases, and one thing is not plural.
func TestIntent(t *testing.T) {
	point := func(cpus int) plan.Point {
		return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)})
	}
	one := []plan.Case{{Design: "locking", Point: point(1)}}
	three := []plan.Case{{Design: "locking", Point: point(1)}, {Design: "locking", Point: point(2)},
		{Design: "multi", Point: point(1)}}
	for _, c := range []struct {
		world     string
		cases     []plan.Case
		blocks    int
		precision *sweep.Precision
		want      string
	}{
		{result.Virtual, one, 1, nil, "coffee, in virtual time: 1 design, 1 replication each"},
		{result.Virtual, three[:2], 2, nil, "coffee, in virtual time: 2 cases of 1 design, 2 replications each"},
		{result.Virtual, three, 1, nil, "coffee, in virtual time: 3 cases of 2 designs, 1 replication each"},
		{result.Virtual, one, 1000, sweep.NewPrecision(0.01), "coffee, in virtual time: 1 design, " +
			"10 to 1000 replications each, until every mean is within 1%"},
		{result.Live, one, 1, nil, "coffee: 1 design, 1 block, with and without instrumentation: 2 " +
			"trials, about 90ms"},
		{result.Live, three, 6, nil, "coffee: 3 cases of 2 designs, 6 blocks, with and without instrumentation: 36 " +
			"trials, about 1.6s"},
	} {
		h := sweep.Header{Workload: "coffee", World: c.world, Precision: c.precision, Cases: c.cases, Blocks: c.blocks,
			Instrumented: c.world == result.Live, Seed: "1", Costs: "none"}
		s, err := sweep.New(coffee.Workload(), h)
		if err != nil {
			t.Fatal(err)
		}
		if got := intent(lab.Started{Header: h, Estimate: s.Estimate()}); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}

	begun := lab.Started{Header: sweep.Header{Workload: "coffee", World: result.Virtual, Cases: three, Blocks: 2},
		Estimate: sweep.Estimate{Done: 1}}
	if got, want := intent(begun), "coffee, in virtual time: 3 cases of 2 designs, 2 replications each, "+
		"1 trial done"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
