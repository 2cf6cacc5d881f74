// Package live builds a world on the Go runtime: goroutines are goroutines, locks are locks, time is
// the monotonic clock. What an observation costs is paid only in observed worlds. Their meters are
// locks that all users of a resource pass, and so hide races: look for races in a plain world.
package live

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
)

// Config is what a live world needs to know.
type Config struct {
	Seed       uint64  // of the draws of env.Rand
	BurnRate   float64 // turns of Spin per nanosecond of thread CPU time; see internal/calibrate
	Instrument bool    // keep meters of named resources and the sum of useful work
	// Poller lets Until and Wait park until a timer of the kernel rings in the network poller, where the system has
	// one: as for an answer, and not up to a millisecond longer, as an idle process sleeps. Such a timer knows nothing
	// of a test's fake clock.
	Poller bool
	// Grace is how long Run waits for goroutines that outlive the body; 0 means one second.
	Grace time.Duration
}

// World is a live world. It serves one Run.
type World struct {
	cfg    Config
	epoch  time.Time
	useful atomic.Int64 // nanoseconds of burns and sections that ended, observed worlds only

	names    names
	draining atomic.Bool   // the body has returned: whoever ends looks whether it was the last
	idle     chan struct{} // closed when the last goroutine has ended after that
	last     sync.Once
	alarms   alarms
	clock    clock

	mu         sync.Mutex
	meters     []*env.Meter     // one for each kind and name, in the order of their first use
	violations map[string]int64 // by station
}

// New makes a world whose time starts now.
func New(cfg Config) *World {
	if cfg.Grace == 0 {
		cfg.Grace = time.Second
	}
	w := &World{cfg: cfg, epoch: time.Now(), violations: map[string]int64{}}
	w.clock.epoch = w.epoch
	return w
}

// Run calls body on the calling goroutine with the world's first Env and then waits for every other
// goroutine of the world. It reports the names of those that are left after the grace.
func (w *World) Run(name string, body func(env.Env)) error {
	w.idle = make(chan struct{})
	defer w.alarms.close()
	defer w.clock.close()
	env.NewTask(w, name, body).Start()()
	hide()
	w.draining.Store(true)
	over := w.names.ended()
	show()
	if over {
		acquire(w)
		return nil
	}
	limit := time.NewTimer(w.cfg.Grace)
	defer limit.Stop()
	select {
	case <-w.idle:
		acquire(w)
		return nil
	case <-limit.C:
		return fmt.Errorf("goroutines outlive the run by %v: %s; end them before the body returns",
			w.cfg.Grace, strings.Join(listed(w.names.left()), ", "))
	}
}

// Spawn implements env.World.
func (w *World) Spawn(t *env.Task) {
	go t.Start()()
}

// Exit implements env.World. A panic goes on and ends the process with its own stack, as in any Go
// program. The goroutine does not count as ended then: Run could return, and the process exit as
// if nothing had happened, before the panic has ended it.
func (w *World) Exit(t *env.Task) {
	if p := recover(); p != nil {
		panic(p)
	}
	release(w)
	hide()
	w.names.of(t).ended.Add(1)
	last := w.draining.Load() && w.names.ended()
	show()
	if last {
		w.last.Do(func() { close(w.idle) })
	}
	env.Recycle(t)
}

// Ordinal implements env.World.
func (w *World) Ordinal(t *env.Task) int {
	hide()
	n := int(w.names.of(t).started.Add(1))
	show()
	return n
}

// Burn implements env.World.
func (w *World) Burn(_ *env.Task, d time.Duration) {
	if d <= 0 {
		return // a negative float becomes some huge uint64
	}
	_ = Spin(uint64(float64(d) * w.cfg.BurnRate))
	if w.cfg.Instrument {
		w.useful.Add(int64(d))
	}
}

// Sleep implements env.World.
func (w *World) Sleep(_ *env.Task, d time.Duration) { time.Sleep(d) }

// Until implements env.World.
func (w *World) Until(_ *env.Task, at time.Duration) {
	for now := w.Now(); now < at; now = w.Now() {
		if !w.cfg.Poller || !w.alarms.wait(at-now) {
			time.Sleep(at - now)
		}
	}
}

// Wait implements env.World.
func (w *World) Wait(_ *env.Task, d time.Duration) {
	if d > 0 && (raced || !w.cfg.Poller || !w.clock.wait(d)) {
		time.Sleep(d)
	}
}

// Syscall implements env.World.
func (w *World) Syscall(_ *env.Task, d time.Duration) {
	if d > 0 { // systems disagree about others; to some, a negative time is a huge one
		blockInSyscall(d)
	}
}

// AfterFunc implements env.World.
func (w *World) AfterFunc(d time.Duration, f func()) { time.AfterFunc(d, f) }

// Now implements env.World.
func (w *World) Now() time.Duration { return time.Since(w.epoch) }

// Epoch implements env.World.
func (w *World) Epoch() time.Time { return w.epoch }

// Seed implements env.World.
func (w *World) Seed() uint64 { return w.cfg.Seed }

// Begin implements env.World.
func (w *World) Begin(*env.Task, time.Duration) time.Duration {
	if !w.cfg.Instrument {
		return 0
	}
	return w.Now()
}

// End implements env.World.
func (w *World) End(_ *env.Task, mark time.Duration) {
	if w.cfg.Instrument {
		w.useful.Add(int64(w.Now() - mark))
	}
}

// Meter implements env.World.
func (w *World) Meter(kind env.ResourceKind, name string, capacity int) *env.Meter {
	if !w.cfg.Instrument {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.meters {
		if m.Kind() == kind && m.Name() == name {
			m.Share()
			return m
		}
	}
	m := env.NewMeter(kind, name, capacity, w.Now)
	w.meters = append(w.meters, m)
	return m
}

// Meters are the meters made so far, in order.
func (w *World) Meters() []*env.Meter {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*env.Meter(nil), w.meters...)
}

// Useful is the CPU work done so far in burns and sections; 0 in worlds that are not observed.
func (w *World) Useful() time.Duration { return time.Duration(w.useful.Load()) }

// Violation implements env.World.
func (w *World) Violation(station string) {
	w.mu.Lock()
	w.violations[station]++
	w.mu.Unlock()
}

// Violations counts the entries of a station while another user was inside.
func (w *World) Violations() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := int64(0)
	for _, v := range w.violations {
		n += v
	}
	return n
}

// ViolationsByStation counts the violations of each station that has any.
func (w *World) ViolationsByStation() map[string]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.violations)
}
