package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// innerBuffer is the capacity of the channels between the stages of a pipeline in multipipe.
const innerBuffer = 10

// newMultiPipe has k linear pipelines that receive from one unbuffered channel. A semaphore of k tokens limits the
// number of workers that send at the same time: a worker takes a token, sends, returns the token and waits for its
// result.
func newMultiPipe(e env.Env, p plan.Point) (workload.Stream, error) {
	s, err := newShop(e, p, aLatte)
	if err != nil {
		return workload.Stream{}, err
	}
	k := p.Int("pipes")
	orders := env.NewChan[ticket](e, "grinder", 0)
	tokens := env.NewChan[int](e, "token", k)
	pipes := make([]*pipe, k)
	kitchens := make([]kitchen, k)
	for i := range pipes {
		pipes[i] = newPipe(e, s, orders, innerBuffer)
		kitchens[i] = pipes[i].kitchen
		tokens.Send(i)
	}
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			t := ticket{order{request: request}, env.NewChan[order](e, "ready", 0)}
			token, _ := tokens.Recv()
			orders.Send(t)
			tokens.Send(token)
			o, _ := t.ready.Recv()
			s.serve(e, &o)
		},
		Close: func(env.Env) {
			orders.Close()
			for _, pipe := range pipes {
				pipe.staff.Wait()
			}
		},
		Check: s.audit(kitchens...),
	}, nil
}
