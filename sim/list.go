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
	frame
	_ [24]byte // padding to the end of a cache line
}

// frame is what a goroutine that gets its turn reads. [list.Resume] keeps a pointer to it: with one to the list, the
// compiler's check for nil would read a cache line more in each turn.
type frame struct {
	in *instr // the next instruction
	r  Regs
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
	k, g, in, t := l.k, &l.G, l.in, &l.frame
	for {
		out := Done
		switch in.do {
		case doDraw, doGauge, doLoop:
			if !k.halts() {
				in = in.simple(&t.r, k.now)
				continue
			}
			out = Again
		case doNow:
			if t.r[in.a&7] = k.now; k.Count() {
				in = in.next
				continue
			}
			out = Again
		case doExpBurn:
			t.r[in.a&7] = in.stream.Exp(in.n)
			in = in.to
			fallthrough
		case doBurn:
			if !k.admits(k.cpu) && k.admit(g, Burn) != Done {
				out = Again
				break
			}
			t.in = in.next
			g = k.hold(g, t.r[in.a&7])
			if l = k.listed(g); l == nil {
				return
			}
			in, t = l.in, &l.frame
			continue
		case doSend:
			if out = k.Send(g, in.ch, t.r[in.a&7]); out == Done {
				in = in.to // it did not park
				continue
			}
		case doRecv:
			if out = k.Recv(g, in.ch); out == Done {
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
		g, in, t = &l.G, l.in, &l.frame
	}
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
