package trial

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

// Pool runs trials in virtual time, ahead of their being asked for, as many at once as there are CPUs. A trial
// depends on nothing but its specification, and so its result not on how many; but one whose real code is
// measured runs alone, and so does one for which memory has no room beside others. Its methods are for one goroutine.
type Pool struct {
	run     func(context.Context, Spec) (Outcome, error)
	running map[string]chan simulated // by specification
	cases   map[string]pending        // the same
	started map[string]bool
	next    []Spec
	slots   chan struct{}
	last    chan struct{} // closed once the trial that was begun last has its slots; nil before the first

	alone     sync.Mutex // held by who takes all slots
	exclusive sync.Map   // designs with their points that could not run beside others
}

type simulated struct {
	outcome Outcome
	err     error
}

// NewSimulations is a pool that calculates trials of a workload in this process under the costs of a scheduler. Each
// ends at the limit of real time.
func NewSimulations(w *workload.Workload, costs sim.Costs, limit time.Duration) *Pool {
	return NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		d, _ := w.Find(spec.Design)
		spec.Limit, spec.Stop = limit, ctx.Done()
		return Simulate(spec, w, d, costs), nil
	})
}

// NewPredictions is a pool that calculates trials under costs, as [sim.ParseCosts] reads them, each in a process of its
// own: beside measurements a design must not leave anything behind, nor end the process that measures.
func NewPredictions(costs string, limit time.Duration) *Pool {
	runner := Runner{TimeLimit: limit}
	return NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		spec.Costs = costs
		return runner.Run(ctx, spec)
	})
}

// NewPool is a pool of trials that run runs. It is called from several goroutines at once.
func NewPool(run func(context.Context, Spec) (Outcome, error)) *Pool {
	return &Pool{run: run, running: map[string]chan simulated{}, cases: map[string]pending{}, started: map[string]bool{},
		slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// key names a trial with all that it depends on.
func key(s Spec) string {
	return fmt.Sprint(s.Block, s.Order, s.Seed, s.Design, s.Point, s.Warmup, s.Duration, s.Timeline)
}

// Ahead says which trials come next, in place of those that it said before.
func (m *Pool) Ahead(specs []Spec) {
	m.next = specs
}

// Forget ends the trials that were begun and not asked for, and knows of none.
func (m *Pool) Forget() {
	for _, c := range m.cases {
		c.end()
	}
	m.next = nil
	clear(m.running)
	clear(m.cases)
	clear(m.started)
}

// Run returns the outcome of a
func (m *Pool) Run(ctx context.Context, spec Spec) (Outcome, error) {
	if err := ctx.Err(); err != nil { // also where the trial has ended by now: what is stored does not depend on chance
		return Outcome{}, err
	}
	k := key(spec)
	if m.running[k] == nil {
		m.begin(ctx, spec, m.isOnly(k))
	}
	// Twice as many as there are CPUs are begun: one that takes long does not hold up the rest.
	for len(m.next) > 0 && len(m.running) < 2*cap(m.slots) {
		if !m.started[key(m.next[0])] {
			m.begin(ctx, m.next[0], false)
		}
		m.next = m.next[1:]
	}
	select {
	case s := <-m.running[k]:
		delete(m.running, k)
		delete(m.cases, k)
		if s.outcome.Limited {
			m.dropCase(caseName(spec))
		}
		return s.outcome, s.err
	case <-ctx.Done():
		return Outcome{}, ctx.Err()
	}
}

// single reports whether a trial is the only one, so that none can disturb it.
func (m *Pool) isOnly(k string) bool {
	return len(m.running) == 0 && !slices.ContainsFunc(m.next,
		func(s Spec) bool { return key(s) != k && !m.started[key(s)] })
}

// begin begins a trial: alone, or beside others.
func (m *Pool) begin(ctx context.Context, spec Spec, alone bool) {
	k, done := key(spec), make(chan simulated, 1)
	ctx, cancel := context.WithCancel(ctx)
	m.running[k], m.started[k], m.cases[k] = done, true, pending{caseName(spec), cancel}
	before, mine := m.last, make(chan struct{})
	m.last = mine
	got := sync.OnceFunc(func() { close(mine) })
	go func() {
		defer cancel()
		defer got()
		if before != nil { // slots are given in the order in which trials are begun: the first is asked for first
			select {
			case <-before:
			case <-ctx.Done():
			}
		}
		done <- m.schedule(ctx, spec, alone, got)
	}()
}

// early is a trial that was begun: that of a case, and how to end it.
type pending struct {
	name string
	end  func()
}

func caseName(spec Spec) string { return fmt.Sprint(spec.Design, " ", spec.Point) }

// leaveOut ends the trials of a case that were begun ahead, and begins no more: the limit of real time would end them
// too.
func (m *Pool) dropCase(name string) {
	for k, c := range m.cases {
		if c.name == name {
			c.end()
			delete(m.running, k)
			delete(m.cases, k)
			delete(m.started, k)
		}
	}
	m.next = slices.DeleteFunc(slices.Clone(m.next), func(s Spec) bool { return caseName(s) == name })
}

// inTurn runs a trial beside others, or alone once its design has come at that point to real code that is to be
// measured, or to the end of memory. It calls got once it has its slots, and perhaps again.
func (m *Pool) schedule(ctx context.Context, spec Spec, alone bool, got func()) (s simulated) {
	name := caseName(spec)
	if _, crowded := m.exclusive.Load(name); !crowded && !alone {
		spec.Concurrent = cap(m.slots) > 1
		if s = m.runWith(ctx, spec, 1, got); !s.outcome.MustRunAlone {
			return s
		}
		m.exclusive.Store(name, true)
	}
	spec.Concurrent = false
	m.alone.Lock()
	defer m.alone.Unlock()
	return m.runWith(ctx, spec, cap(m.slots), got)
}

// with runs a trial that takes so many slots.
func (m *Pool) runWith(ctx context.Context, spec Spec, slots int, got func()) (s simulated) {
	for range slots {
		select {
		case m.slots <- struct{}{}:
			defer func() { <-m.slots }()
		case <-ctx.Done():
			return simulated{err: ctx.Err()}
		}
	}
	got()
	if s.err = ctx.Err(); s.err == nil { // one that begins after an interruption is for nothing
		s.outcome, s.err = m.run(ctx, spec)
	}
	return s
}
