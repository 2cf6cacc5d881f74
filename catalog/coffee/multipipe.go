package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// innerBuffer is the room between the stages of each of several pipes.
const innerBuffer = 10

// newMultiPipe puts k linear pipes behind one unbuffered order channel. A customer takes a token,
// sends the order, returns the token and then waits.
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
