package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// state is one trial of a design.
type state struct {
	e          env.Env
	p          plan.Point
	durability Durability
	open       Open
	dir        string       // of the log
	remove     func() error // removes it
	log        Log          // nil: closed
	size       int          // of an entry
	callers    []caller
	wall       time.Duration
	metrics    map[string]float64
}

// caller is what one caller appended. Only the caller writes it.
type caller struct {
	indexes []uint64
	err     error
}

// newJob returns the job of a design. Opening the log is not part of its time.
func newJob(e env.Env, p plan.Point, d Durability, open Open) (_ workload.Job, err error) {
	t := &state{e: e, p: p, durability: d, open: open, size: p.Int("entry"), callers: make([]caller, p.Int("callers")),
		metrics: map[string]float64{}}
	for i := range t.callers {
		t.callers[i].indexes = make([]uint64, 0, t.share(i))
	}
	if t.dir, t.remove, err = newDir(p); err != nil {
		return workload.Job{}, err
	}
	log, err := open(e, t.dir, p)
	if err != nil {
		return workload.Job{}, errors.Join(fmt.Errorf("opening the log: %w", err), t.remove())
	}
	t.log = log
	return workload.Job{
		Items: int64(p.Int("appends")), Bytes: int64(p.Int("appends")) * int64(t.size), Run: t.run,
		Check:   t.check,
		Metrics: func() map[string]float64 { return t.metrics },
	}, nil
}

// share returns the number of entries of the i-th caller.
func (t *state) share(i int) int {
	return (t.p.Int("appends") + len(t.callers) - 1 - i) / len(t.callers)
}

// run appends all entries. After an error it closes the log and removes its directory, as no check follows.
func (t *state) run(e env.Env) (err error) {
	done, began := e.Group(), e.Now()
	for i := range t.callers {
		done.Go(e, "caller", func(env.Env) { t.callers[i].err = t.append(i) })
	}
	done.Wait()
	t.wall = e.Now() - began
	for i := range t.callers {
		err = errors.Join(err, t.callers[i].err)
	}
	if err != nil {
		return errors.Join(err, t.close(), t.remove())
	}
	return nil
}

// append appends and reads the entries of the i-th caller.
func (t *state) append(i int) error {
	c, gets, buf := &t.callers[i], t.p.Int("gets"), make([]byte, 0, t.size)
	for k := range t.share(i) {
		buf = entry(buf, t.size, i, k)
		index, err := t.log.Append(buf)
		if err != nil {
			return fmt.Errorf("append %d of caller %d: %w", k+1, i+1, err)
		}
		c.indexes = append(c.indexes, index)
		for g := range gets {
			own := int(mix(uint64(i)<<32^uint64(k*gets+g)) % uint64(k+1))
			data, err := t.log.Get(c.indexes[own])
			if err != nil {
				return fmt.Errorf("get of entry %d: %w", c.indexes[own], err)
			}
			if len(data) != t.size {
				return fmt.Errorf("entry %d has %d bytes, not %d", c.indexes[own], len(data), t.size)
			}
		}
	}
	return nil
}

// close closes the log if it is open.
func (t *state) close() error {
	if t.log == nil {
		return nil
	}
	log := t.log
	t.log = nil
	return log.Close()
}

// check verifies the indexes, what the log returns, and what it returns after it was closed and opened again, which
// is nothing only if it may lose entries and has no file. It removes the directory.
func (t *state) check() (answer workload.Answer, err error) {
	defer func() { err = errors.Join(err, t.close(), t.remove()) }()
	if err := t.dense(); err != nil {
		return nil, err
	}
	if err := t.timeGets(); err != nil {
		return nil, err
	}
	if err := t.verify(); err != nil {
		return nil, err
	}
	n := t.p.Int("appends")
	if s, ok := t.log.(SyncCounter); ok {
		syncs := float64(s.Syncs())
		t.metrics["syncs"] = syncs
		if syncs > 0 {
			t.metrics["entries_per_sync"] = float64(n) / syncs
		}
	}
	if err := t.close(); err != nil {
		return nil, fmt.Errorf("closing the log: %w", err)
	}
	inMemory, err := isEmpty(t.dir)
	if err != nil {
		return nil, err
	}

	began := t.e.Now()
	log, err := t.open(t.e, t.dir, t.p)
	if err != nil {
		return nil, fmt.Errorf("opening the log again: %w", err)
	}
	t.log = log
	t.metrics["open_seconds"] = (t.e.Now() - began).Seconds()
	if t.durability != None || !inMemory {
		if err := t.verify(); err != nil {
			return nil, fmt.Errorf("after it was opened again: %w", err)
		}
	}
	return workload.Answer{"entries": n}, t.probe(disk(t.dir))
}

