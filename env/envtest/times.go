package envtest

import (
	"fmt"
	"math"
	"time"

	"github.com/brewput/brewput/env"
)

func timeLaws() []law {
	exact := func(name string, body func(b *bench, e env.Env)) law {
		l := simple(name, body)
		l.exact = true
		return l
	}
	return []law{
		simple("Now never runs backwards", nowMonotone),
		simple("no time or a negative one is over at once", noTime),
		simple("no wait ends before its time", noWaitEndsEarly),
		exact("Sleep, Wait and Until take the time asked for", sleepExact),
		exact("goroutines sleep at the same time and wake in order", sleepOrder),
		exact("After delivers once, at its time", afterExact),
		exact("Select wakes at the first of several times", selectTimeout),
		exact("computing takes no time", computeFree),
	}
}

func nowMonotone(b *bench, e env.Env) {
	g := e.Group()
	for range 4 {
		baton := env.NewChan[time.Duration](e, "baton", 0)
		g.Go(e, "reader", func(e env.Env) {
			last := time.Duration(0)
			for t, ok := baton.Recv(); ok; t, ok = baton.Recv() {
				now := e.Now()
				if now < t || now < last {
					b.Errorf("Now is %v after it was %v here and %v elsewhere", now, last, t)
				}
				last = now
			}
		})
		g.Go(e, "writer", func(e env.Env) {
			for range 100 {
				baton.Send(e.Now())
			}
			baton.Close()
		})
	}
	g.Wait()
}

// noTime would hang in a world that takes a negative time for a huge one.
func noTime(b *bench, e env.Env) {
	for _, d := range []time.Duration{0, -1, -ms, math.MinInt64} {
		for what, f := range map[string]func(time.Duration){
			"Burn": e.Burn, "Until": func(d time.Duration) { e.Until(min(e.Now(), e.Now()+d)) }, "Sleep": e.Sleep,
			"Wait": e.Wait, "Syscall": e.Syscall,
			"After": func(d time.Duration) { e.After(d).Recv() },
		} {
			t := e.Now()
			f(d)
			if b.ExactTime {
				want(b, fmt.Sprintf("the time that %s(%d) takes", what, d), e.Now()-t, 0)
			}
		}
	}
}

// noWaitEndsEarly has several goroutines wait at once, each of them again and again.
func noWaitEndsEarly(b *bench, e env.Env) {
	g := e.Group()
	for i := range 4 {
		g.Go(e, "waiter", func(e env.Env) {
			for _, d := range []time.Duration{1, ms / 10, ms, time.Duration(i) * ms} {
				for what, f := range map[string]func(time.Duration){
					"Sleep": e.Sleep, "Wait": e.Wait, "Until": func(d time.Duration) { e.Until(e.Now() + d) },
				} {
					t := e.Now()
					f(d)
					if took := e.Now() - t; took < d {
						b.Errorf("%s of %v takes %v", what, d, took)
					}
				}
			}
		})
	}
	g.Wait()
}

func sleepExact(b *bench, e env.Env) {
	for _, d := range []time.Duration{0, 1, ms, 7*ms + 3, time.Hour} {
		for what, f := range map[string]func(time.Duration){
			"Sleep": e.Sleep, "Wait": e.Wait, "Until": func(d time.Duration) { e.Until(e.Now() + d) },
		} {
			t := e.Now()
			f(d)
			want(b, "the time that "+what+" takes", e.Now()-t, d)
		}
	}
}

func sleepOrder(b *bench, e env.Env) {
	sleeps := []time.Duration{5 * ms, 2 * ms, 9 * ms, 2 * ms, 1, 7 * ms, 5 * ms}
	woke, g, start := env.NewChan[time.Duration](e, "woke", len(sleeps)), e.Group(), e.Now()
	for _, d := range sleeps {
		g.Go(e, "sleeper", func(e env.Env) {
			e.Sleep(d)
			want(b, "the time of waking", e.Now()-start, d)
			woke.Send(d)
		})
	}
	last := time.Duration(0)
	for range sleeps {
		d, _ := woke.Recv()
		if d < last {
			b.Errorf("a sleep of %v ends after one of %v", d, last)
		}
		last = d
	}
	g.Wait()
	want(b, "the time that all sleeps take together", e.Now()-start, 9*ms)
}

func afterExact(b *bench, e env.Env) {
	start := e.Now()
	late, soon := e.After(8*ms), e.After(3*ms)
	for _, c := range []struct {
		c *env.Chan[time.Duration]
		d time.Duration
	}{{soon, 3 * ms}, {late, 8 * ms}} {
		t, ok := c.c.Recv()
		want(b, "ok of After", ok, true)
		want(b, "the time that After delivers", t-start, c.d)
		want(b, "the time of delivery", e.Now()-start, c.d)
	}
	e.Sleep(time.Second)
	_, _, received := soon.TryRecv()
	want(b, "a second delivery of After", received, false)
}

func selectTimeout(b *bench, e env.Env) {
	start, v, at := e.Now(), 0, time.Duration(0)
	c := env.NewChan[int](e, "c", 0)
	e.Go("sender", func(e env.Env) {
		e.Sleep(5 * ms)
		c.Send(7)
	})
	want(b, "the case taken", env.Select(c.OnRecv(&v), e.After(4*ms).OnRecv(&at)), 1)
	want(b, "the time delivered", at-start, 4*ms)
	want(b, "the case taken", env.Select(e.After(4*ms).OnRecv(&at), c.OnRecv(&v)), 1)
	want(b, "the value received", v, 7)
	want(b, "the time", e.Now()-start, 5*ms)
}

func computeFree(b *bench, e env.Env) {
	start, c := e.Now(), env.NewChan[int](e, "c", 1)
	for i := range 100 {
		c.Send(i)
		c.Recv()
	}
	want(b, "the time that 100 channel operations take", e.Now()-start, 0)
}
