package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// batch is a batch of consecutive lines; first is the number of the first one.
type batch[L any] struct {
	lines []L
	first int
}

// newBatch sends batches of lines along one channel, so that the lines of a batch share the cost of the channel
// operations. Large batches have a cost too: while the last ones are hashed, the other consumers are idle.
func newBatch(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, batches[string](false), batches[[]byte](false))
}

// newRecycled is batch with a free list: consumers return the slices of batches along a second channel. Batches are
// then not allocated, and lines are written to memory that is in the cache. The number of batches is at most the
// capacity of the channel plus one for each goroutine.
func newRecycled(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, batches[string](true), batches[[]byte](true))
}

func batches[L any](recycle bool) func(t task[L]) func(env.Env) (tally, error) {
	return func(t task[L]) func(env.Env) (tally, error) {
		n, size, k, buffer := t.p.Int("total"), t.p.Int("batch"), t.p.Int("consumers"), t.p.Int("buffer")
		return func(e env.Env) (tally, error) {
			full, spent := env.NewChan[batch[L]](e, "batches", buffer), env.NewChan[[]L](e, "spent", buffer+k+1)
			tallies, done := make([]tally, k), e.Group()
			for i := range k {
				done.Go(e, "consumer", func(e env.Env) {
					for b, ok := full.Recv(); ok; b, ok = full.Recv() {
						t.hashAll(e, b, &tallies[i])
						if recycle {
							spent.TrySend(b.lines)
						}
					}
				})
			}
			for from := 0; from < n; from += size {
				lines, _, _ := spent.TryRecv() // never succeeds without recycling
				if lines == nil {
					lines = make([]L, size)
				}
				full.Send(t.fill(e, lines[:min(size, n-from)], from))
			}
			full.Close()
			done.Wait()
			return total(tallies), nil
		}
	}
}

// fill makes the lines of a batch.
func (t task[L]) fill(e env.Env, lines []L, first int) batch[L] {
	e.For(uint64(first))
	w := e.Begin()
	for i := range lines {
		lines[i] = t.line(lines[i], first+i)
	}
	w.End()
	return batch[L]{lines, first}
}

// hashAll hashes the lines of a batch.
func (t task[L]) hashAll(e env.Env, b batch[L], into *tally) {
	e.For(uint64(b.first))
	w := e.Begin()
	for _, line := range b.lines {
		into.add(t.hash(line))
	}
	w.End()
}
