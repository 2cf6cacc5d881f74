package envtest

import (
	"slices"
	"time"

	"github.com/brewput/brewput/env"
)

func linkLaws() []law {
	exact := func(name string, body func(b *bench, e env.Env)) law {
		l := simple(name, body)
		l.exact = true
		return l
	}
	return []law{
		simple("a link delivers every message once and in order", linkInOrder),
		simple("a message that takes no time has arrived when Send returns", linkAtOnce),
		simple("a link that is closed while others send delivers what was sent before", linkClosedMeanwhile),
		simple("a link loses messages, but never its end", linkLoses),
		simple("what a link loses depends only on the seed, its name and the number of the message", linkRepeats),
		simple("a link that is cut delivers nothing until it is healed", linkCut),
		exact("a message that would arrive while the link is cut is lost", linkCutOnArrival),
		simple("a partition takes a message by the time of its arrival, even if it is noticed later", linkCutLate),
		simple("a closed link delivers what is on its way, and then its end", linkEnds),
		simple("Select receives from links", linkSelect),
		exact("a message that arrives at a full buffer is lost", linkOverflow),
		exact("a message arrives after its transmission and its latency", linkTimes),
		simple("no latency or transmission is so long that the message arrives early", linkNever),
		exact("a message that is lost is transmitted, too", linkTransmitsLost),
		exact("a message overtakes others only if it may", linkOvertakes),
		exact("a message waits only for earlier ones of which neither may overtake", linkOvertakesSome),
		simple("a node that crashes stops its goroutines, and may start again", nodeCrashes),
		exact("the clock of a node has an offset and a drift", nodeClock),
	}
}

// received returns all messages of a link until its end.
func received(l *env.Link[int]) (all []int) {
	for v, ok := l.Recv(); ok; v, ok = l.Recv() {
		all = append(all, v)
	}
	return all
}

func numbers(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

// jitter is a latency of 0 to 1 ms.
func jitter(d *env.Draws) time.Duration { return time.Duration(d.Float64() * float64(ms)) }

func linkInOrder(b *bench, e env.Env) {
	for _, latency := range []func(*env.Draws) time.Duration{nil, jitter,
		func(*env.Draws) time.Duration { return -ms }} {
		l := env.NewLink[int](e, "link", env.LinkConfig{Latency: latency})
		e.Go("sender", func(env.Env) {
			for i := range 200 {
				l.Send(i, 1)
			}
			l.Close()
			l.Close()
		})
		if got := received(l); !slices.Equal(got, numbers(200)) {
			b.Errorf("200 messages arrive as %v", got)
		}
		want(b, "the count", l.Count(), env.LinkCount{Sent: 200, Delivered: 200})
	}
}

func linkAtOnce(b *bench, e env.Env) {
	for _, latency := range []func(*env.Draws) time.Duration{nil, func(*env.Draws) time.Duration { return 0 }} {
		l := env.NewLink[int](e, "link", env.LinkConfig{Latency: latency})
		for i := range 3 {
			l.Send(i, 1)
			v, ok, received := l.TryRecv()
			want(b, "the message after Send", v, i)
			want(b, "ok", ok, true)
			want(b, "received", received, true)
		}
		want(b, "the count", l.Count(), env.LinkCount{Sent: 3, Delivered: 3})
	}
}

func linkClosedMeanwhile(b *bench, e env.Env) {
	const senders, messages = 3, 50
	for round := range 20 {
		l, done := env.NewLink[int](e, "link", env.LinkConfig{}), e.Group()
		for i := range senders {
			done.Go(e, "sender", func(env.Env) {
				for k := range messages {
					l.Send(i*messages+k, 1)
				}
			})
		}
		done.Go(e, "closer", func(e env.Env) {
			e.Burn(time.Duration(round) * 200 * time.Nanosecond)
			l.Close()
		})
		var next [senders]int
		for _, v := range received(l) {
			want(b, "the next message of a sender", v%messages, next[v/messages])
			next[v/messages]++
		}
		done.Wait()
		c := l.Count()
		want(b, "the messages sent", c.Sent, senders*messages)
		want(b, "the messages delivered or lost", c.Delivered+c.Lost, senders*messages)
	}
}

func linkLoses(b *bench, e env.Env) {
	for _, loss := range []float64{0.3, 1} {
		l := env.NewLink[int](e, "link", env.LinkConfig{Loss: loss, Latency: jitter})
		for i := range 1000 {
			l.Send(i, 1)
		}
		l.Close()
		got, c := received(l), l.Count()
		want(b, "the messages delivered", int64(len(got)), c.Delivered)
		want(b, "the messages sent", c.Delivered+c.Lost, 1000)
		if expected := loss * 1000; float64(c.Lost) < expected-75 || float64(c.Lost) > expected+75 { // 5 sigma
			b.Errorf("%d of 1000 messages are lost, each with probability %v", c.Lost, loss)
		}
		if !slices.IsSorted(got) {
			b.Errorf("the rest arrives in another order: %v", got)
		}
	}
}

func linkRepeats(b *bench, e env.Env) {
	lost := func(name string, c env.LinkConfig, cutFirst bool) []int {
		l := env.NewLink[int](e, name, c)
		for i := range 64 {
			if cutFirst && i == 0 {
				l.Cut()
			}
			l.Send(i, 1)
			l.Heal()
		}
		l.Close()
		return received(l)
	}
	c := env.LinkConfig{Loss: 0.5}
	first := lost("link", c, false)
	if got := lost("link", c, false); !slices.Equal(got, first) {
		b.Errorf("the same link delivers %v and then %v", first, got)
	}
	if got := lost("link", env.LinkConfig{Loss: 0.5, Latency: jitter}, true); !slices.Equal(
		slices.DeleteFunc(got, func(i int) bool { return i == 0 }),
		slices.DeleteFunc(slices.Clone(first), func(i int) bool { return i == 0 })) {
		b.Errorf("another latency and a partition change later losses: %v and %v", first, got)
	}
	if got := lost("other", c, false); slices.Equal(got, first) {
		b.Errorf("a link of another name loses the same of 64 messages")
	}
}

func linkOverflow(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{Buffer: 3})
	for i := range 10 {
		l.Send(i, 1)
	}
	l.Close()
	l.Send(10, 1) // lost, because it comes after the end
	e.Sleep(ms)
	want(b, "the count", l.Count(), env.LinkCount{Sent: 11, Delivered: 3, Lost: 1, Overflowed: 7})
	if got := received(l); !slices.Equal(got, numbers(3)) {
		b.Errorf("a buffer of 3 holds %v", got)
	}
}

