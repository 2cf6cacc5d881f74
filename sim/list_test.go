package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// says runs a program and compares what its Calls have told and how it ends.
func says(t *testing.T, k *Kernel, main *Program, log *[]string, wrong string, want ...string) {
	t.Helper()
	k.Start(k.Goroutine(main, 5))
	k.Run()
	got := "<nil>"
	if k.Err() != nil {
		got = k.Err().Error()
	}
	if !strings.Contains(got, wrong) || wrong == "" && k.Err() != nil {
		t.Errorf("error %s, want %s", got, wrong)
	}
	if !slices.Equal(*log, want) {
		t.Errorf("told %q, want %q", *log, want)
	}
}

// TestProgramFlow: registers, jumps, children, names.
func TestProgramFlow(t *testing.T) {
	for _, cpus := range []int{1, Unlimited} {
		k := New(Config{CPUs: cpus})
		var log []string
		tell := func(p *Program, r Reg) {
			p.Call(func(regs *Regs) {
				log = append(log,
					fmt.Sprintf("%s %d %d", k.Current().Name(), regs[r], k.Now()))
			})
		}
		child := NewProgram("child")
		child.Set(R2, 100)
		child.Burn(R2)
		tell(child, R0)
		child.End()
		tell(child, R7)

		main := NewProgram("main")
		end := main.NewLabel()
		main.Set(R1, 2)
		again := main.Here()
		main.Sub(R3, R0, R1)
		main.Add(R0, R0, R1)
		main.Spawn(child)
		main.Loop(R1, again)
		tell(main, R3)
		main.Set(R2, 0)
		main.JumpIf(R2, again)
		main.JumpIf(R0, end)
		tell(main, R0)
		main.Bind(end)
		main.Sleep(R0)
		main.Now(R4)
		tell(main, R4)
		want := []string{"main 6 0", "main 8 8", "child 7 100", "child#2 8 100"}
		if cpus == 1 { // the second child becomes run-next and kicks the first out; timers come first
			want = []string{"main 6 0", "child#2 8 100", "main 100 100", "child 7 200"}
		}
		says(t, k, main, &log, "", want...)
	}
}

// TestProgramEnds: a panic of a program ends the kernel, and a deadlock says what each goroutine waits for.
func TestProgramEnds(t *testing.T) {
	for wrong, body := range map[string]func(*Program, *Chan){
		"goroutine g panicked at instruction 1: send on closed channel": func(p *Program, c *Chan) {
			p.Close(c)
			p.Send(c, R0)
		},
		"goroutine g panicked at instruction 3: close of closed channel": func(p *Program, c *Chan) {
			p.Close(c)
			p.TrySelect(Case{Chan: c, Reg: R0, Then: Next, Closed: Next})
			p.Close(c)
		},
		"goroutine g panicked at instruction 0: sync: unlock of unlocked mutex": func(p *Program,
			_ *Chan) {
			p.Unlock(&Mutex{})
		},
		"deadlock at 0s: g sends to c": func(p *Program,
			c *Chan) {
			p.Send(c, R0)
		},
		"deadlock at 0s: g selects among a receive from c": func(p *Program,
			c *Chan) {
			p.Select(Case{Chan: c, Then: Next, Closed: Next})
		},
		"goroutine g performs endless operations at 0s": func(p *Program, _ *Chan) {
			top := p.Here()
			p.Now(R0)
			p.Jump(top)
		},
	} {
		for _, cpus := range []int{2, Unlimited} {
			k, p, c := New(Config{CPUs: cpus}), NewProgram("g"), NewChan("c", 0)
			body(p, c)
			says(t, k, p, new([]string), wrong)
		}
	}
	// A send that parks meets the end of its channel later.
	k, p, q, c := New(Config{CPUs: 1}), NewProgram("g"), NewProgram("q"), NewChan("c", 0)
	p.Spawn(q)
	p.Send(c, R0)
	q.Close(c)
	says(t, k, p, new([]string), "goroutine g panicked at instruction 2: send on closed channel")
}

