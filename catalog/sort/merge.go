package sort

import (
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func newMerge(e env.Env, p plan.Point) (workload.Job, error) { return sorting(e, p, merge) }

// merge sorts k chunks in parallel, without branches on comparisons, and merges them in one goroutine. With few chunks
// sorting dominates, S/(k min(k, c)), and with many the merge.
func merge(e env.Env, p plan.Point, numbers []int) { byChunks(p.Int("chunks"))(e, p, numbers) }

// byChunks returns the sorter of merge with k chunks.
func byChunks(k int) sorter {
	return func(e env.Env, p plan.Point, numbers []int) {
		each(e, k, func(i int) { carry(evenly(numbers, i, k)) })
		e.For(env.NoRequest)
		joined(k)(e, p, numbers)
	}
}

// joined returns the sorter of numbers whose k chunks are sorted.
func joined(k int) sorter { return alone(func(numbers []int) { join(numbers, k) }) }

// newMerging is the second phase of merge, alone.
func newMerging(e env.Env, p plan.Point) (workload.Job, error) {
	k := p.Int("chunks")
	given := sortedChunks(draw(e, 0, p.Int("n"), p.Text("given")), k)
	return jobWith(given, p, joined(k)), nil
}

// join merges k sorted chunks, pairs of neighbours at a time, in log2 k rounds. Each round moves all numbers.
func join(numbers []int, k int) {
	ends := make([]int, 0, k)
	for i := range k {
		ends = append(ends, (i+1)*len(numbers)/k)
	}
	from, to := numbers, make([]int, len(numbers))
	for len(ends) > 1 {
		kept, first := ends[:0], 0
		for i := 0; i < len(ends); i += 2 {
			middle, end := ends[i], ends[min(i+1, len(ends)-1)]
			two(to[first:end], from[first:middle], from[middle:end])
			kept, first = append(kept, end), end
		}
		ends, from, to = kept, to, from
	}
	copy(numbers, from) // has no effect if the last round wrote to numbers
}

// two merges a and b into out. It chooses the next number without a branch, which would be mispredicted every second
// time.
func two(out, a, b []int) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		out[i+j] = min(x, y)
		fromB := 0
		if y < x {
			fromB = 1
		}
		i, j = i+1-fromB, j+fromB
	}
	copy(out[i+j+copy(out[i+j:], a[i:]):], b[j:])
}

// sortedChunks returns a copy of the numbers with each of k chunks sorted.
func sortedChunks(given []int, k int) []int {
	given = slices.Clone(given)
	for i := range k {
		slices.Sort(evenly(given, i, k))
	}
	return given
}

// resorted predicts resort: its second sort takes at most as long as sequential.
func resorted() *workload.Formula {
	return &workload.Formula{
		Text:   "sequential / (chunks x min(chunks, CPUs)) + sequential",
		Source: "n^2/2 comparisons of n/k numbers in each chunk, and of all again",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			s := m.Wall("sequential", p)
			return inTheory(s, 0, p) + s
		},
	}
}

// merged predicts merge.
func merged() *workload.Formula {
	return &workload.Formula{
		Text: "branchless / (chunks x min(chunks, CPUs)) + merging",
		Source: "model.Chunked: n^2/2 comparisons of n/k numbers in each chunk, and n log2 k moves; starting " +
			"goroutines is left out",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return inTheory(m.Wall("branchless", p), 0, p) + m.Wall("merging", p)
		},
	}
}

// inTheory returns the time of sorting in chunks: see model.Chunked.
func inTheory(quadratic, merge float64, p plan.Point) float64 {
	s, ok := model.Chunked(quadratic, merge, 0, p.Int("n"), p.Int("chunks"), p.Int("cpus"))
	if !ok {
		return math.NaN()
	}
	return s
}

// A measurement is the minimum of several tries. Each try sorts another sample, in pieces, because branch predictors
// learn numbers that are sorted again.
const tries, sample, pieces = 5, 1024, 16

// newPlanned is merge with the optimal number of chunks, from a closed form. It measures the time to sort and to merge
// pieces of a sample, and the time of an empty chunk; this takes place before the trial. It assumes random order:
// sorted numbers take less time.
func newPlanned(e env.Env, p plan.Point) (workload.Job, error) {
	n := p.Int("n")
	square, merge := rates(e, p.Text("given"), carryPieces, joinPieces)
	nothing := time.Duration(math.MaxInt64)
	for range tries {
		start := e.Now()
		each(e, pieces, func(int) {})
		nothing = min(nothing, e.Now()-start)
	}
	k, ok := model.BestChunks(square*float64(n)*float64(n), merge, nothing.Seconds()/pieces, n, p.Int("cpus"))
	if !ok {
		k = 1
	}
	j := job(e, p, byChunks(k))
	check := j.Check
	j.Check = func() (workload.Answer, error) {
		answer, err := check()
		if err == nil {
			answer["chunks"] = k
		}
		return answer, err
	}
	return j, nil
}

// rates returns the seconds that sorting takes divided by the square of the number of numbers, measured with pieces,
// and the seconds that joining takes for each number and bit.
func rates(e env.Env, order string, sorts, joins func([]int)) (square, merge float64) {
	given := draw(e, 1, tries*sample, order)
	square = least(e, given, sorts) * pieces / (sample * sample)
	return square, least(e, sortedChunks(given, tries*pieces), joins) / (sample * math.Log2(pieces))
}

// carryPieces sorts each piece of a sample.
func carryPieces(numbers []int) {
	for i := range pieces {
		carry(evenly(numbers, i, pieces))
	}
}

// joinPieces joins the sorted pieces of a sample.
func joinPieces(numbers []int) { join(numbers, pieces) }

// least returns the minimum time of f for a sample, in seconds.
func least(e env.Env, numbers []int, f func([]int)) float64 {
	copied, shortest := make([]int, sample), time.Duration(math.MaxInt64)
	for i := range tries {
		copy(copied, numbers[i*sample:])
		start := e.Now()
		w := e.Begin()
		f(copied)
		w.End()
		shortest = min(shortest, e.Now()-start)
	}
	return shortest.Seconds()
}
