package find

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newPool is the original's: a channel is filled with all documents and closed, and g goroutines take from it. It
// is limited as the formula says: by waiting with few goroutines, by the CPUs with many.
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
