package virtual_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/brewput/brewput/catalog/coffee"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/sim"
)

// listed is run of the same design as lists of operations.
func (s shop) listed(t *testing.T) (load.ClosedResult, *sim.Kernel) {
	t.Helper()
	_, p := s.point(t)
	var stretch func(int64) int64
	if s.Stretch != nil {
		stretch = func(ns int64) int64 { return int64(s.Stretch(nil, 0, time.Duration(ns))) }
	}
	k := sim.New(sim.Config{CPUs: s.CPUs, Seed: s.Seed, Costs: s.Costs, Stretch: stretch})
	lists, err := coffee.NewProgram(s.design, p, s.workers, s.Seed)
	if err != nil {
		t.Fatal(err)
	}
	c := load.Closed{Workers: s.workers, Warmup: time.Second, Window: s.window, AtBegin: func() {}, AtEnd: func() {}}
	main, result := c.Program(k, load.Lists(lists))
	k.Start(k.Goroutine(main))
	k.Run()
	if k.Err() != nil || k.Live() > 0 {
		t.Errorf("%v; %d goroutines are left", k.Err(), k.Live())
	}
	r, err := result()
	if err != nil {
		t.Error(err)
	}
	return r, k
}

// TestCoffeePrograms: the designs that there are as lists of operations decide as their Go code does.
func TestCoffeePrograms(t *testing.T) {
	for _, design := range []string{"finelocking", "linearpipe", "multi", "splitpipe"} {
		for i, settings := range []string{"", "jitter=1ms", "dist=exponential latte=300us", "dist=lognormal:0.5"} {
			switch design {
			case "multi":
				settings += fmt.Sprintf(" machines=%d", i+1)
			case "linearpipe", "splitpipe":
				settings += fmt.Sprintf(" buffer=%d", 5*i)
			}
			for _, cpus := range []int{1, 2, 4, 6, 64, sim.Unlimited} {
				for name, costs := range map[string]sim.Costs{"none": {}, "typical": sim.Typical(), "drawn": costly(),
					"rousing": rousing()} {
					t.Run(fmt.Sprintf("%s/%s/%d/%s", design, settings, cpus, name), func(t *testing.T) {
						s := shop{design: design, settings: settings, workers: 1 + 3*i*i, window: time.Second / 4}
						s.CPUs, s.Seed, s.Costs = cpus, uint64(i+cpus), costs
						go1, w := s.run(t)
						list, k := s.listed(t)
						if w.Checksum() != k.Checksum() {
							t.Errorf("checksum %#x as a list, %#x in Go", k.Checksum(), w.Checksum())
						}
						if w.Operations() != k.Ops()+1 || int64(w.Busy()) != k.Busy() { // one operation is the check's
							t.Errorf("%d operations, busy %d ns as a list; %d, %d in Go", k.Ops(), k.Busy(),
								w.Operations(), w.Busy())
						}
						if a, b := go1.Latency.Sum(), list.Latency.Sum(); a != b || go1.Total != list.Total ||
							go1.Progress != list.Progress || go1.Closed != list.Closed {
							t.Errorf("as a list %+v, in Go %+v", list, go1)
						}
					})
				}
			}
		}
	}
}

// TestStretchedPrograms: burns that are disturbed last as much longer in a list as in Go code, and the disturbance
// changes what follows.
func TestStretchedPrograms(t *testing.T) {
	for _, design := range []string{"finelocking", "linearpipe", "multi", "splitpipe"} {
		for _, costs := range []sim.Costs{{}, sim.Typical().Steady(), sim.Typical()} {
			s := shop{design: design, workers: 8, window: time.Second / 4}
			s.CPUs, s.Seed, s.Costs = 8, 1, costs
			_, plain := s.run(t)
			sums := [2]uint64{}
			for i := range sums {
				n := 0
				s.Stretch = func(*env.Task, time.Duration, time.Duration) time.Duration {
					if n++; n%100 == 7 {
						return 50 * time.Microsecond
					}
					return 0
				}
				if i == 0 {
					_, w := s.run(t)
					sums[i] = w.Checksum()
					continue
				}
				_, k := s.listed(t)
				sums[i] = k.Checksum()
			}
			if sums[0] != sums[1] || sums[0] == plain.Checksum() {
				t.Errorf("%s: checksum %#x in Go, %#x as a list, undisturbed %#x", design, sums[0], sums[1],
					plain.Checksum())
			}
		}
	}
}
