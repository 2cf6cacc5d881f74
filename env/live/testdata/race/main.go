// Command race runs one small program of env, named by its argument, for the test of what the race
// detector sees. On one processor a goroutine that does not block runs to its end before the next
// begins, so no two users of a station ever meet, and nothing orders them.
package main

import (
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
)

func main() {
	runtime.GOMAXPROCS(1)
	programs := map[string]func(env.Env){
		"station": station, "spawned": spawned, "mutex": mutex, "parent": parent,
		"now": now, "join": join, "correct": correct,
	}
	w := live.New(live.Config{Seed: 1, BurnRate: 1})
	if err := w.Run("main", programs[os.Args[1]]); err != nil {
		fmt.Println(err)
	}
	fmt.Println("violations:", w.Violations())
}

// use keeps the station for a moment.
func use(e env.Env, s *env.Station) {
	s.Enter()
	e.Burn(time.Microsecond)
	s.Leave()
}

// yield lets the goroutines that can run do so, without telling the race detector of any order.
func yield() {
	for range 100 {
		runtime.Gosched()
	}
}

// station has two users at different times.
func station(e env.Env) {
	s := e.Station("grinder")
	for range 2 {
		e.Go("user", func(e env.Env) { use(e, s) })
	}
	yield()
}

// spawned starts the second user after the first has ended: a world's own bookkeeping, which both
// pass, must not order them.
func spawned(e env.Env) {
	s := e.Station("grinder")
	for range 2 {
		e.Go("user", func(e env.Env) { use(e, s) })
		yield()
	}
}

// mutex orders the users.
func mutex(e env.Env) {
	s, m := e.Station("grinder"), e.Mutex("m")
	for range 2 {
		e.Go("user", func(e env.Env) {
			m.Lock()
			use(e, s)
			m.Unlock()
		})
		yield()
	}
}

// parent has a child use its parent's Env.
func parent(e env.Env) {
	e.Go("child", func(env.Env) { e.Burn(0) })
	yield()
}

// now has a child read the time from its parent's Env.
func now(e env.Env) {
	e.Go("child", func(env.Env) { e.Now() })
	yield()
}

// join is correct: the end of Run comes after the end of its goroutines, for which nobody else waits.
func join(env.Env) {
	var joined [2]int
	w := live.New(live.Config{BurnRate: 1})
	w.Run("inner", func(e env.Env) {
		for i := range joined {
			e.Go("writer", func(env.Env) { joined[i]++ })
		}
	})
	joined[0]++
	joined[1]++
}

// correct uses everything as it should be used.
func correct(e env.Env) {
	s, turn, g := e.Station("grinder"), env.NewChan[int](e, "turn", 1), e.Group()
	m := e.Mutex("m")
	full, n := e.Cond(m), 0
	turn.Send(1)
	for range 3 {
		g.Go(e, "user", func(e env.Env) {
			for range 3 {
				env.Select(turn.OnRecv(nil), env.NewChan[int](e, "never", 0).OnRecv(nil))
				use(e, s)
				e.Sleep(time.Microsecond)
				turn.Send(1)
			}
			m.Lock()
			n++
			m.Unlock()
			full.Broadcast()
			e.After(time.Microsecond).Recv()
		})
	}
	m.Lock()
	for n < 3 {
		full.Wait()
	}
	m.Unlock()
	g.Wait()
	use(e, s)
	// A goroutine's Env is its own after another has ended with the same task.
	for range 3 {
		g.Go(e, "next", func(e env.Env) { e.Burn(e.Now() / 1e9) })
		g.Wait()
	}
}
