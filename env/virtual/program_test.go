package virtual_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/sim"
)

// stmt is a statement of an invented program, which both fronts run: as a coroutine and as a list of operations.
type stmt struct {
	id    int
	do    string
	n     int64 // nanoseconds, a number of rounds, or which of the objects or bodies
	body  []stmt
	other []stmt // if it was in vain
	cases []choice
	def   bool // a select with a default
}

// choice is a case of a select; channel -1 is nil.
type choice struct {
	channel int
	send    bool
}

// inventor makes programs.
type inventor struct {
	*rand.Rand
	ids int
}

const objects, bodies, request = 3, 5, 77 // of each kind; goroutines that may be started; whose draws

// list is a list of up to n statements of the given body, which may start later ones only.
func (v *inventor) list(n, depth, body int) []stmt {
	var all []stmt
	for range 1 + v.IntN(n) {
		all = append(all, v.stmt(depth, body))
	}
	return all
}

// helper is the body of main: it starts the others, and then helps those who wait, or most programs would end in a
// deadlock before they have done much.
func (v *inventor) helper() []stmt {
	var all, help []stmt
	add := func(list *[]stmt, do string, n int64) {
		v.ids++
		*list = append(*list, stmt{id: v.ids, do: do, n: n})
	}
	for range 2 {
		for i := 1; i < bodies; i++ {
			add(&all, "spawn", int64(i))
		}
	}
	add(&help, "sleep", 10_000)
	for i := range int64(objects) {
		for _, do := range []string{"trysend", "tryrecv", "broadcast"} {
			add(&help, do, i)
		}
	}
	add(&all, "loop", 100)
	all[len(all)-1].body = help
	return all
}

func (v *inventor) stmt(depth, body int) stmt {
	v.ids++
	s := stmt{id: v.ids, n: int64(v.IntN(objects))}
	plain := []string{"burn", "burn", "drawn", "sleep", "syscall", "nap", "now", "poll", "send", "send", "recv", "recv",
		"trysend", "tryrecv",
		"signal", "broadcast", "select", "select", "spawn", "spawn", "wait", "close"}
	nested := []string{"lock", "lock", "trylock", "read", "write", "loop", "loop"}
	if i := v.IntN(len(plain) + len(nested)); i < len(plain) || depth == 0 {
		s.do = plain[i%len(plain)]
	} else {
		s.do = nested[i-len(plain)]
		s.body = v.list(3, depth-1, body)
	}
	switch s.do {
	case "burn", "sleep", "syscall":
		s.n = int64(v.IntN(4)) * v.Int64N(30_000)
		if v.IntN(20) == 0 {
			s.n *= 1000 // longer than a time slice
		}
	case "loop":
		s.n = 1 + int64(v.IntN(4))
	case "trylock":
		s.other = v.list(2, 0, body)
	case "select":
		s.def = v.IntN(3) == 0
		s.cases = []choice{{int(s.n), v.IntN(2) == 0}}
		for range v.IntN(4) {
			s.cases = append(s.cases, choice{v.IntN(objects+1) - 1, v.IntN(2) == 0})
		}
	case "close":
		if v.IntN(8) > 0 { // most programs would end at once
			s.do = "now"
		}
	case "spawn":
		if s.n = int64(body + 1 + v.IntN(bodies)); s.n >= bodies {
			s.do = "nap"
		}
	}
	return s
}

// entry is what is seen of a program: a statement of a goroutine with its result and its time.
type entry struct {
	who    string
	id     int
	result int64
	at     int64
}

// coroutines runs bodies in Go.
type coroutines struct {
	bodies [][]stmt
	group  *env.Group
	chans  []*env.Chan[int64]
	locks  []*env.Mutex
	rws    []*env.RWMutex
	conds  []*env.Cond
	log    []entry
}

