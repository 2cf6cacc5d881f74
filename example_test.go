package brewput_test

import (
	"time"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// The main function of a program that measures a design of its own: ./program run counter --cpus 1,2.
func ExampleMain() {
	coarse := func(e env.Env, _ plan.Point) (workload.Stream, error) {
		lock := e.Mutex("counter")
		return workload.Stream{Op: func(e env.Env, _ uint64) {
			lock.Lock()
			e.Burn(10 * time.Microsecond)
			lock.Unlock()
		}}, nil
	}
	brewput.Main(&workload.Workload{Name: "counter", Designs: []workload.Design{{Name: "coarse", Stream: coarse}}})
}
