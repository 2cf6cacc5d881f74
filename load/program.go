package load

import (
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/internal/hist"
	"github.com/brewput/brewput/sim"
)

// Lists are the operations of a load as lists of operations: Open appends those before the load, Op one request of a
// worker, and Close those after the load. Op finds the request in R0 and the worker's number in R1, and may use R4 to
// R7. Open and Close may use the same registers.
type Lists struct{ Open, Op, Close func(*sim.Program) }

// Program returns the loop as a list of operations, to be started on k. It makes the same operations in the same
// order as Run, with those of lists instead of c.Op. Sample is not used. The result is available after the kernel has
// run.
func (c *Closed) Program(k *sim.Kernel, lists Lists) (main *sim.Program, result func() (ClosedResult, error)) {
	l := &listed{Closed: c, k: k}
	l.tallies, l.recorders = newTallies(c.Workers, min(c.Workers, 1))
	l.across.Store(int64(c.Workers))
	main, worker := sim.NewProgram("load"), l.worker(lists.Op)
	lists.Open(main)
	main.GroupAdd(&l.gate, 1)
	l.hire(main, worker)
	if c.Operations > 0 {
		main.Call(func(*sim.Regs) { c.AtBegin() })
	}
	main.Now(sim.R0)
	main.Call(l.release)
	main.GroupAdd(&l.gate, -1)
	if c.Operations == 0 && c.At == nil {
		l.until(main, &l.begin, c.AtBegin)
		l.until(main, &l.end, c.AtEnd)
	}
	main.GroupWait(&l.group)
	if c.Operations > 0 {
		main.Call(func(*sim.Regs) { c.AtEnd() })
	}
	lists.Close(main)
	return main, l.result
}

// listed is a closed loop as lists of operations.
type listed struct {
	*Closed
	k                    *sim.Kernel
	group, gate          sim.Group
	tallies              []tally
	recorders            []*hist.Recorder
	released, begin, end time.Duration
	across               atomic.Int64
}

// hire starts the workers, with their numbers in R0 and the number of workers in R2.
func (l *listed) hire(main, worker *sim.Program) {
	if l.Workers == 0 {
		return
	}
	main.Set(sim.R0, 0)
	main.Set(sim.R2, int64(l.Workers))
	main.Set(sim.R4, 1)
	main.Set(sim.R5, int64(l.Workers))
	next := main.Here()
	main.GroupAdd(&l.group, 1)
	main.Spawn(worker)
	main.Add(sim.R0, sim.R0, sim.R4)
	main.Loop(sim.R5, next)
}

// release starts the load at the time in R0.
func (l *listed) release(r *sim.Regs) {
	l.released = time.Duration(r[0])
	l.begin = l.released + l.Warmup
	l.end = l.begin + l.Window
	if l.Operations > 0 {
		l.begin, l.end = l.released, l.released+forever
	} else if l.At != nil {
		l.At(l.begin, l.AtBegin)
		l.At(l.end, l.AtEnd)
	}
}

// until sleeps until a time that release has set, and then calls f.
func (l *listed) until(main *sim.Program, at *time.Duration, f func()) {
	main.Now(sim.R0)
	main.Call(func(r *sim.Regs) { r[0] = int64(*at) - r[0] })
	main.Sleep(sim.R0)
	main.Call(func(*sim.Regs) { f() })
}

// worker repeats the operation. R3 is the time after each operation, and then whether the worker continues.
func (l *listed) worker(op func(*sim.Program)) *sim.Program {
	p := sim.NewProgram("worker")
	p.GroupWait(&l.gate)
	p.Call(func(r *sim.Regs) {
		r[1] = r[0]
		t := &l.tallies[r[1]]
		t.last = l.released
		r[3] = l.goesOn(t, r[1])
	})
	first := p.NewLabel()
	p.Jump(first)
	again := p.Here()
	op(p)
	p.Add(sim.R0, sim.R0, sim.R2)
	p.Now(sim.R3)
	p.Call(func(r *sim.Regs) {
		t, now := &l.tallies[r[1]], time.Duration(r[3])
		if l.Note != nil {
			l.Note(t.last, now)
		}
		t.ends(now, l.begin, l.end, &l.across)
		r[3] = l.goesOn(t, r[1])
	})
	p.Bind(first)
	p.JumpIf(sim.R3, again)
	p.GroupAdd(&l.group, -1)
	return p
}

// goesOn returns 1 if a worker makes another request, otherwise 0.
func (l *listed) goesOn(t *tally, worker int64) int64 {
	if l.Operations > 0 && t.total == share(l.Operations, l.Workers, int(worker)) {
		return 0
	}
	if t.last < l.end || t.last < l.end+l.Window && l.across.Load() > 0 {
		return 1
	}
	return 0
}

// result returns the result of the loop.
func (l *listed) result() (ClosedResult, error) {
	defer free(l.recorders)
	return l.sum(l.tallies, l.recorders, l.released, l.begin, l.end)
}
