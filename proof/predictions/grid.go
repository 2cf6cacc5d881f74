package main

import (
	"strconv"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/proof/aatest"
	"github.com/brewput/brewput/workload"
)

// warmup precedes the measured time of each trial.
const warmup = 100 * time.Millisecond

// The noise floor is measured at each of noiseCPUs in noiseBlocks blocks.
const noiseBlocks = 10

var noiseCPUs = []int{1, 2}

// gridRuns are the runs of make twin: the noise floor, then the designs of coffee, then those of the other shapes. A
// run holds the points of one design, so that a block takes less than half a minute.
func (c *campaign) gridRuns() []plannedRun {
	var list []plannedRun
	for _, cpus := range noiseCPUs {
		w := aatest.Double(burner())
		list = append(list, plannedRun{noiseName(cpus), w, lab.MeasureOptions{NoPredictions: true,
			DesignOptions: lab.DesignOptions{Levels: map[string]string{"cpus": strconv.Itoa(cpus)}, Seed: &c.Seed,
				Count: noiseBlocks, Duration: c.Duration, Warmup: warmup}}})
	}
	list = append(list, c.runsOf(coffee.Workload(), coffeeGrid())...)
	return append(list, c.runsOf(shapes(), shapesGrid())...)
}

func noiseName(cpus int) string { return "noise-" + strconv.Itoa(cpus) }

// runsOf divides every Nth case of a grid into runs by design.
func (c *campaign) runsOf(w *workload.Workload, grid []plan.Case) []plannedRun {
	byDesign := map[string][]plan.Case{}
	for i := 0; i < len(grid); i += c.Every {
		byDesign[grid[i].Design] = append(byDesign[grid[i].Design], grid[i])
	}
	var list []plannedRun
	for _, d := range w.Designs {
		if cases := byDesign[d.Name]; len(cases) > 0 {
			list = append(list, plannedRun{w.Name + "-" + d.Name, w, lab.MeasureOptions{Cost: c.Cost,
				DesignOptions: lab.DesignOptions{CaseList: cases, Count: c.Blocks, Duration: c.Duration,
					Warmup: warmup, Seed: &c.Seed}}})
		}
	}
	return list
}

// coffeeGrid is every design on 1 and 2 CPUs at six numbers of workers, alternately the odd and the even ones from 1 to
// 12. The jitter takes turns from 0 to 2 ms. These are 144 points that spread over 720.
func coffeeGrid() []plan.Case {
	jitters := []time.Duration{0, 500 * time.Microsecond, time.Millisecond, 1500 * time.Microsecond,
		2 * time.Millisecond}
	var cases []plan.Case
	for i, d := range coffee.Workload().Designs {
		for _, cpus := range []int{1, 2} {
			for k := range 6 {
				workers := 1 + 2*k + (i+cpus)%2
				jitter := plan.Setting{Factor: "jitter", Level: plan.DurationLevel(jitters[(i+k+3*cpus)%len(jitters)])}
				cases = append(cases, newCase(d.Name, cpus, workers, jitter))
			}
		}
	}
	return cases
}

// shapesGrid is every shape on 1 and 2 CPUs with 1, 2, 4 and 8 workers.
func shapesGrid() []plan.Case {
	var cases []plan.Case
	for _, d := range shapes().Designs {
		for _, cpus := range []int{1, 2} {
			for _, workers := range []int{1, 2, 4, 8} {
				cases = append(cases, newCase(d.Name, cpus, workers))
			}
		}
	}
	return cases
}

// newCase is a design at a point, whose other factors have their defaults.
func newCase(design string, cpus, workers int, more ...plan.Setting) plan.Case {
	point := []plan.Setting{{Factor: "cpus", Level: plan.IntLevel(cpus)},
		{Factor: "workers", Level: plan.IntLevel(workers)}}
	return plan.Case{Design: design, Point: plan.NewPoint(append(point, more...)...)}
}
