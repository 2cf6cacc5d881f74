package virtual

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/sim"
)

// bill says that the n-th section costs n ms, and notes what it is asked.
type bill struct {
	notes  []string
	codes  []Code
	refuse string // "begin" or "end"
}

var errNoBill = errors.New("no bill")

func (b *bill) note(what string) error {
	b.notes = append(b.notes, what)
	if b.refuse == what {
		return errNoBill
	}
	return nil
}

func (b *bill) Begin() error { return b.note("begin") }
func (b *bill) Drop()        { b.note("drop") }

func (b *bill) End(c Code) (time.Duration, error) {
	b.codes = append(b.codes, c)
	return time.Duration(len(b.codes)) * ms, b.note("end")
}

// charged runs body on two CPUs.
func (b *bill) charged(body func(env.Env)) error {
	return New(Config{CPUs: 2, Sections: b}).Run("body", body)
}

func TestSectionsAreCharged(t *testing.T) {
	b := &bill{}
	w := New(Config{CPUs: 2, Sections: b})
	err := w.Run("body", func(e env.Env) {
		at := func(want time.Duration) {
			t.Helper()
			if got := e.Now(); got != want {
				t.Errorf("at %v, want %v", got, want)
			}
		}
		e.Work(func() {})
		at(1 * ms)
		s := e.Begin()
		s.End()
		at(3 * ms)
		e.WorkFor(10*ms, func() {})
		e.WorkFor(-5*ms, func() {})
		at(13 * ms)
		g := e.Group()
		for range 3 { // 3, 4 and 5 ms on two CPUs
			g.Go(e, "worker", func(e env.Env) { e.Work(func() {}) })
		}
		g.Wait()
		at(21 * ms)
	})
	if err != nil || w.Useful() != 25*ms || w.Busy() != 25*ms {
		t.Errorf("%v; useful %v, busy %v", err, w.Useful(), w.Busy())
	}
	if strings.Join(b.notes, " ") != strings.TrimSpace(strings.Repeat("begin end ", 5)) {
		t.Errorf("%v", b.notes)
	}
}

// TestSectionsCostNothing where nobody says what they cost.
func TestSectionsCostNothing(t *testing.T) {
	w := New(Config{})
	err := w.Run("body", func(e env.Env) {
		s := e.Station("grinder")
		e.Work(func() {
			s.Enter() // no operation
			s.Leave()
		})
		e.WorkFor(2*ms, func() {})
	})
	if err != nil || w.clock() != 2*ms {
		t.Errorf("%v at %v", err, w.clock())
	}
}

// TestCodes: real code is named after the request that it works for, and where there is none after its goroutine.
func TestCodes(t *testing.T) {
	b := &bill{}
	work := func(e env.Env) { e.Work(func() {}) }
	err := b.charged(func(e env.Env) {
		work(e)
		for _, name := range []string{"cook", "cook"} {
			g := e.Group()
			g.Go(e, name, work)
			g.Wait()
		}
		e.For(7)
		work(e)
		g := e.Group()
		g.Go(e, "cook", func(e env.Env) { // inherits the request
			work(e)
			e.For(8)
			work(e)
			e.For(env.NoRequest)
			work(e)
		})
		g.Wait()
		work(e)
	})
	want := []Code{{env.NoRequest, "body"}, {env.NoRequest, "cook"}, {env.NoRequest, "cook#2"}, {7, "body"},
		{7, "cook"}, {8, "cook"}, {env.NoRequest, "cook#3"}, {7, "body"}}
	if err != nil || !reflect.DeepEqual(b.codes, want) {
		t.Errorf("%v: %v", err, b.codes)
	}
}

