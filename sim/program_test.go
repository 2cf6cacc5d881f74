package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// program is a goroutine given as a list of operations: a second front beside coroutines.
type program struct {
	G
	k     *Kernel
	name  string
	steps []step
	pc    int
	told  int // steps whose end is in the log
	log   *[]string
}

// step is one operation, made when its turn comes; loop jumps.
type step struct {
	do   func(p *program) Op
	note string // what the log says when it is done; empty: nothing
	jump int    // if not 0: go to this step instead
}

func (p *program) Name() string { return p.name }

func (p *program) Resume() {
	for {
		if p.told < p.pc {
			p.tell(p.steps[p.pc-1].note)
		}
		if p.pc == len(p.steps) {
			p.k.Exit(&p.G)
			return
		}
		s := p.steps[p.pc]
		if s.do == nil {
			p.pc = s.jump
			p.told = p.pc
			continue
		}
		switch p.k.Do(&p.G, s.do(p)) {
		case Done:
			p.pc++
		case Parked:
			p.pc++
			return
		case Again:
			return
		case Panic:
			p.tell("panics: " + p.k.Reason())
			p.k.Exit(&p.G)
			return
		}
	}
}

func (p *program) tell(note string) {
	p.told = p.pc
	if note != "" {
		*p.log = append(*p.log, fmt.Sprintf("%s %s %d", p.name, note, p.k.Now()/1000))
	}
}

// scene is a kernel and what its goroutines tell: name, note and time in us.
type scene struct {
	*testing.T
	k   *Kernel
	log []string
}

func newScene(t *testing.T, cpus int, costs Costs) *scene {
	return &scene{T: t, k: New(Config{CPUs: cpus, Seed: 1, Costs: costs})}
}

func (s *scene) program(name string, steps ...step) *program {
	p := &program{k: s.k, name: name, steps: steps, log: &s.log}
	p.Bind(p)
	return p
}

// run runs main and compares the log.
func (s *scene) run(main *program, want ...string) {
	s.Helper()
	s.k.Start(&main.G)
	for g := s.k.Next(); g != nil; g = s.k.Next() {
		s.k.audit(s.T)
		g.runner.Resume()
	}
	if err := s.k.Err(); err != nil {
		s.Error(err)
	}
	if !slices.Equal(s.log, want) {
		s.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(s.log, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func op(code Code, on any, note string) step {
	return step{do: func(*program) Op { return Op{Code: code, On: on} }, note: note}
}

func number(code Code, n int64, note string) step {
	return step{do: func(*program) Op { return Op{Code: code, N: n} }, note: note}
}

func burn(us int64, note string) step { return number(Burn, us*1000, note) }
func spawn(p *program) step           { return op(Spawn, &p.G, "") }

// audit checks what must hold between any two events.
func (k *Kernel) audit(t *testing.T) {
	t.Helper()
	idle, spinning, watched, queued, nexts, armed, expired, heard := 0, 0, 0, 0, 0, 0, 0, 0
	for i := range k.cpus {
		c := &k.cpus[i]
		if c.mode == modeIdle {
			idle++
			if !c.empty() || c.g != nil || c.spinning {
				t.Fatalf("CPU %d is idle and has work", i)
			}
		}
		if c.spinning {
			spinning++
			if c.g != nil {
				t.Fatalf("CPU %d runs %s and looks for work", i, c.g.runner.Name())
			}
		}
		watched += int(k.watched[i/64] >> (i % 64) & 1)
		armed += len(c.due)
		for e := c.expired.head; e != nil; e = e.link {
			expired++
			if e.polled() {
				heard++
			}
		}
		if c.next != nil {
			nexts++
		}
		queued += int(c.tail - c.head)
		if c.g != nil && c.g.cpu != c {
			t.Fatalf("CPU %d runs %s, which is elsewhere", i, c.g.runner.Name())
		}
	}
	if idle != k.nidle || spinning != k.nspinning || watched != k.nwatched {
		t.Fatalf("%d CPUs idle, %d looking, %d watched; counted %d, %d, %d", idle, spinning, watched, k.nidle,
			k.nspinning, k.nwatched)
	}
	if queued != k.queued || nexts != k.nexts {
		t.Fatalf("%d goroutines in queues, %d in run-next; counted %d, %d", queued, nexts, k.queued, k.nexts)
	}
	if armed != k.armed || expired != k.nexpired {
		t.Fatalf("%d timers run, %d are over; counted %d, %d", armed, expired, k.armed, k.nexpired)
	}
	if k.nidle > 0 && k.nspinning == 0 && !k.polling && armed+expired > heard {
		t.Fatalf("timers wait at %d, CPUs are idle and nobody waits for them", k.now)
	}
	if k.nidle > 0 && k.nspinning == 0 && k.stealable() {
		t.Fatalf("work waits at %d, CPUs are idle and nobody looks", k.now)
	}
}
