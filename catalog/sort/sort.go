// Package sort sorts numbers with bubble sort (W. Kennedy, Scheduling in Go, Part III: Concurrency, Ardan Labs, 2018).
// The article claims that a concurrent bubble sort gains nothing, and does not measure it.
//
// Sorting n numbers takes S = a n^2/2 seconds, where a differs between code with and without branches. Let a merge take
// b seconds for each number and bit of k, and starting a goroutine g seconds. In k chunks on c CPUs, sorting takes
//
//	S / (k min(k, c)) + b n log2 k + g k
//
// ([model.Chunked]). Chunks are faster even on one CPU, because each takes only S/k^2. The original does not merge its
// chunks, but sorts all numbers again, which takes another S.
package sort

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload sort.
func Workload() *workload.Workload {
	all, chunked := []string{"n", "given", "rounds"}, []string{"n", "given", "rounds", "chunks"}
	return &workload.Workload{
		Name: "sort",
		Doc:  "Bubble sort, alone and in chunks.",
		Factors: []plan.Factor{
			{Name: "n", Doc: "numbers", Kind: plan.Int, Default: "8000", Min: 0, Max: 1 << 24, Input: true},
			{Name: "given", Doc: "initial order of the numbers: random, sorted, reversed, or equal", Kind: plan.Text,
				Default: "random", Words: []string{"random", "sorted", "reversed", "equal"}, Input: true},
			{Name: "rounds", Doc: "number of sorts", Kind: plan.Int, Default: "10", Min: 1, Input: true},
			{Name: "chunks", Doc: "chunks, each sorted by its own goroutine", Kind: plan.Int, Default: "64",
				Min: 1, Max: 1 << 20},
		},
		Quick: map[string]string{"rounds": "2"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "bubble sort: the original", Uses: all, Job: newSequential},
			{Name: "branchless", Doc: "sequential, with branch-free comparisons", Uses: all,
				Job: newBranchless},
			{Name: "resort", Doc: "sorts chunks in parallel, then all numbers again: the original's concurrent " +
				"version", Uses: chunked,
				Job: newResort, Formula: resorted()},
			{Name: "odd-even", Doc: "compares all neighbours in parallel, odd and even pairs in turn",
				Uses: append([]string{"workers"}, all...), Job: newOddEven},
			{Name: "merge", Doc: "sorts chunks in parallel with branchless, then merges them", Uses: chunked,
				Job: newMerge, Formula: merged()},
			{Name: "planned", Doc: "merge, with the number of chunks that the closed form gives after a short " +
				"measurement",
				Uses: all, Job: newPlanned},
			{Name: "library", Doc: "slices.Sort of the standard library", Uses: all, Job: newLibrary, Reference: true},
			{Name: "merging", Doc: "only merges chunks that are already sorted", Uses: chunked, Job: newMerging,
				Expect: workload.Bound},
		},
	}
}

// sorter sorts the numbers in place.
type sorter func(e env.Env, p plan.Point, numbers []int)

// sorting returns the job of a sorter of random numbers. Each round starts with the same numbers.
func sorting(e env.Env, p plan.Point, s sorter) (workload.Job, error) { return job(e, p, s), nil }

// job is sorting without an error.
func job(e env.Env, p plan.Point, s sorter) workload.Job {
	return jobWith(draw(e, 0, p.Int("n"), p.Text("given")), p, s)
}

// jobWith returns the job of a sorter of the given numbers.
func jobWith(given []int, p plan.Point, s sorter) workload.Job {
	numbers := make([]int, len(given))
	return workload.Job{
		Items: int64(len(given)) * int64(p.Int("rounds")),
		Run: func(e env.Env) error {
			for range p.Int("rounds") {
				copy(numbers, given)
				s(e, p, numbers)
			}
			return nil
		},
		Check: func() (workload.Answer, error) {
			want := slices.Sorted(slices.Values(given))
			for i, n := range numbers {
				if n != want[i] {
					return nil, fmt.Errorf("number %d of the sorted ones is %d instead of %d", i, n, want[i])
				}
			}
			return workload.Answer{"numbers": len(numbers)}, nil
		},
	}
}

// draw makes n random numbers in the given order.
func draw(e env.Env, stream uint64, n int, order string) []int {
	numbers := make([]int, n)
	draws := e.Rand().At(0, stream)
	for i := range numbers {
		numbers[i] = int(draws.Uint64() >> 1)
	}
	switch order {
	case "sorted":
		slices.Sort(numbers)
	case "reversed":
		slices.Sort(numbers)
		slices.Reverse(numbers)
	case "equal":
		clear(numbers)
	}
	return numbers
}
