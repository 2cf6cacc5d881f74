package compare

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// TestMatchDesigns: matching design by design gives the same result in the same order as matching all at once.
func TestMatchDesigns(t *testing.T) {
	j := DefaultCriteria("", []string{"cpus"})
	row := func(design string, settings ...plan.Setting) Row {
		return Row{Workload: "w", World: result.Live, Design: design, Point: plan.NewPoint(settings...)}
	}
	cpus := func(n int) plan.Setting { return plan.Setting{Factor: "cpus", Level: plan.IntLevel(n)} }
	gc := func(n int) plan.Setting { return plan.Setting{Factor: "gogc", Level: plan.IntLevel(n)} }
	a := []Row{row("x", cpus(1)), row("y", cpus(1)), row("x", cpus(2)), row("new", cpus(1)), row("z", cpus(1)),
		row("y", cpus(4))}
	b := []Row{row("y", cpus(2)), row("z", cpus(1), gc(50)), row("old", cpus(1)), row("z", cpus(1), gc(100)),
		row("x", cpus(2)), row("x", cpus(1)), row("y", cpus(1))}
	wantMatches, wantA, wantB := j.match(a, b)
	matches, onlyA, onlyB := j.matchDesigns(a, b)
	if !reflect.DeepEqual(matches, wantMatches) || !reflect.DeepEqual(onlyA, wantA) ||
		!reflect.DeepEqual(onlyB, wantB) {
		t.Errorf("%v %v %v,\nwant %v %v %v", matches, onlyA, onlyB, wantMatches, wantA, wantB)
	}
	if len(matches) != 5 || len(onlyA) != 2 || len(onlyB) != 2 {
		t.Errorf("%d matches, %d and %d alone", len(matches), len(onlyA), len(onlyB))
	}
}

// TestDisturbances: these are the warnings about other processes, without those about the order of blocks.
func TestDisturbances(t *testing.T) {
	var trials []result.Trial
	for i := range 40 {
		trials = append(trials, result.Trial{Kind: result.KindTrial, Design: fmt.Sprint("d", i%2), World: result.Live,
			Status: result.OK, Expected: true, Block: i / 2,
			Point: plan.NewPoint(), Metrics: result.Metrics{result.Throughput: result.Value(100 + i*i)},
			Type: result.Stream})
	}
	names := func(list []Warning) (names []string) {
		for _, w := range list {
			names = append(names, w.Warning)
		}
		return names
	}
	if all, some := names(Warnings(trials, nil)), names(DisturbanceWarnings(trials)); !slices.Contains(all,
		WarnDrift) ||
		len(some) > 0 {
		t.Errorf("all are %v, of others %v", all, some)
	}
}
