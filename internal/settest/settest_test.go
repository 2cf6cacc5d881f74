package settest

import (
	"strings"
	"sync"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/brewput/brewput/env"
)

// torn is a set whose operations first read and then write. Each step of all goroutines is before the next step of any,
// so several of them add or remove the same key.
type torn struct {
	goroutines int

	lock    sync.Mutex
	keys    map[uint64]bool
	arrived int
	step    int
	next    *sync.Cond // the step has increased
}

func openTorn(goroutines int) Open {
	return func(_ env.Env, first []uint64) (func(env.Env) Set, func()) {
		s := &torn{goroutines: goroutines, keys: map[uint64]bool{}}
		s.next = sync.NewCond(&s.lock)
		for _, k := range first {
			s.keys[k] = true
		}
		return func(env.Env) Set { return s }, nil
	}
}

// meet waits until all goroutines are here. The caller holds the lock.
func (s *torn) meet() {
	step := s.step
	if s.arrived++; s.arrived == s.goroutines {
		s.arrived, s.step = 0, step+1
		s.next.Broadcast()
	}
	for s.step == step {
		s.next.Wait()
	}
}

// do reports whether the key was present. The steps are: all read, those that remove write, those that add write.
func (s *torn) do(key uint64, kind int) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	there := s.keys[key]
	s.meet()
	if kind == remove {
		s.keys[key] = false
	}
	s.meet()
	if kind == add {
		s.keys[key] = true
	}
	s.meet()
	return there
}

func (s *torn) Contains(key uint64) bool { return s.do(key, contains) }
func (s *torn) Add(key uint64) bool      { return !s.do(key, add) }
func (s *torn) Remove(key uint64) bool   { return s.do(key, remove) }

// TestCheckFindsTornSet checks that a live set is found not linearizable if its operations overlap, and only then.
func TestCheckFindsTornSet(t *testing.T) {
	for _, s := range liveShapes() {
		overlapped, err := checkLive(openTorn(s.Goroutines), s)
		if err == nil || !strings.HasSuffix(err.Error(), "live, seed 0: not linearizable") || overlapped == 0 {
			t.Errorf("%v: %d calls overlapped, %v", s, overlapped, err)
		}
	}
	opened := 0
	open := func(e env.Env, first []uint64) (func(env.Env) Set, func()) {
		opened++
		return openTorn(1)(e, first)
	}
	if n, err := checkLive(open, Shape{1, 300, 2}); err != nil || n != 0 || opened != 50 {
		t.Errorf("one goroutine: %d calls of %d histories overlapped, %v", n, opened, err)
	}
}

// TestOverlaps counts the calls that overlap in histories whose times are written out.
func TestOverlaps(t *testing.T) {
	for _, c := range []struct {
		times [][2]int64
		want  int
	}{
		{[][2]int64{{-2, -1}, {1, 2}, {3, 4}}, 0},
		{[][2]int64{{1, 3}, {2, 4}}, 2},
		{[][2]int64{{1, 4}, {2, 3}, {5, 6}}, 1}, // nothing began or ended during the second
	} {
		var history []porcupine.Operation
		for _, x := range c.times {
			history = append(history, porcupine.Operation{Call: x[0], Return: x[1]})
		}
		if got := overlaps(history); got != c.want {
			t.Errorf("%v: %d calls overlap, want %d", c.times, got, c.want)
		}
	}
}
