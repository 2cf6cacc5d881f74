package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSplitPipe runs two pipelines in parallel: grinding and pressing, and steaming. The worker sends its request to
// both and waits for both results. The result channels have room for one, so no machine waits for a worker.
func newSplitPipe(e env.Env, p plan.Point) (workload.Stream, error) {
	s, err := newShop(e, p, aLatte)
	if err != nil {
		return workload.Stream{}, err
	}
	k, staff, buffer := newKitchen(e), e.Group(), p.Int("buffer")
	coffees := env.NewChan[ticket](e, "grinder", buffer)
	grounds := env.NewChan[ticket](e, "press", buffer)
	milks := env.NewChan[ticket](e, "steamer", buffer)
	staff.Go(e, "grinder", func(e env.Env) {
		pass(coffees, grounds, func(t *ticket) { s.grind(e, k.grinder, &t.order) })
	})
	staff.Go(e, "press", func(e env.Env) {
		hand(grounds, func(t *ticket) { s.press(e, k.press, &t.order) })
	})
	staff.Go(e, "steamer", func(e env.Env) {
		hand(milks, func(t *ticket) { s.steam(e, k.steamer, &t.order) })
	})
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			coffee := ticket{order{request: request}, env.NewChan[order](e, "coffee", 1)}
			milk := ticket{order{request: request}, env.NewChan[order](e, "milk", 1)}
			coffees.Send(coffee)
			milks.Send(milk)
			o, _ := coffee.ready.Recv()
			jug, _ := milk.ready.Recv()
			o.milk = jug.milk
			s.serve(e, &o)
		},
		Close: func(env.Env) {
			coffees.Close()
			milks.Close()
			staff.Wait()
		},
		Check: s.audit(k),
	}, nil
}
