package sort

import (
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSequential is limited by n^2/2 comparisons, of which a CPU guesses many wrong at first.
func newSequential(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(bubble))
}

// newBranchless is limited by n^2/2 comparisons, none of which a CPU has to guess.
func newBranchless(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(carry))
}

// newLibrary is limited by n log n comparisons.
func newLibrary(e env.Env, p plan.Point) (workload.Job, error) {
	return sorting(e, p, alone(slices.Sort[[]int]))
}

// alone is a sorter of one goroutine.
func alone(sort func([]int)) sorter {
	return func(e env.Env, _ plan.Point, numbers []int) {
		w := e.Begin()
		sort(numbers)
		w.End()
	}
}

// bubble is the original's sort: each pass brings the greatest number that is left to its place.
func bubble(numbers []int) {
	for pass := range numbers {
		if !sweep(numbers[:len(numbers)-pass]) {
			return
		}
	}
}

// sweep exchanges neighbours once from the front and reports whether there were any to exchange.
func sweep(numbers []int) (swapped bool) {
	for i := 1; i < len(numbers); i++ {
		if a, b := numbers[i-1], numbers[i]; a > b {
			numbers[i-1], numbers[i] = b, a
			swapped = true
		}
	}
	return swapped
}

// carry is bubble without a branch on how two numbers compare, which a CPU guesses wrong every third time where few
// numbers are sorted: it carries the greatest so far along, and each pass ends where the one before exchanged last.
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

// chunk is the i-th of k chunks, the last with the rest, as the original divides.
func chunk(numbers []int, i, k int) []int {
	stride := len(numbers) / k
	if i == k-1 {
		return numbers[i*stride:]
	}
	return numbers[i*stride : (i+1)*stride]
}

// evenly is the i-th of k chunks of which none has two numbers more than another.
func evenly(numbers []int, i, k int) []int {
	return numbers[i*len(numbers)/k : (i+1)*len(numbers)/k]
}

// each does k pieces of work, each in a goroutine.
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

// resort is limited by the second sort, which has the same passes over all numbers, though fewer exchanges.
func resort(e env.Env, p plan.Point, numbers []int) {
	k := p.Int("chunks")
	each(e, k, func(i int) { bubble(chunk(numbers, i, k)) })
	e.For(env.NoRequest)
	alone(bubble)(e, p, numbers)
}

func newOddEven(e env.Env, p plan.Point) (workload.Job, error) { return sorting(e, p, oddEven) }

// oddEven sorts in at most n phases (N. Habermann, Parallel neighbor sort, Carnegie Mellon University, 1972), in each
// of which no pair shares a number with another, so that workers may share the pairs. It is limited by n^2/2
// comparisons divided by the CPUs, and by waiting for the slowest worker n times.
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

// exchange puts the pairs that begin at every second number from first up to before end in order.
func exchange(numbers []int, first, end int) (swapped bool) {
	for i := first; i+1 < min(end+1, len(numbers)); i += 2 {
		if a, b := numbers[i], numbers[i+1]; a > b {
			numbers[i], numbers[i+1] = b, a
			swapped = true
		}
	}
	return swapped
}
