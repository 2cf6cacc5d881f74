package main

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// shapes are five other concurrent structures, each with a job of its own. The simulation was not tuned on them.
func shapes() *workload.Workload {
	return &workload.Workload{Name: "shapes", Doc: "Five concurrent structures to test predictions on",
		Designs: []workload.Design{
			{Name: fanout, Doc: "eight tasks for each request, waited for by a group", Stream: newFanout},
			{Name: cache, Doc: "a cache behind an RWMutex, of which every tenth request writes", Stream: newCache},
			{Name: pool, Doc: "two connections behind a semaphore: each request computes, waits for its " +
				"answer and computes", Stream: newPool},
			{Name: loop, Doc: "one goroutine that selects among requests, urgent requests and its own timer",
				Stream: newLoop},
			{Name: belt, Doc: "producers that hand items of 20 us to two consumers", Stream: newBelt},
		}}
}

// The names of the shapes.
const (
	fanout = "fanout"
	cache  = "rwcache"
	pool   = "pool"
	loop   = "eventloop"
	belt   = "belt"
)

// unmodelled lists for each shape, and for coffee, the effects that virtual time leaves out.
var unmodelled = map[string]string{
	"coffee": "caches and the migration of a goroutine's data, changes of the clock rate and of the host's load " +
		"within a trial, and the time that a thread needs to move to another CPU",
	ofShapes: "what is listed for each above",
	fanout:   "stacks and garbage of eight goroutines a request, and the cache misses of a task that is stolen",
	cache:    "the cache line of the reader count, which all readers write",
	pool:     "the timer slack of the operating system, 50 us: a wait ends when a thread polls the timers",
	loop:     "the channel locks that a select takes, the garbage of a timer for each wait, timer slack",
	belt: "at 20 us an item, costs of a hand-off beyond its typical cost: contention for the channel's lock, futex " +
		"calls, cache misses of the item",
}

// counted returns a check that every request was counted.
func counted(what string, n *env.Atomic[int64], each int64) func(uint64) (workload.Answer, error) {
	return func(operations uint64) (workload.Answer, error) {
		if got, want := n.Load(), each*int64(operations); got != want {
			return nil, fmt.Errorf("%d %s, want %d", got, what, want)
		}
		return workload.Answer{what: n.Load()}, nil
	}
}

// newFanout serves a request by eight tasks of 50 to 150 us.
func newFanout(e env.Env, _ plan.Point) (workload.Stream, error) {
	const tasks = 8
	done := env.NewAtomic[int64](e, "done")
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			g := e.Group()
			for i := range tasks {
				d := e.Rand().At(request, uint64(i))
				g.Go(e, "task", func(e env.Env) {
					e.Burn(50*time.Microsecond + time.Duration(d.IntN(100_000)))
					done.Add(1)
				})
			}
			g.Wait()
		},
		Check: counted("tasks", done, tasks),
	}, nil
}

// newCache reads for 30 us or, in one of ten requests, writes for 60 us under the lock, and works for 100 us outside
// it.
func newCache(e env.Env, _ plan.Point) (workload.Stream, error) {
	lock, served := e.RWMutex("cache"), env.NewAtomic[int64](e, "served")
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			d := e.Rand().At(request, 0)
			if d.IntN(10) == 0 {
				lock.Lock()
				e.Burn(60 * time.Microsecond)
				lock.Unlock()
			} else {
				lock.RLock()
				e.Burn(30 * time.Microsecond)
				lock.RUnlock()
			}
			e.Burn(100 * time.Microsecond)
			served.Add(1)
		},
		Check: counted("requests", served, 1),
	}, nil
}

// newPool works for 100 us, waits 1 to 2 ms for an answer and works for 200 us, with one of two connections.
func newPool(e env.Env, _ plan.Point) (workload.Stream, error) {
	connections, served := env.NewChan[int](e, "connections", 2), env.NewAtomic[int64](e, "served")
	connections.Send(1)
	connections.Send(2)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			d := e.Rand().At(request, 0)
			c, _ := connections.Recv()
			e.Burn(100 * time.Microsecond)
			e.Sleep(time.Millisecond + time.Duration(d.IntN(1_000_000)))
			e.Burn(200 * time.Microsecond)
			connections.Send(c)
			served.Add(1)
		},
		Check: counted("requests", served, 1),
	}, nil
}

// call is a request to the event loop.
type call struct {
	work time.Duration
	done *env.Chan[struct{}]
}

// newLoop handles events of 50 to 150 us in one goroutine, which also works for 300 us every 5 ms. Every fourth request
// is urgent. Callers work for 200 us between requests.
func newLoop(e env.Env, _ plan.Point) (workload.Stream, error) {
	calls, urgent, quit := env.NewChan[call](e, "calls", 4), env.NewChan[call](e, "urgent", 4),
		env.NewChan[struct{}](e, "quit", 0)
	served, staff := env.NewAtomic[int64](e, "served"), e.Group()
	staff.Go(e, "loop", func(e env.Env) {
		timer := e.After(5 * time.Millisecond)
		serve := func(c call) {
			e.Burn(c.work)
			served.Add(1)
			c.done.Send(struct{}{})
		}
		for {
			var c, u call
			switch env.Select(calls.OnRecv(&c), urgent.OnRecv(&u), timer.OnRecv(nil), quit.OnRecv(nil)) {
			case 0:
				serve(c)
			case 1:
				serve(u)
			case 2:
				e.Burn(300 * time.Microsecond)
				timer = e.After(5 * time.Millisecond)
			case 3:
				return
			}
		}
	})
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			d := e.Rand().At(request, 0)
			c := call{50*time.Microsecond + time.Duration(d.IntN(100_000)), env.NewChan[struct{}](e, "done", 1)}
			if request%4 == 0 {
				urgent.Send(c)
			} else {
				calls.Send(c)
			}
			c.done.Recv()
			e.Burn(200 * time.Microsecond)
		},
		Close: func(env.Env) {
			quit.Close()
			staff.Wait()
		},
		Check: counted("requests", served, 1),
	}, nil
}

// newBelt makes items in 20 us each and passes them through a buffer of 16 to consumers that use each for 20 us.
func newBelt(e env.Env, _ plan.Point) (workload.Stream, error) {
	items, used, staff := env.NewChan[uint64](e, "items", 16), env.NewAtomic[int64](e, "used"), e.Group()
	for range 2 {
		staff.Go(e, "consumer", func(e env.Env) {
			for _, ok := items.Recv(); ok; _, ok = items.Recv() {
				e.Burn(20 * time.Microsecond)
				used.Add(1)
			}
		})
	}
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			e.Burn(20 * time.Microsecond)
			items.Send(request)
		},
		Close: func(env.Env) {
			items.Close()
			staff.Wait()
		},
		Check: counted("items", used, 1),
	}, nil
}

// burner is a workload without any shared state, so that differences between its trials are noise of the machine.
func burner() *workload.Workload {
	designs := []workload.Design{
		{Name: "burn", Doc: "a tenth of a millisecond of CPU work",
			Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(100 * time.Microsecond) }}, nil
			}},
	}
	return &workload.Workload{Name: "noise", Doc: "CPU work, to measure the noise of a machine", Designs: designs}
}
