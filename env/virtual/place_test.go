package virtual

import "testing"

// TestPlace: a goroutine whose stack moves, or that stands below large frames in turn, makes nothing of what lies between its own, and
// where operations stand close together they are one place.
func TestPlace(t *testing.T) {
	w, co := New(Config{}), &coroutine{} // whose number is unknown, so that nobody is refused
	own := func(at uintptr) bool { return at-co.low <= co.span }
	const kib = 1 << 10
	for i := range uintptr(100) {
		at := (100 + i%2*50) * kib
		if w.ask(co, at); !own(at) || own(125*kib) || own((250-at/kib)*kib) {
			t.Fatalf("move %d: from %d on %d bytes are its own", i, co.low, co.span)
		}
	}
	for at := uintptr(400 * kib); at > 300*kib; at -= kib / 2 { // down a recursion
		w.ask(co, at)
	}
	if !own(400*kib) || !own(301*kib) || own(250*kib) {
		t.Errorf("after a recursion from %d on %d bytes are its own", co.low, co.span)
	}
}
