package set

import (
	"math/bits"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newTable is a hash table of atomic words. Each operation reads the words from the hash of its key on, and a change is
// one compare-and-swap, and one addition for a new key. Only growing has a lock.
//
// A word that was given to a key belongs to that key until the table grows, whether the key is present or not. So two
// goroutines that add the same key always meet at the same word (as in C. Click's table, JavaOne 2007).
func newTable(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openTable(p)), nil }

func openTable(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		t := &table{current: env.NewPointer[words](e, "current"), growing: e.Mutex("growing")}
		w := newWords(e, len(first))
		for _, k := range first {
			w.place(k)
		}
		t.current.Store(w)
		return Opened{View: func(e env.Env) Set { return &tableView{e, t, access(p)} }}
	}
}

// table is a set of words that are replaced when it grows.
type table struct {
	current *env.Pointer[words]
	growing *env.Mutex
}

// words is an array of words, each of them (key+1)<<2 with these bits, or without a key.
type words struct {
	*env.Atomics[uint64]
	shift uint             // the place of a key is its hash >> shift
	used  *env.Atomic[int] // words with a key
}

// Bits of a word.
const (
	frozen  = 1 << iota // the table grows: the word does not change any more
	present             // the set holds the key
)

// minWords is the size of a small table.
const minWords = 64

// newWords returns words for n keys, at least four for each.
func newWords(e env.Env, n int) *words {
	size := 1 << bits.Len(uint(max(minWords, 4*n)-1))
	return &words{Atomics: env.NewAtomics[uint64](e, "words", size), shift: uint(65 - bits.Len(uint(size))),
		used: env.NewAtomic[int](e, "used")}
}

// place adds a key that is not there, before other goroutines see the words.
func (w *words) place(key uint64) {
	i, _, _ := w.find(key)
	w.Store(i, (key+1)<<2|present)
	w.claim()
}

// claim counts a word that was given to a key.
func (w *words) claim() {
	w.used.Add(1)
}

// find returns the place of a key and the word there, which has no key if the key has no word. It is false if the key
// has no word and all are in use.
func (w *words) find(key uint64) (i int, word uint64, ok bool) {
	n := w.Len()
	i = int(hash(key) >> w.shift)
	for range n {
		word = w.Load(i)
		if k := word >> 2; min(k, k^(key+1)) == 0 { // it has this key or none: one branch, as neither can be predicted
			return i, word, true
		}
		i = (i + 1) & (n - 1)
	}
	return 0, 0, false
}

// full reports whether the words should be replaced before another key gets one.
func (w *words) full() bool { return 2*w.used.Load() >= w.Len() }

// tableView is a table as a goroutine uses it.
type tableView struct {
	e env.Env
	*table
	access time.Duration
}

// Contains may read words that were replaced meanwhile. They hold what the set held when they were, which was during
// the call.
func (t *tableView) Contains(key uint64) bool {
	t.e.Charge(t.access)
	_, word, _ := t.current.Load().find(key)
	return word&present != 0
}

func (t *tableView) Add(key uint64) bool {
	for {
		w := t.current.Load()
		i, word, ok := w.find(key)
		full := !ok || word == 0 && w.full()
		t.e.Charge(t.access) // in virtual time, the word may change between here and the compare-and-swap
		switch {
		case word&frozen != 0:
			t.await()
		case word&present != 0:
			return false
		case full:
			t.replace(w)
		case w.CompareAndSwap(i, word, (key+1)<<2|present):
			if word == 0 {
				w.claim()
			}
			return true
		}
	}
}

func (t *tableView) Remove(key uint64) bool {
	for {
		w := t.current.Load()
		i, word, _ := w.find(key)
		t.e.Charge(t.access)
		switch {
		case word&present == 0: // also if it is frozen, as in Contains
			return false
		case word&frozen != 0:
			t.await()
		case w.CompareAndSwap(i, word, (key+1)<<2):
			return true
		}
	}
}

// await returns when the words that were current have been replaced. The goroutine that froze them holds the lock.
func (t *tableView) await() {
	t.growing.Lock()
	defer t.growing.Unlock()
}

// replace replaces words that are full by others with room. First it freezes each word, so that no change is lost.
func (t *tableView) replace(was *words) {
	t.growing.Lock()
	defer t.growing.Unlock()
	if t.current.Load() != was {
		return // another goroutine did
	}
	var held []uint64
	for i := range was.Len() {
		word := was.Load(i)
		if word&present != 0 {
			t.e.Charge(t.access)
		}
		for !was.CompareAndSwap(i, word, word|frozen) {
			word = was.Load(i)
		}
		if word&present != 0 {
			held = append(held, word>>2-1)
		}
	}
	w := newWords(t.e, len(held))
	for _, k := range held {
		w.place(k)
	}
	t.current.Store(w)
}
