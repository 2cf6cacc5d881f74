package virtual_test

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/timeline"
)

// recorded runs a shop and records d of it after the warm-up. busy is what CPUs spent from then to the end of the run.
func (s shop) recorded(t *testing.T, d time.Duration) (l *timeline.Timeline, w *virtual.World, busy time.Duration) {
	t.Helper()
	var before time.Duration
	s.Timeline = true
	s.atBegin = func(w *virtual.World) {
		before = w.Busy()
		w.Record(d)
	}
	_, w = s.run(t)
	return w.Timeline(), w, w.Busy() - before
}

// TestTimeline: what is recorded is possible, accounts for all time that CPUs spend, and is no decision.
func TestTimeline(t *testing.T) {
	for _, g := range golden {
		t.Run(fmt.Sprintf("%s/%d", g.design, g.CPUs), func(t *testing.T) {
			g.window = 300 * time.Millisecond
			_, without := g.run(t)
			whole, w, busy := g.recorded(t, time.Hour)
			if w.Checksum() != without.Checksum() {
				t.Errorf("checksum %#x, and %#x without a timeline", w.Checksum(), without.Checksum())
			}
			if err := whole.Validate(); err != nil {
				t.Error(err)
			}
			if whole.Busy() != int64(busy) {
				t.Errorf("the spans of CPUs take %d ns, and CPUs were busy for %d", whole.Busy(), busy)
			}
			part, w, _ := g.recorded(t, 20*time.Millisecond)
			if err := part.Validate(); err != nil {
				t.Error(err)
			}
			if w.Checksum() != without.Checksum() || part.From != whole.From || part.To != part.From+20_000_000 {
				t.Errorf("20 ms: checksum %#x, %d to %d", w.Checksum(), part.From, part.To)
			}
			if got, want := times(part, part.To), times(whole, part.To); !reflect.DeepEqual(got, want) {
				t.Errorf("20 ms, ns by kind: %v; of the whole %v", got, want)
			}
			if part.Busy() == 0 || len(part.Stages()) == 0 {
				t.Error("nothing happens")
			}
		})
	}
}

// times sums the spans up to a time, by kind.
func times(l *timeline.Timeline, to int64) map[timeline.Kind]int64 {
	m := map[timeline.Kind]int64{}
	for _, s := range l.Spans {
		if s.Start < to {
			m[s.Kind] += min(s.End, to) - s.Start
		}
	}
	return m
}

// TestTimelineIsTheSame on any number of CPUs below.
func TestTimelineIsTheSame(t *testing.T) {
	s := shop{design: "parsteam", settings: "jitter=1ms", workers: 9,
		Config: virtual.Config{CPUs: 3, Seed: 7, Costs: costly()}}
	want, _, _ := s.recorded(t, 100*time.Millisecond)
	for _, procs := range []int{1, 2} {
		was := runtime.GOMAXPROCS(procs)
		got, _, _ := s.recorded(t, 100*time.Millisecond)
		runtime.GOMAXPROCS(was)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("GOMAXPROCS %d: the timeline differs", procs)
		}
	}
}

