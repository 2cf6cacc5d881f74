package sim

import (
	"fmt"
	"strings"
	"testing"
)

// forEver repeats a program's last n steps.
func (p *program) forEver(n int) *program {
	p.steps = append(p.steps, step{jump: len(p.steps) - n})
	return p
}

// soon lets the first operation in vain but a thousand of g be the one too many.
func (k *Kernel) soon(g *G) {
	k.ops, g.still = maxStill, maxStill-1000
}

// TestProgress: whatever changes something is no polling, however often it is done at one instant.
func TestProgress(t *testing.T) {
	const n = 5000
	full, m, rw := NewChan("full", n), &Mutex{}, &RWMutex{}
	for _, steps := range [][]step{
		{op(Send, full, "")},
		{op(TryRecv, full, ""), number(Poll, 0, "")},
		{op(Lock, m, ""), op(Unlock, m, "")},
		{op(TryReadLock, rw, ""), op(ReadUnlock, rw, "")},
	} {
		s := newScene(t, 1, Costs{})
		left := n
		a := s.program("a", append(steps, step{do: func(p *program) Op {
			if left--; left == 0 {
				p.steps = p.steps[:p.pc+1]
			}
			return Op{Code: Poll}
		}})...).forEver(len(steps) + 1)
		s.k.soon(&a.G)
		s.k.Start(&a.G)
		s.k.Run()
		if s.k.Err() != nil || left != 0 {
			t.Errorf("%d rounds are left: %v", left, s.k.Err())
		}
	}
}

// TestInVain: operations that change nothing are polling.
func TestInVain(t *testing.T) {
	closed := NewChan("closed", 0)
	closed.closed = true
	held, written := &Mutex{locked: true}, &RWMutex{writer: true}
	for name, st := range map[string]step{
		"look":      number(Poll, 0, ""),
		"yield":     number(Yield, 0, ""),
		"burn":      number(Burn, 0, ""),
		"try lock":  op(TryLock, held, ""),
		"try read":  op(TryReadLock, written, ""),
		"try write": op(TryWriteLock, written, ""),
		"try send":  op(TrySend, NewChan("c", 0), ""),
		"closed":    op(Recv, closed, ""),
		"signal":    op(Signal, &Cond{}, ""),
		"group":     op(GroupWait, &Group{}, ""),
		"select": {do: func(p *program) Op {
			p.ClearCases()
			p.AddCase(closed, false, 0)
			return Op{Code: Select}
		}},
	} {
		s := newScene(t, 1, Costs{})
		a := s.program("a", st).forEver(1)
		s.k.soon(&a.G)
		s.k.Start(&a.G)
		s.k.Run()
		if got := fmt.Sprint(s.k.Err()); !strings.Contains(got, "goroutine a performs endless operations at 0s") {
			t.Errorf("%s: error %s", name, got)
		}
	}
}

// TestLivelock: two goroutines that hand a token to and fro without time going by never come to an end.
func TestLivelock(t *testing.T) {
	s := newScene(t, 2, Costs{})
	s.k.ops = maxStillAll - 10_000
	ping, pong := NewChan("ping", 0), NewChan("pong", 0)
	b := s.program("b", op(Recv, ping, ""), op(Send, pong, "")).forEver(2)
	a := s.program("a", spawn(b), op(Send, ping, ""), op(Recv, pong, "")).forEver(2)
	s.k.Start(&a.G)
	s.k.Run()
	if got := fmt.Sprint(s.k.Err()); !strings.Contains(got, "the goroutines performed 100000001 operations at 0s") {
		t.Errorf("error %s", got)
	}
}
