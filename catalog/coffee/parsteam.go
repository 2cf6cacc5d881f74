package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newParSteam is finelocking with fork and join: a new goroutine steams while the worker grinds and presses. The
// latency is lower only if a CPU and the steamer are free.
func newParSteam(e env.Env, p plan.Point) (workload.Stream, error) {
	c, err := newCounter(e, p, aLatte)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			o := order{request: request}
			milk := env.NewChan[stage](e, "milk", 0)
			e.Go("steaming", func(e env.Env) {
				jug := order{request: request}
				c.lockSteam(e, &jug)
				milk.Send(jug.milk)
			})
			c.lockGrind(e, &o)
			c.lockPress(e, &o)
			o.milk, _ = milk.Recv()
			c.serve(e, &o)
		},
		Check: c.audit(c.kitchen),
	}, err
}
