// Command counter measures a workload of its own: two designs of a shared counter.
//
//	go run . run counter --cpus 1..2
package main

import (
	"fmt"
	"time"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

func main() { brewput.Main(counter()) }

// counter is the workload.
func counter() *workload.Workload {
	return &workload.Workload{
		Name: "counter",
		Doc:  "Count every request, after 100 us of work.",
		Designs: []workload.Design{
			{Name: "coarse", Doc: "work and count under one lock", Stream: newCoarse},
			{Name: "fine", Doc: "only the count is locked", Stream: newFine},
		},
	}
}

// newCoarse works and counts under one lock.
func newCoarse(e env.Env, _ plan.Point) (workload.Stream, error) {
	lock, n := e.Mutex("counter"), uint64(0)
	return workload.Stream{
		Op: func(e env.Env, _ uint64) {
			lock.Lock()
			e.Burn(100 * time.Microsecond)
			n++
			lock.Unlock()
		},
		Check: func(operations uint64) (workload.Answer, error) { return counted(n, operations) },
	}, nil
}

// newFine works without the lock and counts under it.
func newFine(e env.Env, _ plan.Point) (workload.Stream, error) {
	lock, n := e.Mutex("counter"), uint64(0)
	return workload.Stream{
		Op: func(e env.Env, _ uint64) {
			e.Burn(100 * time.Microsecond)
			lock.Lock()
			n++
			lock.Unlock()
		},
		Check: func(operations uint64) (workload.Answer, error) { return counted(n, operations) },
	}, nil
}

// counted checks the count of a design. A trial with a wrong answer has no throughput.
func counted(n, operations uint64) (workload.Answer, error) {
	if n != operations {
		return nil, fmt.Errorf("%d requests were counted as %d", operations, n)
	}
	return workload.Answer{"count": n}, nil
}
