package envtest

import (
	"time"

	"github.com/brewput/brewput/env"
)

func meterLaws() []law {
	instrumented := Config{Instrument: true}
	body := func(f func(b *bench, e env.Env)) func(b *bench) {
		return func(b *bench) { b.run(func(e env.Env) { f(b, e) }) }
	}
	return []law{
		simple("a Station counts a violation", stationViolation),
		{name: "a meter counts a violation", cfg: instrumented, test: body(meterViolation)},
		{name: "Little's law holds for a Chan", cfg: instrumented, exact: true, test: body(littleChan)},
		{name: "Little's law holds for a Chan used by Select", cfg: instrumented, exact: true,
			test: body(littleSelect)},
		{name: "a Select waits in the queue of each of its sends", cfg: instrumented, exact: true,
			test: body(selectLines)},
		{name: "a Select receives without parking what is ready", cfg: instrumented, test: body(selectReadyMetered)},
		{name: "Little's law holds for a Mutex", cfg: instrumented, exact: true, test: littleMutex,
			needs: func(w World) bool { return w.TimedLocks }},
		{name: "work is conserved at a Station", cfg: instrumented, exact: true, test: body(workConserved)},
		{name: "an RWMutex is busy while it has a holder", cfg: instrumented, exact: true, test: body(readersBusy)},
		{name: "a meter counts what is still going on", cfg: instrumented, exact: true, test: body(inProgress)},
		{name: "a meter tells senders' waits from receivers'", cfg: instrumented, exact: true, test: body(chanWaits)},
		{name: "a meter forgets a send that panics", cfg: instrumented, test: body(forgetsPanic)},
	}
}

// violate lets a second user into a station while the first is inside, then a third alone. The
// channel orders them, so there is no data race.
func violate(e env.Env) {
	s, inside, left := e.Station("grinder"), env.NewChan[int](e, "inside", 0), env.NewChan[int](e, "left", 0)
	e.Go("intruder", func(env.Env) {
		inside.Recv()
		s.Enter()
		s.Leave()
		left.Send(1)
	})
	s.Enter()
	inside.Send(1)
	left.Recv()
	s.Leave()
	s.Enter()
	s.Leave()
}

func stationViolation(b *bench, e env.Env) {
	violate(e)
	want(b, "the number of violations", b.Violations(), 1)
}

func meterViolation(b *bench, e env.Env) {
	violate(e)
	r := b.meter("grinder")
	want(b, "the number of violations", b.Violations(), 1)
	want(b, "the number of violations in the meter", r.Violations, 1)
	want(b, "the number of uses", r.Uses, 3)
}

// selectLines parks Selects with several sends and receives, some of one meter, and lets each case win.
func selectLines(b *bench, e env.Env) {
	g, a, twin := e.Group(), env.NewChan[int](e, "a", 0), env.NewChan[int](e, "a", 0)
	other, word := env.NewChan[int](e, "other", 0), env.NewChan[string](e, "word", 0)
	in, in2 := env.NewChan[int](e, "in", 0), env.NewChan[int](e, "in", 0)
	g.Go(e, "selector", func(e env.Env) {
		want(b, "the case taken", env.Select(a.OnSend(1), twin.OnSend(2), other.OnSend(3), in.OnRecv(nil)), 1)
		want(b, "the case taken", env.Select(word.OnSend("w"), a.OnSend(1), a.OnSend(1), in.OnRecv(nil),
			in2.OnRecv(nil)), 0)
		want(b, "the case taken", env.Select(in.OnRecv(nil), other.OnSend(3), in2.OnRecv(nil)), 2)
		want(b, "the case taken", env.Select(in.OnRecv(nil), word.OnSend("w")), 0)
	})
	e.Sleep(1 * ms)
	v, _ := twin.Recv()
	want(b, "the value received", v, 2)
	e.Sleep(2 * ms)
	word.Recv()
	e.Sleep(4 * ms)
	in2.Send(1)
	e.Sleep(8 * ms)
	in.Close()
	g.Wait()
	e.Sleep(16 * ms) // no goroutine waits in a queue any more
	for _, c := range []struct {
		name                      string
		line, sendWait, recvWait  time.Duration
		uses, sentLate, recvParks int64
	}{
		{"a", 3 * ms, 3 * ms, 0, 1, 1, 0},
		{"other", 5 * ms, 5 * ms, 0, 0, 0, 0},
		{"word", 10 * ms, 10 * ms, 0, 1, 1, 0},
		{"in", 0, 0, 15 * ms, 1, 0, 2},
	} {
		r := b.meter(c.name)
		want(b, "the integral of the queue of "+c.name, r.Queue, c.line)
		want(b, "the time that senders were parked at "+c.name, r.SendParked, c.sendWait)
		want(b, "the time that receivers were parked at "+c.name, r.RecvParked, c.recvWait)
		want(b, "the number of values received from "+c.name, r.Uses, c.uses)
		want(b, "the number of parked sends to "+c.name, r.Waits, c.sentLate)
		want(b, "the number of parked receives from "+c.name, r.RecvWaits, c.recvParks)
	}
}

