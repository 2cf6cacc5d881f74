package virtual

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual/internal/self"
	"github.com/brewput/brewput/sim"
)

// sees reports whether this machine lets the watchdog see states.
func sees() bool { return self.NewInspector() != self.Inspector{} }

// nap waits outside env until the watchdog has looked.
func nap(looked <-chan sample) { <-looked }

// TestShortWaits: a design that waits outside env in each of its operations, and never for long, is reported with its
// line: while it runs, or at its end if that comes before.
func TestShortWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	if !sees() {
		t.Log("the states of goroutines cannot be seen here")
		return
	}
	for _, naps := range []int{fewWaits, 1 << 30} {
		w := New(Config{Watchdog: 30 * ms})
		looked, ended := make(chan sample), make(chan bool)
		w.onSample = func(l sample) {
			if l == blocking {
				looked <- l // the waiting body continues when it was seen
			}
		}
		err := w.Run("body", func(e env.Env) {
			defer close(ended)
			for range naps {
				nap(looked)
				e.Burn(ms)
				if w.phase.Load() != running {
					return
				}
			}
		})

		// The body may have begun another nap between the last look and the end of the run.
		for napping := true; napping; {
			select {
			case looked <- blocking:
			case <-ended:
				napping = false
			}
		}
		for _, word := range []string{"blocked outside env", "virtual.nap (watchdog_test.go:",
			"do everything concurrent through env"} {
			if !strings.Contains(fmt.Sprint(err), word) {
				t.Errorf("%d naps: the error does not say %q: %v", naps, word, err)
			}
		}
	}
}

// TestRareWaits: waits that are rare are a warning, and those that are rarer still are none.
func TestRareWaits(t *testing.T) {
	for _, c := range []struct {
		waits, looks int
		err, warned  bool
	}{{fewWaits, 10 * fewWaits, true, false}, {fewWaits, 10*fewWaits + 1, false, true},
		{fewWaits - 1, fewWaits - 1, false, false}, {0, 1e6, false, false}} {
		s := &watchdog{World: New(Config{}), state: "sleep", frames: "main.nap(0x1)\n\t/x/main.go:5 +0x3c", every: ms}
		for i := range c.looks {
			l := busy
			if i < c.waits {
				l = blocking
			}
			s.note(l, true)
		}
		err := s.conclude(nil)
		warnings := strings.Join(s.Warnings(), "")
		if (err != nil) != c.err || strings.Contains(warnings, "main.nap (main.go:5)") != c.warned {
			t.Errorf("%d of %d: %v, %q", c.waits, c.looks, err, warnings)
		}
	}
	s := &watchdog{World: New(Config{}), state: "sleep", frames: "f"}
	for range manyWaits {
		s.note(blocking, false)
	}
	if first := errors.New("first"); s.conclude(first) != first {
		t.Error("what the run itself has come to is lost")
	}
}

// TestInsideAPull: a coroutine of the design's own that waits outside env is found.
func TestInsideAPull(t *testing.T) {
	let := make(chan int)
	defer close(let)
	err := New(Config{Watchdog: 20 * ms}).Run("body", func(env.Env) { pulls(let) })
	for _, word := range []string{"blocked outside env", "virtual.pulls.func1 (end_test.go:"} {
		if !strings.Contains(fmt.Sprint(err), word) {
			t.Errorf("the error does not say %q: %v", word, err)
		}
	}
}

// TestHealthy: a design that computes, allocates and switches is not reported, nor doubted. It may be seen to wait: on
// a busy host its allocations do, to begin a collection while others do too.
func TestHealthy(t *testing.T) {
	if !sees() {
		t.Log("the states of goroutines cannot be seen here")
		return
	}
	w, enough := New(Config{CPUs: 2, Watchdog: 20 * ms}), false
	n := 0
	done := make(chan bool)
	w.onSample = func(sample) {
		if n++; n == 100 {
			close(done)
		}
	}
	for range 2 {
		go func() {
			for {
				select {
				case <-done:
					return
				default:
					runtime.GC()
				}
			}
		}()
	}
	err := w.Run("body", func(e env.Env) {
		c := env.NewChan[[]byte](e, "c", 1)
		e.Go("maker", func(e env.Env) {
			for !enough {
				e.Burn(ms)
				c.Send(make([]byte, 1<<16))
				select {
				case <-done:
					enough = true
				default:
				}
			}
			c.Close()
		})
		for _, ok := c.Recv(); ok; _, ok = c.Recv() {
			e.Burn(ms)
		}
	})
	if err != nil || len(w.Warnings()) > 0 {
		t.Errorf("%v, %q", err, w.Warnings())
	}
}

