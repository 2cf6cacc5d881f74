package lines

import (
	"crypto/sha1"
	"encoding/binary"
	"io"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// length is the number of bytes of a line, and rounds the number of times that it is hashed.
const length, rounds = 300, 5

// functions make and hash lines of type L. All implementations make the same line for a number.
type functions[L any] interface {
	// line makes a line. It may overwrite old, which may be the zero value.
	line(old L, number int) L
	// hash returns the first 8 bytes of the digest after all rounds.
	hash(line L) uint64
	// reuses reports whether line overwrites old.
	reuses() bool
}

// allocating are the functions of the original: they allocate a string for each line, and a hash and a digest in each
// round.
type allocating struct{}

func (allocating) line(_ string, number int) string {
	b := make([]byte, length)
	letters(b, number)
	return string(b)
}

func (allocating) reuses() bool { return false }

func (allocating) hash(line string) uint64 {
	digest := make([]byte, sha1.Size)
	for range rounds {
		h := sha1.New()
		io.WriteString(h, line)
		h.Write(digest)
		digest = h.Sum(nil)
	}
	return binary.LittleEndian.Uint64(digest)
}

// free are functions that allocate nothing, except for a line without an old one.
type free struct{}

func (free) line(old []byte, number int) []byte {
	if old == nil {
		old = make([]byte, length)
	}
	letters(old, number)
	return old
}

func (free) reuses() bool { return true }

func (free) hash(line []byte) uint64 {
	var text [length + sha1.Size]byte
	copy(text[:], line)
	for range rounds {
		digest := sha1.Sum(text[:])
		copy(text[length:], digest[:])
	}
	return binary.LittleEndian.Uint64(text[length:])
}

// letters fills a line with random printable characters, one draw each: xorshift64* (Vigna, ACM TOMS 42(4), 2016).
func letters(b []byte, number int) {
	x := uint64(number)*0x9e3779b97f4a7c15 + 1
	for i := range b {
		x ^= x >> 12
		x ^= x << 25
		x ^= x >> 27
		b[i] = ' ' + 1 + byte(x*0x2545f4914f6cdd1d>>58)
	}
}

// tally counts the lines that a goroutine hashed, and adds up their digests. The sum does not depend on the order.
type tally struct {
	count int64
	sum   uint64
	_     [48]byte // prevents false sharing: each tally has a cache line of its own
}

func (t *tally) add(digest uint64) {
	t.count++
	t.sum += digest
}

// total returns the sum of the tallies.
func total(tallies []tally) (all tally) {
	for _, t := range tallies {
		all.count += t.count
		all.sum += t.sum
	}
	return all
}

// task is the work of a trial.
type task[L any] struct {
	functions[L]
	p plan.Point
}

// make makes a line, as a section of real code.
func (t task[L]) make(e env.Env, old L, number int) L {
	e.For(uint64(number))
	w := e.Begin()
	line := t.line(old, number)
	w.End()
	return line
}

// consume hashes a line, as a section of real code. Its recorded cost belongs to the line, not to the goroutine.
func (t task[L]) consume(e env.Env, line L, number int, into *tally) {
	e.For(uint64(number))
	w := e.Begin()
	into.add(t.hash(line))
	w.End()
}

// design returns the job of a design with the functions that the point selects.
func design(p plan.Point, original func(task[string]) func(env.Env) (tally, error),
	lean func(task[[]byte]) func(env.Env) (tally, error)) (workload.Job, error) {
	if p.Text("functions") == "free" {
		return job(p, lean(task[[]byte]{free{}, p})), nil
	}
	return job(p, original(task[string]{allocating{}, p})), nil
}

// freeList is a free list: a channel of hashed lines whose memory can be reused. It is empty if lines are not reused.
type freeList[L any] struct{ spent *env.Chan[L] }

// newFreeList returns a free list with that capacity.
func (t task[L]) newFreeList(e env.Env, capacity int) freeList[L] {
	if !t.reuses() {
		return freeList[L]{}
	}
	return freeList[L]{env.NewChan[L](e, "spent", capacity)}
}

// take returns a line whose memory can be reused, or the zero value.
func (f freeList[L]) take() (old L) {
	if f.spent != nil {
		old, _, _ = f.spent.TryRecv()
	}
	return old
}

// give returns a line to the free list.
func (f freeList[L]) give(line L) {
	if f.spent != nil {
		f.spent.TrySend(line)
	}
}
