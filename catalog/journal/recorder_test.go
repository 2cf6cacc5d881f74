package journal

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
)

// recorder is a directory in memory that records every operation, so that power can be lost after each.
type recorder struct {
	lock  sync.Mutex
	now   image
	trace []event
	fail  func(op string) error // nil: nothing fails; op is write, sync, truncate, create, rename or syncdir
	skip  func(op string) bool  // nil: nothing is skipped; a skipped sync does nothing
}

// image is what a directory and its files contain.
type image struct {
	names map[string]int // of inodes
	files map[int][]byte // by inode
}

func (m image) clone() image {
	c := image{maps.Clone(m.names), map[int][]byte{}}
	for i, b := range m.files {
		c.files[i] = slices.Clone(b)
	}
	return c
}

// event is an operation, or the acknowledgement of all entries up to an index.
type event struct {
	op     string
	inode  int
	at     int64
	data   []byte
	name   string // create: of the file; rename: the new one
	from   string
	acked  uint64
	failed bool // a sync that failed: the kernel drops what was not synced
}

func newRecorder() *recorder { return recorderOf(image{map[string]int{}, map[int][]byte{}}) }

func recorderOf(m image) *recorder { return &recorder{now: m.clone()} }

// do records an operation and applies it to what programs see.
func (r *recorder) do(ev event) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	var err error
	if r.fail != nil {
		err = r.fail(ev.op)
	}
	switch {
	case r.skip != nil && r.skip(ev.op):
		return err
	case err == nil:
		r.now.apply(ev)
	case ev.op == "write": // it may have written a part
		ev.data = ev.data[:len(ev.data)/2]
		r.now.apply(ev)
	case ev.op == "sync":
		ev.failed = true
	default:
		return err
	}
	r.trace = append(r.trace, ev)
	return err
}

// ack records that all entries up to an index are acknowledged.
func (r *recorder) ack(index uint64) { r.do(event{op: "ack", acked: index}) }

func (m image) apply(ev event) {
	switch b := m.files[ev.inode]; ev.op {
	case "write":
		if n := int(ev.at) + len(ev.data) - len(b); n > 0 {
			b = append(b, make([]byte, n)...)
		}
		copy(b[ev.at:], ev.data)
		m.files[ev.inode] = b
	case "truncate":
		if int(ev.at) > len(b) {
			b = append(b, make([]byte, int(ev.at)-len(b))...)
		}
		m.files[ev.inode] = b[:ev.at]
	case "create":
		m.names[ev.name] = ev.inode
		if b == nil {
			m.files[ev.inode] = []byte{}
		}
	case "rename":
		delete(m.names, ev.from)
		m.names[ev.name] = ev.inode
	}
}

func (r *recorder) create(name string) (file, error) {
	r.lock.Lock()
	inode := len(r.now.files) + 1
	r.lock.Unlock()
	if err := r.do(event{op: "create", inode: inode, name: name}); err != nil {
		return nil, err
	}
	return &recorded{r, inode}, nil
}

func (r *recorder) open(name string) (file, bool, error) {
	r.lock.Lock()
	defer r.lock.Unlock()
	inode, ok := r.now.names[name]
	if !ok {
		return nil, false, nil
	}
	return &recorded{r, inode}, true, nil
}

func (r *recorder) rename(from, to string) error {
	r.lock.Lock()
	inode := r.now.names[from]
	r.lock.Unlock()
	return r.do(event{op: "rename", inode: inode, from: from, name: to})
}

func (r *recorder) sync() error { return r.do(event{op: "syncdir"}) }

// recorded is a file of a recorder.
type recorded struct {
	r     *recorder
	inode int
}

