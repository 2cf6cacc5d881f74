// Package sort sorts numbers by exchanging neighbours: W. Kennedy, Scheduling in Go, Part III: Concurrency (Ardan Labs,
// 2018), where a concurrent bubble sort is said to gain nothing, and is not measured.
//
// Sorting n numbers takes S = a n^2/2 seconds at one go, with an a of its own where there are no branches. In k chunks
// on c CPUs, with a merge of b seconds for each number and bit of k, and g seconds for each goroutine, it takes
//
//	S / (k min(k, c)) + b n log2 k + g k
//
// ([model.Chunked]): chunks win by being short even on one CPU, as each takes a k-th of a k-th. The original sorts all
// again where a merge would do, and so keeps one S of its own.
package sort

import (
	"fmt"
	"slices"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload is the sort with its designs.
func Workload() *workload.Workload {
	all, chunked := []string{"n", "given", "rounds"}, []string{"n", "given", "rounds", "chunks"}
	return &workload.Workload{
		Name: "sort",
		Doc:  "Bubble sort, alone and in chunks.",
		Factors: []plan.Factor{
			{Name: "n", Doc: "numbers", Kind: plan.Int, Default: "8000", Min: 0, Max: 1 << 24, Input: true},
			{Name: "given", Doc: "how the numbers lie at first: random, sorted, reversed, or equal", Kind: plan.Text,
				Default: "random", Words: []string{"random", "sorted", "reversed", "equal"}, Input: true},
			{Name: "rounds", Doc: "how often they are sorted", Kind: plan.Int, Default: "10", Min: 1, Input: true},
			{Name: "chunks", Doc: "chunks, each sorted by a goroutine of its own", Kind: plan.Int, Default: "64",
				Min: 1, Max: 1 << 20},
		},
		Quick: map[string]string{"rounds": "2"},
		Designs: []workload.Design{
			{Name: "sequential", Doc: "bubble sort: the original", Uses: all, Job: newSequential},
			{Name: "branchless", Doc: "sequential without branches on how two numbers compare", Uses: all,
				Job: newBranchless},
			{Name: "resort", Doc: "chunks at once, then all again: the original's concurrent version", Uses: chunked,
				Job: newResort, Formula: resorted()},
			{Name: "odd-even", Doc: "all pairs of neighbours at once, the odd and the even ones in turn",
				Uses: append([]string{"workers"}, all...), Job: newOddEven},
			{Name: "merge", Doc: "chunks at once, without such branches, then one merge of all", Uses: chunked,
				Job: newMerge, Formula: merged()},
			{Name: "planned", Doc: "merge, with as many chunks as the closed form says from a short measurement",
				Uses: all, Job: newPlanned},
			{Name: "library", Doc: "slices.Sort of the standard library", Uses: all, Job: newLibrary, Reference: true},
			{Name: "merging", Doc: "the merge alone, of chunks that are sorted", Uses: chunked, Job: newMerging,
				Expect: workload.Bound},
		},
	}
}

// sorter sorts the numbers in place.
type sorter func(e env.Env, p plan.Point, numbers []int)

// sorting is the job of a sorter. Each round begins with the same numbers.
func sorting(e env.Env, p plan.Point, s sorter) (workload.Job, error) { return job(e, p, s), nil }

func job(e env.Env, p plan.Point, s sorter) workload.Job {
	return of(draw(e, 0, p.Int("n"), p.Text("given")), p, s)
}

// of is the job of a sorter of given numbers.
func of(given []int, p plan.Point, s sorter) workload.Job {
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

// draw makes n numbers in an order.
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
