package self

import (
	"iter"
	"runtime"
	"sync"
	"testing"
)

// TestStates: each state is reported correctly. The test waits for a goroutine that is about to wait.
func TestStates(t *testing.T) {
	eye := NewInspector()
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		if eye.State(Current()) != Unknown {
			t.Error("it sees something")
		}
		return
	}
	if s := eye.State(Current()); s != Runnable {
		t.Errorf("the running goroutine is seen as %d", s)
	}
	if s := eye.State(Mark{}); s != Unknown {
		t.Errorf("the zero mark is seen as %d", s)
	}

	let := make(chan bool)
	var mutex sync.Mutex
	mutex.Lock()
	for _, wait := range []func(){
		func() { <-let },
		func() { mutex.Lock(); defer mutex.Unlock() },
		func() {
			select {
			case <-let:
			case <-make(chan bool):
			}
		},
	} {
		begun := make(chan Mark)
		go func() {
			begun <- Current()
			wait()
		}()
		for m := <-begun; eye.State(m) != Waiting; { // it is about to
			runtime.Gosched()
		}
	}
	mutex.Unlock()
	close(let)

	next, stop := iter.Pull(func(yield func(Mark) bool) {
		for yield(Current()) {
		}
	})
	defer stop()
	m, _ := next()
	if s := eye.State(m); s != Switched {
		t.Errorf("a coroutine that nobody resumes is seen as %d", s)
	}
}

// TestBlind: the zero Inspector sees nothing.
func TestBlind(t *testing.T) {
	if s := (Inspector{}).State(Current()); s != Unknown {
		t.Errorf("it sees %d", s)
	}
}

func BenchmarkState(b *testing.B) {
	eye, m := NewInspector(), Current()
	for b.Loop() {
		eye.State(m)
	}
}