// TestSendTo: a send to one of several channels goes on with what follows it, whether it parked or not, and whatever
// came of the operation before; where that channel is closed it panics.
func TestSendTo(t *testing.T) {
	for _, cpus := range []int{1, Unlimited} {
		for capacity, want := range map[int][]string{1: {"sent at 0", "sent at 0", "got 5, 6"},
			0: {"sent at 100", "sent at 100", "got 5, 6"}} {
			k := New(Config{CPUs: cpus})
			var log []string
			all, m := []*Chan{NewChan("one", capacity), NewChan("two", capacity)}, &Mutex{Name: "m"}
			listener := NewProgram("listener")
			listener.Set(R1, 100)
			listener.Sleep(R1)
			listener.Recv(all[1], R0, Next)
			listener.Recv(all[0], R1, Next)
			listener.Call(func(r *Regs) { log = append(log, fmt.Sprintf("got %d, %d", r[R0], r[R1])) })

			main := NewProgram("main")
			main.Spawn(listener)
			main.Lock(m)
			main.Set(R1, 1)
			for range 2 { // 5 to the second, 6 to the first
				main.TryLock(m, Next) // in vain, which is no result of the send
				main.SendTo(all, R1, R0)
				main.Call(func(r *Regs) {
					log = append(log, fmt.Sprintf("sent at %d", k.Now()))
					r[R0], r[R1] = 6, 0
				})
			}
			says(t, k, main, &log, "", want...)
		}
		k := New(Config{CPUs: cpus})
		c, main := NewChan("c", 1), NewProgram("main")
		main.Close(c)
		main.SendTo([]*Chan{c}, R1, R0)
		says(t, k, main, new([]string), "goroutine main panicked at instruction 1: send on closed channel")
	}
}

// TestProgramMistakes are found when the program is written or first started.
func TestProgramMistakes(t *testing.T) {
	for want, wrong := range map[string]func(*Program){
		"program p, instruction 0: there is no register 8": func(p *Program) { p.Burn(8) },
		"program p, instruction 1: its label has no place": func(p *Program) { p.Set(R0, 1); p.Jump(p.NewLabel()) },
		"program p is appended to, but a goroutine of it has": func(
			p *Program) {
			New(Config{CPUs: 1}).Goroutine(p)
			p.Yield()
		},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, want) {
					t.Errorf("panics with %s, want %s", got, want)
				}
			}()
			p := NewProgram("p")
			wrong(p)
			New(Config{CPUs: 1}).Goroutine(p)
		}()
	}
}

// TestProgramBesideOthers: goroutines of programs and other ones hand values to each other.
func TestProgramBesideOthers(t *testing.T) {
	for _, cpus := range []int{1, 4, Unlimited} {
		s := newScene(t, cpus, Costs{})
		ask, answer := NewChan("ask", 0), NewChan("answer", 0)
		p := NewProgram("list")
		closed := p.NewLabel()
		next := p.Here()
		p.Recv(ask, R0, closed)
		p.Add(R0, R0, R0)
		p.Set(R1, 1000)
		p.Burn(R1)
		p.Send(answer, R0)
		p.Jump(next)
		p.Bind(closed)
		a := s.program("a", op(Spawn, s.k.Goroutine(p), ""))
		for i := range int64(3) {
			a.steps = append(a.steps, step{do: func(*program) Op { return Op{Code: Send, On: ask, Token: i} }},
				op(Recv, answer, ""),
				step{do: func(p *program) Op { return Op{Code: Burn, N: p.Token() * 1000} },
					note: fmt.Sprint("has asked ", i)})
		}
		a.steps = append(a.steps, op(Close, ask, ""))
		s.run(a, "a has asked 0 1", "a has asked 1 4", "a has asked 2 9")
	}
}

// TestProgramAllocates nothing while it runs.
func TestProgramAllocates(t *testing.T) {
	for _, cpus := range []int{4, Unlimited} {
		run := func(rounds int64) float64 {
			return testing.AllocsPerRun(3, func() {
				k, line, inside := New(Config{CPUs: cpus}), NewChan("line", 10), &Gauge{}
				server := NewProgram("server")
				closed := server.NewLabel()
				next := server.Here()
				server.Recv(line, R1, closed)
				server.Exp(R1, 1000, NewStream(1, 1))
				server.Burn(R1)
				server.Gauge(inside, -1)
				server.Jump(next)
				server.Bind(closed)
				p := NewProgram("customers")
				p.Spawn(server)
				top := p.Here()
				p.Exp(R1, 1100, NewStream(1, 0))
				p.Burn(R1)
				p.Gauge(inside, 1)
				p.Send(line, R1)
				p.Loop(R0, top)
				p.Close(line)
				k.Start(k.Goroutine(p, rounds))
				k.Run()
				if k.Err() != nil || inside.Now() != 0 {
					t.Error(k.Err(), inside.Now())
				}
			})
		}
		if short, long := run(1000), run(100_000); long > short {
			t.Errorf("%d CPUs: %v allocations in 1000 rounds, %v in 100000", cpus, short, long)
		}
	}
}
