package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newLocking has one mutex, which is held for all four stages. The throughput is 1/4s on any number of CPUs.
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