func (f *recorded) ReadAt(p []byte, at int64) (int, error) {
	f.r.lock.Lock()
	defer f.r.lock.Unlock()
	b := f.r.now.files[f.inode]
	if at > int64(len(b)) {
		return 0, io.EOF
	}
	n := copy(p, b[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *recorded) WriteAt(p []byte, at int64) (int, error) {
	err := f.r.do(event{op: "write", inode: f.inode, at: at, data: slices.Clone(p)})
	if err != nil {
		return len(p) / 2, err
	}
	return len(p), nil
}

func (f *recorded) size() (int64, error) {
	f.r.lock.Lock()
	defer f.r.lock.Unlock()
	return int64(len(f.r.now.files[f.inode])), nil
}

func (f *recorded) truncate(size int64) error {
	return f.r.do(event{op: "truncate", inode: f.inode, at: size})
}

func (f *recorded) sync() error  { return f.r.do(event{op: "sync", inode: f.inode}) }
func (f *recorded) Close() error { return nil }

// sector is what reaches the device as a whole. Devices have larger ones.
const sector = 16

// crashes calls visit with what a directory may contain after power is lost at each step of the trace, and with the
// last index that was acknowledged before. At each step it takes every subset of what was not synced if there are at
// most that many, and otherwise so many random ones.
func crashes(start image, trace []event, limit int, rnd *rand.Rand,
	visit func(step int, m image, acked uint64) error) error {
	durable := start.clone()
	var pending []event // since the last sync of their file or directory
	acked := uint64(0)
	for step := 0; ; step++ {
		parts := split(pending)
		states := 1 << min(len(parts), 30)
		for s := range min(states, limit) {
			chosen := uint64(s)
			if states > limit {
				chosen = rnd.Uint64()
			}
			m := durable.clone()
			for _, i := range order(parts, s, rnd) {
				if chosen>>(i%64)&1 == 1 {
					m.apply(parts[i])
				}
			}
			if err := visit(step, m, acked); err != nil {
				return fmt.Errorf("power lost after %d of %d operations, subset %b of %d: %w", step, len(trace),
					chosen, len(parts), err)
			}
		}
		if step == len(trace) {
			return nil
		}
		switch ev := trace[step]; ev.op {
		case "ack":
			acked = max(acked, ev.acked)
		case "sync":
			pending = flush(durable, pending, ev.failed, func(p event) bool {
				return p.inode == ev.inode && (p.op == "write" || p.op == "truncate")
			})
		case "syncdir":
			pending = flush(durable, pending, false, func(p event) bool { return p.op == "create" || p.op == "rename" })
		default:
			pending = append(pending, ev)
		}
	}
}

// flush makes the pending events of a sync durable, and returns the others. If the sync failed, its events are lost.
func flush(durable image, pending []event, failed bool, of func(event) bool) (rest []event) {
	for _, ev := range pending {
		switch {
		case !of(ev):
			rest = append(rest, ev)
		case !failed:
			durable.apply(ev)
		}
	}
	return rest
}

// split returns the events with each write split into sectors, after an event that makes room for it.
func split(events []event) (parts []event) {
	for _, ev := range events {
		if ev.op != "write" {
			parts = append(parts, ev)
			continue
		}
		end := ev.at + int64(len(ev.data))
		parts = append(parts, event{op: "write", inode: ev.inode, at: end}) // the size alone
		for at := ev.at; at < end; {
			to := min(end, (at/sector+1)*sector)
			parts = append(parts, event{op: "write", inode: ev.inode, at: at, data: ev.data[at-ev.at : to-ev.at]})
			at = to
		}
	}
	return parts
}

// order returns an order in which parts reach the device. Names change in order, as in the journal of a file system;
// the first subset, and every other, has all in order.
func order(parts []event, s int, rnd *rand.Rand) []int {
	var all, names []int
	for i, p := range parts {
		if all = append(all, i); p.op == "create" || p.op == "rename" {
			names = append(names, i)
		}
	}
	if s%2 == 0 {
		return all
	}
	rnd.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	at := 0
	for k, i := range all {
		if slices.Contains(names, i) {
			all[k] = names[at]
			at++
		}
	}
	return all
}