// TestBrokenSections: an operation within a section is an error that names both, and the section is dropped.
func TestBrokenSections(t *testing.T) {
	defer goleak.VerifyNone(t)
	for want, use := range map[string]func(e env.Env, m *env.Mutex, c *env.Chan[int]){
		"env.(*Mutex).Lock":   func(_ env.Env, m *env.Mutex, _ *env.Chan[int]) { m.Lock() },
		"env.(*Chan[...]).Se": func(_ env.Env, _ *env.Mutex, c *env.Chan[int]) { c.Send(1) },
		"env.Select": func(_ env.Env, _ *env.Mutex,
			c *env.Chan[int]) {
			env.Select(c.OnRecv(nil), env.Default)
		},
		"env.Env.Burn":  func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Burn(ms) },
		"env.Env.Sleep": func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Sleep(ms) },
		"env.Env.Now":   func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Now() },
		"env.Env.For":   func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.For(1) },
		"env.Env.Go":    func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Go("child", func(env.Env) {}) },
		"env.Env.Begin": func(e env.Env, _ *env.Mutex, _ *env.Chan[int]) { e.Begin() },
	} {
		for _, declared := range []bool{false, true} {
			b := &bill{}
			err := b.charged(func(e env.Env) {
				m, c := e.Mutex("m"), env.NewChan[int](e, "c", 1)
				defer m.Unlock() // works while the goroutine unwinds
				m.Lock()
				f := func() { use(e, m, c) }
				if declared {
					e.WorkFor(ms, f)
				} else {
					e.Work(f)
				}
			})
			text := fmt.Sprint(err)
			if !strings.Contains(text, "goroutine body panicked: goroutine body calls "+want) ||
				strings.Count(text[:min(len(text), 300)], "section_test.go:") != 2 {
				t.Errorf("%s: %v", want, err)
			}
			if notes := strings.Join(b.notes, " "); declared != (notes == "") || !declared && notes != "begin drop" {
				t.Errorf("%s: %s", want, notes)
			}
		}
	}
}

func TestSectionsThatDoNotEnd(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, c := range []struct {
		want string
		body func(e env.Env)
	}{
		{"goroutine body ended between Begin (section_test.go:", func(e env.Env) { e.Begin() }},
		{"ended between Begin", func(e env.Env) { e.Work(func() { runtime.Goexit() }) }},
		{"goroutine body panicked: burnt", func(e env.Env) { e.Work(func() { panic("burnt") }) }},
		{"goroutine body panicked: burnt", func(e env.Env) {
			s := e.Station("grinder")
			s.Enter()
			defer s.Leave()
			e.Work(func() { panic("burnt") })
		}},
	} {
		b := &bill{}
		if err := b.charged(c.body); !strings.Contains(fmt.Sprint(err), c.want) ||
			strings.Join(b.notes, " ") != "begin drop" {
			t.Errorf("%s: %v, %v", c.want, err, b.notes)
		}
	}
	b := &bill{}
	err := b.charged(func(e env.Env) {
		s := e.Begin()
		s.End()
		s.End()
	})
	if !strings.Contains(fmt.Sprint(err), "goroutine body calls End of a section of real code that is over") {
		t.Error(err)
	}
	b = &bill{}
	err = b.charged(func(e env.Env) {
		s := e.Begin()
		s.End()
		e.Go("thief", func(env.Env) { s.End() })
		e.Sleep(ms)
	})
	if !strings.Contains(fmt.Sprint(err), "goroutine thief uses the Env of body") {
		t.Error(err)
	}
}

// TestSectionsAreRefused: what does not know a cost ends the simulation.
func TestSectionsAreRefused(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, refuse := range []string{"begin", "end"} {
		b, after := &bill{refuse: refuse}, false
		err := b.charged(func(e env.Env) {
			e.Go("idle", func(e env.Env) { e.Sleep(5 * ms) })
			e.Work(func() {})
			after = true
		})
		if !errors.Is(err, errNoBill) || after {
			t.Errorf("%s: %v, went on %v", refuse, err, after)
		}
	}
}

// TestSectionBlocks: real code that blocks is reported, and dropped when it comes back.
func TestSectionBlocks(t *testing.T) {
	stop, back := make(chan bool), make(chan bool)
	b := &bill{}
	w := New(Config{Sections: b, Watchdog: 2 * time.Millisecond})
	err := w.Run("body", func(e env.Env) {
		defer close(back)
		e.Work(func() { <-stop })
		t.Error("it goes on")
	})
	if !strings.Contains(fmt.Sprint(err), "blocked outside env") {
		t.Error(err)
	}
	close(stop)
	<-back
	if strings.Join(b.notes, " ") != "begin drop" {
		t.Errorf("%v", b.notes)
	}
}

// TestSectionsDoNotScatter: what real code took is known, so that no cost makes it longer, as it does a burn.
func TestSectionsDoNotScatter(t *testing.T) {
	err := New(Config{Costs: sim.Costs{Burn: sim.Ns(2_000_000)}}).Run("body", func(e env.Env) {
		e.Burn(3 * ms)
		e.WorkFor(5*ms, func() {})
		if now := e.Now(); now != 11*ms {
			t.Errorf("burns that take twice what they say, and work of 5 ms, end at %v, want 11 ms", now)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
