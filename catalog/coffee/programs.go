package coffee

import (
	"fmt"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/sim"
)

// Program is a design as lists of operations for package sim. For the same requests, the kernel makes the same
// decisions as for the design's Go code.
//
// Open appends the operations before the load, Op those of one request, and Close those after the load. Op finds the
// number of the request in R0 and that of the worker in R1. It may use R4 to R7.
type Program struct{ Open, Op, Close func(*sim.Program) }

// programs are the designs that exist as programs.
func programs() map[string]func(*bar, plan.Point) Program {
	return map[string]func(*bar, plan.Point) Program{
		"finelocking": (*bar).fineLocking, "linearpipe": (*bar).linearPipe, "multi": (*bar).multi,
		"splitpipe": (*bar).splitPipe,
	}
}

// NewProgram returns a design as a program, for one run with that number of workers. The seed is that of the random
// draws. It returns an error if the point is invalid or the design exists only as Go code.
func NewProgram(design string, p plan.Point, workers int, seed uint64) (Program, error) {
	build, ok := programs()[design]
	if !ok {
		return Program{}, fmt.Errorf("the design %s exists only as Go code; finelocking, linearpipe, multi and "+
			"splitpipe exist as programs", design)
	}
	r, err := newRecipe(p)
	if err != nil {
		return Program{}, err
	}
	return build(&bar{recipe: r, rand: env.NewRand(seed), workers: workers}, p), nil
}

// bar is the state that the lists of a program share.
type bar struct {
	recipe
	rand    env.Rand
	workers int
	staff   sim.Group // the goroutines of the machines
}

// use appends the burn of a machine stage for the request in a register.
func (b *bar) use(p *sim.Program, st stage, request sim.Reg) {
	mean := b.mean(st)
	if b.fixed() {
		p.Set(sim.R4, int64(mean))
	} else {
		p.Draw(sim.R4, func(request int64) int64 { return int64(b.draw(b.rand, uint64(request), st, mean)) }, request)
	}
	p.Burn(sim.R4)
}

// serve appends the latte stage.
func (b *bar) serve(p *sim.Program) {
	p.Set(sim.R4, int64(b.latte))
	p.Burn(sim.R4)
}

// start starts the goroutine of a machine. It receives requests into R0 and runs work for each, and end when in is
// closed.
func (b *bar) start(main *sim.Program, name string, in *sim.Chan, work, end func(*sim.Program)) {
	p := sim.NewProgram(name)
	closed := p.NewLabel()
	top := p.Here()
	p.Recv(in, sim.R0, closed)
	work(p)
	p.Jump(top)
	p.Bind(closed)
	end(p)
	p.GroupAdd(&b.staff, -1)
	main.GroupAdd(&b.staff, 1)
	main.Spawn(p)
}

// pass starts a machine that sends its requests to out, and finally closes out.
func (b *bar) pass(main *sim.Program, name string, st stage, in, out *sim.Chan) {
	b.start(main, name, in, func(p *sim.Program) {
		b.use(p, st, sim.R0)
		p.Send(out, sim.R0)
	}, func(p *sim.Program) { p.Close(out) })
}

// hand starts a machine that sends each request to its worker. Worker w makes the requests w, w + workers and so on.
func (b *bar) hand(main *sim.Program, name string, st stage, in *sim.Chan, customers []*sim.Chan) {
	b.start(main, name, in, func(p *sim.Program) {
		b.use(p, st, sim.R0)
		p.Draw(sim.R1, func(request int64) int64 { return request % int64(b.workers) }, sim.R0)
		p.SendTo(customers, sim.R1, sim.R0)
	}, func(*sim.Program) {})
}

// customers returns a channel for each worker, on which it waits for its request. A worker has one request at a time.
func (b *bar) customers(name string, capacity int) []*sim.Chan {
	all := make([]*sim.Chan, b.workers)
	for i := range all {
		all[i] = sim.NewChan(name, capacity)
	}
	return all
}

func (b *bar) fineLocking(plan.Point) Program {
	machines := []struct {
		stage
		lock *sim.Mutex
	}{{ground, &sim.Mutex{Name: "grinder"}}, {pressed, &sim.Mutex{Name: "press"}},
		{steamed, &sim.Mutex{Name: "steamer"}}}
	nothing := func(*sim.Program) {}
	return Program{Open: nothing, Close: nothing, Op: func(p *sim.Program) {
		for _, m := range machines {
			p.Lock(m.lock)
			b.use(p, m.stage, sim.R0)
			p.Unlock(m.lock)
		}
		b.serve(p)
	}}
}

func (b *bar) multi(at plan.Point) Program {
	k := at.Int("machines")
	pools := []struct {
		stage
		pool *sim.Chan
	}{{ground, sim.NewChan("grinder pool", k)}, {pressed, sim.NewChan("press pool", k)},
		{steamed, sim.NewChan("steamer pool", k)}}
	return Program{
		Open: func(p *sim.Program) {
			for i := range k {
				p.Set(sim.R5, int64(i))
				for _, m := range pools {
					p.Send(m.pool, sim.R5)
				}
			}
		},
		Op: func(p *sim.Program) {
			for _, m := range pools {
				p.Recv(m.pool, sim.R5, sim.Next)
				b.use(p, m.stage, sim.R0)
				p.Send(m.pool, sim.R5)
			}
			b.serve(p)
		},
		Close: func(*sim.Program) {},
	}
}

func (b *bar) linearPipe(at plan.Point) Program {
	buffer := at.Int("buffer")
	orders, grounds, coffees := sim.NewChan("grinder", buffer), sim.NewChan("press", buffer),
		sim.NewChan("steamer", buffer)
	ready := b.customers("ready", 0)
	return Program{
		Open: func(p *sim.Program) {
			b.pass(p, "grinder", ground, orders, grounds)
			b.pass(p, "press", pressed, grounds, coffees)
			b.hand(p, "steamer", steamed, coffees, ready)
		},
		Op: func(p *sim.Program) {
			p.Send(orders, sim.R0)
			p.RecvFrom(ready, sim.R1, sim.R5, sim.Next)
			b.serve(p)
		},
		Close: func(p *sim.Program) {
			p.Close(orders)
			p.GroupWait(&b.staff)
		},
	}
}

func (b *bar) splitPipe(at plan.Point) Program {
	buffer := at.Int("buffer")
	orders, grounds, jugs := sim.NewChan("grinder", buffer), sim.NewChan("press", buffer),
		sim.NewChan("steamer", buffer)
	coffee, milk := b.customers("coffee", 1), b.customers("milk", 1)
	return Program{
		Open: func(p *sim.Program) {
			b.pass(p, "grinder", ground, orders, grounds)
			b.hand(p, "press", pressed, grounds, coffee)
			b.hand(p, "steamer", steamed, jugs, milk)
		},
		Op: func(p *sim.Program) {
			p.Send(orders, sim.R0)
			p.Send(jugs, sim.R0)
			p.RecvFrom(coffee, sim.R1, sim.R5, sim.Next)
			p.RecvFrom(milk, sim.R1, sim.R5, sim.Next)
			b.serve(p)
		},
		Close: func(p *sim.Program) {
			p.Close(orders)
			p.Close(jugs)
			p.GroupWait(&b.staff)
		},
	}
}
