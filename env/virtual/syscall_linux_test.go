package virtual

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
)

// sleeper is a pipe in which nothing stands.
type sleeper [2]int

func newSleeper(t *testing.T) sleeper {
	var p [2]int
	if err := syscall.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(p[0]); syscall.Close(p[1]) })
	return p
}

// nap waits in a system call until somebody wakes it.
func (p sleeper) nap() { syscall.Read(p[0], make([]byte, 1)) }

func (p sleeper) wake() { syscall.Write(p[1], make([]byte, 1)) }

// TestSyscalls: a design that sleeps in system calls is reported as one that blocks elsewhere, be they endless or
// short.
func TestSyscalls(t *testing.T) {
	defer goleak.VerifyNone(t)
	if !sees() {
		t.Log("the states of goroutines cannot be seen here")
		return
	}
	for _, c := range []struct {
		name  string
		naps  int
		wakes bool
	}{{"endless", 1, false}, {"few", fewWaits, true}, {"many", 1 << 30, true}} {
		p := newSleeper(t)
		w := New(Config{Watchdog: 30 * ms})
		w.onSample = func(l sample) {
			if l == blocking && c.wakes {
				p.wake() // who waits goes on when it was seen
			}
		}
		err := w.Run("body", func(e env.Env) {
			for range c.naps {
				p.nap()
				e.Burn(ms)
			}
		})
		for _, word := range []string{"blocked outside env", "(syscall)",
			"virtual.sleeper.nap (syscall_linux_test.go:"} {
			if !strings.Contains(fmt.Sprint(err), word) {
				t.Errorf("%s: the error does not say %q: %v", c.name, word, err)
			}
		}
		p.wake()
	}
}

// TestSyscallInRealCode: a system call in real code may sleep for as long as it likes, for nobody knows whether that is
// part of the work.
func TestSyscallInRealCode(t *testing.T) {
	p := newSleeper(t)
	w := New(Config{Watchdog: 20 * ms})
	looks := 0
	w.onSample = func(sample) {
		if looks++; looks == 2*inRealCode*manyWaits {
			p.wake()
		}
	}
	if err := w.Run("body", func(e env.Env) { e.Work(p.nap) }); err != nil || len(w.Warnings()) > 0 {
		t.Errorf("%v, %q", err, w.Warnings())
	}
}

// TestShortSyscalls: system calls that do not sleep prove nothing, however many there are.
func TestShortSyscalls(t *testing.T) {
	file, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := New(Config{Watchdog: 30 * ms})
	looks, enough := 0, make(chan bool)
	w.onSample = func(sample) {
		if looks++; looks == 100 {
			close(enough)
		}
	}
	err = w.Run("body", func(e env.Env) {
		for buf := make([]byte, 1<<20); ; e.Burn(ms) {
			file.Read(buf)
			select {
			case <-enough:
				return
			default:
			}
		}
	})
	if err != nil || len(w.Warnings()) > 0 {
		t.Errorf("%v, %q", err, w.Warnings())
	}
}
