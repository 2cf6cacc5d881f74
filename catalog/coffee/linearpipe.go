package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// ticket is an order in a pipeline, with the channel on which its worker waits.
type ticket struct {
	order
	ready *env.Chan[order]
}

// pipe is a pipeline: a goroutine for each machine, connected by channels.
type pipe struct {
	*shop
	kitchen
	orders *env.Chan[ticket]
	staff  *env.Group // the goroutines of the machines
}

// newPipe starts the goroutines of a pipeline. Several pipelines may receive from the same channel of orders. The
// capacity of the channels between the stages is buffer.
func newPipe(e env.Env, s *shop, orders *env.Chan[ticket], buffer int) *pipe {
	p := &pipe{s, newKitchen(e), orders, e.Group()}
	grounds := env.NewChan[ticket](e, "press", buffer)
	p.staff.Go(e, "grinder", func(e env.Env) {
		pass(orders, grounds, func(t *ticket) { p.shop.grind(e, p.grinder, &t.order) })
	})
	last := grounds
	if s.drink&steamed == 0 {
		p.staff.Go(e, "press", func(e env.Env) {
			hand(last, func(t *ticket) { p.shop.press(e, p.kitchen.press, &t.order) })
		})
		return p
	}
	coffees := env.NewChan[ticket](e, "steamer", buffer)
	p.staff.Go(e, "press", func(e env.Env) {
		pass(grounds, coffees, func(t *ticket) { p.shop.press(e, p.kitchen.press, &t.order) })
	})
	p.staff.Go(e, "steamer", func(e env.Env) {
		hand(coffees, func(t *ticket) { p.shop.steam(e, p.steamer, &t.order) })
	})
	return p
}

// pass processes each ticket from in and sends it to out. It closes out when in is closed.
func pass(in, out *env.Chan[ticket], work func(*ticket)) {
	for t, ok := in.Recv(); ok; t, ok = in.Recv() {
		work(&t)
		out.Send(t)
	}
	out.Close()
}

// hand processes each ticket from in and sends its order to the waiting worker.
func hand(in *env.Chan[ticket], work func(*ticket)) {
	for t, ok := in.Recv(); ok; t, ok = in.Recv() {
		work(&t)
		t.ready.Send(t.order)
	}
}

// newLinearPipe sends every order through one pipeline. The worker runs the latte stage itself.
func newLinearPipe(e env.Env, p plan.Point) (workload.Stream, error) {
	return linearPipe(e, p, aLatte)
}

// newAmericanoPipe is linearpipe without the steam stage.
func newAmericanoPipe(e env.Env, p plan.Point) (workload.Stream, error) {
	return linearPipe(e, p, anAmericano)
}

// newEspressoPipe is linearpipe without the steam and latte stages.
func newEspressoPipe(e env.Env, p plan.Point) (workload.Stream, error) {
	return linearPipe(e, p, justEspresso)
}

func linearPipe(e env.Env, p plan.Point, drink stage) (workload.Stream, error) {
	s, err := newShop(e, p, drink)
	if err != nil {
		return workload.Stream{}, err
	}
	buffer := p.Int("buffer")
	line := newPipe(e, s, env.NewChan[ticket](e, "grinder", buffer), buffer)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			t := ticket{order{request: request}, env.NewChan[order](e, "ready", 0)}
			line.orders.Send(t)
			o, _ := t.ready.Recv()
			s.serve(e, &o)
		},
		Close: func(env.Env) {
			line.orders.Close()
			line.staff.Wait()
		},
		Check: s.audit(line.kitchen),
	}, nil
}
