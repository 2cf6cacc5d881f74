package sim

import "fmt"

// list is a goroutine that runs a program. The end of its G, its next instruction and its first registers share a
// cache line.
type list struct {
	k       *Kernel
	p       *Program
	ordinal int32 // among the goroutines with its name
	child   *list // a goroutine whose start takes time
	G
	in *instr // the next instruction
	r  Regs
	_  [24]byte // padding to the end of a cache line
}

// slab is how many lists are allocated at once if there are many already: more than 32 KiB, which start at a cache
// line.
const slab = 128

// Goroutine returns a goroutine of the program for [Kernel.Start], with these numbers in its first registers.
func (k *Kernel) Goroutine(p *Program, args ...int64) *G {
	l := k.list(p)
	l.r = Regs{}
	copy(l.r[:], args)
	return &l.G
}

// list returns an unused list for the program.
func (k *Kernel) list(p *Program) (l *list) {
	p.seal()
	if n := len(k.spare); n > 0 {
		l, k.spare = k.spare[n-1], k.spare[:n-1]
	} else {
		if len(k.slab) == 0 {
			k.slab = make([]list, min(slab, max(8, int(k.next))))
		}
		l, k.slab = &k.slab[0], k.slab[1:]
		l.k = k
		l.Bind(l)
		l.list = l
	}
	if k.named == nil {
		k.named = map[string]int32{}
	}
	k.named[p.name]++
	l.p, l.in, l.ordinal = p, &p.code[0], k.named[p.name]
	return l
}

// Name implements Runner.
func (l *list) Name() string {
	if l.ordinal == 1 {
		return l.p.name
	}
	return fmt.Sprintf("%s#%d", l.p.name, l.ordinal)
}

// Resume implements Runner. It also continues the other goroutines of programs that the kernel chooses next.
func (l *list) Resume() {
	k, in := l.k, l.in
	for {
		out := Done
		switch in.do {
		case doDraw, doGauge, doLoop:
			if !k.halts() {
				in = l.simple(in)
				continue
			}
			out = Again
		case doNow:
			if l.r[in.a&7] = k.now; k.Count() {
				in = in.next
				continue
			}
			out = Again
		case doExpBurn:
			l.r[in.a&7] = in.stream.Exp(in.n)
			in = in.to
			fallthrough
		case doBurn:
			if !k.admits(k.cpu) && k.admit(&l.G, Burn) != Done {
				out = Again
				break
			}
			l.in = in.next
			if l = k.listed(k.hold(&l.G, l.r[in.a&7])); l == nil {
				return
			}
			in = l.in
			continue
		case doSend:
			if out = k.Send(&l.G, in.ch, l.r[in.a&7]); out == Done {
				in = in.to // it did not park
				continue
			}
		case doRecv:
			if out = k.Recv(&l.G, in.ch); out == Done {
				in = l.got(in)
				continue
			}
		default:
			var next *instr
			if next, out = l.step(in); out == Done {
				in = next
				continue
			}
		}
		if l = l.leave(in, out); l == nil {
			return
		}
		in = l.in
	}
}

// simple carries out a frequent instruction that is no operation, and returns the next instruction.
func (l *list) simple(in *instr) *instr {
	switch in.do {
	case doDraw:
		l.r[in.a&7] = in.draw(l.r[in.b&7])
	case doGauge:
		in.gauge.add(in.n, l.k.now)
	default:
		if l.r[in.a&7]--; l.r[in.a&7] > 0 {
			return in.to
		}
	}
	return in.next
}

// leave ends the turn of a goroutine at an instruction. It returns the goroutine that runs next if that runs a
// program.
func (l *list) leave(in *instr, out Outcome) *list {
	k := l.k
	switch out {
	case Again:
		l.in = in
	case Panic:
		k.Fail(fmt.Errorf("goroutine %s panicked at instruction %d: %s", l.Name(), in.at, k.Reason()))
		k.Exit(&l.G)
	default:
		l.in = in.next
	}
	return k.listed(k.Next())
}

// listed returns the list of a goroutine that runs a program. Any other goroutine is left for Next to return.
func (k *Kernel) listed(g *G) *list {
	if g == nil {
		return nil
	}
	if g.list == nil {
		k.Choose(g)
	}
	return g.list
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
