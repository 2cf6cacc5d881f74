// Package sum adds numbers (W. Kennedy, Concurrency, Goroutines and GOMAXPROCS, Ardan Labs, 2018-2019). Kennedy added
// 10 million integers with goroutines. On one core that was 10 to 13% slower, and on eight threads 1.7 times as fast;
// why it was not eight times remained open.
//
// Let a CPU add a number of 8 bytes from its cache in t seconds, and let the memory deliver B bytes a second to all
// CPUs. Then n numbers take c CPUs at least
//
//	max(t n/c, 8n/B)
//
// (roofline model: S. Williams, A. Waterman and D. Patterson, CACM 52(4), 2009). Starting c goroutines in h seconds
// each adds h c. Below the n of [model.BreakEven], starting them takes longer than they save.
package sum

import (
	"fmt"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload sum.
func Workload() *workload.Workload {
	all, shared := []string{"n", "total"}, []string{"n", "total", "workers"}
	return &workload.Workload{
		Name: "sum",
		Doc:  "Add numbers in memory.",
		Factors: []plan.Factor{
			{Name: "n", Doc: "how many numbers, of 8 bytes each",
				Kind: plan.Int, Default: "10000000", Min: 1, Max: 1 << 31,
				Input: true},
			{Name: "total", Doc: "additions in total: the n numbers are added repeatedly, at least " +
				"once", Kind: plan.Int,
				Default: "100000000", Min: 1, Input: true},
		},
		Quick: map[string]string{"total": "20000000"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "adds one number at a time: the original", Uses: all, Job: newSequential},
			{Name: "unrolled", Doc: "four independent sums, one for each quarter, added at the end", Uses: all,
				Job: newUnrolled},
			{Name: "strided", Doc: "one range per goroutine, which adds its sum to an atomic total: the original",
				Uses: shared, Job: newStrided, Formula: spawned("sequential")},
			{Name: "wide", Doc: "strided and unrolled", Uses: shared, Job: newWide, Formula: spawned("unrolled")},
			{Name: "channel", Doc: "strided, but sends its sums to one goroutine that adds them", Uses: shared,
				Job: newChannel, Formula: spawned("sequential")},
			{Name: "shared-line", Doc: "sums in adjacent words, written for each number: false sharing",
				Uses: shared, Job: newSharedLine},
			{Name: "padded", Doc: "shared-line, with each sum in its own cache lines", Uses: shared, Job: newPadded},
			{Name: "atomic", Doc: "adds each number to an atomic sum", Uses: shared, Job: newAtomic},
			{Name: "bandwidth", Doc: "searches for an absent byte with bytes.IndexByte on all workers: the memory " +
				"bandwidth", Uses: shared, Job: newBandwidth, Expect: workload.Bound},
			{Name: "spawning", Doc: "starts the goroutines of strided without adding: shows their overhead, and " +
				"from which n they pay off", Uses: shared, Job: newSpawning, Expect: workload.Bound},
		},
	}
}

// adder is a design: it returns the sum of the numbers.
type adder func(e env.Env, numbers []int, workers int) int

// rounds returns the number of times that the n numbers are added.
func rounds(p plan.Point) int { return max(1, p.Int("total")/p.Int("n")) }

// workersOf returns the number of goroutines of a design, which is 1 without the factor.
func workersOf(p plan.Point) int {
	if !p.Has("workers") {
		return 1
	}
	return p.Int("workers")
}

// adding returns the job of an adder. Sums wrap around, so they do not depend on the order of the additions.
func adding(e env.Env, p plan.Point, add adder) (workload.Job, error) {
	numbers, want := draw(e, p.Int("n"))
	rounds, wrong, sum := rounds(p), 0, 0
	items := int64(rounds) * int64(len(numbers))
	return workload.Job{
		Items: items,
		Bytes: 8 * items,
		Run: func(e env.Env) error {
			for range rounds {
				if sum = add(e, numbers, workersOf(p)); sum != want {
					wrong++
				}
			}
			return nil
		},
		Check: func() (workload.Answer, error) {
			if wrong > 0 {
				return nil, fmt.Errorf("%d of %d sums were wrong; the last was %d, and it should be %d", wrong, rounds,
					sum, want)
			}
			return workload.Answer{"sum": sum}, nil
		},
	}, nil
}

// draw makes n random numbers with their sum. It draws the sum of each pair of numbers, so that the total is known
// without adding up the numbers.
func draw(e env.Env, n int) (numbers []int, sum int) {
	numbers = make([]int, n)
	draws := e.Rand().At(0, 0)
	for i := 0; i+1 < n; i += 2 {
		pair := int(draws.Uint64())
		numbers[i] = int(draws.Uint64())
		numbers[i+1] = pair - numbers[i]
		sum += pair
	}
	if n%2 == 1 {
		numbers[n-1] = int(draws.Uint64())
		sum += numbers[n-1]
	}
	return numbers, sum
}
