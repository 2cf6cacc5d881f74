package sum

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func newSequential(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, sequential) }

// sequential adds the numbers in one goroutine. The chain of additions limits it, one cycle each, or the memory.
func sequential(e env.Env, numbers []int, _ int) (sum int) {
	w := e.Begin()
	sum = plain(numbers)
	w.End()
	return sum
}

// plain adds numbers one after the other.
func plain(numbers []int) (sum int) {
	for _, n := range numbers {
		sum += n
	}
	return sum
}

func newUnrolled(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, unrolled) }

// unrolled adds four independent sums in one goroutine. The bandwidth of the memory limits it, because the sums do not
// depend on each other.
func unrolled(e env.Env, numbers []int, _ int) (sum int) {
	w := e.Begin()
	sum = four(numbers)
	w.End()
	return sum
}

// four adds the quarters of the numbers independently. A CPU prefetches few cache lines of one stream, but those of
// four streams at the same time.
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

// eight adds eight numbers.
func eight(n *[8]int) int { return n[0] + n[1] + n[2] + n[3] + n[4] + n[5] + n[6] + n[7] }

// stretches runs do in a goroutine for each worker, with an equal part of the numbers. As in the original, the last
// worker also gets the rest.
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

// strided adds the part of each worker, and then an atomic addition for each worker. The bandwidth of the memory limits
// it, unless the numbers fit into a cache.
func strided(e env.Env, numbers []int, workers int) int {
	return summed(e, numbers, workers, plain)
}

func newWide(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, wide) }

// wide is strided with four independent sums for each worker. The total bandwidth of the memory limits it.
func wide(e env.Env, numbers []int, workers int) int {
	return summed(e, numbers, workers, four)
}

// summed adds the part of each worker with add, and collects the sums in an atomic.
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

// channel is strided, but each worker sends its sum along a channel.
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

// sharedLine has false sharing: the sums of the workers are adjacent words, which are written for each number. Their
// cache line moves between CPUs for nearly every number. Virtual time does not model that.
func sharedLine(e env.Env, numbers []int, workers int) int { return inWords(e, numbers, workers, 1) }

func newPadded(e env.Env, p plan.Point) (workload.Job, error) { return adding(e, p, padded) }

// padded is sharedLine without false sharing: the sums are 128 bytes apart. A cache line has 64 bytes, and many
// machines fetch two at a time. Loading and storing the sum for each number limits it.
func padded(e env.Env, numbers []int, workers int) int { return inWords(e, numbers, workers, 16) }

// inWords adds to a sum in memory for each worker. The sums are apart words apart.
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

// atomic adds each number to one atomic word, for which all CPUs contend.
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
