package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newMulti has k machines of each kind. Free machines wait in a channel for each kind; a worker receives one, uses it
// and sends it back.
func newMulti(e env.Env, p plan.Point) (workload.Stream, error) {
	s, err := newShop(e, p, aLatte)
	k := p.Int("machines")
	grinders := env.NewChan[*env.Station](e, "grinder pool", k)
	presses := env.NewChan[*env.Station](e, "press pool", k)
	steamers := env.NewChan[*env.Station](e, "steamer pool", k)
	kitchens := make([]kitchen, k)
	for i := range kitchens {
		kitchens[i] = newKitchen(e)
		grinders.Send(kitchens[i].grinder)
		presses.Send(kitchens[i].press)
		steamers.Send(kitchens[i].steamer)
	}
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			o := order{request: request}
			grinder, _ := grinders.Recv()
			s.grind(e, grinder, &o)
			grinders.Send(grinder)
			press, _ := presses.Recv()
			s.press(e, press, &o)
			presses.Send(press)
			steamer, _ := steamers.Recv()
			s.steam(e, steamer, &o)
			steamers.Send(steamer)
			s.serve(e, &o)
		},
		Check: s.audit(kitchens...),
	}, err
}
