package set

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// keys is Go's map, as a set.
type keys map[uint64]struct{}

func newKeys(first []uint64) keys {
	m := make(keys, len(first))
	for _, k := range first {
		m[k] = struct{}{}
	}
	return m
}

func (m keys) has(key uint64) bool {
	_, ok := m[key]
	return ok
}

// add adds the key, and reports whether it was absent.
func (m keys) add(key uint64) bool {
	n := len(m)
	m[key] = struct{}{}
	return len(m) > n
}

// remove removes the key, and reports whether it was present.
func (m keys) remove(key uint64) bool {
	n := len(m)
	delete(m, key)
	return len(m) < n
}

// newUnsafe is a plain map. With more than one goroutine, the Go runtime ends the process when it notices a write at
// the same time as another access, and otherwise updates are lost.
func newUnsafe(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openUnsafe(p)), nil }

func openUnsafe(p plan.Point) opener {
	return func(_ env.Env, first []uint64) Opened {
		m := newKeys(first)
		return Opened{View: func(e env.Env) Set { return plain{e, m, access(p)} }}
	}
}

// plain is a map without a lock.
type plain struct {
	e      env.Env
	m      keys
	access time.Duration
}

func (s plain) Contains(key uint64) bool {
	s.e.Charge(s.access)
	return s.m.has(key)
}

// Add looks first, and adds after the CPU time of the access, so that in virtual time, too, two goroutines can add the
// same key.
func (s plain) Add(key uint64) bool {
	absent := !s.m.has(key)
	s.e.Charge(s.access)
	s.m[key] = struct{}{}
	return absent
}

// Remove is like Add.
func (s plain) Remove(key uint64) bool {
	present := s.m.has(key)
	s.e.Charge(s.access)
	delete(s.m, key)
	return present
}

// newMutex has one lock, for reads too.
func newMutex(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openMutex(p)), nil }

func openMutex(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		s := &locked{lock: e.Mutex("set"), m: newKeys(first)}
		return Opened{View: func(e env.Env) Set { return lockedView{e, s, access(p)} }}
	}
}

// locked is a map with a lock.
type locked struct {
	lock *env.Mutex
	m    keys
}

// lockedView is a locked map as a goroutine uses it.
type lockedView struct {
	e env.Env
	*locked
	access time.Duration
}

func (s lockedView) Contains(key uint64) bool {
	s.lock.Lock()
	s.e.Charge(s.access)
	ok := s.m.has(key)
	s.lock.Unlock()
	return ok
}

func (s lockedView) Add(key uint64) bool {
	s.lock.Lock()
	s.e.Charge(s.access)
	ok := s.m.add(key)
	s.lock.Unlock()
	return ok
}

func (s lockedView) Remove(key uint64) bool {
	s.lock.Lock()
	s.e.Charge(s.access)
	ok := s.m.remove(key)
	s.lock.Unlock()
	return ok
}

// newRWMutex has one lock that readers share. Each of them still writes to the cache line of the lock.
func newRWMutex(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openRWMutex(p)), nil }

func openRWMutex(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		lock, m := e.RWMutex("set"), newKeys(first)
		return Opened{View: func(e env.Env) Set { return shared{e, lock, m, access(p)} }}
	}
}

// shared is a map with a lock that readers share.
type shared struct {
	e      env.Env
	lock   *env.RWMutex
	m      keys
	access time.Duration
}

func (s shared) Contains(key uint64) bool {
	s.lock.RLock()
	s.e.Charge(s.access)
	ok := s.m.has(key)
	s.lock.RUnlock()
	return ok
}

func (s shared) Add(key uint64) bool {
	s.lock.Lock()
	s.e.Charge(s.access)
	ok := s.m.add(key)
	s.lock.Unlock()
	return ok
}

func (s shared) Remove(key uint64) bool {
	s.lock.Lock()
	s.e.Charge(s.access)
	ok := s.m.remove(key)
	s.lock.Unlock()
	return ok
}

// newSharded divides the keys among maps, each with its own lock, by their hash.
func newSharded(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openSharded(p)), nil }

func openSharded(p plan.Point) opener {
	n := uint64(p.Int("shards"))
	return func(e env.Env, first []uint64) Opened {
		parts := make([][]uint64, n)
		for _, k := range first {
			i := hash(k) % n
			parts[i] = append(parts[i], k)
		}
		shards := make([]locked, n)
		for i := range shards {
			shards[i].lock, shards[i].m = e.Mutex("shard"), newKeys(parts[i])
		}
		return Opened{View: func(e env.Env) Set { return sharded{e, shards, access(p)} }}
	}
}

// sharded is a set in parts.
type sharded struct {
	e      env.Env
	shards []locked
	access time.Duration
}

// of returns the part that may hold the key.
func (s sharded) of(key uint64) lockedView {
	return lockedView{s.e, &s.shards[hash(key)%uint64(len(s.shards))], s.access}
}

func (s sharded) Contains(key uint64) bool { return s.of(key).Contains(key) }
func (s sharded) Add(key uint64) bool      { return s.of(key).Add(key) }
func (s sharded) Remove(key uint64) bool   { return s.of(key).Remove(key) }