func linkEnds(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{Reorder: 1, Latency: jitter})
	for i := range 50 {
		l.Send(i, 1)
	}
	l.Close()
	got := received(l)
	slices.Sort(got)
	if !slices.Equal(got, numbers(50)) {
		b.Errorf("50 messages are on their way at the end, and %v arrive", got)
	}
	_, ok, done := l.TryRecv()
	want(b, "ok after the end", ok, false)
	want(b, "received after the end", done, true)
}

func linkSelect(b *bench, e env.Env) {
	left, right := env.NewLink[int](e, "left", env.LinkConfig{}), env.NewLink[int](e, "right", env.LinkConfig{})
	right.Send(7, 1)
	v, ok := 0, false
	want(b, "the case taken", env.Select(left.OnRecv(&v), right.OnRecvOK(&v, &ok)), 1)
	want(b, "the message", v, 7)
	want(b, "ok of the message", ok, true)
	left.Close()
	want(b, "the case taken at the end", env.Select(left.OnRecvOK(&v, &ok), right.OnRecv(&v)), 0)
	want(b, "ok of the end", ok, false)
}

func nodeCrashes(b *bench, e env.Env) {
	n := e.Node("node", env.Skew{})
	var ended [2]int // by run
	for run := range ended {
		for range 3 {
			n.Go(e, "server", func(_ env.Env, down *env.Chan[struct{}]) {
				down.Recv()
			})
		}
		names := env.NewChan[string](e, "names", 1)
		n.Go(e, "namer", func(e env.Env, down *env.Chan[struct{}]) {
			names.Send(e.Name())
			down.Recv()
			ended[run]++
		})
		name, _ := names.Recv()
		want(b, "the name of its goroutine", name, env.Numbered("node.namer", run+1))
		n.Crash()
		want(b, "the goroutines that have ended after the crash", ended[run], 1)
		n.Start(e)
	}
	n.Crash()
}

func nodeClock(b *bench, e env.Env) {
	n := e.Node("node", env.Skew{Offset: 3 * time.Second, Drift: 0.25})
	e.Sleep(4*time.Second - e.Now())
	want(b, "the time of the node after 4 s", n.Now(), 8*time.Second)
	n.Sleep(e, 5*time.Second)
	want(b, "the time of the world after 5 s of the node", e.Now(), 8*time.Second)
	n.After(e, 5*ms).Recv()
	want(b, "the time of the world after 5 ms of the node", e.Now(), 8*time.Second+4*ms)
	want(b, "that a clock may stand still", panics(func() { e.Node("stopped", env.Skew{Drift: -1}) }), true)
}
