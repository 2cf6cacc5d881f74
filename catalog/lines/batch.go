package lines

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// batch is some lines on their way, the first of which has a number.
type batch[L any] struct {
	lines []L
	first int
}

// newBatch sends lines in batches: what a channel costs is shared by the lines of a batch. The last batches are the
// limit of that: while they are hashed, consumers that have none are idle.
func newBatch(_ env.Env, p plan.Point) (workload.Job, error) {
	return design(p, batches[string](false), batches[[]byte](false))
}

// newRecycled sends batches whose slices come back along another channel, so that nothing is allocated for them and
// lines are made where the cache has them. No more batches are there than the channel has room for and the goroutines
// have in hand.
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
				lines, _, _ := spent.TryRecv() // never one if they are not recycled
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

// hashAll hashes those of a batch.
func (t task[L]) hashAll(e env.Env, b batch[L], into *tally) {
	e.For(uint64(b.first))
	w := e.Begin()
	for _, line := range b.lines {
		into.add(t.hash(line))
	}
	w.End()
}
