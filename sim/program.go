package sim

import "fmt"

// Reg names a register of a goroutine that runs a [Program].
type Reg uint8

// Regs are the registers of such a goroutine: numbers, times in nanoseconds, values to send and values received.
type Regs [8]int64

// The registers.
const (
	R0 Reg = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
)

// Label is a position in a program, the target of a jump.
type Label int32

// Next, instead of a label, is the instruction that follows.
const Next Label = -1

// Program is a goroutine as data: a list of instructions instead of code with a stack. A goroutine that waits takes
// only the space of its registers and its next instruction. The kernel carries out the operations of a program
// exactly as those of a coroutine.
//
// Each method appends an instruction, which takes its numbers from registers. A program is complete when its first
// goroutine starts; appending to it later panics. It ends after its last instruction. A program belongs to one
// kernel, as its channels and locks do. A loop without any operation never ends, as in Go.
type Program struct {
	name   string
	code   []instr
	labels []int32 // by Label, the number of an instruction; -1 for an unbound label
	sealed bool
}

// instr is an instruction.
type instr struct {
	do      do
	code    Code // of the kernel's operation
	a, b, c Reg
	then    Label  // the next instruction, until the program is sealed
	closed  Label  // the same for a receive from a closed channel
	next    *instr // the next instruction by default
	to, or  *instr // the instructions at then and closed
	at      int    // its number
	n       int64
	ch      *Chan
	on      any
	draw    func(int64) int64
	gauge   *Gauge
	stream  *Stream
}

// do is the way an instruction is carried out.
type do uint8

const (
	doEnd do = iota
	doSet
	doAdd
	doSub
	doDraw
	doCall
	doExp
	doExpBurn // and the burn that follows
	doJump
	doJumpIf
	doLoop
	doNow
	doGauge
	doBurn
	doFor // an operation with a duration, in register a
	doOp  // an operation without a result
	doSend
	doSendTo
	doSent // whether a send that parked met a closed channel
	doRecv
	doRecvFrom
	doGot // the value received
	doTry // an operation that may fail
	doTryRecv
	doSelect
	doChosen // the result of a select
	doJoined // the result of waiting for a group
	doSpawn
)

// NewProgram creates an empty program. Its goroutines are called by the name; the second one of a kernel is "name#2".
func NewProgram(name string) *Program { return &Program{name: name} }

// add appends an instruction.
func (p *Program) add(in instr) {
	if p.sealed {
		panic(fmt.Sprintf("sim: program %s is appended to, but a goroutine of it has started", p.name))
	}
	if max(in.a, in.b, in.c) > R7 {
		panic(fmt.Sprintf("sim: program %s, instruction %d: there is no register %d", p.name, len(p.code),
			max(in.a, in.b, in.c)))
	}
	p.code = append(p.code, in)
}

// NewLabel creates a label for [Program.Bind].
func (p *Program) NewLabel() Label {
	p.labels = append(p.labels, -1)
	return Label(len(p.labels) - 1)
}

// Bind binds a label to the next instruction.
func (p *Program) Bind(l Label) { p.labels[l] = int32(len(p.code)) }

// Here returns a new label bound to the next instruction.
func (p *Program) Here() Label {
	l := p.NewLabel()
	p.Bind(l)
	return l
}

// seal ends the program and resolves its labels.
func (p *Program) seal() {
	if p.sealed {
		return
	}
	p.add(instr{do: doEnd})
	for i := range p.code {
		in := &p.code[i]
		in.at, in.next = i, p.target(i+1)
		switch in.do {
		case doExp:
			if then := &p.code[i+1]; then.do == doBurn && then.a == in.a {
				in.do, in.to = doExpBurn, then
			}
		case doJump, doJumpIf, doLoop, doTry, doSend, doSendTo:
			in.to = p.resolve(i, in.then)
		case doRecv, doRecvFrom, doGot, doTryRecv:
			in.to, in.or = p.resolve(i, in.then), p.resolve(i, in.closed)
		case doChosen:
			for j := range in.on.([]Case) {
				c := &in.on.([]Case)[j]
				c.then, c.closed = p.resolve(i, c.Then), p.resolve(i, c.Closed)
			}
		}
	}
	p.sealed = true
}

// resolve returns the target of a label in instruction i.
func (p *Program) resolve(i int, l Label) *instr {
	if l == Next {
		switch p.code[i].do {
		case doRecv, doRecvFrom, doSend, doSendTo:
			i++ // skip the instruction that handles the result after parking
		}
		return p.target(i + 1)
	}
	if p.labels[l] < 0 {
		panic(fmt.Sprintf("sim: program %s, instruction %d: its label has no place", p.name, i))
	}
	return p.target(int(p.labels[l]))
}

// target returns the first instruction from number at on that is not a jump; nil after the last.
func (p *Program) target(at int) *instr {
	for range p.code {
		if at == len(p.code) {
			return nil
		}
		in := &p.code[at]
		if in.do != doJump || in.then == Next || p.labels[in.then] < 0 { // seal reports an unbound label
			return in
		}
		at = int(p.labels[in.then])
	}
	return &p.code[at] // jumps in a circle
}