// dense checks that the indexes are 1 to the number of entries, each once, and increase for each caller.
func (t *state) dense() error {
	seen := make([]bool, t.p.Int("appends"))
	for i := range t.callers {
		last := uint64(0)
		for _, index := range t.callers[i].indexes {
			switch {
			case index-1 >= uint64(len(seen)):
				return fmt.Errorf("caller %d got the index %d of %d entries", i+1, index, len(seen))
			case seen[index-1]:
				return fmt.Errorf("the index %d was given twice, one of them to caller %d", index, i+1)
			case index < last:
				return fmt.Errorf("caller %d got the index %d after %d", i+1, index, last)
			}
			seen[index-1], last = true, index
		}
	}
	if i := slices.Index(seen, false); i >= 0 {
		return fmt.Errorf("no entry got the index %d of %d", i+1, len(seen))
	}
	return nil
}

// timeGets measures the mean time of a Get of each entry, in the order in which each caller appended them.
func (t *state) timeGets() error {
	began := t.e.Now()
	for i := range t.callers {
		for _, index := range t.callers[i].indexes {
			if _, err := t.log.Get(index); err != nil {
				return fmt.Errorf("entry %d: %w", index, err)
			}
		}
	}
	t.metrics[getMeanSeconds] = (t.e.Now() - began).Seconds() / float64(t.p.Int("appends"))
	return nil
}

// verify checks that the log has exactly the entries that were appended.
func (t *state) verify() error {
	buf := make([]byte, 0, t.size)
	for i := range t.callers {
		for k, index := range t.callers[i].indexes {
			data, err := t.log.Get(index)
			if err != nil {
				return fmt.Errorf("entry %d: %w", index, err)
			}
			if buf = entry(buf, t.size, i, k); string(data) != string(buf) {
				return fmt.Errorf("entry %d is not entry %d of caller %d: %q, want %q", index, k+1, i+1,
					data[:min(40, len(data))], buf[:min(40, len(buf))])
			}
		}
	}
	n := t.p.Int("appends")
	for _, index := range []uint64{0, uint64(n) + 1} {
		if _, err := t.log.Get(index); !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("entry %d of %d: want the error %q, not %v", index, n, ErrNotFound, err)
		}
	}
	return nil
}

// entry returns the k-th entry of the i-th caller, in buf.
func entry(buf []byte, size, i, k int) []byte {
	buf = buf[:0]
	x := mix(uint64(i)<<32 ^ uint64(k))
	for len(buf) < size {
		x = bits.RotateLeft64(x, 11) * 0x9e3779b97f4a7c15
		buf = binary.LittleEndian.AppendUint64(buf, x)
	}
	return buf[:size]
}

// mix returns a hash of x (the finalizer of MurmurHash3).
func mix(x uint64) uint64 {
	x = (x ^ x>>33 ^ 1) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// CheckSize returns an error for an entry of more than [MaxEntry] bytes, which a [Log] refuses.
func CheckSize(data []byte) error {
	if len(data) > MaxEntry {
		return fmt.Errorf("the entry has %d bytes, more than %d", len(data), MaxEntry)
	}
	return nil
}

// notFound returns the error of Get for an index that no entry has.
func notFound(index uint64, entries int) error {
	return fmt.Errorf("entry %d of %d: %w", index, entries, ErrNotFound)
}
