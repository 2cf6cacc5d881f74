package sum

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func newSequential(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, sequential) }

// sequential is limited by one addition after the other, a cycle each, as long as the numbers come as fast.
func sequential(e env.Env, numbers []int, _ int) (sum int) {
	w := e.Begin()
	sum = plain(numbers)
	w.End()
	return sum
}

func plain(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

func newUnrolled(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, unrolled) }

// unrolled is limited by what memory gives, where the numbers lie there, for its sums do not wait for each other.
func unrolled(e env.Env, numbers []int, _ int) (sum int) {
	w := e.Begin()
	sum = four(numbers)
	w.End()
	return sum
}

// four adds each quarter by itself: memory is asked for lines of four places at once, where of one place a CPU asks for
// few ahead.
func four(numbers []int) int {
	quarter := len(numbers) / 4
	p, q, r, s := numbers[:quarter], numbers[quarter:2*quarter], numbers[2*quarter:3*quarter], numbers[3*quarter:]
	var a, b, c, d int
	for len(p) >= 8 && len(q) >= 8 && len(r) >= 8 && len(s) >= 8 {
		a += eight((*[8]int)(p))
		b += eight((*[8]int)(q))
		c += eight((*[8]int)(r))
		d += eight((*[8]int)(s))
		p, q, r, s = p[8:], q[8:], r[8:], s[8:]
	}
	return a + b + c + d + plain(p) + plain(q) + plain(r) + plain(s)
}

func eight(n *[8]int) int { return n[0] + n[1] + n[2] + n[3] + n[4] + n[5] + n[6] + n[7] }

// stretches gives each worker a stretch of the numbers, the last the rest too, as the original divides them.
func stretches(e env.Env, numbers []int, workers int, do func(e env.Env, worker int, stretch []int)) {
	stride, done := len(numbers)/workers, e.Group()
	for g := range workers {
		first, end := g*stride, (g+1)*stride
		if g == workers-1 {
			end = len(numbers)
		}
		done.Go(e, "adder", func(e env.Env) { do(e, g, numbers[first:end]) })
	}
	done.Wait()
}

func newStrided(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, strided) }

// strided is limited by the memory, where the numbers do not fit into a cache.
func strided(e env.Env, numbers []int, workers int) int {
	return summed(e, numbers, workers, plain)
}

func newWide(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, wide) }

// wide is limited by what memory gives to all CPUs.
func wide(e env.Env, numbers []int, workers int) int {
	return summed(e, numbers, workers, four)
}

func summed(e env.Env, numbers []int, workers int, add func([]int) int) int {
	sum := env.NewAtomic[int](e, "sum")
	stretches(e, numbers, workers, func(e env.Env, worker int, stretch []int) {
		e.For(uint64(worker))
		w := e.Begin()
		own := add(stretch)
		w.End()
		sum.Add(own)
	})
	return sum.Load()
}

func newChannel(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, channel) }

// channel is strided with a send and a receive for each goroutine.
func channel(e env.Env, numbers []int, workers int) (sum int) {
	sums := env.NewChan[int](e, "sums", workers)
	stretches(e, numbers, workers, func(e env.Env, worker int, stretch []int) {
		e.For(uint64(worker))
		w := e.Begin()
		own := plain(stretch)
		w.End()
		sums.Send(own)
	})
	for range workers {
		own, _ := sums.Recv()
		sum += own
	}
	return sum
}

func newSharedLine(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, sharedLine) }

// sharedLine is limited by a cache line that moves from CPU to CPU for nearly every number. Virtual time does not know
// that.
func sharedLine(e env.Env, numbers []int, workers int) int { return inWords(e, numbers, workers, 1) }

func newPadded(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, padded) }

// padded is limited by a sum that is loaded and stored for each number, which takes some cycles. A line has 64 bytes,
// and two are fetched together on many machines.
func padded(e env.Env, numbers []int, workers int) int { return inWords(e, numbers, workers, 16) }

func inWords(e env.Env, numbers []int, workers, apart int) int {
	sums := make([]int, workers*apart)
	stretches(e, numbers, workers, func(e env.Env, worker int, stretch []int) {
		e.For(uint64(worker))
		w := e.Begin()
		own := &sums[worker*apart]
		for _, n := range stretch {
			*own += n
		}
		w.End()
	})
	return plain(sums)
}

func newAtomic(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, atomic) }

// atomic is limited by the one word that all CPUs add to.
func atomic(e env.Env, numbers []int, workers int) int {
	sum := env.NewAtomic[int](e, "sum")
	stretches(e, numbers, workers, func(e env.Env, worker int, stretch []int) {
		e.For(uint64(worker))
		w := e.Begin()
		for _, n := range stretch {
			sum.Add(n)
		}
		w.End()
	})
	return sum.Load()
}
