// Command simspeed measures the speed of the simulator: make bench-sim. It times goroutines as coroutines and as lists
// of operations. It compares M/M/1 and many goroutines with SimPy and other simulators in alternating runs. It measures
// the coffee shop on 1024 CPUs, two replications at once, allocations, and the memory of a million goroutines. It takes
// 7 minutes. It exits with 1 if a result is below its lower bound (floor), and with 4 if something failed.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/brewput/brewput/sim"
)

//go:embed peer.py
var program string

func main() {
	python := flag.String("python", "", "a Python that has SimPy")
	rust := flag.String("peers", "", "program with the simulators in Rust; without it they are skipped")
	customers := flag.Int("customers", 1_000_000, "customers of M/M/1; a fifth of them in each run of a comparison")
	goroutines := flag.Int("blocked", 0, "print only the memory of this number of goroutines "+
		"that are blocked in Recv")
	cpus := flag.Int("cpus", sim.Unlimited, "with -blocked: virtual CPUs; -1 is unlimited")
	only := flag.String("part", everything, "only these parts, separated by commas")
	lists := flag.Bool("lists", false, "with -blocked: goroutines as lists of operations")
	profile := flag.String("cpuprofile", "", "only write a CPU profile of the simulator to this "+
		"file")
	flag.Parse()
	if flag.NArg() > 0 || *goroutines == 0 && *profile == "" && (*python == "" || *customers < 1000) {
		fmt.Fprintln(os.Stderr, "benchsim: give -python the path of a Python with SimPy, at least 1000 -customers, "+
			"and no other argument")
		os.Exit(2)
	}
	if *goroutines > 0 {
		peak, err := blocked(*goroutines, *cpus, *lists)
		if err != nil {
			fail(err)
		}
		fmt.Println(peak)
		return
	}
	b := &bench{out: os.Stdout, customers: *customers, rounds: 11, least: time.Second}
	if *profile != "" {
		if err := b.profile(*profile); err != nil {
			fail(err)
		}
		return
	}
	p := &peers{python: *python, rust: *rust}
	if p.rust == "" {
		fmt.Println("desru and nexosim are skipped, because -peers is missing")
	}
	runs, err := b.parts(*only, p)
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchsim:", err)
		os.Exit(2)
	}
	for _, run := range runs {
		if err := run(); err != nil {
			fail(err)
		}
	}
	if len(b.missed) > 0 {
		fmt.Printf("\nLower bounds missed, of %s: %q\n", *only, b.missed)
		os.Exit(1)
	}
	fmt.Printf("\nAll lower bounds of %s are met.\n", *only)
}

// parts returns the parts of a list of names.
func (b *bench) parts(names string, p *peers) (runs []func() error, err error) {
	all := map[string]func() error{"speed": func() error { return b.speed(p) }, "steady": b.steady,
		"replications": b.replications, "coffee": b.coffee, "memory": b.memory}
	for name := range strings.SplitSeq(names, ",") {
		run := all[name]
		if run == nil {
			return nil, fmt.Errorf("-part: there is no part %q; the parts are %s", name, everything)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// everything lists all parts, the default of -part.
const everything = "speed,steady,replications,coffee,memory"

func fail(err error) {
	fmt.Fprintln(os.Stderr, "benchsim:", err)
	os.Exit(4)
}

// bench prints measurements, and keeps the names of missed floors.
type bench struct {
	out       io.Writer
	customers int
	rounds    int
	// least is the shortest time of an engine in each round. A run of a tenth of a second would meet other conditions
	// of the machine than one of ten seconds.
	least  time.Duration
	missed []string
}

func (b *bench) printf(format string, args ...any) { fmt.Fprintf(b.out, format, args...) }

// judge records a missed floor, and returns a remark for the end of a line.
func (b *bench) judge(what string, kept bool, floor string) string {
	if kept {
		return "floor " + floor + ": kept"
	}
	b.missed = append(b.missed, what)
	return "floor " + floor + ": MISSED"
}

// steady counts the allocations of a run after a tenth of its customers have left.
func (b *bench) steady() error {
	b.printf("\nAllocations after the first tenth of %d customers, with two events each\n", b.customers)
	for _, e := range []struct {
		name string
		run  func(*queue) (outcome, error)
	}{
		{machine(sim.Unlimited), func(q *queue) (outcome, error) { return q.simulate(sim.Unlimited) }},
		{machine(4), func(q *queue) (outcome, error) { return q.simulate(4) }},
		{"lists, unlimited CPUs", func(q *queue) (outcome, error) { return q.list(sim.Unlimited) }},
		{"lists, rules, 4 CPUs", func(q *queue) (outcome, error) { return q.list(4) }},
	} {
		first, last := b.customers/10, b.customers-1
		var before, after runtime.MemStats
		q := &queue{customers: b.customers, seed: 1, at: func(customer int) {
			switch customer {
			case first:
				runtime.ReadMemStats(&before)
			case last:
				runtime.ReadMemStats(&after)
			}
		}}
		if _, err := e.run(q); err != nil {
			return err
		}
		n, events := after.Mallocs-before.Mallocs, 2*(last-first)
		each := float64(n) / float64(events)
		b.printf("%-24s %d in %d events: %.6f an event  %s\n", e.name, n, events, each,
			b.judge("allocations, "+e.name, each < 1e-4, "0.0001"))
	}
	return nil
}

// machine names an operating system and a processor.
func machine(cpus int) string {
	if cpus == sim.Unlimited {
		return "unlimited CPUs"
	}
	return fmt.Sprintf("rules of Go, %d CPUs", cpus)
}

// brewed are the timed designs of the coffee shop.
var brewed = []string{"ideal", "locking", "finelocking", "multi", "linearpipe"}

// coffee simulates 10,000 concurrent requests on 1024 CPUs for 10 s of virtual time.
func (b *bench) coffee() error {
	const cpus, workers, window, limit = 1024, 10_000, 10 * time.Second, 20 * time.Second
	b.printf("\nCoffee on %d CPUs with %d workers for %v of virtual time, typical costs\n", cpus, workers, window)
	for _, design := range brewed {
		began := time.Now()
		lattes, operations, err := serve(design, cpus, workers, window)
		if err != nil {
			return fmt.Errorf("coffee, %s: %w", design, err)
		}
		took := time.Since(began)
		b.printf("%-24s %6.2f s, %d lattes, %d operations  %s\n", design, took.Seconds(), lattes, operations,
			b.judge("coffee "+design, took < limit, fmt.Sprintf("%v s", limit.Seconds())))
	}
	return nil
}

// memory measures a million blocked goroutines, in processes of their own.
func (b *bench) memory() error {
	const n = 1_000_000
	b.printf("\nMemory of a process with %d goroutines blocked in Recv, at its peak\n", n)
	for _, way := range []struct {
		name  string
		cpus  int
		lists bool
		limit float64
	}{
		{machine(sim.Unlimited), sim.Unlimited, false, 4.5e9}, {machine(4), 4, false, 4.5e9},
		{"lists, unlimited CPUs", sim.Unlimited, true, 1e9}, {"lists, rules, 4 CPUs", 4, true, 1e9},
	} {
		peak, err := blockedApart(n, way.cpus, way.lists)
		if err != nil {
			return err
		}
		b.printf("%-24s %.2f GB, %.0f bytes each  %s\n", way.name, float64(peak)/1e9, float64(peak)/n,
			b.judge("memory, "+way.name, float64(peak) < way.limit, fmt.Sprintf("%g GB", way.limit/1e9)))
	}
	return nil
}
