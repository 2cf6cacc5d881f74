package mandelbrot

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func newPool(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, pool) }

// pool is a worker pool: one goroutine sends tasks along a channel. The original sends single pixels along an
// unbuffered channel, so that each one parks and wakes two goroutines. With a fine grain, the sending goroutine is the
// bottleneck.
func pool(e env.Env, p plan.Point, c *canvas) {
	grain := p.Int("grain")
	tasks, done := env.NewChan[int](e, "tasks", p.Int("buffer")), e.Group()
	for range p.Int("workers") {
		done.Go(e, "worker", func(e env.Env) {
			for first, ok := tasks.Recv(); ok; first, ok = tasks.Recv() {
				c.task(e, first, grain)
			}
		})
	}
	for first := 0; first < c.pixels(); first += grain {
		tasks.Send(first)
	}
	tasks.Close()
	done.Wait()
}

// counted runs tasks on workers, which take the next task from an atomic counter.
func counted(e env.Env, workers, tasks int, do func(e env.Env, task int)) {
	next, done := env.NewAtomic[int](e, "next"), e.Group()
	for range workers {
		done.Go(e, "worker", func(e env.Env) {
			for task := next.Add(1) - 1; task < tasks; task = next.Add(1) - 1 {
				do(e, task)
			}
		})
	}
	done.Wait()
}

func newCounter(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, counter) }

// counter distributes tasks with an atomic counter. A task costs one atomic addition; in pool it costs a channel
// hand-off.
func counter(e env.Env, p plan.Point, c *canvas) {
	grain := p.Int("grain")
	counted(e, p.Int("workers"), (c.pixels()+grain-1)/grain, func(e env.Env, task int) { c.task(e, task*grain, grain) })
}

func newTiles(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, tiles) }

// tiles is counter with square tasks. No task takes longer than tile*tile pixels in the set.
func tiles(e env.Env, p plan.Point, c *canvas) {
	side := min(p.Int("tile"), c.size)
	across := (c.size + side - 1) / side
	counted(e, p.Int("workers"), across*across, func(e env.Env, task int) {
		e.For(uint64(task))
		w := e.Begin()
		left, top := task/across*side, task%across*side
		for x := left; x < min(left+side, c.size); x++ {
			for y := top; y < min(top+side, c.size); y++ {
				c.paint(x, y)
			}
		}
		w.End()
	})
}

// span is a range of tasks in one word, so that it can be changed atomically. The upper half is the first task, and the
// lower half the end.
type span uint64

func newSpan(first, end int) span       { return span(first)<<32 | span(end) }
func (s span) bounds() (first, end int) { return int(s >> 32), int(s & (1<<32 - 1)) }

func newStealing(_ env.Env, p plan.Point) (workload.Job, error) { return drawn(p, stealing) }

// stealing is work stealing. Each worker has a range of tasks and takes from its front. An idle worker steals the back
// half of the longest range (R. Blumofe and C. Leiserson, Scheduling multithreaded computations by work stealing, JACM
// 46, 1999, choose a random victim; with few workers, examining all is as cheap). Workers share no counter while they
// have tasks of their own.
func stealing(e env.Env, p plan.Point, c *canvas) {
	grain, workers := p.Int("grain"), p.Int("workers")
	tasks := (c.pixels() + grain - 1) / grain
	ranges, done := make([]*env.Atomic[span], workers), e.Group()
	for w := range ranges {
		ranges[w] = env.NewAtomic[span](e, "range")
		ranges[w].Store(newSpan(tasks*w/workers, tasks*(w+1)/workers))
	}
	for w := range ranges {
		done.Go(e, "worker", func(e env.Env) {
			for {
				if task, ok := takeFirst(ranges[w]); ok {
					c.task(e, task*grain, grain)
				} else if !steal(ranges, w) {
					return
				}
			}
		})
	}
	done.Wait()
}

// takeFirst takes the first task of a range. ok is false if the range is empty.
func takeFirst(r *env.Atomic[span]) (task int, ok bool) {
	for {
		s := r.Load()
		first, end := s.bounds()
		if first >= end {
			return 0, false
		}
		if r.CompareAndSwap(s, newSpan(first+1, end)) {
			return first, true
		}
	}
}

// steal moves the back half of the longest range, rounded up, to the thief's range. That range is empty, so no other
// worker writes it. steal returns false if all ranges are empty; the last tasks are then being processed.
func steal(ranges []*env.Atomic[span], thief int) bool {
	for {
		longest, most := 0, 0
		for w, r := range ranges {
			if first, end := r.Load().bounds(); end-first > most {
				longest, most = w, end-first
			}
		}
		if most == 0 {
			return false
		}
		s := ranges[longest].Load()
		first, end := s.bounds()
		if first >= end {
			continue
		}
		middle := first + (end-first)/2
		if ranges[longest].CompareAndSwap(s, newSpan(first, middle)) {
			ranges[thief].Store(newSpan(middle, end))
			return true
		}
	}
}
