package virtual

import (
	"slices"

	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/timeline"
)

// actor is a goroutine and its current state.
type actor struct {
	number   int
	kind     timeline.Kind
	since    int64
	cpu      int
	resource int
	request  int64
	declared bool     // it, or its parent, has said which request it works for
	stages   []string // stations that it is in

	// A goroutine that waits to receive, or that works for no request, may turn to a new request when it is woken.
	// Then it did not wait for the old request, and its time since the wake-up belongs to the new one. That is
	// unknown until it works or waits again: undecided are the spans concerned.
	waited    bool
	undecided []int
	// It has received a value of another goroutine's request, from this resource. If it does not turn to that request
	// before it works, the values of the resource are not requests.
	got     int64
	gotFrom int
}

// StateChanged implements sim.Observer.
func (r *recorder) StateChanged(g *sim.G, s sim.State) {
	if r.past() {
		return
	}
	if s == sim.Started {
		a := &actor{number: r.goroutineCount, kind: timeline.Runnable, since: r.k.Now(), cpu: timeline.None,
			resource: timeline.None,
			request:  timeline.NoRequest, got: timeline.NoRequest}
		if parent := r.actors[r.k.Current()]; parent != nil {
			a.request, a.declared = parent.request, parent.declared
		}
		r.goroutineCount++
		r.actors[g] = a
		return
	}
	a := r.actors[g]
	r.flush(g, a)
	a.cpu, a.resource = timeline.None, timeline.None
	switch s {
	case sim.Runnable:
		a.kind = timeline.Runnable
	case sim.Running:
		a.kind, a.cpu = timeline.Running, g.CPU()
	case sim.Overhead:
		a.kind, a.cpu = timeline.Overhead, g.CPU()
	case sim.Blocked:
		a.kind, a.resource = r.waiting(g)
		a.settle()
		a.waited = a.kind == timeline.Receiving || a.kind == timeline.Selecting || a.request == timeline.NoRequest
	case sim.Ended:
		delete(r.actors, g)
	}
}

// Enqueued implements sim.Observer.
func (r *recorder) Enqueued(c *sim.Chan, g *sim.G) {
	if r.past() {
		return
	}
	r.values[c] = append(r.values[c], value{r.valueCount, r.k.Now(), r.requestOf(g)})
	r.valueCount++
}

// Dequeued implements sim.Observer.
func (r *recorder) Dequeued(c *sim.Chan, g *sim.G) {
	if r.past() {
		return
	}
	line := r.values[c]
	v := line[0]
	if len(line) == 1 {
		delete(r.values, c) // a design may create a channel for each request
	} else {
		r.values[c] = line[1:]
	}
	r.emitValue(c, v)
	r.receives(g, c, v.request)
}

// HandedOff implements sim.Observer.
func (r *recorder) HandedOff(c *sim.Chan, from, to *sim.G) {
	if !r.past() {
		r.receives(to, c, r.requestOf(from))
	}
}

// requestOf returns the request that g works for.
func (r *recorder) requestOf(g *sim.G) int64 {
	if a := r.actors[g]; a != nil {
		return a.request
	}
	return timeline.NoRequest
}

// receives records that g received the value of a request.
func (r *recorder) receives(g *sim.G, c *sim.Chan, request int64) {
	a := r.actors[g]
	if a == nil || c.Name == "" || request == timeline.NoRequest {
		return
	}
	switch {
	case request == a.request:
		a.settle()
	case !a.declared: // undeclared: it works for the request of the sender
		r.setRequest(g, a, request)
	default:
		a.got, a.gotFrom = request, r.resource(timeline.Channel, c.Name, c.Cap())
	}
}

// declareRequest implements For of env.Machine.
func (r *recorder) declareRequest(g *sim.G, request int64) {
	if r.past() {
		return
	}
	a := r.actors[g]
	a.declared = true
	if a.got != request {
		r.markPool(a)
	}
	a.got = timeline.NoRequest
	r.setRequest(g, a, request)
}

