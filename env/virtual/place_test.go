package virtual

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual/internal/self"
	"github.com/brewput/brewput/sim"
)

// aside calls f in a goroutine of the go statement, and waits until that has ended: f must not come back.
func aside(f func()) {
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
		panic("it goes on")
	}()
	<-done
}

// deep burns on each of n frames.
func deep(e env.Env, n int) int {
	var frame [16]int
	e.Burn(1)
	if n > 0 {
		frame[n%16] = deep(e, n-1)
	}
	return frame[0] + n
}

// ends are sections of real code that say where each ends: on the goroutine that began it, or on another.
type ends struct {
	began self.Mark
	calls []string
}

func (s *ends) Begin() error {
	s.began = self.Current()
	return nil
}

func (s *ends) End(Code) (time.Duration, error) {
	s.tell("end")
	return 0, nil
}

func (s *ends) Drop() { s.tell("drop") }

func (s *ends) tell(what string) {
	if !s.began.Mine() {
		what += " elsewhere"
	}
	s.calls = append(s.calls, what)
}

// TestTimerOfNobody: what a timer's function does is nobody's, also where the body, which ran last, has ended.
func TestTimerOfNobody(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, cpus := range []int{1, sim.Unlimited} {
		var at time.Duration
		err := New(Config{CPUs: cpus}).Run("body", func(e env.Env) {
			e.Go("child", func(e env.Env) { at, _ = e.After(2 * ms).Recv() })
			e.Sleep(ms)
		})
		if at != 2*ms {
			t.Errorf("it comes at %v", at)
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestGoStatement: a goroutine that env has not started ends the design with its first operation, whatever that is and
// whoever runs meanwhile; and it ends itself, without a panic.
func TestGoStatement(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, use := range map[string]func(e env.Env, m *env.Mutex, c *env.Chan[int]){
		"burn":    func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Burn(1) },
		"clock":   func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Now() },
		"lock":    func(_ env.Env, m *env.Mutex, _ *env.Chan[int]) { m.Lock() },
		"send":    func(_ env.Env, _ *env.Mutex, c *env.Chan[int]) { c.Send(1) },
		"receive": func(_ env.Env, _ *env.Mutex, c *env.Chan[int]) { c.Recv() },
		"try":     func(_ env.Env, _ *env.Mutex, c *env.Chan[int]) { c.TrySend(2) },
		"begin":   func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Begin() },
		"for":     func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.For(7) },
		"go":      func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Go("child", func(env.Env) {}) },
		"name":    func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Name() },
	} {
		t.Run(name, func(t *testing.T) {
			says(t, func(e env.Env) {
				m, c := e.Mutex("m"), env.NewChan[int](e, "c", 4)
				c.Send(1)
				for range 100 {
					deep(e, 40) // its stack moves as it grows
				}
				aside(func() { use(e, m, c) })
				e.Burn(1)
			}, "a goroutine of a go statement", "place_test.go:", "in the place of body")
		})
	}
	t.Run("station", func(t *testing.T) {
		says(t, func(e env.Env) {
			s := e.Station("grinder")
			aside(s.Enter)
		}, "a goroutine of a go statement")
		says(t, func(e env.Env) {
			s := e.Station("grinder")
			s.Enter()
			aside(s.Leave)
		}, "a goroutine of a go statement")
	})
	t.Run("select", func(t *testing.T) {
		says(t, func(e env.Env) {
			c := env.NewChan[int](e, "c", 1)
			aside(func() { env.Select(c.OnSend(1)) })
		}, "a goroutine of a go statement")
	})
	t.Run("list of cases", func(t *testing.T) {
		w := New(Config{})
		kept := uint32(0)
		err := w.Run("body", func(env.Env) {
			w.AddCase(nil, true, 7)
			aside(w.ClearCases)
			kept = w.CaseToken(0)
		})
		if kept != 7 || !strings.Contains(fmt.Sprint(err), "a goroutine of a go statement") {
			t.Errorf("kept %d: %v", kept, err)
		}
	})
	t.Run("station in real code", func(t *testing.T) {
		says(t, func(e env.Env) {
			s := e.Station("grinder")
			e.Work(func() { aside(s.Enter) })
		}, "a goroutine of a go statement")
	})
	t.Run("end of a section that is over", func(t *testing.T) {
		says(t, func(e env.Env) {
			s := e.Begin()
			s.End()
			aside(s.End)
		}, "a goroutine of a go statement")
	})
	t.Run("end of a section", func(t *testing.T) {
		var s ends
		err := New(Config{Sections: &s}).Run("body", func(e env.Env) { aside(e.Begin().End) })
		if fmt.Sprint(s.calls) != "[drop]" || !strings.Contains(fmt.Sprint(err), "a goroutine of a go statement") {
			t.Errorf("it %v: %v", s.calls, err)
		}
	})
	t.Run("end of a section that was given up", func(t *testing.T) {
		var s ends
		given, ended := make(chan bool), make(chan bool)
		err := New(Config{Watchdog: 20 * ms, Sections: &s}).Run("body", func(e env.Env) {
			defer close(ended)
			section := e.Begin()
			aside(func() {
				<-given
				section.End()
			})
			section.End()
		})
		close(given)
		if <-ended; fmt.Sprint(s.calls) != "[drop]" || !strings.Contains(fmt.Sprint(err), "blocked outside env") {
			t.Errorf("it %v: %v", s.calls, err)
		}
	})
	t.Run("beside another", func(t *testing.T) {
		says(t, func(e env.Env) {
			e.Go("other", func(own env.Env) {
				aside(func() { e.Burn(1) })
				own.Burn(1)
			})
			e.Sleep(1)
		}, "calls env.Env.Burn", "in the place of other")
	})
	t.Run("in real code", func(t *testing.T) {
		says(t, func(e env.Env) { e.Work(func() { aside(func() { e.Burn(1) }) }) }, "a goroutine of a go statement",
			"in the place of body")
	})
	t.Run("while nobody runs", func(t *testing.T) {
		w := New(Config{})
		err := w.Run("body", func(e env.Env) {
			m := e.Mutex("m")
			w.At(ms, func() { aside(m.Lock) })
			e.Sleep(2 * ms)
		})
		if !strings.Contains(fmt.Sprint(err), "in the place of body") {
			t.Errorf("the error is %v", err)
		}
	})
	t.Run("while a timer's function runs", func(t *testing.T) {
		for name, use := range map[string]func(c *env.Chan[int]){
			"send": func(c *env.Chan[int]) { c.Send(1) }, "try": func(c *env.Chan[int]) { c.TrySend(1) },
			"receive": func(c *env.Chan[int]) { c.Recv() },
		} {
			w := New(Config{})
			var c *env.Chan[int]
			err := w.Run("body", func(e env.Env) {
				c = env.NewChan[int](e, "c", 1)
				w.AfterFunc(ms, func() { aside(func() { use(c) }) })
				e.Sleep(2 * ms)
			})
			if left := c.Len(); left != 0 || !strings.Contains(fmt.Sprint(err), "in the place of body") {
				t.Errorf("%s: %d values are left, and the error is %v", name, left, err)
			}
		}
	})
	t.Run("for which its parent waits", func(t *testing.T) {
		done, called := make(chan bool), make(chan bool)
		defer close(done)
		w := New(Config{Watchdog: 20 * ms})
		w.onSample = func(sample) { <-called } // the watchdog must not give up before the call
		err := w.Run("body", func(e env.Env) {
			go func() {
				defer close(called)
				e.Burn(1)
			}()
			<-done
		})
		if !strings.Contains(fmt.Sprint(err), "in the place of body") {
			t.Errorf("the error is %v", err)
		}
	})
}

// TestGoStatementLate: a goroutine of the go statement whose first operation comes after the end, which others of its
// kind may have brought about, ends itself only.
func TestGoStatementLate(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, fails := range []bool{false, true} {
		var later func()
		err := New(Config{}).Run("body", func(e env.Env) {
			if later = func() { e.Burn(1) }; fails {
				aside(later)
			}
		})
		if aside(later); (err != nil) != fails {
			t.Errorf("the error is %v", err)
		}
	}
	given, ended := make(chan bool), make(chan bool)
	err := New(Config{Watchdog: 20 * ms}).Run("body", func(e env.Env) {
		defer close(ended)
		aside(func() {
			<-given
			e.Burn(1)
		})
	})
	close(given)
	if <-ended; !strings.Contains(fmt.Sprint(err), "blocked outside env") {
		t.Errorf("the error is %v", err)
	}
}
