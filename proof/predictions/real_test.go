package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/internal/store"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sweep"
)

// invented is a piece of six blocks on one CPU: of each design the predicted time of a job that takes a second, and the
// share of its CPU time that the collector takes.
func invented(name string, designs map[string][2]float64) stored {
	s := stored{Name: name}
	for design, x := range designs {
		p := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)})
		s.Cases = append(s.Cases, plan.Case{Design: design, Point: p})
		for b := range 6 {
			t := result.Trial{Kind: result.KindTrial, SchemaVersion: result.SchemaVersion, Workload: name,
				Design: design, World: result.Live, Point: p, Block: b,
				Status: result.OK, Expected: true, Type: result.Job, WallSeconds: 1,
				Metrics: result.Metrics{result.WallSeconds: 1, result.CPUSeconds: 1, result.Parallelism: 1,
					"gc_cpu_seconds": result.Value(x[1])}}
			s.Measured = append(s.Measured, t)
			t.World, t.WallSeconds = result.Virtual, x[0]
			t.Metrics = result.Metrics{result.WallSeconds: result.Value(x[0]), result.CPUSeconds: 1,
				result.Parallelism: 1}
			s.Predicted = append(s.Predicted, t)
		}
	}
	s.Twin = s.Cases
	return s
}

// TestRealScore: of four cases two are printed, one of them within 10%; what is refused is in no figure and has its
// reason.
func TestRealScore(t *testing.T) {
	list := []stored{
		invented("near", map[string][2]float64{"a": {1.09, 0}, "b": {3, 0.2}}),
		invented("far", map[string][2]float64{"c": {0.89, 0}, "d": {1, 0.5}}),
	}
	var out bytes.Buffer
	s := writeScores(&out, list)
	if s.cases != 4 || len(s.sizes) != 2 || s.within != 1 || len(s.refused) != 2 || len(s.beyond) != 1 || s.kept() {
		t.Errorf("%+v", s)
	}
	for _, want := range []string{
		"near                 2 cases,   1 printed (50.0 %),   1 of them within 10% (100.0 %), median error 9.0 %",
		"all                  4 cases,   2 printed (50.0 %),   1 of them within 10% (50.0 %), median error 10.0 %",
		"off: far c (cpus=1): -11.0%",
		"not modelled: near b (cpus=1): garbage collection takes 20% of the CPU time",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
}

// TestRealTarget: half of the cases must be printed, and of these nine tenths be near.
func TestRealTarget(t *testing.T) {
	for _, c := range []struct {
		near, off, refused int
		kept               bool
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
		if s.kept() != c.kept {
			t.Errorf("%+v: kept %v", c, s.kept())
		}
	}
}

// TestPieces: what is complete is not measured again, what was begun goes on, and without time nothing begins.
func TestPieces(t *testing.T) {
	dir, said := t.TempDir(), filepath.Join(t.TempDir(), "said")
	begin := func(name string) *store.Run {
		r, err := store.Create(filepath.Join(dir, name), sweep.Header{Workload: name})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	begun, done := begin("sort"), begin("sum")
	if err := done.End(); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*store.Run{begun, done} {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	c := &realCampaign{progress: io.Discard, dir: dir,
		command: []string{"sh", "-c", `echo "$@" >> ` + strconv.Quote(said), "sh"}}
	if left, err := c.measure(t.Context()); left != len(pieces())-1 || err != nil {
		t.Errorf("without time %d are left: %v", left, err)
	}
	if _, err := os.Stat(said); err == nil {
		t.Error("something began without time")
	}
	c.limit = time.Hour
	if left, err := c.measure(t.Context()); left != len(pieces())-1 || err != nil {
		t.Errorf("%d are left of a command that measures nothing: %v", left, err)
	}
	text, err := os.ReadFile(said)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != len(pieces())-1 || lines[0] != "run --resume "+filepath.Join(dir, "sort") ||
		!strings.HasPrefix(lines[2], "run lines ") ||
		!strings.HasSuffix(lines[2],
			"--cpus 1,2 --count "+strconv.Itoa(realBlocks)+" -o "+filepath.Join(dir, "lines")) {
		t.Errorf("%q", lines)
	}
}
