package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/brewput/brewput/sim"
)

// Least gain of replications from a second CPU, as a share of the gain of pure arithmetic in the same seconds.
const share = 0.9

// replications runs one replication of M/M/1, and then two at once. Between them it measures the gain of pure
// arithmetic, which is the gain that the machine allows. CPUs that share a core or a clock, or a busy host, allow less
// than 2, and the value changes within minutes. The floor is a share of that gain, so that it judges the simulator
// alone.
func (b *bench) replications() error {
	b.printf("\nTwo replications of M/M/1 at once, compared with one: the gain in throughput, also as a share of the "+
		"gain of pure\narithmetic in the same seconds; medians, minima and maxima of %d rounds\n", pairs)
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

// pairs is the number of rounds. They are many and short, because the clock of a shared machine drifts.
const pairs = 15

// replicate prints the gain of two runs at once, and compares it with that of arithmetic.
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

// compareGains divides the gain of each round by the possible gain in that round.
func (b *bench) compareGains(name string, limits, gains []float64) {
	var shares []float64
	for i, g := range gains {
		shares = append(shares, g/limits[i])
	}
	b.printf("%-24s %s\n", "arithmetic", spread(limits, "x"))
	b.printf("%-24s %s, %s of arithmetic  %s\n", name, spread(gains, "x"), spread(shares, ""),
		b.judge("replications, "+name, median(shares) >= share, fmt.Sprintf("%v of arithmetic", share)))
}

// spread prints the median, the minimum and the maximum of values.
func spread(values []float64, unit string) string {
	return fmt.Sprintf("%.2f%s (%.2f to %.2f)", median(values), unit, slices.Min(values), slices.Max(values))
}

// gain is the throughput of two runs at once, relative to one. The pair runs between two single runs, so that a drift
// cancels.
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

// arithmetic computes in registers, for about as long as a replication. Its independent sums use many units of a core,
// so that two CPUs of one core gain little.
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

// together returns the time of n runs at once.
func together(n int, seed uint64, run func(seed uint64) error) (time.Duration, error) {
	ends := make(chan error, n)
	runtime.GC() // so that they do not collect the garbage of others
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
