package envtest

import (
	"strings"
	"time"

	"github.com/brewput/brewput/env"
)

func goroutineLaws() []law {
	return []law{
		simple("a Group waits for all", groupWaits),
		simple("the second goroutine called x is x#2", names),
		simple("Run waits for goroutines that end", runWaits),
		{name: "Run reports a goroutine that outlives the body", exact: true, test: reportsLeftover},
		{name: "Run reports a deadlock", test: reportsDeadlock, needs: func(w World) bool { return w.DetectsDeadlock }},
		{name: "Run reports a panic of the body", test: reportsPanic},
	}
}

func groupWaits(b *bench, e env.Env) {
	const n = 50
	g, ended := e.Group(), make([]bool, n)
	for i := range n {
		g.Go(e, "child", func(e env.Env) {
			e.Burn(time.Microsecond)
			g.Go(e, "grandchild", func(env.Env) { ended[i] = true })
		})
	}
	g.Add(1)
	e.Go("counted", func(env.Env) { g.Done() })
	g.Wait()
	for i := range ended {
		if !ended[i] {
			b.Errorf("Wait is over and goroutine %d is not", i)
		}
	}
	g.Wait() // nothing to wait for
}

func names(b *bench, e env.Env) {
	want(b, "the name of the first goroutine", e.Name(), "body")
	got := env.NewChan[string](e, "names", 0)
	for _, name := range []string{"x", "x#2", "x#3"} {
		e.Go("x", func(e env.Env) { got.Send(e.Name()) })
		s, _ := got.Recv()
		want(b, "the name of a goroutine", s, name)
	}
	e.Go("y", func(e env.Env) { got.Send(e.Name()) })
	s, _ := got.Recv()
	want(b, "the name of a goroutine", s, "y")
}

func runWaits(b *bench, e env.Env) {
	start := env.NewChan[int](e, "start", 1)
	e.Go("late", func(e env.Env) {
		start.Recv()
		e.Go("later", func(e env.Env) { e.Burn(time.Microsecond) })
	})
	start.Send(1)
}

func reportsLeftover(b *bench) {
	err := b.Run(func(e env.Env) {
		e.Go("straggler", func(e env.Env) { e.Sleep(time.Hour) })
		e.Go("punctual", func(e env.Env) { e.Sleep(ms) })
	})
	switch {
	case err == nil:
		b.Error("a goroutine outlives the body by an hour and Run says nothing")
	case !strings.Contains(err.Error(), "straggler"), strings.Contains(err.Error(), "punctual"):
		b.Errorf("Run must name the goroutine that outlives the body, and no other: %v", err)
	}
}

func reportsDeadlock(b *bench) {
	err := b.Run(func(e env.Env) {
		c, never := env.NewChan[int](e, "c", 0), env.NewChan[int](e, "never", 0)
		e.Go("stuck", func(env.Env) {
			never.Recv()
			c.Send(1)
		})
		c.Recv()
		b.Error("a receive without a send proceeds")
	})
	if err == nil || !strings.Contains(err.Error(), "stuck") || !strings.Contains(err.Error(), "body") {
		b.Errorf("Run must name the goroutines of a deadlock, stuck and body: %v", err)
	}
}

func reportsPanic(b *bench) {
	err := b.Run(func(env.Env) { panic("boiling over") })
	if err == nil || !strings.Contains(err.Error(), "boiling over") {
		b.Errorf("Run must return the panic of the body: %v", err)
	}
}
