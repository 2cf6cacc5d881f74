package sim

import "fmt"

// Code is the kind of an operation. An operation on an object names it in Op.On.
type Code uint8

// The operations.
const (
	Burn    Code = iota // N ns of CPU work; Token may be Exact
	Sleep               // parks for N ns; Token may be Polled
	Syscall             // N ns in a system call
	Spawn               // On is a *G
	After               // On is a *Timer, which expires in N ns
	Yield               // like runtime.Gosched
	Poll                // only reads memory that other goroutines may change

	Lock // On is a *Mutex
	TryLock
	Unlock
	WriteLock // On is a *RWMutex
	TryWriteLock
	WriteUnlock
	ReadLock
	TryReadLock
	ReadUnlock
	CondAdd // On is a *Cond; takes a ticket, before its lock is released
	CondWait
	Signal
	Broadcast
	GroupAdd // On is a *Group; N may be negative
	GroupWait

	Send // On is a *Chan, Token the value
	TrySend
	Recv
	TryRecv
	Close
	Select    // over the cases that [G.AddCase] has collected
	TrySelect // the same with a default
)

// Values of [Op].Token for some codes.
const (
	// Polled marks a Sleep that ends by network input, such as a request. The network poller sees that at once, whereas
	// it checks timers only after it has slept for [Costs].PollGrain.
	Polled = 1
	// Exact marks a Burn that lasts exactly as long as it says, whatever [Costs].Burn says: the measured time of real
	// code.
	Exact = 1
)

// Op is one operation.
type Op struct {
	Code  Code
	Token int64
	N     int64 // nanoseconds, or a number
	On    any
}

// Outcome is the progress of an operation.
type Outcome uint8

// The outcomes.
const (
	Done   Outcome = iota // it is done, and the goroutine continues
	Parked                // the goroutine must return; when it is resumed the operation is done
	Again                 // time must pass first: the goroutine must return, and later repeat the operation
	Panic                 // the goroutine must panic with [Kernel.Reason]
)

// Reason returns why the last operation panics, in Go's words.
func (k *Kernel) Reason() string { return k.reason }

// panics makes the operation panic.
func (k *Kernel) panics(reason string) Outcome {
	k.reason = reason
	return Panic
}

// Do carries out an operation of the running goroutine. In a timer's function g is nil, and the operation must
// concern no goroutine.
func (k *Kernel) Do(g *G, op Op) Outcome {
	if g != nil {
		code := op.Code
		if op.N <= 0 && (code == Sleep || code == Syscall) {
			code = Poll // it returns before it has begun, and costs nothing
		}
		if !k.admits(g.cpu) {
			if out := k.admit(g, code); out != Done {
				return out
			}
		}
	}
	return k.carryOut(g, op)
}

// Burn is Do of [Burn], followed by [Kernel.Next] unless the outcome is Done. It returns the goroutine that
// continues, which may be g itself, and whether the outcome was [Again]. The most frequent operations have functions
// of their own because those are faster.
func (k *Kernel) Burn(g *G, ns int64) (next *G, again bool) {
	if !k.admits(g.cpu) {
		if out := k.admit(g, Burn); out != Done {
			return k.Next(), out == Again
		}
	}
	return k.hold(g, ns), false
}

// Send is Do of [Send].
func (k *Kernel) Send(g *G, c *Chan, token int64) Outcome {
	if !k.admits(g.cpu) {
		if out := k.admit(g, Send); out != Done {
			return out
		}
	}
	if c.n < len(c.buf) && c.recvq.head == nil && !c.closed && k.observer == nil {
		c.push(token)
		k.sent, g.still = true, 0
		return Done
	}
	return k.send(g, c, token)
}

// Recv is Do of [Recv].
func (k *Kernel) Recv(g *G, c *Chan) Outcome {
	if !k.admits(g.cpu) {
		if out := k.admit(g, Recv); out != Done {
			return out
		}
	}
	if c.n > 0 && c.sendq.head == nil && k.observer == nil {
		g.token, g.ok, g.choice, g.still = c.pop(), true, 0, 0
		return Done
	}
	return k.recv(g, c)
}

