package main

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// shapes are five structures that are no coffee shop, each a job of its own: what the twin says of them was not tuned
// on them.
func shapes() *workload.Workload {
	return &workload.Workload{Name: "shapes", Doc: "Five concurrent structures that the twin is tested on",
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

// The five.
const (
	fanout = "fanout"
	cache  = "rwcache"
	pool   = "pool"
	loop   = "eventloop"
	belt   = "belt"
)

// unmodelled says of each shape, and of coffee, what of it virtual time leaves out.
var unmodelled = map[string]string{
	"coffee": "caches and the migration of a goroutine's data, the clock's and the host's changes within a trial, " +
		"and that a thread needs time to come from one CPU to another",
	ofShapes: "what is said of each above",
	fanout:   "stacks and garbage of eight goroutines a request, and the cache misses of a task that is stolen",
	cache:    "the cache line of the reader count, which all readers write",
	pool:     "the timer slack of the operating system, 50 us at a time: a wait ends when its thread comes to look",
	loop:     "the locks of the channels that a select takes, garbage of a timer for each wait, timer slack",
	belt: "at 20 us an item, whatever one hand-off costs beyond its typical price: contention for the channel's " +
		"lock, futex calls, cache misses of what is handed over",
}

// counted is a check that as many requests were counted as were served.
func counted(what string, n *env.Atomic[int64], each int64) func(uint64) (workload.Answer, error) {
	return func(operations uint64) (workload.Answer, error) {
		if got, want := n.Load(), each*int64(operations); got != want {
			return nil, fmt.Errorf("%d %s, want %d", got, what, want)
		}
		return workload.Answer{what: n.Load()}, nil
	}
}

// newFanout: eight tasks of 50 to 150 us.
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

// newCache: reading takes 30 us under the lock and 100 us outside it, writing 60 us under it.
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

// newPool: 100 us of work, an answer after 1 to 2 ms, and 200 us of work, with one of two connections.
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

// newLoop: an event takes 50 to 150 us, and every 5 ms the loop does 300 us of work of its own. Every fourth request is
// urgent. Callers think for 200 us.
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

// newBelt: making an item takes 20 us, and so does using it; there is room for 16.
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