// diary runs body, records all of it, and prints it: who did what for which request, in us.
func diary(t *testing.T, cpus int, costs sim.Costs, body func(env.Env)) string {
	t.Helper()
	w := virtual.New(virtual.Config{CPUs: cpus, Costs: costs, Timeline: true})
	if w.Timeline() != nil {
		t.Error("a timeline before the run")
	}
	w.Record(time.Hour)
	if err := w.Run("main", body); err != nil {
		t.Fatal(err)
	}
	l := w.Timeline()
	if err := l.Validate(); err != nil {
		t.Error(err)
	}
	var b strings.Builder
	for _, s := range l.Spans {
		who := "-"
		if s.Goroutine != timeline.None {
			who = l.Goroutines[s.Goroutine]
		}
		on := ""
		if s.Resource != timeline.None {
			on = " " + l.Resources[s.Resource].Name
			if l.Resources[s.Resource].Pool {
				on += " (pool)"
			}
		}
		fmt.Fprintf(&b, "%d-%d %s %v%s", s.Start/1000, s.End/1000, who, s.Kind, on)
		if s.Stage != "" {
			fmt.Fprintf(&b, " in %s", s.Stage)
		}
		if s.Request != timeline.NoRequest {
			fmt.Fprintf(&b, " for %d", s.Request)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func burns(e env.Env, us int) { e.Burn(time.Duration(us) * time.Microsecond) }

func TestDiary(t *testing.T) {
	for name, c := range map[string]struct {
		cpus int
		body func(env.Env)
		want string
	}{
		"preempted in a station, and what a child inherits": {1, func(e env.Env) {
			e.For(4)
			grinder, g := e.Station("grinder"), e.Group()
			g.Go(e, "child", func(e env.Env) { burns(e, 1000) })
			grinder.Enter()
			burns(e, 11_000)
			grinder.Leave()
			burns(e, 500)
			g.Wait()
		}, `
0-10000 main running in grinder for 4
0-10000 child runnable for 4
10000-11000 child running for 4
10000-11000 main runnable in grinder for 4
11000-12000 main running in grinder for 4
12000-12500 main running for 4
`},
		"a station that is left in real code": {1, func(e env.Env) {
			grinder := e.Station("grinder")
			grinder.Enter()
			burns(e, 10)
			e.WorkFor(20*time.Microsecond, grinder.Leave)
		}, `
0-10 main running in grinder
10-30 main running
`},
		// The cook is told nothing by anybody and works for whom it receives from; the waiter says for whom.
		"a pipe": {2, func(e env.Env) {
			in, out := env.NewChan[int](e, "in", 1), env.NewChan[int](e, "out", 1)
			g := e.Group()
			g.Go(e, "cook", func(e env.Env) {
				for v, ok := in.Recv(); ok; v, ok = in.Recv() {
					burns(e, 30)
					out.Send(v)
				}
				out.Close()
			})
			g.Go(e, "waiter", func(e env.Env) {
				e.For(env.NoRequest)
				for v, ok := out.Recv(); ok; v, ok = out.Recv() {
					e.For(uint64(v))
					burns(e, 50)
				}
			})
			for i := range 2 {
				e.For(uint64(7 + i))
				burns(e, 10)
				in.Send(7 + i)
			}
			in.Close()
			e.For(env.NoRequest)
			g.Wait()
		}, `
0-10 cook receiving in
0-10 main running for 7
0-40 waiter receiving out
10-20 main running for 8
10-40 cook running for 7
20-40 - in a channel in for 8
20-140 main waiting
40-70 cook running for 8
40-90 waiter running for 7
70-90 - in a channel out for 8
90-140 waiter running for 8
`},
		// Who waited to receive and then worked waited for the old request, not for the one to which it turns later.
		"a late turn": {1, func(e env.Env) {
			c := env.NewChan[int](e, "c", 0)
			e.Go("waker", func(e env.Env) { e.Sleep(20_000); c.Send(0) })
			e.For(1)
			c.Recv()
			burns(e, 10)
			e.For(2)
			burns(e, 10)
		}, `
0-20 waker sleeping
0-20 main receiving c for 1
20-30 main running for 1
30-40 main running for 2
`},
		"a system call that loses its CPU": {1, func(e env.Env) {
			g := e.Group()
			g.Go(e, "other", func(e env.Env) { burns(e, 300) })
			e.Syscall(100 * time.Microsecond)
			burns(e, 10)
			g.Wait()
		}, `
0-20 other runnable
0-100 main in a system call
20-320 other running
100-320 main runnable
320-330 main running
`},
		"a pool": {2, func(e env.Env) {
			pool, m, g := env.NewChan[int](e, "machines", 1), e.Mutex("till"), e.Group()
			pool.Send(1)
			for i := range 2 {
				g.Go(e, "user", func(e env.Env) {
					e.For(uint64(i))
					v, _ := pool.Recv()
					burns(e, 20)
					pool.Send(v)
					m.Lock()
					burns(e, 30)
					m.Unlock()
					e.Sleep(10_000)
				})
			}
			g.Wait()
		}, `
0-20 user receiving machines (pool) for 0
0-50 user#2 running for 1
0-90 main waiting
20-40 user running for 0
40-50 user waiting for a lock till for 0
40-90 - in a channel machines (pool)
50-60 user#2 sleeping for 1
50-80 user running for 0
80-90 user sleeping for 0
`},
	} {
		t.Run(name, func(t *testing.T) {
			got := diary(t, c.cpus, sim.Costs{}, c.body)
			if got != strings.TrimPrefix(c.want, "\n") {
				t.Errorf("got\n%swant%s", got, c.want)
			}
		})
	}
}

// TestWokenForRequest: what waking up takes is for the request to which an idle server then turns.
func TestWokenForRequest(t *testing.T) {
	got := diary(t, 1, sim.Costs{Switch: sim.Ns(2000)}, func(e env.Env) {
		e.Sleep(100 * time.Microsecond)
		e.For(6)
		burns(e, 10)
	})
	want := "0-2 main overhead\n2-102 main sleeping\n102-104 main overhead for 6\n104-114 main running for 6\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// TestDeadlockHasTimeline: a run that fails has a timeline up to where it failed.
func TestDeadlockHasTimeline(t *testing.T) {
	w := virtual.New(virtual.Config{CPUs: 1, Timeline: true})
	err := w.Run("main", func(e env.Env) {
		w.Record(time.Hour)
		m, s := e.Mutex("m"), e.Station("s")
		m.Lock()
		s.Enter()
		defer s.Leave()
		burns(e, 5)
		e.Go("other", func(e env.Env) { burns(e, 7); m.Lock() })
		m.Lock()
	})
	l := w.Timeline()
	if err == nil || l == nil || l.To != 12_000 || l.Validate() != nil || len(l.Spans) != 3 ||
		l.Spans[2].Kind != timeline.Locking || l.Spans[2].Stage != "s" {
		t.Errorf("%v: %+v", err, l)
	}
}

// TestIdleServer: in an open loop a worker who waits for a customer works for none.
func TestIdleServer(t *testing.T) {
	w := virtual.New(virtual.Config{CPUs: 2, Seed: 1, Timeline: true})
	open := load.Open{Op: func(e env.Env, _ uint64) { e.Burn(time.Millisecond) }, Workers: 2,
		Arrivals: load.Arrivals{Kind: load.Poisson, Rate: 300}, QueueLimit: -1, Warmup: 100 * time.Millisecond,
		Window:  time.Second,
		AtBegin: func() { w.Record(time.Second) }, AtEnd: func() {}}
	err := w.Run("load", func(e env.Env) {
		if _, err := open.Run(e); err != nil {
			t.Error(err)
		}
	})
	l := w.Timeline()
	if err != nil || l.Validate() != nil {
		t.Fatal(err, l.Validate())
	}
	idle := 0
	for _, s := range l.Spans {
		if s.Kind == timeline.Sleeping && l.Goroutines[s.Goroutine] != "load" {
			idle++
		}
		if serves := s.Request != timeline.NoRequest; serves != s.Kind.OnCPU() {
			t.Errorf("%+v", s)
		}
	}
	if idle < 100 {
		t.Errorf("workers waited for a customer %d times", idle)
	}
}
