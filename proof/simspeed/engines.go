package main

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/sim"
)

// engine runs M/M/1. floor is the least ratio of its speed to that of the first engine.
type engine struct {
	name  string
	run   func(seed uint64) (outcome, error)
	floor float64
}

// mm1 returns the engines of this module for M/M/1.
func mm1(customers int) []engine {
	coroutines := func(cpus int, keyed bool) func(uint64) (outcome, error) {
		return func(seed uint64) (outcome, error) {
			return (&queue{customers: customers, seed: seed, keyed: keyed}).simulate(cpus)
		}
	}
	lists := func(cpus int) func(uint64) (outcome, error) {
		return func(seed uint64) (outcome, error) { return (&queue{customers: customers, seed: seed}).list(cpus) }
	}
	return []engine{
		{machine(sim.Unlimited), coroutines(sim.Unlimited, false), 35}, {machine(4), coroutines(4, false), 20},
		{"unlimited, env's draws", coroutines(sim.Unlimited, true), 0},
		{"lists, unlimited CPUs", lists(sim.Unlimited), 90}, {"lists, rules, 4 CPUs", lists(4), 50},
	}
}

// speed runs M/M/1, and then many goroutines that only burn.
func (b *bench) speed(p *peers) error {
	m := model{number: b.customers / 5} // many short runs, because a shared machine may be slow for seconds
	if err := b.race(m, append(p.engines(m), mm1(m.number)...),
		fmt.Sprintf("M/M/1 at a load of %v, %d customers, medians of %d alternating runs; in theory the mean time "+
			"in the system is %v",
			load, m.number, b.rounds, theory), "customer"); err != nil {
		return err
	}
	for _, n := range []int{1000, 10_000} {
		m := model{processes: n, number: b.customers / n * n}
		lists := engine{"lists, unlimited CPUs", m.byLists, 40}
		if err := b.race(m, append(p.engines(m), lists),
			fmt.Sprintf("%d goroutines that only burn, for exponential times of mean 1, %d burns in all",
				n, m.number), "event"); err != nil {
			return err
		}
	}
	h := host.Read()
	on := "unknown CPU"
	if h.CPUModel != nil {
		on = *h.CPUModel
	}
	b.printf("\n%s, %d CPUs, %s/%s, %s; %s\n", on, h.CPUs, h.GOOS, h.GOARCH, runtime.Version(),
		strings.Join(p.versions, ", "))
	return nil
}

// race alternates between engines, each for its time, in several rounds. A ratio compares times of the same round,
// within which the clock of the machine drifts little. race judges the median of these ratios.
func (b *bench) race(m model, engines []engine, what, each string) error {
	all := make([][]outcome, len(engines))
	for round := range b.rounds {
		for i, e := range engines {
			o, err := e.often(uint64(round+1), int64(m.number), b.least)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", m.name(), e.name, err)
			}
			all[i] = append(all[i], o)
		}
	}
	b.printf("\n%s\n%-24s %12s %17s %12s %7s %7s\n", what, "", "ns/"+each, "min to max", each+"s/s", "ratio", "mean")
	for i, e := range engines {
		b.row(e, all[i], all[0], m.number)
	}
	return nil
}

// often repeats an engine until its time is over, and returns the mean run.
func (e engine) often(seed uint64, number int64, least time.Duration) (o outcome, err error) {
	began, took := time.Now(), time.Duration(0)
	for n := 1; ; n++ {
		runtime.GC() // so that it does not collect the garbage of the previous run
		if o, err = e.run(seed); err != nil {
			return o, err
		}
		if o.served != number {
			return o, fmt.Errorf("%d of %d were served", o.served, number)
		}
		if took += o.took; time.Since(began) >= least {
			o.took = took / time.Duration(n)
			return o, nil
		}
	}
}

// row prints the runs of one engine, compared with those of the first.
func (b *bench) row(e engine, runs, first []outcome, number int) {
	var ns, ratios []float64
	mean := 0.0
	for i, o := range runs {
		ns = append(ns, float64(o.took)/float64(number))
		ratios = append(ratios, float64(first[i].took)/float64(o.took))
		mean += o.mean / float64(len(runs))
	}
	verdict := ""
	if ratio := median(ratios); e.floor > 0 {
		verdict = b.judge(e.name, ratio >= e.floor, fmt.Sprintf("%vx", e.floor))
	}
	b.printf("%-24s %12.0f %17s %12.0f %6.1fx %7.3f  %s\n", e.name, median(ns),
		fmt.Sprintf("%.0f to %.0f", slices.Min(ns), slices.Max(ns)),
		1e9/median(ns), median(ratios), mean, verdict)
}

// median returns the median of an odd number of values.
func median(values []float64) float64 { return slices.Sorted(slices.Values(values))[len(values)/2] }
