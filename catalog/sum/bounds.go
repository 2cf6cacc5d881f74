package sum

import (
	"bytes"
	"errors"
	"math"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// spawned predicts a design whose goroutines share the work of another design.
func spawned(alone string) *workload.Formula {
	return &workload.Formula{
		Text:   alone + " / CPUs + spawning",
		Source: "perfectly divided work (Amdahl 1967), plus the time to start goroutines",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return m.Wall(alone, p)/float64(min(p.Int("cpus"), p.Int("workers"))) + m.Wall("spawning", p)
		},
	}
}

// newBandwidth reads as many bytes as the other designs, in a goroutine for each worker. It measures memory bandwidth.
func newBandwidth(_ env.Env, p plan.Point) (workload.Job, error) {
	workers, rounds := p.Int("workers"), rounds(p)
	text := bytes.Repeat([]byte{'a'}, 8*p.Int("n"))
	found := 0
	return workload.Job{
		Items: int64(rounds) * int64(p.Int("n")),
		Bytes: int64(rounds) * int64(len(text)),
		Run: func(e env.Env) error {
			done := e.Group()
			for g := range workers {
				stretch := text[len(text)/workers*g : len(text)/workers*(g+1)]
				if g == workers-1 {
					stretch = text[len(text)/workers*g:]
				}
				done.Go(e, "reader", func(e env.Env) {
					w := e.Begin()
					for range rounds {
						if bytes.IndexByte(stretch, 'b') >= 0 {
							found++
						}
					}
					w.End()
				})
			}
			done.Wait()
			return nil
		},
		Check: func() (workload.Answer, error) {
			if found > 0 {
				return nil, errors.New("a byte was found that is not there")
			}
			return nil, nil
		},
	}, nil
}

// newSpawning starts as many goroutines as strided does, without work. It also measures additions from the nearest
// cache, and computes the break-even n, above which goroutines are faster.
func newSpawning(e env.Env, p plan.Point) (workload.Job, error) {
	numbers, _ := draw(e, 4096)
	number := perNumber(e, numbers)
	workers, rounds := p.Int("workers"), rounds(p)
	var took time.Duration
	return workload.Job{
		Run: func(e env.Env) error {
			start := e.Now()
			for range rounds {
				stretches(e, nil, workers, func(env.Env, int, []int) {})
			}
			took = e.Now() - start
			return nil
		},
		Check: func() (workload.Answer, error) {
			each := took.Seconds() / float64(rounds)
			answer := workload.Answer{"spawn_ns": each * 1e9, "number_ns": number * 1e9}
			n, ok := model.BreakEven(each, number, min(workers, p.Int("cpus")))
			if ok && !math.IsInf(n, 0) {
				answer["break_even_n"] = math.Ceil(n)
			}
			return answer, nil
		},
	}, nil
}

// perNumber returns the seconds that adding a number from the cache takes: the minimum of ten measurements.
func perNumber(e env.Env, numbers []int) (seconds float64) {
	const times = 100
	seconds = math.Inf(1)
	for range 10 {
		start := e.Now()
		w := e.Begin()
		for range times {
			plain(numbers)
		}
		w.End()
		seconds = min(seconds, (e.Now()-start).Seconds()/float64(times*len(numbers)))
	}
	return seconds
}
