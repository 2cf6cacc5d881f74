package costs

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// microprograms is a workload name that no user can have, because it contains a slash.
const microprograms = "brewput/costs"

// Programs returns the microprograms that calibrate a machine, as designs of a workload. A program that calibrates
// must register it, so that its trials find it.
func Programs() *workload.Workload { return full().workload() }

// setting is the number of repetitions of the microprograms, and what only one of the worlds has.
type setting struct {
	batches int // batches of each operation
	cycles  int // repetitions of all naps
	ladder  int // operations in a batch of two CPUs
	syscall func(env.Env)
}

// full is the setting of live runs.
func full() setting {
	return setting{batches: 30, cycles: 40, ladder: 20_000, syscall: emptySyscall()}
}

// brief is the setting in virtual time, where everything repeats exactly.
func brief() setting {
	return setting{batches: 2, cycles: 4, ladder: 100, syscall: func(e env.Env) { e.Syscall(1) }}
}

// program is a microprogram. It makes readings, each a list of nanoseconds.
type program struct {
	name, doc string
	cpus      int
	run       func(s setting, e env.Env, r readings)
}

// The microprograms, in the order in which a round runs them.
var programs = []program{
	{"operations", "batches of single operations on one CPU", 1, operations},
	{"wake", "two goroutines made ready at once beside an idle CPU", 2, wake},
	{"handoff", "one goroutine made ready beside an idle CPU, while its waker goes on", 2, handOff},
	{"shared", "what two CPUs share", 2, shared},
}

func (p program) point() plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(p.cpus)})
}

func (s setting) workload() *workload.Workload {
	w := &workload.Workload{Name: microprograms, Doc: "microprograms, to calibrate a machine by"}
	for _, p := range programs {
		w.Designs = append(w.Designs, workload.Design{Name: p.name, Doc: p.doc,
			Job: func(env.Env, plan.Point) (workload.Job, error) {
				r := readings{}
				return workload.Job{
					Run:   func(e env.Env) error { p.run(s, e, r); return nil },
					Check: func() (workload.Answer, error) { return r.answer(), nil },
				}, nil
			}})
	}
	return w
}

// batch times n repetitions together, s.batches times, after two that do not count.
func (s setting) batch(e env.Env, r readings, name string, n int, f func(n int)) {
	for i := range 2 + s.batches {
		start := e.Now()
		f(n)
		if took := e.Now() - start; i >= 2 {
			r.add(name, float64(took)/float64(n))
		}
	}
}

// operations measures operations on one CPU: they wake no CPU and share nothing.
func operations(s setting, e env.Env, r readings) {
	c := env.NewChan[int](e, "c", 1)
	s.batch(e, r, "chan", 2000, func(n int) {
		for i := range n {
			c.Send(i)
			c.Recv()
		}
	})
	m := e.Mutex("m")
	s.batch(e, r, "lock", 5000, func(n int) {
		for range n {
			m.Lock()
			m.Unlock() //lint:ignore SA2001 an empty section is what is timed
		}
	})
	ping, pong := env.NewChan[int](e, "ping", 0), env.NewChan[int](e, "pong", 0)
	e.Go("partner", func(env.Env) {
		for i, ok := ping.Recv(); ok; i, ok = ping.Recv() {
			pong.Send(i)
		}
	})
	s.batch(e, r, "switch", 1000, func(n int) {
		for i := range n {
			ping.Send(i)
			pong.Recv()
		}
	})
	ping.Close()
	g := e.Group()
	s.batch(e, r, "spawn", 1000, func(n int) {
		for range n / 100 { // fewer than a run queue holds
			for range 100 {
				g.Go(e, "child", func(env.Env) {})
			}
			g.Wait()
		}
	})
	timers(s, e, r)
	s.batch(e, r, "burn", 1, func(int) { e.Burn(work) })
	if s.syscall != nil {
		s.batch(e, r, "syscall", 1000, func(n int) {
			for range n {
				s.syscall(e)
			}
		})
	}
	atomic := env.NewAtomic[int64](e, "a")
	s.batch(e, r, "atomic", 10_000, func(n int) {
		for range n {
			atomic.Add(1)
		}
	})
	var word int64
	s.batch(e, r, "add", 10_000, func(n int) {
		for range n {
			increment(&word)
		}
	})
}

// work is the length of a burn: so long that the cost of reading the clock is negligible.
const work = time.Millisecond

// increment is an addition in memory that the compiler does not remove.
//
//go:noinline
func increment(p *int64) { *p++ }

// timers measures the start of timers, and then lets them expire.
func timers(s setting, e env.Env, r readings) {
	const n = 100
	var waits [n]*env.Chan[time.Duration]
	for i := range 2 + s.batches {
		start := e.Now()
		for j := range waits {
			waits[j] = e.After(time.Millisecond)
		}
		if took := e.Now() - start; i >= 2 {
			r.add("timer", float64(took)/n)
		}
		for _, c := range waits {
			c.Recv()
		}
	}
}

// shared measures what two CPUs share: words of one cache line, one word, a lock, a channel.
func shared(s setting, e env.Env, r readings) {
	n := s.ladder
	var line [8]int64
	s.together(e, r, "add", n, func(side, n int) {
		for range n {
			increment(&line[side])
		}
	})
	a := env.NewAtomic[int64](e, "a")
	s.together(e, r, "atomic", n, func(_, n int) {
		for range n {
			a.Add(1)
		}
	})
	m := e.Mutex("m")
	s.together(e, r, "lock", n, func(_, n int) {
		for range n {
			m.Lock()
			m.Unlock() //lint:ignore SA2001 an empty section is what is timed
		}
	})
	c := env.NewChan[int](e, "c", 100)
	s.together(e, r, "chan", n, func(side, n int) {
		for i := range n {
			if side == 0 {
				c.Send(i)
			} else {
				c.Recv()
			}
		}
	})
}

// together makes two goroutines do n operations each in parallel, s.batches times. The reading is the time of one
// operation of one goroutine.
func (s setting) together(e env.Env, r readings, name string, n int, f func(side, n int)) {
	came, took := env.NewAtomic[int64](e, "came"), env.NewAtomic[int64](e, "took")
	meet := func(e env.Env, times int) {
		came.Add(1)
		for came.Load() < int64(2*times) {
			e.Burn(poll)
		}
	}
	turn := func(e env.Env, side, i int) {
		meet(e, 2*i+1) // so that neither runs alone
		start := e.Now()
		f(side, n)
		took.Add(int64(e.Now() - start))
		meet(e, 2*i+2)
	}
	g := e.Group()
	g.Go(e, "other", func(e env.Env) {
		for i := range 2 + s.batches {
			turn(e, 1, i)
		}
	})
	for i := range 2 + s.batches {
		turn(e, 0, i)
		if sum := took.Load(); i >= 2 {
			r.add(name, float64(sum)/float64(2*n))
		}
		took.Store(0)
	}
	g.Wait()
}
