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

// Pool runs trials in virtual time before they are asked for, one on each CPU. The result of a trial depends
// only on its specification, so concurrency does not change it. There are two exceptions: a trial that measures
// real code runs alone, and so does one that needs more memory than other trials leave. The methods of a
// Pool are not safe for concurrent use.
type Pool struct {
	run     func(context.Context, Spec) (Outcome, error)
	running map[string]chan simulated // by key of the specification
	cases   map[string]pending        // by key of the specification
	started map[string]bool
	next    []Spec
	slots   chan struct{}
	last    chan struct{} // closed once the trial that was started last has its slots; nil before the first

	alone     sync.Mutex // held by a trial that takes all slots
	exclusive sync.Map   // designs with their points that must run alone
}

// simulated is the return value of a trial.
type simulated struct {
	outcome Outcome
	err     error
}

// NewSimulations returns a pool that simulates trials of a workload in this process, under the given scheduler
// costs. Each ends at the limit of real time.
func NewSimulations(w *workload.Workload, costs sim.Costs, limit time.Duration) *Pool {
	return NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		d, _ := w.Find(spec.Design)
		spec.Limit, spec.Stop = limit, ctx.Done()
		return Simulate(spec, w, d, costs), nil
	})
}

// NewPredictions returns a pool that simulates trials under costs (see [sim.ParseCosts]), each in a process of
// its own. A design must neither leave anything behind in the measuring process nor end it.
func NewPredictions(costs string, limit time.Duration) *Pool {
	runner := Runner{TimeLimit: limit}
	return NewPool(func(ctx context.Context, spec Spec) (Outcome, error) {
		spec.Costs = costs
		return runner.Run(ctx, spec)
	})
}

// NewPool returns a pool that runs trials by run. The pool calls run from several goroutines at once.
func NewPool(run func(context.Context, Spec) (Outcome, error)) *Pool {
	return &Pool{run: run, running: map[string]chan simulated{}, cases: map[string]pending{},
		started: map[string]bool{}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
}

// key identifies a trial by everything that it depends on.
func key(s Spec) string {
	return fmt.Sprint(s.Block, s.Order, s.Seed, s.Design, s.Point, s.Warmup, s.Duration, s.Timeline)
}

// Ahead sets the trials that come next. It replaces those set before.
func (m *Pool) Ahead(specs []Spec) {
	m.next = specs
}

// Forget ends the trials that were started and not asked for, and clears the trials that come next.
func (m *Pool) Forget() {
	for _, c := range m.cases {
		c.cancel()
	}
	m.next = nil
	clear(m.running)
	clear(m.cases)
	clear(m.started)
}

// Run returns the outcome of a trial. It starts the trial if it has not been started ahead, and fills the free
// slots with the trials that come next.
func (m *Pool) Run(ctx context.Context, spec Spec) (Outcome, error) {
	// Even if the trial has finished by now: what is stored must not depend on chance.
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	k := key(spec)
	if m.running[k] == nil {
		m.begin(ctx, spec, m.isOnly(k))
	}
	// Twice as many trials as CPUs are started, so that one long trial does not delay the others.
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

// isOnly reports whether no other trial is running or coming, so that none can disturb this one.
func (m *Pool) isOnly(k string) bool {
	return len(m.running) == 0 && !slices.ContainsFunc(m.next,
		func(s Spec) bool { return key(s) != k && !m.started[key(s)] })
}

// begin starts a trial, alone or together with others.
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
		if before != nil { // slots are given in the order of starting, because the first trial is asked for first
			select {
			case <-before:
			case <-ctx.Done():
			}
		}
		done <- m.schedule(ctx, spec, alone, got)
	}()
}

// pending is a trial that was started: its case and a function that ends it.
type pending struct {
	name   string
	cancel func()
}

// caseName identifies a design at a point.
func caseName(spec Spec) string { return fmt.Sprint(spec.Design, " ", spec.Point) }

// dropCase ends the trials of a case that were started ahead and starts no more of them, because they would
// also reach the limit of real time.
func (m *Pool) dropCase(name string) {
	for k, c := range m.cases {
		if c.name == name {
			c.cancel()
			delete(m.running, k)
			delete(m.cases, k)
			delete(m.started, k)
		}
	}
	m.next = slices.DeleteFunc(slices.Clone(m.next), func(s Spec) bool { return caseName(s) == name })
}

// schedule runs a trial together with others. It runs the trial alone once its design at that point has come to real
// code that must be measured, or to the end of memory. It calls got once it has its slots, and perhaps a second
// time.
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

// runWith runs a trial that takes the given number of slots.
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
	if s.err = ctx.Err(); s.err == nil { // a result after an interrupt is of no use
		s.outcome, s.err = m.run(ctx, spec)
	}
	return s
}
