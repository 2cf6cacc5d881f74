package set

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// newCopyOnWrite has an atomic pointer to a map that never changes. A read costs no more than without safety. A write
// copies the map, so its cost is proportional to the number of keys.
func newCopyOnWrite(e env.Env, p plan.Point) (workload.Job, error) {
	return Job(e, p, openCopyOnWrite(p)), nil
}

func openCopyOnWrite(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		lock, current, m := e.Mutex("writers"), env.NewPointer[keys](e, "current"), newKeys(first)
		current.Store(&m)
		return Opened{View: func(e env.Env) Set { return copied{e, lock, current, access(p)} }}
	}
}

// copied is a set that writers copy.
type copied struct {
	e       env.Env
	lock    *env.Mutex // excludes other writers
	current *env.Pointer[keys]
	access  time.Duration
}

func (s copied) Contains(key uint64) bool {
	s.e.Charge(s.access)
	return s.current.Load().has(key)
}

func (s copied) Add(key uint64) bool {
	if s.Contains(key) {
		return false
	}
	return s.change(func(m keys) bool { return m.add(key) })
}

func (s copied) Remove(key uint64) bool {
	if !s.Contains(key) {
		return false
	}
	return s.change(func(m keys) bool { return m.remove(key) })
}

// change publishes a changed copy, and returns the result of f.
func (s copied) change(f func(keys) bool) bool {
	s.lock.Lock()
	was := *s.current.Load()
	m := make(keys, len(was)+1)
	for k := range was {
		m[k] = struct{}{}
	}
	s.e.Charge(s.access * time.Duration(len(was)))
	ok := f(m)
	s.current.Store(&m)
	s.lock.Unlock()
	return ok
}

// newOwner is a goroutine that owns the map. An operation sends it a message, and waits for the reply.
func newOwner(e env.Env, p plan.Point) (workload.Job, error) { return Job(e, p, openOwner(p)), nil }

func openOwner(p plan.Point) opener {
	return func(e env.Env, first []uint64) Opened {
		asked, gone := env.NewChan[question](e, "asked", 0), e.Group()
		gone.Go(e, "owner", func(e env.Env) {
			m, cost := newKeys(first), access(p)
			for q, ok := asked.Recv(); ok; q, ok = asked.Recv() {
				e.Charge(cost)
				switch q.call {
				case contains:
					q.reply.Send(m.has(q.key))
				case add:
					q.reply.Send(m.add(q.key))
				case remove:
					q.reply.Send(m.remove(q.key))
				}
			}
		})
		return Opened{
			View: func(e env.Env) Set { return owned{asked, env.NewChan[bool](e, "", 1)} },
			Stop: func() {
				asked.Close()
				gone.Wait()
			},
		}
	}
}

// question is a message to the owner.
type question struct {
	call  call // without its key
	key   uint64
	reply *env.Chan[bool]
}

// owned is a set with an owner, as a goroutine uses it.
type owned struct {
	asked *env.Chan[question]
	reply *env.Chan[bool]
}

func (s owned) ask(c call, key uint64) bool {
	s.asked.Send(question{c, key, s.reply})
	ok, _ := s.reply.Recv()
	return ok
}

func (s owned) Contains(key uint64) bool { return s.ask(contains, key) }
func (s owned) Add(key uint64) bool      { return s.ask(add, key) }
func (s owned) Remove(key uint64) bool   { return s.ask(remove, key) }