// TestStops: what would go on for ever is ended by an interruption, between any two events and whatever goes on.
func TestStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, body := range map[string]func(env.Env){
		"spawns": func(e env.Env) {
			for {
				e.Go("child", func(e env.Env) { e.Sleep(time.Hour) })
			}
		},
		"burns": func(e env.Env) {
			e.Go("other", func(e env.Env) { e.Burn(1 << 62) })
			e.Burn(1 << 62) // the kernel alone is at work: it takes a turn each ten milliseconds
		},
		"switches": func(e env.Env) {
			e.Go("other", func(e env.Env) {
				for {
					e.Burn(ms)
				}
			})
			for {
				e.Burn(ms)
			}
		},
		"recovers": func(e env.Env) {
			for {
				safely(func() { e.Burn(ms) })
			}
		},
	} {
		for _, cpus := range []int{1, sim.Unlimited} {
			if name == "burns" && cpus != 1 {
				continue // they are over at once
			}
			stop := make(chan struct{})
			w := New(Config{CPUs: cpus, Stop: stop})
			looks := 0
			w.onSample = func(sample) {
				if looks++; looks == 3 {
					close(stop)
				}
			}
			if err := w.Run("body", body); !errors.Is(err, ErrInterrupted) {
				t.Errorf("%s on %d CPUs: %v", name, cpus, err)
			}
		}
	}
}

// TestGuard: memory that is full ends a run from outside, whatever it does; and the error says what to do.
func TestGuard(t *testing.T) {
	defer goleak.VerifyNone(t)
	asked := 0
	w := New(Config{RoomEvery: ms, Room: func() bool { asked++; return asked < 3 }})
	err := w.Run("body", func(e env.Env) {
		for {
			e.Burn(ms)
		}
	})
	if !w.Full() || !w.Ended() || !strings.Contains(fmt.Sprint(err), "the memory guard") ||
		!strings.Contains(fmt.Sprint(err), "1 goroutines") {
		t.Errorf("full %v, ended %v: %v", w.Full(), w.Ended(), err)
	}
}

// TestProfiled: in a profile, where goroutines have no state, their functions tell it.
func TestProfiled(t *testing.T) {
	for text, want := range map[string]string{
		"runtime.gopark time.Sleep main.nap": "sleep", "runtime.gopark runtime.chanrecv " +
			"runtime.chanrecv1 main.f": "chan receive",
		"runtime.coroswitch iter.Pull": "", "main.f": "",
		"syscall.Syscall6 syscall.Nanosleep main.f": "syscall", "runtime.cgocall main.f": "syscall",
	} {
		if got := stateOf(strings.Fields(text)); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	let := make(chan int)
	defer close(let)
	w := New(Config{})
	blocked := make(chan bool)
	go w.Run("body", func(env.Env) { blocked <- true; standStill(let) })
	<-blocked
	for {
		state, frames := profileStack(100)
		if state == "chan receive" && strings.Contains(frames, "virtual.standStill(") {
			return
		}
	}
}

// inProfile is how the profile of a goroutine that waits for a semaphore begins: with the frames of the runtime.
const inProfile = "runtime.gopark(...)\n\tproc.go:1\nruntime.goparkunlock(...)\n\tproc.go:1\n" +
	"runtime.semacquire1(...)\n\tsema.go:1\n"

// TestNotOfDesign: an allocation that waits for the runtime is no fault of a design, nor is what is made once for all.
func TestNotOfDesign(t *testing.T) {
	for _, c := range []struct {
		state, frames string
		want          bool
	}{
		{"semacquire", "\nexample.com/design.far(...)\n\tdesign.go:49\n", true}, // that begins a collection
		{"semacquire, 2 minutes", "example.com/design.far(...)\n\tdesign.go:49\n", true},
		{"semacquire", "sync.runtime_Semacquire(0x1)\n\tsema.go:71\nsync.(*WaitGroup).Wait(0x1)\n", false},
		{"semacquire", "internal/poll.runtime_Semacquire(0x1)\n\tfd_mutex.go:71\n", false},
		{"semacquire", "internal/runtime/maps.NewMap(0x1)\n\tmap.go:266\nexample.com/design.far(...)\n", true},
		{"semacquire", "internal/bytealg.MakeNoZero(0x1)\n\tslice.go:1\nexample.com/design.far(...)\n", true},
		{"semacquire", "reflect.unsafe_New(0x1)\n\tmalloc.go:1\nexample.com/design.far(...)\n", true},
		{"semacquire", "sync.(*Pool).pinSlow(0x1)\n\tpool.go:1\nexample.com/design.far(...)\n", true},
		{"semacquire", inProfile + "runtime.gcStart(...)\nruntime.mallocgc(...)\nruntime.growslice(...)\n", true},
		{"semacquire", inProfile + "runtime.stopTheWorldGC(...)\n", true},
		{"semacquire", inProfile + "sync.runtime_SemacquireWaitGroup(...)\nsync.(*WaitGroup).Wait(...)\n", false},
		{"semacquire", inProfile + "internal/poll.runtime_Semacquire(...)\n", false},
		{"sync.Mutex.Lock", "internal/sync.runtime_SemacquireMutex(0x1)\n", false},
		{"sync.Mutex.Lock", "internal/sync.(*Mutex).lockSlow(0x1)\nsync.(*Once).doSlow(0x1)\n", true},
		{"chan receive", "example.com/design.far(...)\n", false},
	} {
		if got := ofRuntime(c.state, c.frames); got != c.want {
			t.Errorf("%s in %q: %v", c.state, c.frames, got)
		}
	}
}
