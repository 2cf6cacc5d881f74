package main

import (
	"bytes"
	"fmt"
	"strings"
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
			if o := p.options; err != nil || names[p.name] || o.Duration != c.Duration || o.Warmup != warmup {
				t.Errorf("%s: trials of %v after %v, %v", p.name, o.Duration, o.Warmup, err)
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

// TestAnnounce checks the announced time: 2 trials of each of 4 + 2 points in 5 blocks, and of 2 arms of the noise
// floor on 1 and 2 CPUs in 10 blocks. These are 140 trials of 0.935 s.
func TestAnnounce(t *testing.T) {
	var out bytes.Buffer
	c := &campaign{stdout: &out, settings: settings{Every: 37, Blocks: 5, Duration: 800 * time.Millisecond}}
	want := "4 points of coffee and 2 of other structures, 5 blocks of 800ms each: about 2m11s to measure"
	if c.announce(); !strings.HasPrefix(out.String(), want) {
		t.Error(out.String())
	}
}
