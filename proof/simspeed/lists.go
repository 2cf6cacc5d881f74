package main

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/sim"
)

// list is the queue as lists of operations. A gauge of the customers in the system replaces the meter of the channel.
func (q *queue) list(cpus int) (outcome, error) {
	began := time.Now()
	k := sim.New(sim.Config{CPUs: cpus, Seed: q.seed})
	line, inside := sim.NewChan("line", q.customers), &sim.Gauge{}
	k.Start(k.Goroutine(q.lists(k, line, inside), int64(q.customers)))
	k.Run()
	o := q.outcome(began)
	if err := k.Err(); err != nil {
		return o, err
	}
	if sum := inside.Integral(k.Now()); sum != int64(q.spent) || inside.Now() != 0 { // Little's law
		return o, fmt.Errorf("customers spent %d ns in the system, but the gauge measured %d", q.spent, sum)
	}
	return o, nil
}

// lists is the program of the arrivals, with their number in R0. It starts the program of the server.
func (q *queue) lists(k *sim.Kernel, line *sim.Chan, inside *sim.Gauge) *sim.Program {
	const left, came, until, service = sim.R0, sim.R1, sim.R2, sim.R3
	server := sim.NewProgram("server")
	closed := server.NewLabel()
	next := server.Here()
	server.Recv(line, came, closed)
	server.Exp(service, int64(unit), sim.NewStream(q.seed, 1))
	server.Burn(service)
	server.Gauge(inside, -1)
	server.Draw(came, func(came int64) int64 {
		q.leaves(time.Duration(k.Now() - came))
		return 0
	}, came)
	server.Jump(next)
	server.Bind(closed)

	p := sim.NewProgram("customers")
	p.Spawn(server)
	top := p.Here()
	p.Exp(until, gap(), sim.NewStream(q.seed, 0))
	p.Burn(until)
	p.Gauge(inside, 1)
	p.Now(came)
	p.Send(line, came)
	p.Loop(left, top)
	p.Close(line)
	return p
}

// byLists runs goroutines on unlimited CPUs that burn for exponential times of mean 1, all equally often.
func (m model) byLists(seed uint64) (o outcome, err error) {
	began := time.Now()
	k := sim.New(sim.Config{CPUs: sim.Unlimited, Seed: seed})
	p := sim.NewProgram("sleeper")
	again := p.Here()
	p.Exp(sim.R1, int64(unit), sim.NewStream(seed, 0))
	p.Burn(sim.R1)
	p.Loop(sim.R0, again)
	k.Start(k.Goroutine(crowd(p, nil), int64(m.number/m.processes), int64(m.processes)))
	k.Run()
	o = outcome{took: time.Since(began), served: int64(m.number),
		mean: float64(k.Busy()) / float64(m.number) / float64(unit)}
	if k.Live() > 0 {
		return o, fmt.Errorf("%d goroutines have not ended: %w", k.Live(), k.Err())
	}
	return o, nil
}

// crowd starts goroutines of a program, with their number in R1, and then runs another program.
func crowd(p *sim.Program, then func(*sim.Program)) *sim.Program {
	main := sim.NewProgram("main")
	next := main.Here()
	main.Spawn(p)
	main.Loop(sim.R1, next)
	if then != nil {
		then(main)
	}
	return main
}

// blockedLists is blocked with goroutines as lists of operations.
func blockedLists(n, cpus int) error {
	k, waiting := sim.New(sim.Config{CPUs: cpus}), 0
	gate := sim.NewChan("gate", 0)
	p := sim.NewProgram("waiter")
	p.Call(func(*sim.Regs) { waiting++ })
	p.Recv(gate, sim.R0, sim.Next)
	p.Call(func(*sim.Regs) { waiting-- })
	k.Start(k.Goroutine(crowd(p, func(main *sim.Program) {
		main.Set(sim.R0, int64(time.Second))
		main.Sleep(sim.R0)
		main.Call(func(*sim.Regs) {
			if waiting != n {
				k.Fail(fmt.Errorf("%d goroutines wait, want %d", waiting, n))
			}
		})
		main.Close(gate)
	}), 0, int64(n)))
	k.Run()
	if k.Err() == nil && waiting != 0 {
		return fmt.Errorf("%d goroutines have not come back", waiting)
	}
	return k.Err()
}
