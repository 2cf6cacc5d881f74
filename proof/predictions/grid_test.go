package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
)

// TestGrids checks that every design of coffee is on both numbers of CPUs, that all numbers of workers from 1 to 12 and
// all five levels of jitter occur, and that no point occurs twice.
func TestGrids(t *testing.T) {
	grid := coffeeGrid()
	seen, designs := map[string]bool{}, map[string]int{}
	workers, jitters := map[int]int{}, map[string]int{}
	for _, c := range grid {
		seen[c.Design+c.Point.String()] = true
		designs[fmt.Sprint(c.Design, c.Point.Int("cpus"))]++
		workers[c.Point.Int("workers")]++
		jitters[c.Point.Duration("jitter").String()]++
	}
	if len(grid) < 120 || len(seen) != len(grid) || len(designs) != 2*len(coffee.Workload().Designs) ||
		len(workers) != 12 || len(jitters) != 5 {
		t.Errorf("%d points, %d of them different; %v %v %v", len(grid), len(seen), designs, workers, jitters)
	}
	for _, n := range jitters {
		if n < 20 {
			t.Errorf("jitter: %v", jitters)
		}
	}
	if n := len(shapesGrid()); n != 40 {
		t.Errorf("%d points of shapes", n)
	}
}

// TestGridRuns checks that the runs hold every Nth point once, that their options are possible, and that all trials,
// also those of the noise floor, take equally long.
func TestGridRuns(t *testing.T) {
	for _, every := range []int{1, 37} {
		c := &campaign{settings: settings{Every: every, Blocks: 5, Duration: time.Second}}
		points := 0
		names := map[string]bool{}
		for _, p := range c.gridRuns() {
			cases, err := p.options.Cases(p.workload)
			if err != nil || names[p.name] || p.options.Duration != c.Duration {
				t.Errorf("%s: trials of %v, %v", p.name, p.options.Duration, err)
			}
			if names[p.name] = true; len(p.options.CaseList) > 0 {
				points += len(cases)
			}
		}
		if want := (143+every)/every + (39+every)/every; points != want {
			t.Errorf("every %d: %d points, want %d", every, points, want)
		}
	}
}
