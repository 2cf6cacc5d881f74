package sim

// simple carries out a frequent instruction that is no operation, and returns the next instruction.
func (in *instr) simple(r *Regs, now int64) *instr {
	switch in.do {
	case doDraw:
		r[in.a&7] = in.draw(r[in.b&7])
	case doGauge:
		in.gauge.add(in.n, now)
	default:
		if r[in.a&7]--; r[in.a&7] > 0 {
			return in.to
		}
	}
	return in.next
}

// got takes the value received, and returns the next instruction.
func (l *list) got(in *instr) *instr {
	if l.r[in.a&7] = l.token; !l.ok {
		return in.or
	}
	return in.to
}

// step carries out an instruction that is not among the most frequent. If it is done, next is the next instruction.
func (l *list) step(in *instr) (next *instr, out Outcome) {
	k, g := l.k, &l.G
	if k.halts() { // ends a loop without any operation
		return nil, Again
	}
	switch in.do {
	case doSet, doAdd, doSub, doExp, doCall:
		l.compute(in)
	case doGot:
		return l.got(in), Done
	case doJump:
		return in.to, Done
	case doJumpIf:
		if l.r[in.a] != 0 {
			return in.to, Done
		}
	case doOp:
		out = k.Do(g, Op{Code: in.code, N: in.n, On: in.on})
	case doFor:
		out = k.Do(g, Op{Code: in.code, N: l.r[in.a]})
	case doSendTo:
		if out = k.Send(g, in.on.([]*Chan)[l.r[in.b]], l.r[in.a]); out == Done {
			return in.to, Done // it did not park
		}
	case doSent:
		if !l.ok {
			return nil, k.panics(sendOnClosed)
		}
	case doRecvFrom:
		if out = k.Recv(g, in.on.([]*Chan)[l.r[in.b]]); out == Done {
			return l.got(in), Done
		}
	case doTry:
		if out = k.Do(g, Op{Code: in.code, Token: l.r[in.a], On: in.on}); out == Done && !l.tried(in.code) {
			return in.to, Done
		}
	case doTryRecv:
		return l.tryRecv(in)
	case doSelect:
		l.stage(in.on.([]Case))
		out = k.Do(g, Op{Code: in.code})
	case doChosen:
		return l.chosen(in)
	case doJoined:
		if !l.ok {
			return nil, k.panics("sync: WaitGroup is reused before previous Wait has returned")
		}
	case doSpawn:
		out = l.spawn(in.on.(*Program))
	case doEnd:
		k.Exit(g)
		k.spare = append(k.spare, l)
		out = Parked
	}
	return in.next, out
}

// compute carries out an instruction on registers only.
func (l *list) compute(in *instr) {
	switch in.do {
	case doSet:
		l.r[in.a] = in.n
	case doAdd:
		l.r[in.a] = l.r[in.b] + l.r[in.c]
	case doSub:
		l.r[in.a] = l.r[in.b] - l.r[in.c]
	case doExp:
		l.r[in.a] = in.stream.Exp(in.n)
	case doCall:
		in.on.(func(*Regs))(&l.r)
	}
}

// tried reports whether a try succeeded.
func (l *list) tried(code Code) bool {
	if code == TrySend {
		return l.k.sent
	}
	return l.ok
}

// tryRecv carries out TryRecv.
func (l *list) tryRecv(in *instr) (next *instr, out Outcome) {
	if out = l.k.Do(&l.G, Op{Code: TryRecv, On: in.ch}); out != Done {
		return nil, out
	}
	if l.choice < 0 {
		return in.to, Done
	}
	l.r[in.a] = l.token
	if !l.ok {
		return in.or, Done
	}
	return in.next, Done
}

// stage collects the cases of a select.
func (l *list) stage(cases []Case) {
	l.ClearCases()
	for i := range cases {
		c := &cases[i]
		l.AddCase(c.Chan, c.Send, l.r[c.Reg])
	}
}

// chosen returns the next instruction after a select.
func (l *list) chosen(in *instr) (next *instr, out Outcome) {
	if l.choice < 0 {
		return in.next, Done
	}
	c := &in.on.([]Case)[l.choice]
	switch {
	case c.Send && !l.ok:
		return nil, l.k.panics(sendOnClosed)
	case !c.Send:
		l.r[c.Reg] = l.token
	}
	if !l.ok {
		return c.closed, Done
	}
	return c.then, Done
}

// spawn starts a goroutine. The goroutine is kept if starting it must be repeated.
func (l *list) spawn(p *Program) Outcome {
	if l.child == nil {
		l.child = l.k.list(p)
		l.child.r = l.r
	}
	out := l.k.Do(&l.G, Op{Code: Spawn, On: &l.child.G})
	if out == Done {
		l.child = nil
	}
	return out
}
