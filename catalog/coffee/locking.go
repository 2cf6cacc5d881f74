package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newLocking locks the kitchen until the latte is served: one latte in 4 stages, whatever the CPUs.
func newLocking(e env.Env, p plan.Point) (workload.Stream, error) {
	s, err := newShop(e, p, aLatte)
	k := newKitchen(e)
	lock := e.Mutex("kitchen")
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			lock.Lock()
			o := order{request: request}
			s.grind(e, k.grinder, &o)
			s.press(e, k.press, &o)
			s.steam(e, k.steamer, &o)
			s.serve(e, &o)
			lock.Unlock()
		},
		Check: s.audit(k),
	}, err
}
