package identity

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Service hands out identities.
type Service struct {
	// Caller returns the function by which a caller gets its next identity, which begins at 1. ok is false if the call
	// was rejected. Each caller calls it once, with its own Env.
	Caller func(e env.Env) func() (id uint64, ok bool)

	// Stop ends the goroutines of the service after the last call. It may be nil.
	Stop func()
}

// maxHeld is the number of identities that a caller holds until they are checked. A trial with fewer checks them after
// its run, so that the check takes no time of it.
const maxHeld = 1 << 20

// output is what the callers got. Each of them writes only its own tally.
type output struct {
	callers []tally
	lock    *env.Mutex // protects seen
	seen    []uint64   // a bit for each identity
}

// tally is what a caller got.
type tally struct {
	held     []uint64 // identities that are not checked yet
	last     uint64   // the one before them
	issued   int64    // identities that are checked
	rejected int64    // calls
	err      error    // the first violation
}

// Job returns the job of a design, whose callers share the calls. Each trial opens a service of its own before it is
// measured, and stops it afterwards.
func Job(e env.Env, p plan.Point, open func(e env.Env) Service) workload.Job {
	calls, o := p.Int("calls"), &output{callers: make([]tally, p.Int("callers")), lock: e.Mutex("")}
	for i := range o.callers {
		o.callers[i].held = make([]uint64, 0, min(maxHeld, share(calls, len(o.callers), i)))
	}
	s := open(e)
	return workload.Job{
		Items: int64(calls),
		Run: func(e env.Env) error {
			done := e.Group()
			for i := range o.callers {
				done.Go(e, "caller", func(e env.Env) { o.call(s.Caller(e), i, share(calls, len(o.callers), i)) })
			}
			done.Wait()
			return nil
		},
		Check: func() (workload.Answer, error) {
			if s.Stop != nil {
				s.Stop()
			}
			return o.check(calls)
		},
		Metrics: func() map[string]float64 {
			rejected, skipped := int64(0), int64(0)
			for i := range o.callers {
				t := &o.callers[i]
				rejected += t.rejected
				skipped = max(skipped, int64(t.last))
			}
			for i := range o.callers {
				skipped -= o.callers[i].issued
			}
			return map[string]float64{"rejected": float64(rejected), "skipped": float64(skipped)}
		},
	}
}

// share returns the number of calls of the i-th caller.
func share(calls, callers, i int) int { return (calls + callers - 1 - i) / callers }

// call makes the calls of the i-th caller.
func (o *output) call(next func() (uint64, bool), i, calls int) {
	t := &o.callers[i]
	held := t.held
	for range calls {
		id, ok := next()
		if !ok {
			t.rejected++
			continue
		}
		if len(held) == cap(held) {
			t.held = held
			o.lock.Lock()
			o.verify(i)
			o.lock.Unlock()
			held = held[:0]
		}
		held = append(held, id)
	}
	t.held = held
}

// maxIdentity limits the memory of the check to 2 GiB. Only a design that skips most identities reaches it.
const maxIdentity = 2 * maxLeased

// verify checks that the identities that a caller holds increase, and that none was issued before.
func (o *output) verify(i int) {
	t := &o.callers[i]
	for _, id := range t.held {
		switch {
		case t.err != nil:
		case id <= t.last:
			t.err = fmt.Errorf("call %d of caller %d got the identity %d, after %d", t.issued+1, i+1, id, t.last)
		case id > maxIdentity:
			t.err = fmt.Errorf("the identity %d is too large", id)
		default:
			t.err = o.mark(id, i)
		}
		t.last = id
		t.issued++
	}
	t.held = t.held[:0]
}

// mark records that an identity was issued, and returns an error if it was before.
func (o *output) mark(id uint64, i int) error {
	if n := int(id/64) + 1; n > len(o.seen) {
		o.seen = append(o.seen, make([]uint64, n-len(o.seen))...)
	}
	if o.seen[id/64]&(1<<(id%64)) != 0 {
		return fmt.Errorf("the identity %d was issued twice, one of them to caller %d", id, i+1)
	}
	o.seen[id/64] |= 1 << (id % 64)
	return nil
}

// check verifies what the callers still hold, and that each call has a reply.
func (o *output) check(calls int) (workload.Answer, error) {
	n := int64(0)
	for i := range o.callers {
		t := &o.callers[i]
		if o.verify(i); t.err != nil {
			return nil, t.err
		}
		n += t.issued + t.rejected
	}
	if n != int64(calls) {
		return nil, fmt.Errorf("%d of %d calls got a reply", n, calls)
	}
	return workload.Answer{"calls": calls}, nil
}

// work takes the CPU time of a reply.
func work(e env.Env, d time.Duration) {
	if d > 0 { // inlined
		e.Burn(d)
	}
}