// selectReadyMetered has one case ready of many, and of few.
func selectReadyMetered(b *bench, e env.Env) {
	for _, n := range []int{1, 4, 8, 9, 20} {
		cases := make([]env.Case, n)
		for i := range cases {
			cases[i] = env.NewChan[int](e, "empty", 1).OnRecv(nil)
		}
		c := env.NewChan[int](e, "c", 1)
		for range 40 {
			cases[n/2] = c.OnSend(1)
			want(b, "the case taken", env.Select(cases...), n/2)
			cases[n/2] = c.OnRecv(nil)
			want(b, "the case taken", env.Select(cases...), n/2)
		}
	}
	r, empty := b.meter("c"), b.meter("empty")
	want(b, "the number of values received", r.Uses, 5*40)
	want(b, "the number of parked sends where there was room", r.Waits, 0)
	want(b, "the number of parked receives where a value was ready", r.RecvWaits, 0)
	want(b, "the time that senders were parked", r.SendParked, 0)
	want(b, "the time that receivers were parked", r.RecvParked, 0)
	want(b, "the time that receivers were parked at the other cases", empty.RecvParked, 0)
}

// workConserved has users take turns by a token, not by a Mutex, so that every world can try it.
func workConserved(b *bench, e env.Env) {
	const users, uses = 4, 10
	s, token, g := e.Station("press"), env.NewChan[int](e, "token", 1), e.Group()
	token.Send(1)
	sum := time.Duration(0) // guarded by the token
	for u := range users {
		g.Go(e, "user", func(e env.Env) {
			for i := range uses {
				d := time.Duration(1+(i*5+u)%4) * ms
				token.Recv()
				s.Enter()
				e.Sleep(d)
				s.Leave()
				sum += d
				token.Send(1)
			}
		})
	}
	start := e.Now()
	g.Wait()
	r := b.meter("press")
	want(b, "the busy time", r.Busy, sum)
	want(b, "the integral of the holders", r.Holders, sum)
	want(b, "the number of uses", r.Uses, users*uses)
	want(b, "the number of violations", b.Violations(), 0)
	want(b, "the time until all is done, with users always waiting", e.Now()-start, sum)
}

// readersBusy has eight readers follow each other at 1 ms, each inside for 3 ms, and a writer later.
// Then two locks of one name have two readers each.
func readersBusy(b *bench, e env.Env) {
	menu, g := e.RWMutex("menu"), e.Group()
	for i := range 8 {
		g.Go(e, "reader", func(e env.Env) {
			e.Sleep(time.Duration(i) * ms)
			menu.RLock()
			e.Sleep(3 * ms)
			menu.RUnlock()
		})
	}
	g.Wait()
	e.Sleep(5 * ms)
	menu.Lock()
	e.Sleep(2 * ms)
	r := b.meter("menu")
	want(b, "the busy time of readers that overlap and a writer", r.Busy, 12*ms)
	want(b, "the integral of the holders", r.Holders, 26*ms)
	want(b, "the number of uses", r.Uses, 9)
	menu.Unlock()
	for range 2 {
		shard := e.RWMutex("shard")
		for range 2 {
			g.Go(e, "reader", func(e env.Env) {
				shard.RLock()
				e.Sleep(4 * ms)
				shard.RUnlock()
			})
		}
	}
	g.Wait()
	want(b, "the busy time of two locks", b.meter("shard").Busy, 8*ms)
	want(b, "the integral of the holders of two locks", b.meter("shard").Holders, 16*ms)
}

func inProgress(b *bench, e env.Env) {
	s, c := e.Station("steamer"), env.NewChan[int](e, "queue", 2)
	s.Enter()
	c.Send(1)
	e.Sleep(3 * ms)
	c.Send(2)
	e.Sleep(2 * ms)
	want(b, "the busy time of a use that is not over", b.meter("steamer").Busy, 5*ms)
	want(b, "the line of values not yet received", b.meter("queue").Queue, 7*ms)
	s.Leave()
	c.Recv()
	c.Recv()
	e.Sleep(ms)
	want(b, "the busy time of an idle station", b.meter("steamer").Busy, 5*ms)
	want(b, "the line of an empty Chan", b.meter("queue").Queue, 7*ms)
}

func chanWaits(b *bench, e env.Env) {
	c, other, g := env.NewChan[int](e, "c", 0), env.NewChan[string](e, "other", 0), e.Group()
	g.Go(e, "sender", func(e env.Env) {
		c.Send(1) // parks for 2 ms
		e.Sleep(3 * ms)
		c.Send(2) // finds the receiver parked
		env.Select(c.OnSend(3), other.OnRecv(nil))
	})
	e.Sleep(2 * ms)
	c.Recv()
	c.Recv() // parks for 3 ms
	e.Sleep(4 * ms)
	c.Recv() // the Select has been parked for 4 ms
	g.Wait()
	r := b.meter("c")
	want(b, "the time that senders were parked", r.SendParked, 6*ms)
	want(b, "the time that receivers were parked", r.RecvParked, 3*ms)
	want(b, "the number of parked sends", r.Waits, 2)
	want(b, "the number of parked receives", r.RecvWaits, 1)
	want(b, "the number of values received", r.Uses, 3)
	want(b, "the time that receivers were parked in a Select not won", b.meter("other").RecvParked, 4*ms)
	want(b, "the number of receives on a Chan without values", b.meter("other").Uses, 0)
}

func forgetsPanic(b *bench, e env.Env) {
	c, full := env.NewChan[int](e, "c", 1), env.NewChan[int](e, "full", 1)
	full.Send(1)
	c.Close()
	for _, f := range []func(){
		func() { c.Send(1) },
		func() { c.TrySend(1) },
		func() { env.Select(c.OnSend(1), full.OnSend(2)) },
	} {
		want(b, "a panic on a closed Chan", panics(f), true)
	}
	before := b.meter("c")
	e.Burn(ms)
	e.Sleep(1)
	want(b, "the growth of the line of a closed Chan", b.meter("c").Queue-before.Queue, 0)
	want(b, "the growth of the senders' wait", b.meter("c").SendParked-before.SendParked, 0)
}