func (c *coroutines) main(e env.Env) {
	c.group = e.Group()
	for i := range objects {
		c.chans = append(c.chans, env.NewChan[int64](e, fmt.Sprintf("c%d", i), i))
		c.locks = append(c.locks, e.Mutex(fmt.Sprintf("m%d", i)))
		c.rws = append(c.rws, e.RWMutex(fmt.Sprintf("rw%d", i)))
		c.conds = append(c.conds, e.Cond(c.locks[i]))
	}
	c.run(e, c.bodies[0])
	c.group.Wait()
}

func (c *coroutines) run(e env.Env, list []stmt) {
	for _, s := range list {
		c.log = append(c.log, entry{e.Name(), s.id, c.do(e, s), int64(e.Now())})
	}
}

func (c *coroutines) do(e env.Env, s stmt) (result int64) {
	d := time.Duration(s.n)
	switch s.do {
	case "burn":
		e.Burn(d)
	case "drawn":
		e.Burn(time.Duration(drawn(e.Rand(), s.n)))
	case "sleep":
		e.Sleep(d)
	case "syscall":
		e.Syscall(d)
	case "nap":
		e.Sleep(0)
	case "poll":
		env.NewAtomic[int](e, "a").Load()
	case "spawn":
		c.group.Go(e, fmt.Sprintf("g%d", s.n), func(e env.Env) { c.run(e, c.bodies[s.n]) })
	case "loop":
		for range s.n {
			c.run(e, s.body)
		}
	default:
		return c.shared(e, s)
	}
	return 0
}

// shared is do of what needs an object.
func (c *coroutines) shared(e env.Env, s stmt) (result int64) {
	if s.do == "now" {
		return 0
	}
	line, m, rw := c.chans[s.n], c.locks[s.n], c.rws[s.n]
	switch s.do {
	case "send":
		line.Send(int64(s.id))
	case "recv":
		v, ok := line.Recv()
		return got(v, ok)
	case "trysend":
		if line.TrySend(int64(s.id)) {
			return 1
		}
	case "tryrecv":
		v, ok, received := line.TryRecv()
		if !received {
			return -1
		}
		return got(v, ok)
	case "close":
		line.Close()
	case "lock":
		m.Lock()
		c.run(e, s.body)
		m.Unlock()
	case "trylock":
		if !m.TryLock() {
			c.run(e, s.other)
			return -1
		}
		c.run(e, s.body)
		m.Unlock()
	case "write":
		rw.Lock()
		c.run(e, s.body)
		rw.Unlock()
	case "read":
		rw.RLock()
		c.run(e, s.body)
		rw.RUnlock()
	case "signal":
		c.conds[s.n].Signal()
	case "broadcast":
		c.conds[s.n].Broadcast()
	case "wait":
		m.Lock()
		c.conds[s.n].Wait()
		m.Unlock()
	case "select":
		return c.selects(s)
	}
	return 0
}

// got is the result of a receive.
func got(v int64, ok bool) int64 {
	if !ok {
		return -2
	}
	return v
}

func drawn(r env.Rand, stage int64) int64 {
	d := r.At(request, uint64(stage))
	return int64(1000 * d.Exp())
}

func (c *coroutines) selects(s stmt) int64 {
	var cases []env.Case
	values, oks := make([]int64, len(s.cases)), make([]bool, len(s.cases))
	for i, ch := range s.cases {
		var line *env.Chan[int64]
		if ch.channel >= 0 {
			line = c.chans[ch.channel]
		}
		if ch.send {
			cases = append(cases, line.OnSend(int64(s.id)))
		} else {
			cases = append(cases, line.OnRecvOK(&values[i], &oks[i]))
		}
	}
	if s.def {
		cases = append(cases, env.Default)
	}
	won := env.Select(cases...)
	if won == len(s.cases) {
		return -1
	}
	if s.cases[won].send {
		return int64(1000 * won)
	}
	return int64(1000*won) + got(values[won], oks[won])
}

