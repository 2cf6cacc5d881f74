package set

import (
	"sort"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// call is an operation and its key: key<<3 | operation.
type call uint32

// The operations.
const (
	contains call = iota
	add
	remove
	constant // contains, of a key that no call of the trace adds or removes

	held = constant + 1 // a bit of a constant call: the set holds the key
)

func (c call) key() uint64 { return uint64(c >> 3) }

// maxKeys is how many keys a call can name.
const maxKeys = 1 << 29

// trace is the input of a trial.
type trace struct {
	keys  int
	first []uint64 // keys that the set holds at the beginning: about half of all
	calls []call
	found int // constant calls whose key the set holds
}

// Stages of the random numbers.
const (
	stageCall = iota
	stageFirst
)

// newTrace makes the trace of a point. It depends only on the point and the seed.
func newTrace(e env.Env, p plan.Point) *trace {
	r, read := e.Rand(), p.Float("read")
	t := &trace{keys: p.Int("keys"), calls: make([]call, p.Int("calls"))}
	isFirst := func(key uint64) bool {
		d := r.At(key, stageFirst)
		return d.Uint64()&1 == 0
	}
	for key := range uint64(t.keys) {
		if isFirst(key) {
			t.first = append(t.first, key)
		}
	}
	draw := drawUniform
	if p.Text("skew") == "zipf" {
		draw = newZipf(t.keys).draw
	}
	for i := range t.calls {
		d := r.At(uint64(i), stageCall)
		kind := contains
		if d.Float64() >= read {
			kind = add + call(d.Uint64()&1)
		}
		t.calls[i] = call(draw(&d, t.keys))<<3 | kind
	}
	t.markConstant(isFirst)
	return t
}

// markConstant marks the calls of Contains whose result is known before.
func (t *trace) markConstant(isFirst func(key uint64) bool) {
	changed := make([]uint64, t.keys/64+1) // a bit for each key
	for _, c := range t.calls {
		if c&3 != contains {
			changed[c.key()/64] |= 1 << (c.key() % 64)
		}
	}
	for i, c := range t.calls {
		if key := c.key(); changed[key/64]>>(key%64)&1 == 0 {
			t.calls[i] |= constant
			if isFirst(key) {
				t.calls[i] |= held
				t.found++
			}
		}
	}
}

func drawUniform(d *env.Draws, keys int) int { return d.IntN(keys) }

// zipf holds the sums of 1/rank for each rank from 1.
type zipf []float64

func newZipf(keys int) zipf {
	z, sum := make(zipf, keys), 0.0
	for i := range z {
		sum += 1 / float64(i+1)
		z[i] = sum
	}
	return z
}

// draw returns a key by Zipf's law with exponent 1: the probability of key i is proportional to 1/(i+1).
func (z zipf) draw(d *env.Draws, keys int) int {
	return min(sort.SearchFloat64s(z, d.Float64()*z[keys-1]), keys-1)
}

// share returns the calls of the i-th of n workers.
func (t *trace) share(i, n int) []call {
	return t.calls[i*len(t.calls)/n : (i+1)*len(t.calls)/n]
}

// metrics returns the metrics of a trial.
func (t *trace) metrics(tallies []tally) map[string]float64 {
	hits := t.found
	for _, x := range tallies {
		hits += x.hits
	}
	return map[string]float64{"hits_per_call": float64(hits) / float64(len(t.calls))}
}
