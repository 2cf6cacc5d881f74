package sweep

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/brewput/brewput/compare"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

var runsFlag = flag.Int("runs", 5, "runs of each load; many for a campaign")

// mm1 is a single server with exponential service times of mean 1 ms.
func mm1() *workload.Workload {
	stream := func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{Op: func(e env.Env, request uint64) {
			d := e.Rand().At(request, 1)
			e.Burn(time.Duration(float64(time.Millisecond) * d.Exp()))
		}}, nil
	}
	return &workload.Workload{Name: "mm1", Designs: []workload.Design{{Name: "server", Stream: stream}}}
}

// mm1Sweep returns a sweep of it under Poisson arrivals at a load, with the defaults of sim except for the window.
func mm1Sweep(rho float64, window time.Duration, seed uint64) *Sweep {
	w := mm1()
	point := plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "workers", Level: plan.IntLevel(1)},
		plan.Setting{Factor: "rate", Level: plan.FloatLevel(1000 * rho)})
	s := &Sweep{Workload: w, Store: &memory{}, Notify: func(Event) {}, Header: Header{
		Workload: w.Name, World: result.Virtual, Seed: fmt.Sprint(seed), Blocks: 10,
		Cases:    []plan.Case{{Design: "server", Point: point}},
		Settings: Settings{Duration: Duration(window), Warmup: Duration(time.Second), Sample: 1}, Costs: "none",
	}}
	s.Plan = plan.Plan{Seed: seed, Blocks: 10, Cases: s.Header.Cases}
	s.Run = func(_ context.Context, spec trial.Spec) (trial.Outcome, error) {
		return trial.Simulate(spec, w, w.Designs[0], sim.Costs{}), nil
	}
	return s
}

// interval runs the sweep and returns the interval of its mean response time.
func (s *Sweep) interval(t *testing.T) (i result.Interval, replications int) {
	if err := s.FindWarmup(t.Context()); err != nil {
		t.Error(err)
	}
	trials, err := s.Execute(t.Context())
	if err != nil {
		t.Error(err)
	}
	row := compare.Rows(trials, s.Plan.Cases)[0]
	if m := row.Metric(result.ResponseMean).Mean; m != nil {
		return *m, len(trials)
	}
	t.Errorf("no interval: %+v", trials[0])
	return result.Interval{}, len(trials)
}

// TestIntervals: 95% intervals over replications contain the mean response of M/M/1 with their confidence, both
// with a fixed number of replications and with a precision of 5%.
func TestIntervals(t *testing.T) {
	const usual = 10 * time.Second
	for _, load := range []struct {
		rho   float64
		fixed time.Duration // window with a fixed number of replications: 100 relaxation times or more
	}{{0.3, usual}, {0.7, usual}, {0.9, 2 * usual}} {
		rho := load.rho
		q, err := model.MMc(1000*rho, 1e-3, 1)
		if err != nil {
			t.Fatal(err)
		}
		truth := q.Response * 1e9
		for _, rule := range []struct {
			name      string
			precision *Precision
			window    time.Duration
			least     float64 // of 1000 runs
		}{{fmt.Sprintf("10 of %v", load.fixed), nil, load.fixed, 0.935}, {"to 5%", NewPrecision(0.05), usual, 0.92}} {
			c := coverage{t: t, truth: truth}
			c.runs(*runsFlag, func(seed uint64) *Sweep {
				s := mm1Sweep(rho, rule.window, seed)
				if s.Header.Precision = rule.precision; rule.precision != nil {
					s.Plan.Blocks = rule.precision.MaxReplications
				}
				return s
			})
			held := float64(c.held) / float64(*runsFlag)
			t.Logf("rho %.1f, %-15s: %.1f%% of %d intervals hold the truth; half a width %.2f%%, %.1f "+
				"replications, mean of all %.4f of the truth",
				rho, rule.name, 100*held, *runsFlag, 100*c.width/float64(*runsFlag),
				float64(c.replications)/float64(*runsFlag), c.sum/float64(*runsFlag)/truth)
			// Fewer runs may miss by chance: 3 standard errors of 5%.
			slack := 0.0
			if *runsFlag < 1000 {
				slack = 3 * math.Sqrt(0.05*0.95/float64(*runsFlag))
			}
			if held < rule.least-slack {
				t.Errorf("rho %.1f, %s: %.1f%% of the intervals hold the truth, want %.1f", rho, rule.name, 100*held,
					100*rule.least)
			}
		}
	}
}

// coverage counts intervals that contain the truth.
type coverage struct {
	t            *testing.T
	truth        float64
	mu           sync.Mutex
	held         int
	replications int
	width, sum   float64
}

func (c *coverage) runs(n int, sweep func(seed uint64) *Sweep) {
	var group sync.WaitGroup
	next := make(chan uint64)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for seed := range next {
				i, replications := sweep(seed).interval(c.t)
				c.mu.Lock()
				if float64(i.Low) <= c.truth && c.truth <= float64(i.High) {
					c.held++
				}
				c.width += float64(i.High-i.Low) / 2 / float64(i.Mean)
				c.sum += float64(i.Mean)
				c.replications += replications
				c.mu.Unlock()
			}
		})
	}
	for seed := range n {
		next <- uint64(seed) * 1_000_003 // replications have consecutive seeds
	}
	close(next)
	group.Wait()
}
