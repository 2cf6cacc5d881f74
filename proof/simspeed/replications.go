package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/sim"
)

// A replication must gain from a second CPU at least this share of what arithmetic gains from it in the same seconds.
const share = 0.9

// replications runs one replication of M/M/1, and then two at once. What the machine has to give is what arithmetic
// gains, measured in turn with them: CPUs that share a core or a clock, or a host that gives one of them to others,
// give less than two, and another number a minute later. The floor is a share of that, and so holds the simulator to
// account alone.
func (b *bench) replications() error {
	b.printf("\nTwo replications of M/M/1 at once, beside one: how many times as much in a second, and as a share of "+
		"what arithmetic\nof the same seconds gains; medians, least and greatest of %d rounds\n", pairs)
	if runtime.GOMAXPROCS(0) < 2 {
		b.printf("unavailable: this process has one CPU  %s\n",
			b.judge("replications", false, fmt.Sprintf("%v of arithmetic", share)))
		return nil
	}
	for _, cpus := range []int{sim.Unlimited, 4} {
		if err := b.replicate(machine(cpus), arithmetic, func(seed uint64) error {
			_, err := (&queue{customers: b.customers, seed: seed}).simulate(cpus)
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// pairs is how many rounds there are: short ones and many, because the clock of a shared machine moves.
const pairs = 15

// replicate prints how much more two runs at once do than one, and judges it by what two runs of known work do.
func (b *bench) replicate(name string, known, run func(seed uint64) error) error {
	var gains, limits []float64
	for round := range pairs {
		limit, err := gain(uint64(2*round), known)
		if err != nil {
			return err
		}
		g, err := gain(uint64(2*round), run)
		if err != nil {
			return err
		}
		limits, gains = append(limits, limit), append(gains, g)
	}
	b.compareGains(name, limits, gains)
	return nil
}

// compareGains judges the gains of each round by those that were possible in it.
func (b *bench) compareGains(name string, limits, gains []float64) {
	var shares []float64
	for i, g := range gains {
		shares = append(shares, g/limits[i])
	}
	b.printf("%-24s %s\n", "arithmetic", spread(limits, "x"))
	b.printf("%-24s %s, %s of arithmetic  %s\n", name, spread(gains, "x"), spread(shares, ""),
		b.judge("replications, "+name, median(shares) >= share, fmt.Sprintf("%v of arithmetic", share)))
}

// spread prints the median of values, and the least and the greatest.
func spread(values []float64, unit string) string {
	return fmt.Sprintf("%.2f%s (%.2f to %.2f)", median(values), unit, slices.Min(values), slices.Max(values))
}

// gain is how many times as much two runs at once do in the same time as one. The pair stands between two alone, so
// that a drift takes from neither.
func gain(seed uint64, run func(seed uint64) error) (float64, error) {
	var took [3]time.Duration
	for i, n := range []int{1, 2, 1} {
		var err error
		if took[i], err = together(n, seed, run); err != nil {
			return 0, err
		}
	}
	return float64(took[0]+took[2]) / float64(took[1]), nil
}

// arithmetic computes for about as long as a replication, in registers: sums that mostly do not wait for each other
// keep many units of a core busy, so that it shows where two CPUs are one core.
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
