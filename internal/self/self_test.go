package self

import (
	"iter"
	"testing"
)

// deep calls f below n frames, for which the stack grows and moves.
func deep(n int, f func()) byte {
	var frame [512]byte
	if n == 0 {
		f()
	} else {
		frame[n%512] = deep(n-1, f)
	}
	return frame[n%512]
}

// TestGoroutines: a goroutine keeps its number and its mark, however its stack moves and whoever runs meanwhile, and no other that
// lives has them.
func TestGoroutines(t *testing.T) {
	const n = 100
	type who struct {
		id   int64
		mark uintptr
	}
	me := func() who { return who{ID(), Mark()} }
	found, end := make(chan who), make(chan bool)
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
	ids, marks := map[int64]bool{}, map[uintptr]bool{}
	add := func(w who) { ids[w.id], marks[w.mark] = true, true }
	add(me())
	for range n {
		add(<-found)
	}
	next, stop := iter.Pull(func(yield func(who) bool) {
		for yield(me()) {
		}
	})
	defer stop()
	for range 3 {
		w, _ := next()
		add(w)
	}
	if add(me()); len(ids) != n+2 || len(marks) != n+2 || ids[0] || marks[0] {
		t.Errorf("%d goroutines have %d numbers and %d marks", n+2, len(ids), len(marks))
	}
}

func BenchmarkMark(b *testing.B) {
	for b.Loop() {
		Mark()
	}
}
