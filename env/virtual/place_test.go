package virtual

import "testing"

// TestPlaces: a goroutine that stands at places far apart, as on a stack that moves or below a large frame, makes nothing of what
// lies between them its own, and where operations stand close together they are one place.
func TestPlaces(t *testing.T) {
	w, co := New(Config{}), &coroutine{} // whose number is unknown, so that nobody is refused
	own := func(at uintptr) bool {
		for _, p := range append(co.others[:], co.place) {
			if at-p.low <= p.span {
				return true
			}
		}
		return false
	}
	const kib = 1 << 10
	for i := range uintptr(100) {
		w.ask(co, (100+i%3*50)*kib)
	}
	for _, at := range []uintptr{100, 150, 200} {
		if !own(at*kib) || own(at*kib+25*kib) {
			t.Errorf("%d KiB is its own: %v, and 25 KiB above it: %v", at, own(at*kib), own(at*kib+25*kib))
		}
	}
	for at := uintptr(400 * kib); at > 300*kib; at -= kib / 2 { // down a recursion
		w.ask(co, at)
	}
	if !own(400*kib) || !own(301*kib) || !own(200*kib) || own(250*kib) {
		t.Errorf("after a recursion its places are %v and %v", co.place, co.others)
	}
}
