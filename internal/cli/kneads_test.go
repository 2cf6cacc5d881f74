package cli_test

import (
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// kneads is a workload whose designs have real code: a job whose workers share a stock of loaves, a stream, and one
// design for each kind of mistake.
func kneads() *workload.Workload {
	op := func(f func(e env.Env, request uint64)) func(env.Env, plan.Point) (workload.Stream, error) {
		return func(env.Env, plan.Point) (workload.Stream, error) { return workload.Stream{Op: f}, nil }
	}
	return &workload.Workload{
		Name:    "kneads",
		Doc:     "Knead loaves, with real hands.",
		Factors: []plan.Factor{{Name: "loaves", Doc: "loaves to knead", Kind: plan.Int, Default: "30", Min: 1}},
		Designs: []workload.Design{
			{Name: "stock", Doc: "who is free takes the next", Uses: []string{"workers", "loaves"}, Job: newStock},
			{Name: "stream", Doc: "a loaf for each customer", Stream: op(func(e env.Env, request uint64) {
				e.Work(func() { _ = knead(1000 + int(request%7)) })
				e.Burn(200 * time.Microsecond)
			})},
			{Name: "declared", Doc: "says what a loaf takes", Stream: op(func(e env.Env, _ uint64) {
				e.WorkFor(100*time.Microsecond, func() { _ = knead(10) })
			})},
			{Name: "burns", Doc: "has no real code",
				Stream: op(func(e env.Env, _ uint64) { e.Burn(100 * time.Microsecond) })},
			{Name: "breaks", Doc: "sleeps with its hands in the dough", Stream: op(func(e env.Env, _ uint64) {
				e.Work(func() { e.Sleep(time.Microsecond) })
			})},
		},
	}
}

func newStock(e env.Env, p plan.Point) (workload.Job, error) {
	next, done := env.NewAtomic[int](e, "next"), e.Group()
	return workload.Job{Items: int64(p.Int("loaves")), Run: func(e env.Env) error {
		for range p.Int("workers") {
			done.Go(e, "baker", func(e env.Env) {
				for loaf := next.Add(1); loaf <= p.Int("loaves"); loaf = next.Add(1) {
					e.For(uint64(loaf))
					e.Work(func() { _ = knead(2000 * (1 + loaf%5)) })
				}
			})
		}
		done.Wait()
		return nil
	}}, nil
}

//go:noinline
func knead(n int) uint64 {
	x := uint64(n)
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
