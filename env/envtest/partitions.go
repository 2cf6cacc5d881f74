package envtest

import (
	"fmt"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
)

func linkCut(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{})
	l.Cut()
	for i := range 10 {
		l.Send(i, 1)
	}
	want(b, "the count of a cut link", l.Count(), env.LinkCount{Sent: 10, Lost: 10})
	l.Heal()
	l.Send(10, 1)
	v, _ := l.Recv()
	want(b, "the message after the partition", v, 10)

	l.Cut()
	l.Close()
	_, ok := l.Recv()
	want(b, "ok of the end of a cut link", ok, false)
}

func linkCutOnArrival(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{Latency: func(*env.Draws) time.Duration { return 5 * ms }})
	l.Send(0, 1)
	e.Sleep(3 * ms)
	l.Cut()
	e.Sleep(3 * ms)
	l.Heal()
	want(b, "the count", l.Count(), env.LinkCount{Sent: 1, Lost: 1})

	l = env.NewLink[int](e, "link", env.LinkConfig{})
	l.Send(0, 1)
	l.Cut() // when the message arrives
	e.Sleep(ms)
	want(b, "the count of a link that is cut later", l.Count(), env.LinkCount{Sent: 1, Delivered: 1})
}

// linkCutLate computes while messages arrive: a timer may then be noticed after the end of the partition. In a world
// that takes the time of Burn, message 0 arrives before the partition, message 1 during it, and message 2 after it.
func linkCutLate(b *bench, e env.Env) {
	const latency = 5 * ms
	for what, pass := range map[string]func(time.Duration){"Burn": e.Burn, "Sleep": e.Sleep} {
		l := env.NewLink[int](e, "link", env.LinkConfig{Latency: func(*env.Draws) time.Duration { return latency }})
		// timed returns the time before and after a call.
		timed := func(f func()) (t [2]time.Duration) {
			t[0] = e.Now()
			f()
			t[1] = e.Now()
			return t
		}
		var sent [3][2]time.Duration
		for i := range sent {
			sent[i] = timed(func() { l.Send(i, 1) })
			if i < 2 {
				e.Sleep(2 * ms)
			}
		}
		e.Burn(2 * ms)
		cut := timed(l.Cut)
		pass(2 * ms)
		l.Cut()
		heal := timed(l.Heal)
		l.Heal()
		l.Close()
		got := received(l)
		for i, s := range sent {
			first, last := s[0]+latency, s[1]+latency // it arrives in between
			switch arrived := slices.Contains(got, i); {
			case cut[1] < first && last <= heal[0]:
				want(b, fmt.Sprintf("with %s, the arrival of message %d in the partition", what, i), arrived, false)
			case last <= cut[0] || heal[1] < first:
				want(b, fmt.Sprintf("with %s, the arrival of message %d out of the partition", what, i), arrived, true)
			case b.ExactTime:
				b.Errorf("message %d arrives from %v to %v, the partition is from %v to %v", i, first, last, cut, heal)
			}
		}
	}
}
