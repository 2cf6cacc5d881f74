package sim

// Send sends a register.
func (p *Program) Send(c *Chan, from Reg) {
	p.add(instr{do: doSend, ch: c, a: from, then: Next})
	p.add(instr{do: doSent})
}

// SendTo sends a register to one of several channels, that whose index is in another register.
func (p *Program) SendTo(all []*Chan, index, from Reg) {
	p.add(instr{do: doSendTo, on: all, b: index, a: from, then: Next})
	p.add(instr{do: doSent})
}

// TrySend sends a register, or goes on at a label if that is not possible at once.
func (p *Program) TrySend(c *Chan, from Reg, failed Label) {
	p.add(instr{do: doTry, code: TrySend, on: c, a: from, then: failed})
}

// Recv receives into a register. From a closed channel it receives 0 and goes on at a label.
func (p *Program) Recv(c *Chan, to Reg, closed Label) {
	in := instr{do: doRecv, ch: c, a: to, then: Next, closed: closed}
	p.add(in)
	p.got(in)
}

// RecvFrom receives from one of several channels, that whose index is in a register.
func (p *Program) RecvFrom(all []*Chan, index, to Reg, closed Label) {
	in := instr{do: doRecvFrom, on: all, b: index, a: to, then: Next, closed: closed}
	p.add(in)
	p.got(in)
}

// got takes what has been received, where the receive has parked.
func (p *Program) got(in instr) {
	in.do = doGot
	p.add(in)
}

// TryRecv receives into a register, or goes on at one of two labels if the channel is empty or closed.
func (p *Program) TryRecv(c *Chan, to Reg, empty, closed Label) {
	p.add(instr{do: doTryRecv, ch: c, a: to, then: empty, closed: closed})
}

// Close closes a channel.
func (p *Program) Close(c *Chan) { p.op(Close, c) }

// Case is a case of a select. It sends Reg, or receives into it, and goes on at Then; a receive from a closed
// channel puts 0 there and goes on at Closed.
type Case struct {
	Chan         *Chan // nil never proceeds
	Send         bool
	Reg          Reg
	Then, Closed Label

	then, closed *instr // where these stand
}

// Select carries out one of the cases.
func (p *Program) Select(cases ...Case) { p.selects(Select, cases) }

// TrySelect carries out one of the cases, or goes on with what follows if none can proceed.
func (p *Program) TrySelect(cases ...Case) { p.selects(TrySelect, cases) }

func (p *Program) selects(code Code, cases []Case) {
	own := append([]Case(nil), cases...)
	p.add(instr{do: doSelect, code: code, on: own})
	p.add(instr{do: doChosen, on: own})
}

// Gauge is a number and its integral over time: of the customers in a system, for instance.
type Gauge struct{ n, sum, since int64 }

// Now is the number.
func (g *Gauge) Now() int64 { return g.n }

// Integral is the sum of the number over all nanoseconds up to a time, not before its last change.
func (g *Gauge) Integral(at int64) int64 { return g.sum + g.n*(at-g.since) }

func (g *Gauge) add(n, at int64) {
	g.sum += g.n * (at - g.since)
	g.n, g.since = g.n+n, at
}