// admits counts an operation of the goroutine that runs on c, and reports whether it needs no check. If it does,
// [Kernel.admit] makes the check.
func (k *Kernel) admits(c *cpu) bool {
	k.ops++
	k.burst++
	return k.burst <= k.uncheckedBurst && k.ops-k.before <= maxStill && k.now < c.sliceEnd
}

// admit checks whether the running goroutine may make an operation. The outcome is Done if it may keep its CPU and
// has paid the cost.
func (k *Kernel) admit(g *G, code Code) Outcome {
	k.ops-- // it has been counted
	k.burst--
	if !g.charged && !k.Count() { // an operation that has been charged has been counted
		return Parked
	}
	if k.interrupts() {
		return Again // no goroutine is resumed again
	}
	c := g.cpu
	if k.now >= c.sliceEnd {
		k.preempt(c)
		k.cur, k.needsG = nil, true
		return Again
	}
	if k.burst++; k.burst > maxBurst && k.waiting() {
		c.mode = modeYield
		k.set(k.slotOf(g), k.now)
		k.cur = nil
		return Again
	}
	if k.charges && !g.charged {
		d := c.takeOwed()
		if cost := k.costOf(code); !cost.none() {
			d += cost.draw(&k.draws)
		}
		if d > 0 {
			g.charged = true
			k.pause(g, d)
			k.cur = nil
			return Again
		}
	}
	g.charged = false
	return Done
}

// costOf returns the cost of an operation.
func (k *Kernel) costOf(code Code) *Cost {
	switch {
	case code >= Send:
		return &k.costs.Chan
	case code >= Lock:
		return &k.costs.Lock
	}
	switch code {
	case Sleep, After:
		return &k.costs.Timer
	case Syscall:
		return &k.costs.Syscall
	case Spawn:
		return &k.costs.Spawn
	}
	return &k.none
}

// carryOut carries out an operation that was admitted.
func (k *Kernel) carryOut(g *G, op Op) Outcome {
	if op.On == nil {
		return k.carryOutAlone(g, op)
	}
	switch on := op.On.(type) {
	case *Chan:
		return k.onChan(g, on, op)
	case *Mutex:
		return k.onMutex(g, on, op.Code)
	case *RWMutex:
		return k.onRWMutex(g, on, op.Code)
	case *Group:
		return k.onGroup(g, on, op)
	case *Cond:
		return k.onCond(g, on, op.Code)
	case *Timer:
		k.after(on, op.N)
		return k.moved(g)
	case *G:
		k.enlist(on)
		k.runnable(on)
		return k.moved(g)
	}
	panic(fmt.Sprintf("sim: operation %d on a %T", op.Code, op.On))
}

// moved returns Done for an operation that made progress: it changed something. In a timer's function g is nil.
func (k *Kernel) moved(g *G) Outcome {
	if g != nil {
		g.still = 0
	}
	return Done
}

// carryOutAlone carries out an operation without an object.
func (k *Kernel) carryOutAlone(g *G, op Op) Outcome {
	switch op.Code {
	case Select, TrySelect:
		return k.selects(g, op.Code == Select)
	case Yield:
		k.stateChanged(g, Runnable)
		if k.unlimited {
			k.runnable(g)
		} else {
			k.global.push(g)
			k.wakep()
		}
		k.leave(g)
		return Parked
	case Poll:
		return Done
	case Burn:
		if op.Token != Exact {
			op.N = k.lasts(op.N)
		}
		return k.work(g, op.N)
	}
	if op.N <= 0 {
		return Done
	}
	switch op.Code {
	case Syscall:
		if !k.unlimited {
			return k.enterSyscall(g, op.N)
		}
		fallthrough // unlimited CPUs: the call keeps no CPU from others
	case Sleep:
		g.polled = op.Token == Polled
		k.after(&g.timer, op.N)
		return k.park(g, op.Code, nil)
	}
	panic(fmt.Sprintf("sim: operation %d on nothing", op.Code))
}

// work carries out a Burn.
func (k *Kernel) work(g *G, ns int64) Outcome {
	if ns <= 0 || k.burn(g, ns) {
		return Done
	}
	k.cur = nil
	return Parked
}
