package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/lab"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
)

// invented returns the rows of six blocks on one CPU, of jobs that take a second. Each design has its predicted time
// and the share of its CPU time that the garbage collector takes.
func invented(name string, designs map[string][2]float64) namedRows {
	var measured, predicted []result.Trial
	var cases []plan.Case
	for design, x := range designs {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
		cases = append(cases, plan.Case{Design: design, Point: p})
		for b := range 6 {
			t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: name,
				Design: design, World: result.Live, Point: p, Block: b,
				Status: result.OK, Expected: true, Type: result.Job, WallSeconds: 1,
				Metrics: result.Metrics{result.WallSeconds: 1, result.CPUSeconds: 1, result.Parallelism: 1,
					"gc_cpu_seconds": result.Value(x[1])}}
			measured = append(measured, t)
			t.World, t.WallSeconds = result.Virtual, x[0]
			t.Metrics = result.Metrics{result.WallSeconds: result.Value(x[0]), result.CPUSeconds: 1,
				result.Parallelism: 1}
			predicted = append(predicted, t)
		}
	}
	return namedRows{name, lab.Analyze(measured, lab.AnalyzeOptions{Cases: cases, Predictions: predicted,
		PredictedCases: cases}).Rows}
}

// TestRealScore prints two of four cases, one of them within 10%. Refused predictions are in no figure and have a
// reason.
func TestRealScore(t *testing.T) {
	list := []namedRows{
		invented("near", map[string][2]float64{"a": {1.09, 0}, "b": {3, 0.2}}),
		invented("far", map[string][2]float64{"c": {0.89, 0}, "d": {1, 0.5}}),
	}
	var out bytes.Buffer
	s := (&campaign{stdout: &out}).printReal(list)
	if s.cases != 4 || len(s.sizes) != 2 || s.within != 1 || len(s.refused) != 2 || len(s.beyond) != 1 || s.meets() {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{
		"near                 2 cases,   1 printed (50.0%),   1 of them within 10% (100.0%), median error 9.0%",
		"all                  4 cases,   2 printed (50.0%),   1 of them within 10% (50.0%), median error 10.0%",
		"off: far c (cpus=1): -11.0%",
		"not modelled: near b (cpus=1): garbage collection takes 20% of the CPU time",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// TestRealTarget checks that half of the cases must be printed, and nine tenths of these be near.
func TestRealTarget(t *testing.T) {
	for _, c := range []struct {
		near, off, refused int
		meets              bool
	}{{9, 1, 10, true}, {9, 1, 11, false}, {8, 1, 0, false}, {1, 0, 1, true}, {0, 0, 1, false}, {0, 0, 0, false}} {
		var s realScore
		for range c.near {
			s.add([]compare.Prediction{{Error: -0.1}})
		}
		for range c.off {
			s.add([]compare.Prediction{{Error: 0.101}})
		}
		for range c.refused {
			s.add([]compare.Prediction{{Error: result.Unavailable, NotModelled: "why"}})
		}
		if s.meets() != c.meets {
			t.Errorf("%+v: meets %v", c, s.meets())
		}
	}
}
