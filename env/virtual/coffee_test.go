package virtual_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/plan"
)

// shop runs a design of the coffee shop in a closed loop with as many workers as CPUs, for 10 s of
// virtual time after 1 s of warm-up. Settings are added to a stage of 1 ms.
func shop(t *testing.T, name string, cpus int, seed uint64, settings ...string) (load.ClosedResult, *virtual.World) {
	t.Helper()
	workload := coffee.Workload()
	d, ok := workload.Find(name)
	if !ok {
		t.Fatalf("no design %s", name)
	}
	choices := map[string]plan.Choice{"cpus": {Levels: []plan.Level{plan.IntLevel(cpus)}}}
	for _, s := range append([]string{"stage=1ms"}, settings...) {
		name, expr, _ := strings.Cut(s, "=")
		f, ok := workload.Factor(name)
		if !ok {
			t.Fatalf("no factor %s", name)
		}
		c, err := f.Parse(expr, nil)
		if err != nil {
			t.Fatal(err)
		}
		choices[name] = c
	}
	points, err := plan.Points(workload.AllFactors(), choices)
	if err != nil {
		t.Fatal(err)
	}
	p := points[0].Only(workload.FactorsOf(d))
	w := virtual.New(virtual.Config{CPUs: cpus, Seed: seed})
	var r load.ClosedResult
	left := w.Run("load", func(e env.Env) {
		s, err := d.Stream(e, p)
		if err != nil {
			t.Error(err)
			return
		}
		c := load.Closed{Op: s.Op, Workers: cpus, Warmup: time.Second, Window: 10 * time.Second, AtBegin: func() {}, AtEnd: func() {}}
		if r, err = c.Run(e); err != nil {
			t.Error(err)
		}
		if s.Close != nil {
			s.Close(e)
		}
		if _, err := s.Check(uint64(r.Total)); err != nil {
			t.Error(err)
		}
	})
	if left != nil {
		t.Error(left)
	}
	return r, w
}

// TestCoffee holds the designs to what their structure allows where nothing but the stages takes
// time: n CPUs and as many workers.
func TestCoffee(t *testing.T) {
	for _, c := range []struct {
		design     string
		throughput func(n float64) float64 // lattes a second
	}{
		{"ideal", func(n float64) float64 { return 250 * n }},
		{"locking", func(n float64) float64 { return 250 }},
		{"finelocking", func(n float64) float64 { return min(250*n, 1000) }},
	} {
		for _, n := range []int{1, 2, 3, 4, 6, 8, 16} {
			t.Run(fmt.Sprintf("%s/%d", c.design, n), func(t *testing.T) {
				r, _ := shop(t, c.design, n, 1)
				got := float64(r.Inside) / r.Window.Seconds()
				mean := r.Latency.Mean() / 1e6
				t.Log(got, mean, r.Concurrency)
				near(t, "lattes a second", got, c.throughput(float64(n)))
				near(t, "mean latency in ms", mean, 1000*float64(n)/c.throughput(float64(n)))
			})
		}
	}
	for _, design := range []string{"multi", "multipipe", "linearpipe", "splitpipe", "parsteam"} {
		for _, n := range []int{1, 2, 4, 6, 8} {
			r, w := shop(t, design, n, 1)
			t.Log(design, n, float64(r.Inside)/r.Window.Seconds(), r.Latency.Mean()/1e6, w.Operations())
		}
	}
}

// near allows a thousandth: a window of 10 s cuts operations at its edges.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > want/1000 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
