package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newIdeal has no synchronization: any number of workers use a machine at the same time. It is a bound, not a solution.
// The numbers of uses are not checked, because the counters of the machines are subject to the same race.
func newIdeal(e env.Env, p plan.Point) (workload.Stream, error) {
	s, err := newShop(e, p, aLatte)
	k := newKitchen(e)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			o := order{request: request}
			s.grind(e, k.grinder, &o)
			s.press(e, k.press, &o)
			s.steam(e, k.steamer, &o)
			s.serve(e, &o)
		},
		Check: s.audit(),
	}, err
}
