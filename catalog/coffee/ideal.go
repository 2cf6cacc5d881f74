package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newIdeal lets everybody use every machine at once: what the shop could do if nothing were shared.
// The uses of the machines are not audited, for the machines' own counts are raced.
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
