package envtest

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/brewput/brewput/env"
)

func linkTimes(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{Bandwidth: 1000,
		Latency: func(*env.Draws) time.Duration { return 5 * ms }})
	start := e.Now()
	for i := range 3 {
		l.Send(i, 10) // 10 ms each
	}
	for i := range 3 {
		l.Recv()
		want(b, "the arrival", e.Now()-start, time.Duration(10*(i+1)+5)*ms)
	}
	e.Sleep(time.Second)
	start = e.Now()
	l.Send(3, 0)
	l.Recv()
	want(b, "the arrival on an idle link", e.Now()-start, 5*ms)
}

func linkTransmitsLost(b *bench, e env.Env) {
	l := env.NewLink[int](e, "link", env.LinkConfig{Bandwidth: 1000, Loss: 0.5})
	start := e.Now()
	for i := range 64 {
		if i < 8 {
			l.Cut()
		}
		l.Send(i, 10) // 10 ms each
		l.Heal()
	}
	l.Close()
	n := int64(0)
	for v, ok := l.Recv(); ok; v, ok = l.Recv() {
		want(b, fmt.Sprintf("the arrival of message %d", v), e.Now()-start, time.Duration(10*(v+1))*ms)
		n++
	}
	want(b, "the count", l.Count(), env.LinkCount{Sent: 64, Delivered: n, Lost: 64 - n})
	want(b, "that some of the messages out of the partition are lost, and others are not", n > 0 && n < 56, true)
}

func linkNever(b *bench, e env.Env) {
	const never = math.MaxInt64
	e.Sleep(1) // the end of time is nearer than that
	late := env.NewLink[int](e, "late", env.LinkConfig{Latency: func(*env.Draws) time.Duration { return never }})
	slow := env.NewLink[int](e, "slow", env.LinkConfig{Bandwidth: 1e-9, Reorder: 1})
	for i := range 16 {
		late.Send(i, 1)
		slow.Send(i, math.MaxInt)
		slow.Send(i, 0) // waits for the others
	}
	e.Sleep(ms)
	want(b, "the count of a link without an end of its latency", late.Count(), env.LinkCount{Sent: 16})
	want(b, "the count of a link without an end of its transmission", slow.Count(), env.LinkCount{Sent: 32})
}

func linkOvertakes(b *bench, e env.Env) {
	for _, reorder := range []float64{0, 1} {
		next := 30 * ms
		l := env.NewLink[int](e, "link", env.LinkConfig{Reorder: reorder, Latency: func(*env.Draws) time.Duration {
			next -= 10 * ms
			return next
		}})
		start := e.Now()
		for i := range 3 {
			l.Send(i, 1)
		}
		l.Close()
		got := received(l)
		expected := map[float64][]int{0: {0, 1, 2}, 1: {2, 1, 0}}[reorder]
		if !slices.Equal(got, expected) {
			b.Errorf("with a probability %v to overtake, messages arrive as %v, want %v", reorder, got, expected)
		}
		want(b, "the last arrival", e.Now()-start, 20*ms)
	}
}

// linkOvertakesSome sends messages with shorter and shorter latencies. On each link, those that keep the order arrive
// with the first of them, and the others as if they were alone.
func linkOvertakesSome(b *bench, e env.Env) {
	const links, messages = 32, 8
	exempt, waiting, overtaking := 0, 0, 0 // first messages that are exempt; other messages if the first is not
	for i := range links {
		next := (messages + 1) * ms
		l := env.NewLink[int](e, env.Numbered("link", i), env.LinkConfig{Reorder: 0.5,
			Latency: func(*env.Draws) time.Duration {
				next -= ms
				return next
			}})
		start, late := e.Now(), time.Duration(0)
		for k := range messages {
			l.Send(k, 1)
		}
		l.Close()
		alone := 0
		for v, ok := l.Recv(); ok; v, ok = l.Recv() {
			at := e.Now() - start
			if at == time.Duration(messages-v)*ms {
				alone++
				continue
			}
			if late == 0 {
				late = at
			}
			want(b, fmt.Sprintf("the arrival of message %d, which waits", v), at, late)
		}
		switch {
		case late == messages*ms:
			waiting += messages - alone
			overtaking += alone - 1
		case late != 0:
			exempt++
		}
	}
	if exempt == 0 || waiting == 0 || overtaking == 0 {
		b.Errorf("the first message overtakes on %d of %d links; on the others %d messages wait for it, and %d do not",
			exempt, links, waiting, overtaking)
	}
}
