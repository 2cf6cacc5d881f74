// Package set has designs of the workload set that use other modules.
package set

import (
	"sync"

	mapset "github.com/deckarep/golang-set/v2"
	"github.com/puzpuzpuz/xsync/v4"

	"github.com/brewput/brewput/catalog/set"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// Workload returns the workload set with these designs.
func Workload() *workload.Workload {
	w := set.Workload()
	w.Designs = []workload.Design{
		{Name: "golang-set", Doc: "deckarep/golang-set: a map with one lock; an adapter makes Remove slower",
			Uses: set.Uses(), Job: newGolangSet, Worlds: workload.LiveOnly},
		{Name: "xsync", Doc: "puzpuzpuz/xsync: a hash table whose readers take no lock", Uses: set.Uses(), Job: newXsync,
			Worlds: workload.LiveOnly},
	}
	return w
}

// newGolangSet is the thread-safe set of deckarep/golang-set.
func newGolangSet(e env.Env, p plan.Point) (workload.Job, error) {
	return set.Job(e, p, openGolangSet), nil
}

func openGolangSet(_ env.Env, first []uint64) set.Opened {
	s := &golangSet{set: mapset.NewSetWithSize[uint64](len(first))}
	for _, k := range first {
		s.set.Add(k)
	}
	return set.Opened{View: func(env.Env) set.Set { return s }}
}

// golangSet adapts the set, whose Remove does not report whether the key was present. A lock of the key's stripe
// excludes other removals from the time that it is looked up: then only calls of Add come between, which do not change
// a present key. So a removal costs a lock and a lookup more than the set's own Remove.
type golangSet struct {
	set     mapset.Set[uint64]
	removes [64]struct {
		sync.Mutex
		_ [56]byte // a cache line each
	}
}

func (s *golangSet) Add(key uint64) bool      { return s.set.Add(key) }
func (s *golangSet) Contains(key uint64) bool { return s.set.ContainsOne(key) }

func (s *golangSet) Remove(key uint64) bool {
	stripe := &s.removes[key%uint64(len(s.removes))]
	stripe.Lock()
	defer stripe.Unlock()
	if !s.set.ContainsOne(key) {
		return false
	}
	s.set.Remove(key)
	return true
}

// newXsync is a set of the keys of the concurrent map of puzpuzpuz/xsync.
func newXsync(e env.Env, p plan.Point) (workload.Job, error) {
	return set.Job(e, p, openXsync), nil
}

func openXsync(_ env.Env, first []uint64) set.Opened {
	m := xsync.NewMap[uint64, struct{}](xsync.WithPresize(len(first)))
	for _, k := range first {
		m.Store(k, struct{}{})
	}
	return set.Opened{View: func(env.Env) set.Set { return xsyncSet{m} }}
}

// xsyncSet adapts the map.
type xsyncSet struct{ m *xsync.Map[uint64, struct{}] }

func (s xsyncSet) Add(key uint64) bool {
	_, present := s.m.LoadOrStore(key, struct{}{})
	return !present
}

func (s xsyncSet) Remove(key uint64) bool {
	_, present := s.m.LoadAndDelete(key)
	return present
}

func (s xsyncSet) Contains(key uint64) bool {
	_, present := s.m.Load(key)
	return present
}
