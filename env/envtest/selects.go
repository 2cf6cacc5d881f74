package envtest

import (
	"fmt"
	"math"
	"time"

	"github.com/brewput/brewput/env"
)

func selectLaws() []law {
	return []law{
		simple("Select takes only ready cases", selectReady),
		simple("a nil Chan never proceeds", selectNil),
		simple("Default is taken only if nothing is ready", selectDefault),
		simple("a closed Chan proceeds with ok false", selectClosed),
		simple("Select chooses uniformly among ready cases", selectUniform),
		simple("competing Selects lose no value", selectConserves),
		simple("Select takes more than eight cases", selectMany),
		simple("Select mixes types, ready or parked", selectMixed),
		simple("Select sends and receives while parked", selectParked),
		{name: "a parked Select tells which case woke it", exact: true, test: func(b *bench) {
			b.run(func(e env.Env) { selectWoken(b, e) })
		}},
	}
}

func selectReady(b *bench, e env.Env) {
	full, room := env.NewChan[int](e, "full", 1), env.NewChan[int](e, "room", 1)
	empty, lone := env.NewChan[int](e, "empty", 1), env.NewChan[int](e, "lone", 0)
	full.Send(1)
	v := 0
	for range 50 {
		want(b, "the case taken", env.Select(full.OnSend(2), empty.OnRecv(&v), lone.OnRecv(&v), room.OnSend(7)), 3)
		want(b, "the case taken", env.Select(empty.OnRecv(&v), lone.OnSend(3), room.OnRecv(&v)), 2)
		want(b, "the value received", v, 7)
	}
	want(b, "the case taken", env.Select(full.OnRecv(nil)), 0)
	want(b, "Len after a receive that drops the value", full.Len(), 0)
	want(b, "a panic with two Default cases", panics(func() { env.Select(env.Default, env.Default) }), true)
}

func selectNil(b *bench, e env.Env) {
	var none *env.Chan[int]
	c := env.NewChan[int](e, "c", 1)
	v := 0
	for i := range 50 {
		want(b, "the case taken", env.Select(none.OnRecv(&v), none.OnSend(1), env.Default), 2)
		want(b, "the case taken", env.Select(none.OnRecv(&v), c.OnSend(i), none.OnSend(1)), 1)
		want(b, "the case taken", env.Select(none.OnSend(1), c.OnRecv(&v)), 1)
		want(b, "the value received", v, i)
	}
}

func selectDefault(b *bench, e env.Env) {
	var c [12]*env.Chan[int]
	for i := range c {
		c[i] = env.NewChan[int](e, "c", 1)
	}
	v := 0
	for n := range len(c) {
		cases := make([]env.Case, 0, n+1)
		for i := range n {
			cases = append(cases, c[i].OnRecv(&v))
		}
		cases = append(cases, env.Default)
		what := fmt.Sprintf("the case taken of %d and Default", n)
		want(b, what, env.Select(cases...), n)
		for i := range n {
			c[i].Send(i)
			want(b, what, env.Select(cases...), i)
			want(b, "the value received", v, i)
		}
		want(b, what, env.Select(cases...), n)
	}
}

func selectClosed(b *bench, e env.Env) {
	c, empty := env.NewChan[int](e, "c", 2), env.NewChan[int](e, "empty", 1)
	c.Send(5)
	c.Close()
	for _, left := range []struct {
		v  int
		ok bool
	}{{5, true}, {0, false}, {0, false}} {
		v, ok := 9, !left.ok
		want(b, "the case taken", env.Select(empty.OnRecv(nil), c.OnRecvOK(&v, &ok)), 1)
		want(b, "the value received", v, left.v)
		want(b, "ok", ok, left.ok)
	}
	v, ok := 9, true
	want(b, "the case taken", env.Select(c.OnRecvOK(&v, &ok)), 0)
	want(b, "the value of a closed Chan", v, 0)
	want(b, "ok of a closed Chan", ok, false)
	want(b, "the case taken before Default", env.Select(c.OnRecvOK(&v, &ok), env.Default), 0)
}

