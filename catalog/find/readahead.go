package find

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newReadAhead is a pipeline: g goroutines only read, and send documents to the parsers, by default one for each CPU. A
// reader waits for the next document while the last one is parsed. The pool needs (Z+S)/S goroutines for each CPU, and
// read-ahead only Z/S readers. The slower stage limits it.
func newReadAhead(_ env.Env, p plan.Point) (workload.Job, error) {
	t, g, k := newTask(p, p.Text("scanner") == "xml"), p.Int("goroutines"), p.Int("parsers")
	return t.job(func(e env.Env) (int, error) {
		numbers, read := env.NewChan[int](e, "documents", len(t.documents)), env.NewChan[int](e, "read", g)
		for i := range t.documents {
			numbers.Send(i)
		}
		numbers.Close()
		reading, parsing := e.Group(), e.Group()
		for range min(g, len(t.documents)) {
			reading.Go(e, "reader", func(e env.Env) {
				for i, ok := numbers.Recv(); ok; i, ok = numbers.Recv() {
					e.Wait(t.read)
					read.Send(i)
				}
			})
		}
		parsers := make([]*reader, k)
		for j := range parsers {
			parsers[j] = t.reader()
			parsing.Go(e, "parser", func(e env.Env) {
				for i, ok := read.Recv(); ok; i, ok = read.Recv() {
					parsers[j].parse(e, i, t.documents[i])
				}
			})
		}
		reading.Wait()
		read.Close()
		parsing.Wait()
		return sum(parsers)
	}), nil
}