// TestPrograms: whatever a program does, it does it as a list of operations just as it does as a coroutine.
func TestPrograms(t *testing.T) {
	kinds := map[string]int{}
	deadlocks, panics, longest := 0, 0, 0
	for seed := range uint64(300) {
		v := &inventor{Rand: rand.New(rand.NewPCG(seed, 1))}
		var all [][]stmt
		all = append(all, v.helper())
		for i := 1; i < bodies; i++ {
			all = append(all, v.list(12, 3, i))
		}
		config := virtual.Config{Seed: seed, Grace: time.Hour}
		config.CPUs = []int{1, 2, 3, 8, sim.Unlimited}[v.IntN(5)]
		config.Costs = []sim.Costs{{}, sim.Typical(), rousing()}[v.IntN(3)]
		c := &coroutines{bodies: all}
		w := virtual.New(config)
		wrong := w.Run("g0", c.main)

		l := newLists(all, config)
		l.k.Run()
		if !slices.Equal(c.log, l.log) || w.Checksum() != l.k.Checksum() || w.Operations() != l.k.Ops() ||
			int64(w.Busy()) != l.k.Busy() {
			i := 0
			for i < min(len(c.log), len(l.log)) && c.log[i] == l.log[i] {
				i++
			}
			t.Errorf("seed %d, %d CPUs: a list differs from a coroutine after %d entries: %v and %v", seed, config.CPUs,
				i, c.log[i:min(i+1, len(c.log))], l.log[i:min(i+1, len(l.log))])
		}
		_, deadlock := l.k.Err().(*sim.Deadlock)
		if (wrong == nil) != (l.k.Err() == nil) || deadlock && wrong.Error() != l.k.Err().Error() {
			t.Errorf("seed %d: the list ends with %v, the coroutine with %v", seed, l.k.Err(), wrong)
		}
		switch {
		case deadlock:
			deadlocks++
		case wrong != nil:
			panics++
		}
		longest = max(longest, len(c.log))
		for _, e := range c.log {
			kinds[l.kinds[e.id]]++
		}
	}
	t.Logf("%d deadlocks, %d panics, %d entries at most: %v", deadlocks, panics, longest, kinds)
	if deadlocks < 20 || deadlocks+panics > 250 || panics < 5 || len(kinds) < 20 {
		t.Errorf("%d deadlocks, %d panics, statements %v: the programs do too little", deadlocks, panics, kinds)
	}
}

// lists are bodies as lists of operations.
type lists struct {
	k        *sim.Kernel
	rand     env.Rand
	programs []*sim.Program
	group    sim.Group
	chans    []*sim.Chan
	locks    []*sim.Mutex
	rws      []*sim.RWMutex
	conds    []*sim.Cond
	log      []entry
	kinds    map[int]string
}

func newLists(all [][]stmt, c virtual.Config) *lists {
	l := &lists{k: sim.New(sim.Config{CPUs: c.CPUs, Seed: c.Seed, Costs: c.Costs}), rand: env.NewRand(c.Seed),
		kinds: map[int]string{}}
	for i := range objects {
		l.chans = append(l.chans, sim.NewChan(fmt.Sprintf("c%d", i), i))
		l.locks = append(l.locks, &sim.Mutex{Name: fmt.Sprintf("m%d", i)})
		l.rws = append(l.rws, &sim.RWMutex{Name: fmt.Sprintf("rw%d", i)})
		l.conds = append(l.conds, &sim.Cond{Name: fmt.Sprintf("a condition of m%d", i)})
	}
	for i := range all {
		l.programs = append(l.programs, sim.NewProgram(fmt.Sprintf("g%d", i)))
	}
	for i, body := range all {
		p := l.programs[i]
		l.add(p, body, sim.R4)
		if i == 0 {
			p.GroupWait(&l.group)
		} else {
			p.GroupAdd(&l.group, -1)
		}
	}
	l.k.Start(l.k.Goroutine(l.programs[0]))
	return l
}

// add appends a list of statements. R0 is the result of each, R1 what it works with, and those from counter on count
// rounds.
func (l *lists) add(p *sim.Program, list []stmt, counter sim.Reg) {
	for _, s := range list {
		l.kinds[s.id] = s.do
		p.Set(sim.R0, 0)
		p.Set(sim.R1, s.n)
		l.do(p, s, counter)
		p.Now(sim.R2)
		p.Call(func(r *sim.Regs) { l.log = append(l.log, entry{l.k.Current().Name(), s.id, r[0], r[2]}) })
	}
}

