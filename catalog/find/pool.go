package find

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newPool is the worker pool of the original: g goroutines receive from a channel that contains all documents. Blocking
// reads limit it with few goroutines, and the CPUs with many.
func newPool(_ env.Env, p plan.Point) (workload.Job, error) {
	t, g := newTask(p, p.Text("scanner") == "xml"), p.Int("goroutines")
	return t.job(func(e env.Env) (int, error) {
		numbers, done := env.NewChan[int](e, "documents", len(t.documents)), e.Group()
		for i := range t.documents {
			numbers.Send(i)
		}
		numbers.Close()
		readers := make([]*reader, min(g, len(t.documents)))
		for k := range readers {
			readers[k] = t.reader()
			done.Go(e, "reader", func(e env.Env) {
				for i, ok := numbers.Recv(); ok; i, ok = numbers.Recv() {
					readers[k].search(e, i)
				}
			})
		}
		done.Wait()
		return sum(readers)
	}), nil
}
