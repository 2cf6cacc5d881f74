package sim

// State is what a goroutine does from now on, as an [Observer] learns it.
type State uint8

// The states.
const (
	Started  State = iota // was started, and can run
	Runnable              // can run and waits for a CPU
	Running               // has a CPU ([G.CPU]) and is about its own work
	Overhead              // has a CPU and spends a cost there: a switch, an operation, spinning for a lock
	Blocked               // has parked, or is in a system call: [G.Waits] says in what
	Ended                 // is over; its G may begin again as another goroutine
)

// Observer is told what goroutines do, at the instant at which they do it ([Kernel.Now]). It changes no decision: it
// makes no operation, and calls no method of a kernel but those that only report.
type Observer interface {
	StateChanged(g *G, s State)
	// Puts: a value of g, nil where a timer's function sends, joins the values in c.
	Enqueued(c *Chan, g *G)
	// Takes: g, nil as above, takes the first value in c.
	Dequeued(c *Chan, g *G)
	// Hands: a value goes from one goroutine to another without lying in c. Either may be nil as above.
	HandedOff(c *Chan, from, to *G)
}

// Observe lets o watch from now on; nil ends that.
func (k *Kernel) Observe(o Observer) {
	k.observer = o
	k.bound()
}

// turns tells the observer, if there is one, and is else one comparison.
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

// Name is the unique name of the goroutine.
func (g *G) Name() string { return g.runner.Name() }

// CPU is the number of the CPU of a goroutine that runs.
func (g *G) CPU() int { return int(g.cpu.id) }

// Waits is the operation in which a goroutine waits, and the object of that operation: nil if it has none.
func (g *G) Waits() (Code, any) { return g.code, g.on }

// Selects are the channels of the select in which a goroutine waits.
func (g *G) Selects() []*Chan {
	var all []*Chan
	for i := range g.cases {
		if c := g.cases[i].c; c != nil {
			all = append(all, c)
		}
	}
	return all
}
