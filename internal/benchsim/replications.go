package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/sim"
)

// replications runs one replication of M/M/1, and then two at once. The first row is what the machine has to give: CPUs that
// share a core, or a clock that falls when both work, give less than two.
func (b *bench) replications() error {
	b.printf("\nTwo replications of M/M/1 at once, beside one\n")
	if runtime.GOMAXPROCS(0) < 2 {
		b.printf("unavailable: this process has one CPU  %s\n", b.judge("replications", false, "1.8x"))
		return nil
	}
	if err := b.replicate("arithmetic alone", 0, arithmetic); err != nil {
		return err
	}
	for _, cpus := range []int{sim.Unlimited, 4} {
		if err := b.replicate(machine(cpus), 1.8, func(seed uint64) error {
			_, err := (&queue{customers: b.customers, seed: seed}).simulate(cpus)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// replicate prints how many times as fast two runs at once are; a floor of 0 is none.
func (b *bench) replicate(name string, floor float64, run func(seed uint64) error) error {
	var ratios []float64
	for round := range 15 { // short ones: many, because the clock of a shared machine moves
		var took [3]time.Duration // the pair stands between two alone, so that a drift takes from neither
		for i, n := range []int{1, 2, 1} {
			var err error
			if took[i], err = together(n, uint64(2*round), run); err != nil {
				return err
			}
		}
		ratios = append(ratios, float64(took[0]+took[2])/float64(took[1]))
	}
	verdict := ""
	if floor > 0 {
		verdict = b.judge("replications, "+name, median(ratios) >= floor, fmt.Sprintf("%vx", floor))
	}
	b.printf("%-24s %.2fx (%.2f to %.2f)  %s\n", name, median(ratios), slices.Min(ratios), slices.Max(ratios), verdict)
	return nil
}

// arithmetic computes for about as long as a replication, in registers: sums that mostly do not wait for each other keep
// many units of a core busy, so that it shows where two CPUs are one core.
func arithmetic(seed uint64) error {
	a, b, c, d, e, f := seed|1, seed+2, seed+3, seed+4, seed+5, seed+6
	for range 100_000_000 {
		a += b ^ c
		b += c ^ d
		c += d ^ e
		d += e ^ f
		e += f ^ a
		f += a ^ b
	}
	if a|b|c|d|e|f == 0 {
		return fmt.Errorf("sums of random bits came to 0")
	}
	return nil
}

// together is how long n runs take at once.
func together(n int, seed uint64, run func(seed uint64) error) (time.Duration, error) {
	ends := make(chan error, n)
	runtime.GC() // what others have left is not theirs to collect
	began := time.Now()
	for i := range n {
		go func() { ends <- run(seed + uint64(i)) }()
	}
	var failed error
	for range n {
		if err := <-ends; err != nil {
			failed = err
		}
	}
	return time.Since(began), failed
}