func (l *lists) do(p *sim.Program, s stmt, counter sim.Reg) {
	switch s.do {
	case "burn":
		p.Burn(sim.R1)
	case "drawn":
		p.Draw(sim.R1, func(stage int64) int64 { return drawn(l.rand, stage) }, sim.R1)
		p.Burn(sim.R1)
	case "sleep":
		p.Sleep(sim.R1)
	case "syscall":
		p.Syscall(sim.R1)
	case "nap":
		p.Set(sim.R1, 0)
		p.Sleep(sim.R1)
	case "poll":
		p.Poll()
	case "spawn":
		p.GroupAdd(&l.group, 1)
		p.Spawn(l.programs[s.n])
	case "loop":
		p.Set(counter, s.n)
		top := p.Here()
		l.add(p, s.body, counter+1)
		p.Loop(counter, top)
		p.Set(sim.R0, 0)
	case "now":
	default:
		l.shared(p, s, counter)
	}
}

// shared is do of what needs an object.
func (l *lists) shared(p *sim.Program, s stmt, counter sim.Reg) {
	line, m, rw, cond := l.chans[s.n], l.locks[s.n], l.rws[s.n], l.conds[s.n]
	inside := func() {
		l.add(p, s.body, counter)
		p.Set(sim.R0, 0)
	}
	value := func() { p.Set(sim.R1, int64(s.id)) }
	in, end := p.NewLabel(), p.NewLabel()
	finally := func(r int64) {
		p.Set(sim.R0, r)
		p.Jump(end)
	}
	switch s.do {
	case "send":
		value()
		p.Send(line, sim.R1)
	case "recv":
		p.Recv(line, sim.R0, in)
		p.Jump(end)
		p.Bind(in)
		finally(-2)
	case "trysend":
		value()
		p.TrySend(line, sim.R1, end)
		finally(1)
	case "tryrecv":
		closed := p.NewLabel()
		p.TryRecv(line, sim.R0, in, closed)
		p.Jump(end)
		p.Bind(in)
		finally(-1)
		p.Bind(closed)
		finally(-2)
	case "close":
		p.Close(line)
	case "lock":
		p.Lock(m)
		inside()
		p.Unlock(m)
	case "trylock":
		p.TryLock(m, in)
		inside()
		p.Unlock(m)
		p.Jump(end)
		p.Bind(in)
		l.add(p, s.other, counter)
		finally(-1)
	case "write":
		p.WriteLock(rw)
		inside()
		p.WriteUnlock(rw)
	case "read":
		p.ReadLock(rw)
		inside()
		p.ReadUnlock(rw)
	case "signal":
		p.Signal(cond)
	case "broadcast":
		p.Broadcast(cond)
	case "wait":
		p.Lock(m)
		p.CondWait(cond, m)
		p.Unlock(m)
	case "select":
		value()
		l.selects(p, s, end)
	}
	p.Bind(end)
}

func (l *lists) selects(p *sim.Program, s stmt, end sim.Label) {
	var cases []sim.Case
	for _, ch := range s.cases {
		c := sim.Case{Send: ch.send, Reg: sim.R0, Then: p.NewLabel(), Closed: p.NewLabel()}
		if ch.send {
			c.Reg = sim.R1
		}
		if ch.channel >= 0 {
			c.Chan = l.chans[ch.channel]
		}
		cases = append(cases, c)
	}
	if s.def {
		p.TrySelect(cases...)
		p.Set(sim.R0, -1)
		p.Jump(end)
	} else {
		p.Select(cases...)
	}
	for i, c := range cases {
		p.Bind(c.Closed)
		p.Set(sim.R0, -2)
		p.Bind(c.Then)
		if c.Send {
			p.Set(sim.R0, 0)
		}
		p.Set(sim.R3, int64(1000*i))
		p.Add(sim.R0, sim.R0, sim.R3)
		p.Jump(end)
	}
}
