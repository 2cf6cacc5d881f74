package env_test

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
)

// The same function runs in virtual time on 1, 8 and 64 CPUs, on any machine. 64 workers serve 1000 requests each: 1 ms
// of work, then 50 us under a lock, which limits the throughput to 20000/s.
func Example_sixtyFourCPUs() {
	var took time.Duration
	serve := func(e env.Env) {
		lock, workers := e.Mutex("total"), e.Group()
		for range 64 {
			workers.Go(e, "worker", func(e env.Env) {
				for range 1000 {
					e.Burn(time.Millisecond)
					lock.Lock()
					e.Burn(50 * time.Microsecond)
					lock.Unlock()
				}
			})
		}
		workers.Wait()
		took = e.Now()
	}

	for _, cpus := range []int{1, 8, 64} {
		w := virtual.New(virtual.Config{CPUs: cpus, Seed: 1})
		if err := w.Run("main", serve); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%2d CPUs: %.0f requests/s\n", cpus, 64_000/took.Seconds())
	}
	// Output:
	// 1 CPUs: 952 requests/s
	//  8 CPUs: 7353 requests/s
	// 64 CPUs: 19994 requests/s
}
