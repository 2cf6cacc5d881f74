package sim

import (
	"slices"
	"testing"
)

// reference is an event set as a sorted list.
type reference struct {
	now  int64
	seq  uint64
	list []refEvent
}

type refEvent struct {
	at   int64
	seq  uint64
	slot int32
}

func (r *reference) set(s int32, at int64) {
	r.cancel(s)
	r.seq++
	e := refEvent{max(at, r.now), r.seq, s}
	i, _ := slices.BinarySearchFunc(r.list, e, func(a, b refEvent) int {
		if a.at != b.at {
			return int(a.at - b.at)
		}
		return int(a.seq) - int(b.seq)
	})
	r.list = slices.Insert(r.list, i, e)
}

func (r *reference) cancel(s int32) {
	r.list = slices.DeleteFunc(r.list, func(e refEvent) bool { return e.slot == s })
}

func (r *reference) pop() (s int32, ok bool) {
	if len(r.list) == 0 {
		return 0, false
	}
	e := r.list[0]
	r.list = r.list[1:]
	r.now = e.at
	return e.slot, true
}

// drive does to an event set and to a sorted list what the bytes say.
func drive(t *testing.T, moves []byte) {
	for _, used := range []uint64{0, 100} { // of the numbers for an order; a hundred are left
		driveEvents(t, -used*inOrder, moves)
	}
}

func driveEvents(t *testing.T, seq uint64, moves []byte) {
	e := events{seq: seq}
	var r reference
	var slots []int32
	for len(moves) >= 2 {
		what, arg := moves[0], moves[1]
		moves = moves[2:]
		switch {
		case what < 30 && len(slots) < 100 || len(slots) == 0:
			slots = append(slots, e.slot())
		case what < 40:
			i := int(arg) % len(slots)
			r.cancel(slots[i])
			e.release(slots[i])
			slots = slices.Delete(slots, i, i+1)
		case what < 60:
			s := slots[int(arg)%len(slots)]
			r.cancel(s)
			e.cancel(s)
		case what < 180: // few different times, so that many are equal, and some are now
			s, at := slots[int(arg)%len(slots)], e.now+int64(what)%5
			if what > 150 {
				at = e.now + int64(arg)<<(what-150)
			}
			r.set(s, at)
			e.set(s, at)
			if leads := at > e.now && r.list[0].slot == s; e.leads(s) != leads {
				t.Fatalf("slot %d, set for %d: leads is %v, want %v", s, at, !leads, leads)
			}
		default:
			first := int64(never)
			if len(r.list) > 0 {
				first = r.list[0].at
			}
			if got := e.first(); got != first {
				t.Fatalf("the first event is at %d, want %d", got, first)
			}
			s, ok := e.pop()
			rs, rok := r.pop()
			if ok != rok || s != rs || e.now != r.now {
				t.Fatalf("popped %d, %v at %d; the sorted list has %d, %v at %d", s, ok, e.now, rs, rok, r.now)
			}
		}
	}
}

// TestEvents compares the event set with a sorted list over many random moves.
func TestEvents(t *testing.T) {
	d := draws{key: 1}
	for range 300 {
		moves := make([]byte, 2000)
		for i := range moves {
			moves[i] = byte(d.next())
		}
		drive(t, moves)
	}
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 100, 0, 101, 1, 200, 0, 200, 0})
	f.Fuzz(drive)
}

// TestDraws: uniform below n, and costs as their quantiles say.
func TestDraws(t *testing.T) {
	d := draws{key: 7}
	var counts [10]int
	for range 100_000 {
		counts[d.below(10)]++
	}
	for i, n := range counts {
		if n < 9400 || n > 10_600 { // the standard deviation is 95
			t.Errorf("%d is drawn %d times of 100000, want about 10000", i, n)
		}
	}
	c, sum, below := Quantiles(0, 100, 1100), int64(0), 0
	for range 100_000 {
		x := c.draw(&d)
		if x < 0 || x > 1100 {
			t.Fatalf("drew %d of a cost from 0 to 1100", x)
		}
		if x < 100 {
			below++
		}
		sum += x
	}
	if mean := sum / 100_000; mean < 318 || mean > 332 { // half of (50 + 600); the deviation of the mean is 1.1
		t.Errorf("the mean is %d, want 325", mean)
	}
	if below < 49_000 || below > 51_000 {
		t.Errorf("%d of 100000 are below the median", below)
	}
	for name, f := range map[string]func(){
		"descending": func() { Quantiles(2, 1) },
		"negative":   func() { Quantiles(-1, 1) },
	} {
		if !panics(f) {
			t.Errorf("quantiles that are %s are accepted", name)
		}
	}
	if one := Quantiles(5); one.draw(&d) != 5 {
		t.Error("a single quantile is a fixed cost")
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func BenchmarkEvents(b *testing.B) {
	for _, n := range []int{2, 16, 128, 1024} {
		b.Run(itoa(n), func(b *testing.B) {
			var e events
			d := draws{key: 1}
			for range n {
				e.set(e.slot(), int64(d.below(2000)))
			}
			b.ResetTimer()
			for range b.N {
				s, _ := e.pop()
				e.set(s, e.now+1+int64(d.below(2000)))
			}
		})
	}
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}
