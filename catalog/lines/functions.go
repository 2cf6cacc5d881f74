package lines

import (
	"crypto/sha1"
	"encoding/binary"
	"io"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// length is that of a line in bytes, rounds how often it is hashed.
const length, rounds = 300, 5

// functions make and hash lines that are kept as L. Line number i is the same however it is made.
type functions[L any] interface {
	// line makes a line, in the place of old if that can be used again.
	line(old L, number int) L
	// hash is the beginning of the digest after all rounds.
	hash(line L) uint64
	// reuses reports whether a line can be made in the place of another.
	reuses() bool
}

// allocating are the functions of the original: a string for each line, and a new hash and digest each round.
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

// free are functions that do the same without allocating, but for the first line in a place.
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

// tally is what was hashed: how many lines, and the sum of their digests, which is the same in any order.
type tally struct {
	count int64
	sum   uint64
	_     [48]byte // of a goroutine each: not two in one line of the cache
}

func (t *tally) add(digest uint64) {
	t.count++
	t.sum += digest
}

// total is what all together hashed.
func total(tallies []tally) (all tally) {
	for _, t := range tallies {
		all.count += t.count
		all.sum += t.sum
	}
	return all
}

// task is the work of a trial: its designs for either functions.
type task[L any] struct {
	functions[L]
	p plan.Point
}

// make makes a line.
func (t task[L]) make(e env.Env, old L, number int) L {
	e.For(uint64(number))
	w := e.Begin()
	line := t.line(old, number)
	w.End()
	return line
}

// consume hashes a line. Its cost belongs to the line, whoever does it.
func (t task[L]) consume(e env.Env, line L, number int, into *tally) {
	e.For(uint64(number))
	w := e.Begin()
	into.add(t.hash(line))
	w.End()
}

// design is a structure, for each of the functions.
func design(p plan.Point, original func(task[string]) func(env.Env) (tally, error),
	lean func(task[[]byte]) func(env.Env) (tally, error)) (workload.Job, error) {
	if p.Text("functions") == "free" {
		return job(p, lean(task[[]byte]{free{}, p})), nil
	}
	return job(p, original(task[string]{allocating{}, p})), nil
}

// places are lines that were hashed, whose places can be used again: a channel of them, or none where lines are not
// made in places.
type places[L any] struct{ spent *env.Chan[L] }

func (t task[L]) places(e env.Env, room int) places[L] {
	if !t.reuses() {
		return places[L]{}
	}
	return places[L]{env.NewChan[L](e, "spent", room)}
}

// take is a place, or none yet.
func (p places[L]) take() (old L) {
	if p.spent != nil {
		old, _, _ = p.spent.TryRecv()
	}
	return old
}

func (p places[L]) give(line L) {
	if p.spent != nil {
		p.spent.TrySend(line)
	}
}
