package workload_test

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// A workload with one design, a stream. Its operation works for a time that is a factor, and its answer is checked.
func ExampleWorkload() {
	w := &workload.Workload{
		Name:    "counter",
		Doc:     "Count every request.",
		Factors: []plan.Factor{{Name: "work", Kind: plan.Duration, Default: "100us", Max: 1e9, Doc: "of a request"}},
		Designs: []workload.Design{{Name: "coarse", Doc: "work and count under one lock", Uses: []string{"work"},
			Stream: func(e env.Env, p plan.Point) (workload.Stream, error) {
				lock, n := e.Mutex("counter"), uint64(0)
				return workload.Stream{
					Op: func(e env.Env, _ uint64) {
						lock.Lock()
						e.Burn(p.Duration("work"))
						n++
						lock.Unlock()
					},
					Check: func(operations uint64) (workload.Answer, error) {
						if n != operations {
							return nil, fmt.Errorf("%d requests were counted as %d", operations, n)
						}
						return workload.Answer{"count": n}, nil
					},
				}, nil
			}}},
	}
	if err := w.Validate(); err != nil {
		fmt.Println(err)
		return
	}
	d, _ := w.Find("coarse")
	fmt.Println(d.Type(), w.FactorsOf(d))
	fmt.Println(plan.NewPoint(plan.Setting{Factor: "work", Level: plan.DurationLevel(time.Millisecond)}))
	// Output:
	// stream [cpus workers rate load arrivals queue-limit patience work]
	// work=1ms
}
