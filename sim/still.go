package sim

import "fmt"

// Count counts an operation that the kernel does not see, such as reading the clock. It reports false, and the kernel
// has failed, if the goroutine makes no progress.
func (k *Kernel) Count() bool {
	k.ops++
	return k.ops-k.before <= maxStill || k.progresses()
}

// progresses checks an operation at an instant with so many operations that one goroutine may be polling.
func (k *Kernel) progresses() bool {
	g := k.cur
	if g == nil {
		return true
	}
	if g.stillAt != k.now {
		g.stillAt, g.still = k.now, 0
	}
	if g.still++; g.still > maxStill || k.ops-k.before > maxStillAll {
		k.Fail(k.standsStill(g))
		return false
	}
	return true
}

// standsStill returns the error of a goroutine, or of all, that make operations without time advancing.
func (k *Kernel) standsStill(g *G) error {
	if g.still > maxStill {
		return fmt.Errorf("goroutine %s performs endless operations at %v, while virtual time stands still: it "+
			"polls, or its work takes no time; let it park, sleep or burn",
			g.runner.Name(), duration(k.now))
	}
	return fmt.Errorf("the goroutines performed %d operations at %v, while virtual time stands still, the last one by "+
		"goroutine %s; let one sleep or burn",
		k.ops-k.before, duration(k.now), g.runner.Name())
}
