package sort

import (
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSequential is bubble sort. It makes n^2/2 comparisons, many of which a CPU mispredicts at first.
func newSequential(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(bubble))
}

// newBranchless is bubble sort without mispredicted branches. It makes n^2/2 comparisons.
func newBranchless(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(carry))
}

// newLibrary is slices.Sort. It makes about n log n comparisons.
func newLibrary(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(slices.Sort[[]int]))
}

// alone returns a sorter that runs sort in one goroutine, as a section of real code.
func alone(sort func([]int)) sorter {
	return func(e env.Env, _ plan.Point, numbers []int) {
		w := e.Begin()
		sort(numbers)
		w.End()
	}
}

// bubble is the sort of the original: each pass moves the greatest remaining number to its place.
func bubble(numbers []int) {
	for pass := range numbers {
		if !sweep(numbers[:len(numbers)-pass]) {
			return
		}
	}
}

// sweep is one pass: it exchanges neighbours that are out of order, from the front, and reports whether there were any.
func sweep(numbers []int) (swapped bool) {
	for i := 1; i < len(numbers); i++ {
		if a, b := numbers[i-1], numbers[i]; a > b {
			numbers[i-1], numbers[i] = b, a
			swapped = true
		}
	}
	return swapped
}

// carry is bubble without a branch on a comparison, which a CPU mispredicts every third time if few numbers are sorted.
// It carries the greatest number along, and each pass ends where the one before made its last exchange.
func carry(numbers []int) {
	for n := len(numbers); n > 1; {
		greatest, last := numbers[0], 0
		for i := 1; i < n; i++ {
			x := numbers[i]
			numbers[i-1] = min(greatest, x)
			if x < greatest {
				last = i
			}
			greatest = max(greatest, x)
		}
		numbers[n-1] = greatest
		n = last
	}
}

// chunk returns the i-th of k chunks. As in the original, the last one includes the rest.
func chunk(numbers []int, i, k int) []int {
	stride := len(numbers) / k
	if i == k-1 {
		return numbers[i*stride:]
	}
	return numbers[i*stride : (i+1)*stride]
}

// evenly returns the i-th of k chunks whose lengths differ by at most 1.
func evenly(numbers []int, i, k int) []int {
	return numbers[i*len(numbers)/k : (i+1)*len(numbers)/k]
}

// each starts k goroutines, which run do(0) to do(k-1), and waits for them.
func each(e env.Env, k int, do func(i int)) {
	done := e.Group()
	for i := range k {
		done.Go(e, "sorter", func(e env.Env) {
			e.For(uint64(i))
			w := e.Begin()
			do(i)
			w.End()
		})
	}
	done.Wait()
}

func newResort(e env.Env, p plan.Point) (workload.Job, error) { return sorting(e, p, resort) }

// resort sorts chunks in parallel, and then all numbers again in one goroutine. The second sort limits it: it has as
// many passes over all numbers as sequential, but fewer exchanges.
func resort(e env.Env, p plan.Point, numbers []int) {
	k := p.Int("chunks")
	each(e, k, func(i int) { bubble(chunk(numbers, i, k)) })
	e.For(env.NoRequest)
	alone(bubble)(e, p, numbers)
}

func newOddEven(e env.Env, p plan.Point) (workload.Job, error) { return sorting(e, p, oddEven) }

// oddEven is odd-even transposition sort (N. Habermann, Parallel neighbor sort, Carnegie Mellon University, 1972). In
// each of at most n phases, pairs of neighbours are disjoint, so workers process them in parallel. It takes n^2/2
// comparisons divided by the CPUs, plus a barrier in each phase.
func oddEven(e env.Env, p plan.Point, numbers []int) {
	workers, quiet := p.Int("workers"), 0
	swapped := make([]bool, workers)
	for phase := 0; quiet < 2; phase++ {
		done, odd := e.Group(), phase%2
		pairs := (len(numbers) - odd) / 2
		for g := range workers {
			done.Go(e, "worker", func(e env.Env) {
				e.For(uint64(phase))
				w := e.Begin()
				swapped[g] = exchange(numbers, odd+2*(pairs*g/workers), odd+2*(pairs*(g+1)/workers))
				w.End()
			})
		}
		done.Wait()
		quiet++
		if slices.Contains(swapped, true) {
			quiet = 0
		}
	}
}

// exchange orders the pairs that start at every second number from first to end-1. It reports whether it exchanged any.
func exchange(numbers []int, first, end int) (swapped bool) {
	for i := first; i+1 < min(end+1, len(numbers)); i += 2 {
		if a, b := numbers[i], numbers[i+1]; a > b {
			numbers[i], numbers[i+1] = b, a
			swapped = true
		}
	}
	return swapped
}
