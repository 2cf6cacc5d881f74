package main

import (
	"math"
	"slices"
	"strconv"

	"github.com/brewput/brewput/catalog"
	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/stat"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/workload"
)

// realBlocks is the number of blocks of real code. On a shared machine neighbours slow trials of a few milliseconds by
// up to 1.7x, so that six blocks know an error only to within 30%.
const realBlocks = 20

// realRuns are seven workloads of real code on one CPU and on two. Their inputs are the defaults, or large enough for a
// job to take some milliseconds.
func realRuns() []plannedRun {
	levels := func(more ...string) map[string]string {
		m := map[string]string{"cpus": "1,2"}
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	run := func(name, workload string, levels map[string]string, designs ...string) plannedRun {
		return plannedRun{name, workloadNamed(workload), lab.MeasureOptions{
			DesignOptions: lab.DesignOptions{Designs: designs, Levels: levels, Count: realBlocks}}}
	}
	return []plannedRun{
		run("sum", "sum", levels()),
		run("sort", "sort", levels(), "sequential", "branchless", "resort", "odd-even"),
		run("sort-fast", "sort", levels("rounds", "100"), "merge", "planned", "library", "merging"),
		run("lines", "lines", levels("gogc", "1000", "total", "50000")),
		run("lines-gogc", "lines", levels("total", "20000"), "sequential", "batch", "index"),
		run("parse", "parse", levels()),
		run("find", "find", levels()),
		run("mandelbrot", "mandelbrot", levels("size", "384"), "sequential", "row", "pool", "counter", "tiles",
			"stealing"),
		run("mandelbrot-fast", "mandelbrot", levels("size", "768"), "cycles", "lanes", "mirror", "overlap", "parallel",
			"png-standard", "png-serial", "png-parallel"),
		run("mandelbrot-pixel", "mandelbrot", levels("size", "96"), "pixel"),
		run("words", "words", levels("size", strconv.Itoa(20_000_000)), "buffered", "reused", "table", "swar", "chunks",
			"mmap", "read", "calls", "allocs", "scan-bytes", "scan-table", "scan-swar"),
	}
}

// workloadNamed is a workload of the catalogue, which must exist.
func workloadNamed(name string) *workload.Workload {
	w, err := workload.Find(catalog.All(), name)
	if err != nil {
		panic(err)
	}
	return w
}

// Targets of predictions of real code.
const (
	realMargin  = 0.10 // largest error of a prediction that counts as near
	realWithin  = 0.90 // least share of near predictions among those printed
	realPrinted = 0.50 // least share of cases whose prediction is printed
)

// scoreReal prints the scores of the complete runs, and returns the exit code. It decides nothing while runs are left.
func (c *campaign) scoreReal(runs map[string]*lab.Run, left int) int {
	var list []namedRows
	for _, p := range realRuns() {
		if run := runs[p.name]; run != nil {
			list = append(list, namedRows{p.name, run.Analyze().Rows})
		}
	}
	switch s := c.printReal(list); {
	case left > 0:
		return record.ExitUndecided
	case !s.meets():
		c.printf("The target is missed.\n")
		return record.ExitBroken
	}
	c.printf("The target is met.\n")
	return 0
}

// namedRows are the rows of a run.
type namedRows struct {
	name string
	rows []compare.Row
}

// predictions are those of the metric that a row is judged by first.
func (n *namedRows) predictions() (list []compare.Prediction) {
	for i := range n.rows {
		r := &n.rows[i]
		if t, ok := r.Prediction(r.PredictedMetric()); ok {
			list = append(list, t)
		}
	}
	return list
}

// realScore summarizes predictions of real code.
type realScore struct {
	cases   int
	sizes   []float64            // absolute errors of the printed predictions
	within  int                  // printed ones with an error of at most realMargin
	beyond  []compare.Prediction // printed ones with a larger error
	refused []compare.Prediction // not printed, because a condition does not hold
}

func (s *realScore) add(list []compare.Prediction) {
	for _, t := range list {
		s.cases++
		size := math.Abs(float64(t.Error))
		switch {
		case t.NotModelled != "":
			s.refused = append(s.refused, t)
			continue
		case size <= realMargin:
			s.within++
		default:
			s.beyond = append(s.beyond, t)
		}
		s.sizes = append(s.sizes, size)
	}
}

// printed is the share of cases whose prediction is printed.
func (s *realScore) printed() float64 { return float64(len(s.sizes)) / float64(s.cases) }

// near is the share of printed predictions with an error of at most realMargin.
func (s *realScore) near() float64 { return float64(s.within) / float64(len(s.sizes)) }

// meets reports whether the targets are met.
func (s *realScore) meets() bool { return s.printed() >= realPrinted && s.near() >= realWithin }

// printReal prints the score of each run and of all, each printed prediction that is off, and each refused one with its
// reason. It returns the score of all.
func (c *campaign) printReal(list []namedRows) realScore {
	var all realScore
	line := func(name string, s realScore) {
		median := math.NaN()
		if len(s.sizes) > 0 {
			median = stat.Median(slices.Clone(s.sizes))
		}
		c.printf("%-18s %3d cases, %3d printed (%s), %3d of them within %.0f%% (%s), median error %s\n", name, s.cases,
			len(s.sizes), percent(s.printed()), s.within, 100*realMargin, percent(s.near()), percent(median))
	}
	for i := range list {
		var s realScore
		s.add(list[i].predictions())
		all.add(list[i].predictions())
		line(list[i].name, s)
	}
	line("all", all)
	for _, t := range all.beyond {
		c.printf("off: %s %s (%s): %s\n", t.Workload, t.Design, t.Point, signed(float64(t.Error)))
	}
	for _, t := range all.refused {
		c.printf("not modelled: %s %s (%s): %s\n", t.Workload, t.Design, t.Point, t.NotModelled)
	}
	return all
}