// Set puts n into a register.
func (p *Program) Set(to Reg, n int64) { p.add(instr{do: doSet, a: to, n: n}) }

// Add puts x + y into a register.
func (p *Program) Add(to, x, y Reg) { p.add(instr{do: doAdd, a: to, b: x, c: y}) }

// Sub puts x - y into a register.
func (p *Program) Sub(to, x, y Reg) { p.add(instr{do: doSub, a: to, b: x, c: y}) }

// Draw puts f of a register into a register: a random time for a request, for instance.
func (p *Program) Draw(to Reg, f func(int64) int64, of Reg) {
	p.add(instr{do: doDraw, a: to, b: of, draw: f})
}

// Exp puts an exponentially distributed time with the given mean into a register.
func (p *Program) Exp(to Reg, mean int64, s *Stream) {
	p.add(instr{do: doExp, a: to, n: mean, stream: s})
}

// Call calls f with the registers, for statistics and decisions. It takes no virtual time, and f must make no
// operation.
func (p *Program) Call(f func(*Regs)) { p.add(instr{do: doCall, on: f}) }

// Gauge adds n to a gauge.
func (p *Program) Gauge(g *Gauge, n int64) { p.add(instr{do: doGauge, gauge: g, n: n}) }

// Now puts the virtual time in nanoseconds into a register.
func (p *Program) Now(to Reg) { p.add(instr{do: doNow, a: to}) }

// Jump continues at a label.
func (p *Program) Jump(l Label) { p.add(instr{do: doJump, then: l}) }

// JumpIf continues at a label if a register is not 0.
func (p *Program) JumpIf(r Reg, l Label) { p.add(instr{do: doJumpIf, a: r, then: l}) }

// Loop decrements a register, and continues at a label if the result is more than 0.
func (p *Program) Loop(r Reg, l Label) { p.add(instr{do: doLoop, a: r, then: l}) }

// End ends the goroutine.
func (p *Program) End() { p.add(instr{do: doEnd}) }

// Spawn starts a goroutine of a program, which may be p. The goroutine begins with a copy of the registers.
func (p *Program) Spawn(child *Program) { p.add(instr{do: doSpawn, on: child}) }

// Burn does CPU work for the nanoseconds in a register. See [Burn].
func (p *Program) Burn(ns Reg) { p.add(instr{do: doBurn, a: ns}) }

// Sleep parks for the nanoseconds in a register. See [Sleep].
func (p *Program) Sleep(ns Reg) { p.add(instr{do: doFor, code: Sleep, a: ns}) }

// Syscall is in a system call for the nanoseconds in a register. See [Syscall].
func (p *Program) Syscall(ns Reg) { p.add(instr{do: doFor, code: Syscall, a: ns}) }

// op appends an operation without a result.
func (p *Program) op(code Code, on any) { p.add(instr{do: doOp, code: code, on: on}) }

// Yield puts the goroutine at the end of the global queue. See [Yield].
func (p *Program) Yield() { p.op(Yield, nil) }

// Poll reads shared memory. See [Poll].
func (p *Program) Poll() { p.op(Poll, nil) }

// Lock locks m.
func (p *Program) Lock(m *Mutex) { p.op(Lock, m) }

// TryLock locks m, or continues at a label if m is locked.
func (p *Program) TryLock(m *Mutex, failed Label) {
	p.add(instr{do: doTry, code: TryLock, on: m, then: failed})
}

// Unlock unlocks m.
func (p *Program) Unlock(m *Mutex) { p.op(Unlock, m) }

// WriteLock, WriteUnlock, ReadLock and ReadUnlock are operations on an RWMutex.
func (p *Program) WriteLock(m *RWMutex)   { p.op(WriteLock, m) }
func (p *Program) WriteUnlock(m *RWMutex) { p.op(WriteUnlock, m) }
func (p *Program) ReadLock(m *RWMutex)    { p.op(ReadLock, m) }
func (p *Program) ReadUnlock(m *RWMutex)  { p.op(ReadUnlock, m) }

// GroupAdd adds n to a group.
func (p *Program) GroupAdd(g *Group, n int64) { p.add(instr{do: doOp, code: GroupAdd, on: g, n: n}) }

// GroupWait waits for a group.
func (p *Program) GroupWait(g *Group) {
	p.op(GroupWait, g)
	p.add(instr{do: doJoined})
}

// CondWait unlocks m, waits for a signal of c, and locks m again.
func (p *Program) CondWait(c *Cond, m *Mutex) {
	p.op(CondAdd, c)
	p.op(Unlock, m)
	p.op(CondWait, c)
	p.op(Lock, m)
}

// Signal wakes one goroutine that waits for c, and Broadcast all.
func (p *Program) Signal(c *Cond)    { p.op(Signal, c) }
func (p *Program) Broadcast(c *Cond) { p.op(Broadcast, c) }
