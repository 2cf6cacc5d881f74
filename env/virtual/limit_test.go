package virtual

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/brewput/brewput/env"
)

// spin computes until flag is set, or until told is closed.
func spin(flag *bool, told <-chan bool) {
	for n := uint(0); !*flag; n++ {
		if n%1024 == 0 {
			select {
			case <-told:
				*flag = true
			default:
			}
		}
	}
}

// TestLimit: a design that spins outside env, and one whose simulation has no end, are told where they are.
// What comes back to env is ended there: nothing stays behind.
func TestLimit(t *testing.T) {
	defer goleak.VerifyNone(t)
	for frame, body := range map[string]func(env.Env, <-chan bool){
		"virtual.spin": func(e env.Env, told <-chan bool) {
			e.Go("other", func(e env.Env) { e.Sleep(time.Hour) })
			spin(new(bool), told)
			e.Sleep(ms)
		},
		"limit_test.go": func(e env.Env, _ <-chan bool) {
			for {
				safely(func() { e.Burn(ms) })
			}
		},
	} {
		var err error
		limit := 50 * ms
		for ; limit < time.Minute; limit *= 2 { // on a slow machine, the body may not have begun by then
			told := make(chan bool)
			err = New(Config{CPUs: 2, Limit: limit}).Run("body", func(e env.Env) { body(e, told) })
			if close(told); strings.Contains(fmt.Sprint(err), frame) {
				break
			}
		}
		for _, word := range []string{fmt.Sprintf("more than %v of real time", limit), frame} {
			if !strings.Contains(fmt.Sprint(err), word) {
				t.Errorf("the error does not say %q: %v", word, err)
			}
		}
	}
	if err := New(Config{Limit: time.Hour}).Run("body", func(e env.Env) { e.Sleep(ms) }); err != nil {
		t.Errorf("within the limit: %v", err)
	}
}

// TestReturnsLate: a design that returns to env after its stack was read, too late for that, is located all the same.
func TestReturnsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, ended := New(Config{}), make(chan error)
		go func() {
			time.Sleep(2 * soon)
			stack := "goroutine 7 [running]:\nmain.late(...)\n\t/x/late.go:5 +0x1\n"
			w.returnStack.Store(&stack)
			ended <- ErrLimit
		}()
		if err := w.abandon(ended, ErrLimit); !strings.Contains(fmt.Sprint(err), "main.late (late.go:5)") {
			t.Errorf("the error does not say where it returns: %v", err)
		}
	})
}

// TestGiveUp: a world is given up also while short sections of real code come and go.
func TestGiveUp(t *testing.T) {
	w := New(Config{})
	stop, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for range 1000 {
				w.phase.CompareAndSwap(running, computing)
				w.phase.CompareAndSwap(computing, running)
			}
		}
	}()
	for n := range 1_000_000 {
		w.giveUp()
		if !w.phase.CompareAndSwap(abandoned, running) {
			t.Errorf("after %d times it goes on", n)
			break
		}
	}
	close(stop)
	<-ended
	for _, p := range []int32{unwinding, over} {
		w.phase.Store(p)
		if w.giveUp(); w.phase.Load() != p {
			t.Errorf("phase %d became %d", p, w.phase.Load())
		}
	}
}

// TestOutsideNamesThePlace: the first line, which is all that a table has room for, says where the design waits.
func TestOutsideNamesThePlace(t *testing.T) {
	for _, c := range []struct{ state, frames, place string }{
		{"sync.Mutex.Lock", "\nsync.(*Mutex).Lock(...)\n\t/go/mutex.go:46\nmain.main.func3.1({0x0?}, " +
			"0x0?)\n\t/x/main.go:48 +0x3c", "main.main.func3.1 (main.go:48)"},
		{"sleep", "\ntime.Sleep(0x34630b8a000)\n\t/go/time.go:363\nmain.nap({0x0?})\n\t/x/main.go:5 +0x3c",
			"main.nap (main.go:5)"},
	} {
		first, rest, _ := strings.Cut(outside(5*time.Second, c.state, c.frames).Error(), "\n")
		want := "the design has blocked outside env for 5s (" + c.state + ") in " + c.place +
			": do everything concurrent through env"
		if first != want {
			t.Errorf("it says\n%s, want\n%s", first, want)
		}
		if !strings.Contains(rest, "main.go") {
			t.Errorf("the frames are missing: %q", rest)
		}
	}
}

// TestFullMemory: a design whose goroutines take more memory than there is for them ends before the machine stands
// still.
func TestFullMemory(t *testing.T) {
	defer goleak.VerifyNone(t)
	for n, word := range map[int]string{roomInterval - 2: "<nil>", roomInterval: "run fewer at a time"} {
		w := New(Config{Room: func() bool { return false }})
		err := w.Run("body", func(e env.Env) {
			done := env.NewChan[int](e, "done", 0)
			for range n {
				e.Go("child", func(env.Env) { done.Recv() })
			}
			done.Close()
		})
		if !strings.Contains(fmt.Sprint(err), word) || w.Full() != (err != nil) {
			t.Errorf("%d goroutines: full %v: %v; want %s", n, w.Full(), err, word)
		}
	}
}

// TestFullMemoryIsAnswered checks that a design that recovers when memory is full cannot continue, and that the
// watchdog does not blame the design for the time that Config.Room takes.
func TestFullMemoryIsAnswered(t *testing.T) {
	defer goleak.VerifyNone(t)
	const watchdog = 20 * ms
	tick := time.NewTicker(watchdog)
	defer tick.Stop()
	asked := 0
	var w *World
	w = New(Config{Watchdog: watchdog, Room: func() bool {
		if asked++; !w.asking.Load() {
			t.Error("the watchdog does not know that memory is asked for")
		}
		for range 20 { // while all stacks are read, which is long, ticks are lost
			<-tick.C
		}
		return asked < 2
	}})
	err := w.Run("body", func(e env.Env) {
		done := env.NewChan[int](e, "done", 0)
		for range 3 * roomInterval {
			safely(func() { e.Go("child", func(env.Env) { done.Recv() }) })
		}
	})
	if asked != 2 || w.asking.Load() || !strings.Contains(fmt.Sprint(err), "memory was full") {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// TestFullMemoryOfAStranger checks that a goroutine of a go statement ends too when memory is full, without a panic.
func TestFullMemoryOfAStranger(t *testing.T) {
	defer goleak.VerifyNone(t)
	err := New(Config{Room: func() bool { return false }}).Run("body", func(e env.Env) {
		done := env.NewChan[int](e, "done", 0)
		for range roomInterval - 2 {
			e.Go("child", func(env.Env) { done.Recv() })
		}
		aside(func() { e.Go("child", func(env.Env) {}) })
		done.Close()
	})
	if !strings.Contains(fmt.Sprint(err), "a goroutine of a go statement") {
		t.Errorf("the error is %v", err)
	}
}
