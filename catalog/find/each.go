package find

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newEach starts a goroutine for each document. All wait at the same time, so that it is limited by the CPUs, and by
// one Z at the beginning, when nothing is there to parse.
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

// newSemaphore starts a goroutine for each document too, of which g at a time may go on. It is limited as the pool
// is, and near the knee by more: who gets a token has to wait for a CPU before its read can begin, where a goroutine of
// the pool has one. Those that may not go on yet cost their memory.
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

// scanners lends scanners to goroutines that need one for a document only.
type scanners struct {
	task *task
	idle *env.Chan[*reader]
}

func newScanners(e env.Env, t *task) *scanners {
	return &scanners{t, env.NewChan[*reader](e, "scanners", 64)}
}

// parse parses document i and adds what it finds.
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