// setRequest makes a work for a request from now on. Undecided spans of waiting for a CPU or of overhead belong to it
// too.
func (r *recorder) setRequest(g *sim.G, a *actor, request int64) {
	r.flush(g, a)
	if request != a.request {
		for _, i := range a.undecided {
			s := &r.t.Spans[i]
			if s.Kind == timeline.Runnable || s.Kind == timeline.Overhead {
				s.Request = request
			} else {
				s.Request = timeline.NoRequest
			}
		}
	}
	a.request = request
	a.settle()
}

// settle marks the spans of a as decided.
func (a *actor) settle() { a.waited, a.undecided = false, a.undecided[:0] }

// markPool records that the values of the channel that a received from are not requests.
func (r *recorder) markPool(a *actor) {
	if a.got != timeline.NoRequest {
		r.t.Resources[a.gotFrom].Pool = true
		a.got = timeline.NoRequest
	}
}

// enter implements Enter of env.Machine.
func (r *recorder) enter(g *sim.G, station string) {
	if r.past() {
		return
	}
	a := r.actors[g]
	r.flush(g, a)
	a.stages = append(a.stages, station)
}

// leave implements Leave of env.Machine.
func (r *recorder) leave(g *sim.G, station string) {
	if r.past() {
		return
	}
	a := r.actors[g]
	r.flush(g, a)
	for i, s := range slices.Backward(a.stages) {
		if s == station {
			a.stages = slices.Delete(a.stages, i, i+1)
			return
		}
	}
}

// flush ends the current span of a. Its state stays the same.
func (r *recorder) flush(g *sim.G, a *actor) {
	now := r.k.Now()
	if now == a.since {
		return
	}
	s := timeline.Span{Start: a.since, End: now, Kind: a.kind, Goroutine: a.number, CPU: a.cpu, Resource: a.resource,
		Request: a.request}
	if n := len(a.stages); n > 0 {
		s.Stage = a.stages[n-1]
	}
	a.since = now
	if a.kind == timeline.Running {
		a.settle()
		r.markPool(a)
	}
	if !r.emit(s) {
		return
	}
	if _, named := r.names[a.number]; !named {
		r.names[a.number] = g.Name()
	}
	if a.waited {
		a.undecided = append(a.undecided, len(r.t.Spans)-1)
	}
}

// waiting returns the kind and the resource of the operation in which a goroutine is parked.
func (r *recorder) waiting(g *sim.G) (kind timeline.Kind, resource int) {
	code, on := g.Waits()
	resource = timeline.None
	switch on := on.(type) {
	case *sim.Mutex:
		resource = r.resource(timeline.Lock, on.Name, 0)
	case *sim.RWMutex:
		resource = r.resource(timeline.Lock, on.Name, 0)
	case *sim.Cond:
		resource = r.resource(timeline.Condition, on.Name, 0)
	case *sim.Chan:
		resource = r.resource(timeline.Channel, on.Name, on.Cap())
	}
	switch code {
	case sim.Send:
		kind = timeline.Sending
	case sim.Recv:
		kind = timeline.Receiving
	case sim.Select:
		return timeline.Selecting, r.selecting(g)
	case sim.Sleep:
		kind = timeline.Sleeping
	case sim.Syscall:
		kind = timeline.Syscall
	case sim.CondWait, sim.GroupWait:
		kind = timeline.Awaiting
	default:
		kind = timeline.Locking
	}
	return kind, resource
}

// selecting returns the channel of a select, if there is only one.
func (r *recorder) selecting(g *sim.G) int {
	all := g.Selects()
	if len(all) == 0 || slices.ContainsFunc(all, func(c *sim.Chan) bool { return c.Name != all[0].Name }) {
		return timeline.None
	}
	return r.resource(timeline.Channel, all[0].Name, all[0].Cap())
}
