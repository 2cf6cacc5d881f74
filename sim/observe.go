package sim

// State is the new state of a goroutine, as an [Observer] receives it.
type State uint8

// The states.
const (
	Started  State = iota // was started, and can run
	Runnable              // can run and waits for a CPU
	Running               // has a CPU ([G.CPU]) and does its own work
	Overhead              // has a CPU and spends a cost there: a switch, an operation, spinning for a lock
	Blocked               // has parked, or is in a system call; [G.Waits] returns in which operation
	Ended                 // has ended; its G may start again as another goroutine
)

// Observer receives the events of goroutines at the instant at which they happen ([Kernel.Now]). It influences no
// decision: it makes no operation, and calls only methods of a kernel that report.
type Observer interface {
	StateChanged(g *G, s State)
	// Enqueued: a value of g is appended to the buffer of c. g is nil in a timer's function.
	Enqueued(c *Chan, g *G)
	// Dequeued: g, or nil as above, takes the first value in c.
	Dequeued(c *Chan, g *G)
	// HandedOff: a value passes from one goroutine to another without entering the buffer of c. Either may be nil as
	// above.
	HandedOff(c *Chan, from, to *G)
}

// Observe makes o the observer from now on; nil removes it.
func (k *Kernel) Observe(o Observer) {
	k.observer = o
	k.bound()
}

// stateChanged notifies the observer. Without one it is a single comparison.
func (k *Kernel) stateChanged(g *G, s State) {
	if k.observer != nil {
		k.observer.StateChanged(g, s)
	}
}

func (k *Kernel) enqueued(c *Chan, g *G) {
	if k.observer != nil {
		k.observer.Enqueued(c, g)
	}
}

func (k *Kernel) dequeued(c *Chan, g *G) {
	if k.observer != nil {
		k.observer.Dequeued(c, g)
	}
}

func (k *Kernel) handedOff(c *Chan, from, to *G) {
	if k.observer != nil {
		k.observer.HandedOff(c, from, to)
	}
}

// Name returns the unique name of the goroutine.
func (g *G) Name() string { return g.runner.Name() }

// CPU returns the number of the CPU of a running goroutine.
func (g *G) CPU() int { return int(g.cpu.id) }

// Waits returns the operation in which a goroutine waits and its object, or nil if it has none.
func (g *G) Waits() (Code, any) { return g.code, g.on }

// Selects returns the channels of the select in which a goroutine waits.
func (g *G) Selects() []*Chan {
	var all []*Chan
	for i := range g.cases {
		if c := g.cases[i].c; c != nil {
			all = append(all, c)
		}
	}
	return all
}
