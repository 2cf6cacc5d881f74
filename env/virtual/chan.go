package virtual

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

// tokenChan is a Chan of the kernel.
type tokenChan struct {
	*sim.Chan
	w *World
}

// NewTokenChan implements env.Machine.
func (w *World) NewTokenChan(name string, capacity int) env.TokenChan {
	return &tokenChan{sim.NewChan(name, capacity), w}
}

func (l *tokenChan) Send(token uint32, mayPark bool) env.Step {
	w := l.w
	if !mayPark {
		step := w.begin(sim.Op{Code: sim.TrySend, Token: int64(token), On: l.Chan})
		if step == env.Done && !w.k.Sent() {
			return env.WouldBlock
		}
		return step
	}
	co := w.co
	out := w.k.Send(&co.G, l.Chan, int64(token))
	for out == sim.Again {
		w.leave(co)
		out = w.k.Send(&co.G, l.Chan, int64(token))
	}
	return w.step(out)
}

func (l *tokenChan) Recv(mayPark bool) (step env.Step, token uint32, ok bool) {
	w := l.w
	if !mayPark {
		if step = w.begin(sim.Op{Code: sim.TryRecv, On: l.Chan}); step == env.Done && w.co.Choice() < 0 {
			return env.WouldBlock, 0, false
		}
		return step, w.token(), w.co.OK()
	}
	w.Claim()
	co := w.co
	out := w.k.Recv(&co.G, l.Chan)
	for out == sim.Again {
		w.leave(co)
		out = w.k.Recv(&co.G, l.Chan)
	}
	return w.step(out), w.token(), co.OK()
}

// token returns the token that the running goroutine has received.
func (w *World) token() uint32 { return uint32(w.co.Token()) }

func (l *tokenChan) Outcome() (token uint32, ok bool) { return l.w.token(), l.w.co.OK() }

func (l *tokenChan) Close() { l.w.do(sim.Op{Code: sim.Close, On: l.Chan}) }

// ClearCases implements env.Machine.
func (w *World) ClearCases() {
	w.Claim()
	w.co.ClearCases()
}

// AddCase implements env.Machine.
func (w *World) AddCase(l env.TokenChan, send bool, token uint32) {
	var c *sim.Chan
	if l != nil {
		c = l.(*tokenChan).Chan
	}
	w.co.AddCase(c, send, int64(token))
}

// CaseToken implements env.Machine.
func (w *World) CaseToken(i int) uint32 { return uint32(w.co.CaseToken(i)) }

// Select implements env.Machine.
func (w *World) Select(mayPark bool) env.Step {
	op := sim.Op{Code: sim.Select}
	if !mayPark {
		op.Code = sim.TrySelect
	}
	step := w.begin(op)
	if step == env.Done && w.co.Choice() < 0 {
		return env.WouldBlock
	}
	return step
}

// Selected implements env.Machine.
func (w *World) Selected() (i int, token uint32, ok bool) {
	return w.co.Choice(), w.token(), w.co.OK()
}
