package intent

import (
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// TestShortBudget checks that a budget that ends before the first interim analysis is reported with one that suffices.
func TestShortBudget(t *testing.T) {
	h := &sweep.Header{Rule: &sweep.BudgetRule{Budget: sweep.Duration(time.Minute), InterimBlocks: []int{10, 15}}}
	const want = "; this is enough for about 9 of the 10 blocks before the first interim analysis, so nothing can be " +
		"decided: give --budget 1m10s or more"
	if got := budget(h, sweep.Estimate{Block: 6400 * time.Millisecond}); !strings.HasSuffix(got, want) {
		t.Errorf("got %q", got)
	}
	if got := budget(h, sweep.Estimate{Block: 6 * time.Second}); strings.Contains(got, "--budget") {
		t.Errorf("got %q", got)
	}
}

// TestDesigns checks the description of a run: it counts designs and cases, and one thing is not plural.
func TestDesigns(t *testing.T) {
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
		if got := designs(lab.Started{Header: h, Estimate: s.Estimate()}); got != c.want {
			t.Errorf("%q\nwant %q", got, c.want)
		}
	}

	begun := lab.Started{Header: sweep.Header{Workload: "coffee", World: result.Virtual, Cases: three, Blocks: 2},
		Estimate: sweep.Estimate{Done: 1}}
	if got, want := designs(begun), "coffee, in virtual time: 3 cases of 2 designs, 2 replications each, "+
		"1 trial done"; got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}
