package sim

// Send sends the value of a register.
func (p *Program) Send(c *Chan, from Reg) {
	p.add(instr{do: doSend, ch: c, a: from, then: Next})
	p.add(instr{do: doSent})
}

// SendTo sends the value of a register to one of several channels; its index is in another register.
func (p *Program) SendTo(all []*Chan, index, from Reg) {
	p.add(instr{do: doSendTo, on: all, b: index, a: from, then: Next})
	p.add(instr{do: doSent})
}

// TrySend sends the value of a register, or continues at a label if that is not possible at once.
func (p *Program) TrySend(c *Chan, from Reg, failed Label) {
	p.add(instr{do: doTry, code: TrySend, on: c, a: from, then: failed})
}

// Recv receives into a register. From a closed channel it receives 0 and continues at a label.
func (p *Program) Recv(c *Chan, to Reg, closed Label) {
	in := instr{do: doRecv, ch: c, a: to, then: Next, closed: closed}
	p.add(in)
	p.got(in)
}

// RecvFrom receives from one of several channels; its index is in a register.
func (p *Program) RecvFrom(all []*Chan, index, to Reg, closed Label) {
	in := instr{do: doRecvFrom, on: all, b: index, a: to, then: Next, closed: closed}
	p.add(in)
	p.got(in)
}

// got appends the instruction that takes the value after a receive has parked.
func (p *Program) got(in instr) {
	in.do = doGot
	p.add(in)
}

// TryRecv receives into a register, or continues at one of two labels if the channel is empty or closed.
func (p *Program) TryRecv(c *Chan, to Reg, empty, closed Label) {
	p.add(instr{do: doTryRecv, ch: c, a: to, then: empty, closed: closed})
}

// Close closes a channel.
func (p *Program) Close(c *Chan) { p.op(Close, c) }

// Case is a case of a select. It sends Reg, or receives into it, and continues at Then. A receive from a closed
// channel puts 0 there and continues at Closed.
type Case struct {
	Chan         *Chan // nil never proceeds
	Send         bool
	Reg          Reg
	Then, Closed Label

	then, closed *instr // the instructions at Then and Closed
}

// Select carries out one of the cases.
func (p *Program) Select(cases ...Case) { p.selects(Select, cases) }

// TrySelect carries out one of the cases, or continues with the next instruction if none can proceed.
func (p *Program) TrySelect(cases ...Case) { p.selects(TrySelect, cases) }

// selects appends a select.
func (p *Program) selects(code Code, cases []Case) {
	own := append([]Case(nil), cases...)
	p.add(instr{do: doSelect, code: code, on: own})
	p.add(instr{do: doChosen, on: own})
}

// Gauge is a number and its integral over time: the number of requests in a system, for instance.
type Gauge struct{ n, sum, since int64 }

// Now returns the number.
func (g *Gauge) Now() int64 { return g.n }

// Integral returns the integral of the number up to a time in nanoseconds, which must not be before its last change.
func (g *Gauge) Integral(at int64) int64 { return g.sum + g.n*(at-g.since) }

// add changes the number at a time.
func (g *Gauge) add(n, at int64) {
	g.sum += g.n * (at - g.since)
	g.n, g.since = g.n+n, at
}
