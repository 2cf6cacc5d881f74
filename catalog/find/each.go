package find

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newEach starts a goroutine for each document. All block at the same time, so the CPUs limit it, plus one Z at the
// start, when there is nothing to parse.
func newEach(_ env.Env, p plan.Point) (workload.Job, error) {
	t := newTask(p, p.Text("scanner") == "xml")
	return t.job(func(e env.Env) (int, error) {
		found, failed := env.NewAtomic[int](e, "found"), env.NewChan[error](e, "failed", 1)
		scanners, done := newScanners(e, t), e.Group()
		for i := range t.documents {
			done.Go(e, "reader", func(e env.Env) {
				e.Wait(t.read)
				scanners.parse(e, i, found, failed)
			})
		}
		done.Wait()
		err, _, _ := failed.TryRecv()
		return found.Load(), err
	}), nil
}

// newSemaphore starts a goroutine for each document, and a semaphore lets g of them run. Its bound is that of the pool.
// Near the knee it is slower: a goroutine that gets a token waits for a CPU before its read can start, whereas a
// goroutine of the pool already has one. Goroutines that wait for a token cost memory.
func newSemaphore(_ env.Env, p plan.Point) (workload.Job, error) {
	t, g := newTask(p, p.Text("scanner") == "xml"), p.Int("goroutines")
	return t.job(func(e env.Env) (int, error) {
		found, failed := env.NewAtomic[int](e, "found"), env.NewChan[error](e, "failed", 1)
		scanners, done, tokens := newScanners(e, t), e.Group(), env.NewChan[struct{}](e, "tokens", g)
		for i := range t.documents {
			done.Go(e, "reader", func(e env.Env) {
				tokens.Send(struct{}{})
				e.Wait(t.read)
				scanners.parse(e, i, found, failed)
				tokens.Recv()
			})
		}
		done.Wait()
		err, _, _ := failed.TryRecv()
		return found.Load(), err
	}), nil
}

// scanners is a free list of scanners for goroutines that need one for a single document.
type scanners struct {
	task *task
	idle *env.Chan[*reader]
}

func newScanners(e env.Env, t *task) *scanners {
	return &scanners{t, env.NewChan[*reader](e, "scanners", 64)}
}

// parse parses document i and adds the number of matches to found.
func (s *scanners) parse(e env.Env, i int, found *env.Atomic[int], failed *env.Chan[error]) {
	r, _, ok := s.idle.TryRecv()
	if !ok {
		r = s.task.reader()
	}
	r.parse(e, i, s.task.documents[i])
	found.Add(r.found)
	if r.err != nil {
		failed.TrySend(r.err)
	}
	r.found, r.err = 0, nil
	s.idle.TrySend(r)
}
