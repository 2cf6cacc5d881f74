package self

import (
	"iter"
	"runtime"
	"testing"
)

// deep calls f below n frames, so that the stack grows and moves.
func deep(n int, f func()) byte {
	var frame [512]byte
	if n == 0 {
		f()
	} else {
		frame[n%512] = deep(n-1, f)
	}
	return frame[n%512]
}

// TestGoroutines: a goroutine keeps its number and its mark, however its stack moves and whatever runs meanwhile. No
// other living goroutine has them.
func TestGoroutines(t *testing.T) {
	const n = 100
	type goroutine struct {
		id   int64
		mark Mark
	}
	me := func() goroutine { return goroutine{ID(), Current()} }
	found, end := make(chan goroutine), make(chan bool)
	defer close(end)
	for range n {
		go func() {
			first := me()
			deep(100, func() {
				if again := me(); again != first {
					t.Errorf("%v became %v", first, again)
				}
			})
			found <- first
			<-end
		}()
	}
	ids, marks := map[int64]bool{}, map[Mark]bool{}
	add := func(w goroutine) { ids[w.id], marks[w.mark] = true, true }
	add(me())
	for range n {
		add(<-found)
	}
	next, stop := iter.Pull(func(yield func(goroutine) bool) {
		for yield(me()) {
		}
	})
	defer stop()
	for range 3 {
		w, _ := next()
		add(w)
	}
	if add(me()); len(ids) != n+2 || len(marks) != n+2 || ids[0] || marks[Mark{}] {
		t.Errorf("%d goroutines have %d numbers and %d marks", n+2, len(ids), len(marks))
	}
}

// TestOnStack: a goroutine is on its own stack, however that grows and shrinks. No other one is, not even in memory
// that the stack has left.
func TestOnStack(t *testing.T) {
	var m Mark
	if m.OnStack() {
		t.Error("a mark of nobody is the caller's")
	}
	fast := Current().OnStack() // not on every machine
	if want := runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"; fast != want {
		t.Errorf("a goroutine knows itself: %v", fast)
	}
	m = Current()
	others := func() {
		done := make(chan bool)
		const n = 50
		for range n {
			go func() {
				done <- m.OnStack() || m.Mine()
				deep(20, func() { done <- m.OnStack() || m.Mine() })
			}()
		}
		for range 2 * n {
			if <-done {
				t.Error("a goroutine is taken for another")
			}
		}
	}
	for depth := range 12 {
		ended := make(chan bool)
		go func() { // on a stack that is small
			defer close(ended)
			m = Current()
			check := func() {
				if m.OnStack() != fast || !m.Mine() {
					t.Error("a goroutine does not know itself")
				}
				others()
			}
			check()
			deep(1<<depth, check)
			runtime.GC() // which gives half of its stack away
			check()
		}()
		<-ended
	}
}

func BenchmarkOnStack(b *testing.B) {
	m := Current()
	for b.Loop() {
		m.OnStack()
	}
}

func BenchmarkMine(b *testing.B) {
	m := Current()
	for b.Loop() {
		m.Mine()
	}
}
