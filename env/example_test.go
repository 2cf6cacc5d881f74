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

// Two nodes exchange messages over a network that loses a fifth of them. The client repeats a request until the reply
// arrives. In virtual time the run takes a moment, and gives the same result on every machine.
func ExampleNewLink() {
	network := env.LinkConfig{Loss: 0.2, Latency: func(d *env.Draws) time.Duration {
		return 5*time.Millisecond + time.Duration(d.Exp()*float64(time.Millisecond))
	}}
	err := virtual.New(virtual.Config{CPUs: 2, Seed: 1}).Run("client", func(e env.Env) {
		requests, replies := env.NewLink[int](e, "requests", network), env.NewLink[int](e, "replies", network)
		server := e.Node("server", env.Skew{Drift: 1e-5})
		server.Go(e, "serve", func(_ env.Env, down *env.Chan[struct{}]) {
			request := 0
			for env.Select(down.OnRecv(nil), requests.OnRecv(&request)) == 1 {
				replies.Send(request*request, 100)
			}
		})

		sent := 0
		for i := range 10 {
			for reply := -1; reply != i*i; {
				requests.Send(i, 100)
				sent++
				env.Select(replies.OnRecv(&reply), e.After(50*time.Millisecond).OnRecv(nil))
			}
		}
		server.Crash()
		lost := requests.Count().Lost + replies.Count().Lost
		fmt.Println("10 replies to", sent, "requests;", lost, "messages were lost")
	})
	fmt.Println(err)
	// Output:
	// 10 replies to 14 requests; 4 messages were lost
	// <nil>
}