// uniform reports counts that no uniform choice yields. The chi-square statistic of k degrees of
// freedom exceeds k + 2 sqrt(k x) + 2x with a probability of at most e^-x (Laurent and Massart,
// Annals of Statistics 28(5), 2000, lemma 1); x = 25 makes that 1.4e-11.
func uniform(b *bench, what string, counts []int) {
	n := 0
	for _, c := range counts {
		n += c
	}
	expected, sum := float64(n)/float64(len(counts)), 0.0
	for _, c := range counts {
		sum += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	k, x := float64(len(counts)-1), 25.0
	if limit := k + 2*math.Sqrt(k*x) + 2*x; sum > limit {
		b.Errorf("%s: the choice is not uniform: %v, chi-square %.0f > %.0f", what, counts, sum, limit)
	}
}

func selectUniform(b *bench, e env.Env) {
	for _, c := range []struct {
		cases int
		ready []int // neighbours among them: a random start in a fixed order would favour the first
		sends bool
		deflt bool
	}{
		{2, []int{0, 1}, false, false},
		{3, []int{1, 2}, false, false},
		{4, []int{0, 1}, false, false},
		{4, []int{0, 1, 2, 3}, true, false},
		{4, []int{0, 1, 3}, false, true},
		{8, []int{2, 3, 4}, false, false},
		{12, []int{0, 1, 2, 7}, false, false},
		{12, []int{0, 1, 11}, true, true},
	} {
		cases := make([]env.Case, c.cases)
		refill := make([]func(), c.cases)
		v := 0
		for i := range cases {
			ch := env.NewChan[int](e, "c", 1)
			cases[i] = ch.OnRecv(&v)
			refill[i] = func() { ch.Send(1) }
		}
		for _, i := range c.ready {
			if c.sends {
				ch := env.NewChan[int](e, "c", 1)
				cases[i], refill[i] = ch.OnSend(1), func() { ch.Recv() }
			} else {
				refill[i]()
			}
		}
		if c.deflt {
			cases = append(cases, env.Default)
		}
		place, counts := map[int]int{}, make([]int, len(c.ready))
		for k, i := range c.ready {
			place[i] = k
		}
		for range 1000 * len(c.ready) {
			i := env.Select(cases...)
			k, ok := place[i]
			if !ok {
				b.Errorf("Select took case %d, ready are %v", i, c.ready)
				return
			}
			counts[k]++
			refill[i]()
		}
		uniform(b, fmt.Sprintf("%d cases, ready %v", c.cases, c.ready), counts)
	}
}

func selectConserves(b *bench, e env.Env) {
	const senders, receivers, values = 3, 3, 150
	var c [3]*env.Chan[parcel]
	for i, capacity := range []int{0, 1, 4} {
		c[i] = env.NewChan[parcel](e, "c", capacity)
	}
	sending, receiving, m := e.Group(), e.Group(), e.Mutex("m")
	got := tally{}
	for s := range senders {
		sending.Go(e, "sender", func(env.Env) {
			for i := range values {
				p := parcel{s, i}
				env.Select(c[0].OnSend(p), c[1].OnSend(p), c[2].OnSend(p))
			}
		})
	}
	for range receivers {
		receiving.Go(e, "receiver", func(env.Env) {
			open, left := c, len(c)
			for left > 0 {
				var p parcel
				var ok bool
				i := env.Select(open[0].OnRecvOK(&p, &ok), open[1].OnRecvOK(&p, &ok), open[2].OnRecvOK(&p, &ok))
				if !ok {
					open[i] = nil
					left--
					continue
				}
				m.Lock()
				got[p]++
				m.Unlock()
			}
		})
	}
	sending.Wait()
	for i := range c {
		c[i].Close()
	}
	receiving.Wait()
	got.settle(b, senders, values)
}

func selectMany(b *bench, e env.Env) {
	const channels = 12
	var c [channels]*env.Chan[int]
	g := e.Group()
	for i := range c {
		c[i] = env.NewChan[int](e, "c", i%2)
		g.Go(e, "sender", func(env.Env) {
			for k := range 20 {
				c[i].Send(k)
			}
		})
	}
	var next [channels]int
	for range 20 * channels {
		v := -1
		cases := make([]env.Case, channels)
		for i := range c {
			cases[i] = c[i].OnRecv(&v)
		}
		i := env.Select(cases...)
		want(b, "the next value of a Chan", v, next[i])
		next[i]++
	}
	g.Wait()
}

func selectMixed(b *bench, e env.Env) {
	number, word := env.NewChan[int](e, "number", 0), env.NewChan[string](e, "word", 0)
	signal, tick := env.NewChan[struct{}](e, "signal", 0), env.NewChan[time.Duration](e, "tick", 0)
	fault := env.NewChan[error](e, "fault", 0)
	wrong := fmt.Errorf("wrong")
	g := e.Group()
	const rounds = 40
	g.Go(e, "sender", func(env.Env) {
		for i := range rounds {
			number.Send(i + 1)
			signal.Send(struct{}{})
			tick.Send(time.Duration(i + 1))
			env.Select(word.OnSend("w"), number.OnRecv(nil))
			env.Select(fault.OnSend(nil), number.OnRecv(nil))
			env.Select(number.OnRecv(nil), fault.OnSend(wrong), tick.OnRecv(nil), word.OnRecv(nil))
		}
	})
	for i := range rounds {
		n, t, w, err := 0, time.Duration(0), "", wrong
		want(b, "the case taken", env.Select(signal.OnRecv(nil), number.OnRecv(&n), tick.OnRecv(&t)), 1)
		want(b, "the case taken", env.Select(signal.OnRecv(nil), number.OnRecv(&n)), 0)
		want(b, "the case taken", env.Select(number.OnRecv(&n), signal.OnRecv(nil), tick.OnRecv(&t)), 2)
		want(b, "the case taken", env.Select(number.OnRecv(&n), word.OnRecv(&w), tick.OnRecv(&t), fault.OnRecv(&err)),
			1)
		want(b, "the case taken", env.Select(number.OnRecv(&n), word.OnRecv(&w), fault.OnRecv(&err)), 2)
		want(b, "a nil error through Select", err, nil)
		want(b, "the case taken", env.Select(fault.OnRecv(&err), word.OnRecv(&w)), 0)
		want(b, "an error through Select", err, wrong)
		want(b, "the number", n, i+1)
		want(b, "the tick", t, time.Duration(i+1))
		want(b, "the word", w, "w")
	}
	g.Wait()
}
