// Package live implements env on the Go runtime: goroutines, locks and channels are Go's own, and time is the
// monotonic clock. Only instrumented worlds pay for meters. Their meters are locks that all users of a resource pass,
// which hides data races; look for races in a world without instrumentation.
package live

import (
	"fmt"
	"maps"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
)

// Config configures a live world.
type Config struct {
	Seed       uint64  // of the random numbers of env.Rand
	BurnRate   float64 // iterations of Spin per nanosecond of thread CPU time; see internal/calibrate
	Instrument bool    // keep meters of named resources, and the sum of useful work
	// Poller makes Until and Wait park on a kernel timer in the network poller, if the system has one. They then end
	// as a wait for a reply does, and not up to a millisecond late, as the timers of an idle process. A kernel timer
	// ignores the fake clock of package synctest.
	Poller bool
	// Punctual makes Until more precise: it wakes the goroutine early, which then polls the clock. That takes up to a
	// fifth of a CPU, or more for many waits below 25 us. It has no effect with one CPU.
	Punctual bool
	// Grace is how long Run waits for goroutines that outlive the body. 0 means one second.
	Grace time.Duration
}

// World is a live world. It can be run once.
type World struct {
	cfg    Config
	epoch  time.Time
	useful atomic.Int64 // nanoseconds of completed burns and sections; instrumented worlds only

	names    names
	draining atomic.Bool   // the body has returned: each goroutine that ends checks whether it was the last
	idle     chan struct{} // closed when the last goroutine ends after that
	last     sync.Once
	alarms   alarms
	early    early
	clock    clock

	mu         sync.Mutex
	meters     []*env.Meter     // one for each kind and name, in the order of first use
	violations map[string]int64 // by station
}

// New creates a world whose time starts now.
func New(cfg Config) *World {
	if cfg.Grace == 0 {
		cfg.Grace = time.Second
	}
	w := &World{cfg: cfg, epoch: time.Now(), violations: map[string]int64{}}
	w.clock.epoch = w.epoch
	w.cfg.Punctual = cfg.Punctual && runtime.GOMAXPROCS(0) > 1
	return w
}

// Run calls body on the calling goroutine with the world's first Env, and then waits for all other goroutines of the
// world. If some outlive the grace period, the error names them.
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
			w.cfg.Grace, strings.Join(summary(w.names.left()), ", "))
	}
}

// Spawn implements env.World.
func (w *World) Spawn(t *env.Task) {
	go t.Start()()
}

// Exit implements env.World. A panic continues and ends the process with its own stack, as in any Go program. Its
// goroutine does not count as ended: otherwise Run could return, and the process exit normally, before the panic ends
// it.
func (w *World) Exit(t *env.Task) {
	if p := recover(); p != nil {
		panic(p)
	}
	release(w)
	hide()
	w.names.holdersOf(t).ended.Add(1)
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
	n := int(w.names.holdersOf(t).started.Add(1))
	show()
	return n
}

// Burn implements env.World.
func (w *World) Burn(_ *env.Task, d time.Duration) {
	if d <= 0 {
		return // converting a negative float to uint64 gives some huge number
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
	if w.cfg.Punctual {
		w.early.until(w, at)
		return
	}
	w.park(at)
}

// park parks the goroutine until a time.
func (w *World) park(at time.Duration) {
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
	if d > 0 { // systems disagree about other durations; some treat a negative one as huge
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

// Meters returns the meters created so far, in order.
func (w *World) Meters() []*env.Meter {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]*env.Meter(nil), w.meters...)
}

// Useful returns the CPU work done so far in burns and sections. It is 0 in worlds that are not instrumented.
func (w *World) Useful() time.Duration { return time.Duration(w.useful.Load()) }

// Violation implements env.World.
func (w *World) Violation(station string) {
	w.mu.Lock()
	w.violations[station]++
	w.mu.Unlock()
}

// Violations counts how often a goroutine entered a station while another one was inside.
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
