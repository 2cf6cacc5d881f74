package cli

import (
	"github.com/brewput/brewput/internal/host"
	"github.com/brewput/brewput/plan"
)

// leastStack is the least that a goroutine takes in either world, in bytes: the runtime's smallest stack.
const leastStack = 2 << 10

// checkWorkers refuses more workers than memory has room for: before they were all there, the machine would stand still.
func checkWorkers(cases []plan.Case) error {
	free, ok := host.FreeMemory()
	for _, c := range cases {
		if !ok || !c.Point.Has("workers") {
			continue
		}
		if n := c.Point.Int("workers"); uint64(n) > free/leastStack {
			return usage("--workers %d: their stacks alone take %.3g GB, and %.3g GB of memory are free: ask for fewer", n, float64(n)*leastStack/1e9, float64(free)/1e9)
		}
	}
	return nil
}
