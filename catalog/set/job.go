package set

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Set is a set of keys, as one goroutine uses it. Keys are below 2^62 - 1. Several goroutines, each with its own Set,
// may use the same keys at the same time.
type Set interface {
	// Add adds the key, and reports whether it was absent.
	Add(key uint64) bool
	// Remove removes the key, and reports whether it was present.
	Remove(key uint64) bool
	// Contains reports whether the key is present.
	Contains(key uint64) bool
}

// Opened is a set that a design has made.
type Opened struct {
	// View returns the set as the goroutine of e uses it. Each goroutine calls it once, with its own Env.
	View func(e env.Env) Set

	// Stop ends the goroutines of the design, after the last operation. It may be nil.
	Stop func()
}

// opener makes a set with its first keys.
type opener = func(e env.Env, first []uint64) Opened

// Uses returns the names of the factors that every design uses.
func Uses() []string {
	return []string{"goroutines", "calls", "read", "skew", "keys", "access"}
}

// Job returns the job of a design: goroutines that share a trace of operations. Open makes the set with its first keys.
// Neither that nor the making of the trace is measured. After the trace, the check compares the set with what the
// operations reported. Contains must be right for each key that no operation of the trace adds or removes.
func Job(e env.Env, p plan.Point, open func(e env.Env, first []uint64) Opened) workload.Job {
	t := newTrace(e, p)
	set := open(e, t.first)
	tallies := make([]tally, p.Int("goroutines"))
	return workload.Job{
		Items: int64(len(t.calls)),
		Run: func(e env.Env) error {
			done := e.Group()
			for i := range tallies {
				done.Go(e, "worker", func(e env.Env) {
					v, sum := set.View(e), tally{}
					for _, c := range t.share(i, len(tallies)) {
						sum.do(v, c)
					}
					tallies[i] = sum
				})
			}
			done.Wait()
			return nil
		},
		Check: func() (workload.Answer, error) {
			want, v := sumOf(t.first), set.View(e)
			for _, x := range tallies {
				want.include(x)
			}
			var got contents
			for key := range uint64(t.keys) {
				if v.Contains(key) {
					got.insert(key)
				}
			}
			if set.Stop != nil {
				set.Stop()
			}
			return t.answer(tallies, want.compare(got))
		},
		Metrics: func() map[string]float64 { return t.metrics(tallies) },
	}
}

// contents describes which keys a set holds.
type contents struct {
	keys int
	hash uint64 // sum of the hashes of the keys
}

func (c *contents) insert(key uint64) { c.keys, c.hash = c.keys+1, c.hash+hash(key) }
func (c *contents) drop(key uint64)   { c.keys, c.hash = c.keys-1, c.hash-hash(key) }

// include counts what the operations of a worker changed.
func (c *contents) include(t tally) { c.keys, c.hash = c.keys+t.changed.keys, c.hash+t.changed.hash }

// sumOf returns the contents of a set with these keys.
func sumOf(keys []uint64) contents {
	var c contents
	for _, k := range keys {
		c.insert(k)
	}
	return c
}

// compare returns an error unless the contents are as the operations reported.
func (c contents) compare(got contents) error {
	switch {
	case c.keys != got.keys:
		return fmt.Errorf("the set holds %d keys, but by the results of its operations it should hold %d", got.keys,
			c.keys)
	case c.hash != got.hash:
		return fmt.Errorf("the set holds %d keys, but not those that the results of its operations imply", got.keys)
	}
	return nil
}

// answer returns the answer of a trial, or an error: err, or one if Contains was wrong about a constant key.
func (t *trace) answer(tallies []tally, err error) (workload.Answer, error) {
	wrong := 0
	for _, x := range tallies {
		wrong += x.wrong
	}
	if err == nil && wrong > 0 {
		err = fmt.Errorf("%d calls of Contains were wrong about a key that no call adds or removes", wrong)
	}
	return workload.Answer{"calls": len(t.calls)}, err
}

// tally is what the operations of a worker reported.
type tally struct {
	changed contents // keys added, less those removed
	hits    int      // calls of Contains that found the key, which other calls may add or remove
	wrong   int      // calls of Contains that were wrong about a constant key
}

// do makes one call.
func (t *tally) do(s Set, c call) {
	switch key := c.key(); c & 3 {
	case contains:
		if s.Contains(key) {
			t.hits++
		}
	case constant:
		if s.Contains(key) != (c&held != 0) {
			t.wrong++
		}
	case add:
		if s.Add(key) {
			t.changed.insert(key)
		}
	case remove:
		if s.Remove(key) {
			t.changed.drop(key)
		}
	}
}

// hash mixes the bits of a key: the two halves of a product of 128 bits, as in wyhash (W. Yi).
func hash(key uint64) uint64 {
	hi, lo := bits.Mul64(key^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// access is the CPU time of an operation, in virtual time.
func access(p plan.Point) time.Duration { return p.Duration("access") }
