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

// merge is limited by S/(k min(k, c)) while there are few chunks, and by the merge when there are many. Neither
// branches on how two numbers compare.
func merge(e env.Env, p plan.Point, numbers []int) { byChunks(p.Int("chunks"))(e, p, numbers) }

func byChunks(k int) sorter {
	return func(e env.Env, p plan.Point, numbers []int) {
		each(e, k, func(i int) { carry(evenly(numbers, i, k)) })
		e.For(env.NoRequest)
		joined(k)(e, p, numbers)
	}
}

// joined is the sorter of numbers whose k chunks are sorted.
func joined(k int) sorter { return alone(func(numbers []int) { join(numbers, k) }) }

// newMerging is the second half of merge.
func newMerging(e env.Env, p plan.Point) (workload.Job, error) {
	k := p.Int("chunks")
	given := sortedChunks(draw(e, 0, p.Int("n"), p.Text("given")), k)
	return of(given, p, joined(k)), nil
}

// join merges k sorted chunks, two neighbours at a time, in log2 k rounds that each move all numbers.
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
	copy(numbers, from) // onto itself where they ended there
}

// two merges a and b into out. The next number is chosen without a branch, which would be guessed wrong every second
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

// sortedChunks are the numbers with each of k chunks sorted.
func sortedChunks(given []int, k int) []int {
	given = slices.Clone(given)
	for i := range k {
		slices.Sort(evenly(given, i, k))
	}
	return given
}

// resorted predicts the original: its second sort does as much as one without chunks, at most.
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

func inTheory(quadratic, merge float64, p plan.Point) float64 {
	s, ok := model.Chunked(quadratic, merge, 0, p.Int("n"), p.Int("chunks"), p.Int("cpus"))
	if !ok {
		return math.NaN()
	}
	return s
}

// A measurement takes the least time of some tries, each with a sample of its own in pieces: a CPU learns numbers that
// it sees again, as it does those of a job of several rounds if they are few.
const tries, sample, pieces = 5, 1024, 16

// newPlanned measures how long pieces of a sample take to sort and to merge, and what a chunk of nothing takes, which
// is not counted, and has the closed form say how many chunks are best on so many CPUs. Numbers that are in order
// already take less than that: it is for numbers in disorder.
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

// rates are the seconds that sorting at one go takes for the square of how many numbers there are, found by sorting
// pieces, and that joining them takes for each number and bit.
func rates(e env.Env, order string, sorts, joins func([]int)) (square, merge float64) {
	given := draw(e, 1, tries*sample, order)
	square = least(e, given, sorts) * pieces / (sample * sample)
	return square, least(e, sortedChunks(given, tries*pieces), joins) / (sample * math.Log2(pieces))
}

func carryPieces(numbers []int) {
	for i := range pieces {
		carry(evenly(numbers, i, pieces))
	}
}

func joinPieces(numbers []int) { join(numbers, pieces) }

// least is the least time that f takes for a sample, seconds.
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
