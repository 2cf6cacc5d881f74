package sim

import (
	"errors"
	"testing"
)

// TestInterrupt: an interruption ends every kind of run that would otherwise go on for ever, or for very long.
func TestInterrupt(t *testing.T) {
	why := errors.New("enough")
	const long = 1 << 60
	programs := map[string]func(k *Kernel, main *Program, each func(*Program)){
		"jumps":    func(_ *Kernel, p *Program, each func(*Program)) { top := p.Here(); each(p); p.Jump(top) },
		"jumps if": func(_ *Kernel, p *Program, each func(*Program)) { top := p.Here(); each(p); p.JumpIf(R1, top) },
		"loops":    func(_ *Kernel, p *Program, each func(*Program)) { top := p.Here(); each(p); p.Loop(R1, top) },
		"burns": func(_ *Kernel, p *Program, each func(*Program)) {
			top := p.Here()
			each(p)
			p.Burn(R2)
			p.Loop(R1, top)
		},
		"burns alone": func(k *Kernel, p *Program, _ func(*Program)) {
			k.Watch(1_000_000, func() { k.Interrupt(why) })
			p.Burn(R2)
			top := p.Here()
			p.Burn(R2)
			p.Jump(top)
		},
		"sleeps": func(_ *Kernel, p *Program,
			each func(*Program)) {
			top := p.Here()
			each(p)
			p.Sleep(R2)
			p.Jump(top)
		},
		"system call": func(_ *Kernel, p *Program,
			each func(*Program)) {
			top := p.Here()
			each(p)
			p.Syscall(R2)
			p.Jump(top)
		},
		"spawns": func(_ *Kernel, p *Program, each func(*Program)) {
			child, top := NewProgram("child"), p.Here()
			each(p)
			p.Spawn(child)
			p.Yield()
			p.Jump(top)
		},
		"draws and gauges": func(k *Kernel, p *Program, each func(*Program)) {
			top := p.Here()
			p.Draw(R3, func(n int64) int64 {
				if n++; n == 100 {
					k.Interrupt(why)
				}
				return n
			}, R3)
			p.Gauge(new(Gauge), 1)
			p.Jump(top)
		},
		"two burn for long": func(k *Kernel, p *Program, _ func(*Program)) {
			child := NewProgram("child")
			child.Burn(R1)
			p.Spawn(child)
			p.Burn(R1)
			k.Watch(1_000_000_000, func() { k.Interrupt(why) })
		},
		"hand over": func(_ *Kernel, p *Program, each func(*Program)) {
			c, child := NewChan("c", 0), NewProgram("child")
			top := child.Here()
			child.Send(c, R1)
			child.Jump(top)
			p.Spawn(child)
			top = p.Here()
			each(p)
			p.Recv(c, R3, Next)
			p.Jump(top)
		},
	}
	for name, build := range programs {
		for _, cpus := range []int{1, 4, Unlimited} {
			k, n := New(Config{CPUs: cpus}), 0
			main := NewProgram("main")
			build(k, main, func(p *Program) {
				p.Call(func(*Regs) {
					if n++; n == 100 {
						k.Interrupt(why)
						k.Interrupt(errors.New("later"))
					}
				})
			})
			k.Start(k.Goroutine(main, 0, long, 1000))
			k.Run()
			if !errors.Is(k.Err(), why) || n > 2100 {
				t.Errorf("%s on %d CPUs: %v after %d rounds", name, cpus, k.Err(), n)
			}
		}
	}
}

// TestInterruptLate: an interrupt after the end, or after another error, does not change the result.
func TestInterruptLate(t *testing.T) {
	k := New(Config{CPUs: 1})
	k.Start(k.Goroutine(NewProgram("main")))
	k.Run()
	k.Interrupt(errors.New("enough"))
	if k.Err() != nil {
		t.Error(k.Err())
	}
}
