package set

import (
	"sync"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newSyncMap is sync.Map of the standard library, a hash trie with a lock for each node.
func newSyncMap(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openSyncMap(p)), nil }

func openSyncMap(_ plan.Point) opener {
	return func(_ env.Env, first []uint64) Opened {
		s := &standard{}
		for _, k := range first {
			s.m.Store(k, struct{}{})
		}
		return Opened{View: func(env.Env) Set { return s }}
	}
}

// standard is a set in a sync.Map.
type standard struct{ m sync.Map }

func (s *standard) Contains(key uint64) bool {
	_, ok := s.m.Load(key)
	return ok
}

func (s *standard) Add(key uint64) bool {
	_, there := s.m.LoadOrStore(key, struct{}{})
	return !there
}

func (s *standard) Remove(key uint64) bool {
	_, ok := s.m.LoadAndDelete(key)
	return ok
}
