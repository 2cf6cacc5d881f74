package live

import (
	"fmt"
	"sort"
	"sync/atomic"
)

// names counts the goroutines of each name. Spawning and ending a goroutine are measured operations,
// so the table takes no lock: its buckets are lists that only grow, at the front.
//
// Its functions are hidden from the race detector, which would take the order of two visits here for
// an order between the design's goroutines and so miss races.
type names [256]atomic.Pointer[holders]

// holders are the goroutines of one name.
type holders struct {
	name           string
	next           *holders
	started, ended atomic.Int64
}

// bucket hashes the last four bytes of a name, where numbered names differ, with the multiplier of
// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
func (t *names) bucket(name string) *atomic.Pointer[holders] {
	h, n := uint32(len(name)), len(name)
	if n >= 4 {
		h += uint32(name[n-1]) | uint32(name[n-2])<<8 | uint32(name[n-3])<<16 | uint32(name[n-4])<<24
	} else if n > 0 {
		h += uint32(name[n-1]) << 8
	}
	return &t[h*2654435769>>24]
}

// find returns the holders of a name, new ones if there are none.
//
//go:norace
func (t *names) find(name string) *holders {
	bucket := t.bucket(name)
	for {
		first := bucket.Load()
		for h := first; h != nil; h = h.next {
			if h.name == name {
				return h
			}
		}
		if h := (&holders{name: name, next: first}); bucket.CompareAndSwap(first, h) {
			return h
		}
	}
}

// ended reports whether every goroutine has ended. One that ends while another starts may be seen as the
// last; then the number of those started differs before and after.
//
//go:norace
func (t *names) ended() bool {
	before, ended := t.sum(func(h *holders) int64 { return h.started.Load() }), t.sum(func(h *holders) int64 { return h.ended.Load() })
	return before == ended && before == t.sum(func(h *holders) int64 { return h.started.Load() })
}

//go:norace
func (t *names) sum(count func(*holders) int64) int64 {
	sum := int64(0)
	for i := range t {
		for h := t[i].Load(); h != nil; h = h.next {
			sum += count(h)
		}
	}
	return sum
}

// running lists the names with goroutines that have not ended, and how many, in order.
//
//go:norace
func (t *names) running() []string {
	var list []string
	for i := range t {
		for h := t[i].Load(); h != nil; h = h.next {
			if n := h.started.Load() - h.ended.Load(); n > 0 {
				list = append(list, fmt.Sprintf("%s (%d)", h.name, n))
			}
		}
	}
	sort.Strings(list)
	return list
}
