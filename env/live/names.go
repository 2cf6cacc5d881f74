package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/brewput/brewput/env"
)

// names counts the goroutines of each name. Starting and ending a goroutine are measured operations, so the table
// takes no lock: its buckets are lists that only grow, at the front. They stay short, because all names beyond the
// first mostNames are counted together.
//
// Its functions are hidden from the race detector. It would take two accesses of the table for an order between
// goroutines of the design, and so miss races.
type names struct {
	buckets [1 << 10]atomic.Pointer[holders]
	known   atomic.Int64 // names in the buckets
	others  holders      // the goroutines of all other names
}

// mostNames is how many names are counted separately. There may be a few more if several goroutines add the last ones
// at once.
const mostNames = 4096

// holders counts the goroutines of one name.
type holders struct {
	name           string
	table          *names
	next           *holders
	started, ended atomic.Int64
}

// bucketOf hashes the whole name, eight bytes at a time, because names of one program may differ anywhere. It uses
// the multiplier of Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4), whose upper bits depend on the
// whole word and are carried into the next. Package maphash took 20 ns longer.
func (t *names) bucketOf(name string) *atomic.Pointer[holders] {
	const multiplier = 0x9e3779b97f4a7c15
	h := uint64(len(name))
	for ; len(name) >= 8; name = name[8:] {
		h ^= uint64(name[0]) | uint64(name[1])<<8 | uint64(name[2])<<16 | uint64(name[3])<<24 |
			uint64(name[4])<<32 | uint64(name[5])<<40 | uint64(name[6])<<48 | uint64(name[7])<<56
		h *= multiplier
		h ^= h >> 32
	}
	rest := uint64(0)
	for i := range len(name) {
		rest = rest<<8 | uint64(name[i])
	}
	return &t.buckets[(h^rest)*multiplier>>54]
}

// holdersOf returns the counter of the task's name. The task keeps it, because a recycled task is usually started
// under the same name again. That saves the start and the end of a goroutine a search.
//
//go:norace
func (t *names) holdersOf(task *env.Task) *holders {
	name := task.BaseName()
	if h, ok := task.Kept().(*holders); ok && h.table == t && h.name == name {
		return h
	}
	h := t.find(name)
	task.Keep(h)
	return h
}

// find returns the counter of a name, and adds the name if it is new.
//
//go:norace
func (t *names) find(name string) *holders {
	bucket := t.bucketOf(name)
	for {
		first := bucket.Load()
		for h := first; h != nil; h = h.next {
			if h.name == name {
				return h
			}
		}
		if t.known.Load() >= mostNames {
			return &t.others
		}
		if h := (&holders{name: name, table: t, next: first}); bucket.CompareAndSwap(first, h) {
			t.known.Add(1)
			return h
		}
	}
}

// ended reports whether every goroutine has ended. If one ends while another starts, the sums may match by accident;
// then the number of started goroutines differs before and after, and ended reports false.
//
//go:norace
func (t *names) ended() bool {
	before, ended := t.sum(func(h *holders) int64 { return h.started.Load() }),
		t.sum(func(h *holders) int64 { return h.ended.Load() })
	return before == ended && before == t.sum(func(h *holders) int64 { return h.started.Load() })
}

// sum adds a count over all names.
//
//go:norace
func (t *names) sum(count func(*holders) int64) int64 {
	sum := count(&t.others)
	for i := range t.buckets {
		for h := t.buckets[i].Load(); h != nil; h = h.next {
			sum += count(h)
		}
	}
	return sum
}

// left is the number of goroutines of one name that have not ended.
type left struct {
	name string
	n    int64
}

// format formats the names and numbers, sorted by name.
func format(all []left, others int64) []string {
	slices.SortFunc(all, func(a, b left) int { return strings.Compare(a.name, b.name) })
	var list []string
	for _, l := range all {
		list = append(list, fmt.Sprintf("%s (%d)", l.name, l.n))
	}
	if others > 0 {
		list = append(list, fmt.Sprintf("other names (%d)", others))
	}
	return list
}

// left returns the names of goroutines that have not ended, and the number of those whose names are counted together.
//
//go:norace
func (t *names) left() (all []left, others int64) {
	for i := range t.buckets {
		for h := t.buckets[i].Load(); h != nil; h = h.next {
			if n := h.started.Load() - h.ended.Load(); n > 0 {
				all = append(all, left{h.name, n})
			}
		}
	}
	return all, t.others.started.Load() - t.others.ended.Load()
}

// summary formats the names for one line: the most frequent names if there are many, and the beginnings of long ones.
func summary(all []left, others int64) []string {
	const most, longest = 8, 40
	if len(all) > most {
		slices.SortFunc(all, func(a, b left) int {
			return cmp.Or(cmp.Compare(b.n, a.n),
				strings.Compare(a.name, b.name))
		})
		for _, l := range all[most:] {
			others += l.n
		}
		all = all[:most]
	}
	for i, l := range all {
		if len(l.name) > longest {
			all[i].name = strings.ToValidUTF8(l.name[:longest], "") + "..."
		}
	}
	return format(all, others)
}
