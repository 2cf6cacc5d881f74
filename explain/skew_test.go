package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// workers returns a program whose workers compute for so many ms of a second, and wait for work otherwise.
func workers(running ...int) *testCase {
	c := wideCase()
	c.evidence.Trace.Classes, c.evidence.Trace.Waits = nil, nil
	sum := 0
	for _, ms := range running {
		sum += ms
	}
	k := c.class("main.worker:3", len(running), len(running), time.Duration(sum)*time.Millisecond, 0)
	x := &c.evidence.Trace.Classes[k]
	for i, ms := range running {
		m := &x.Members[i]
		m.Running = time.Duration(ms) * time.Millisecond
		m.ChannelWait = second - m.Running
	}
	main := c.class("main.main", 1, 1, time.Millisecond, 0)
	c.wait(evidence.OpReceive, k, 100, time.Duration(len(running)*1000-sum)*time.Millisecond, main,
		"runtime.chanrecv2", "main.worker:4")
	d := &c.evidence.Trace.Demand
	d.Time, d.CPUTime = nil, nil
	both := max(0, sum-1000)
	c.demand(0, 1000-both, both)
	return c
}

// TestSkew: one busy worker among others that wait for work is a load imbalance.
func TestSkew(t *testing.T) {
	for _, c := range []struct {
		running []int
		want    bool
	}{
		{[]int{900, 80, 70, 60}, true},
		{[]int{900, 300}, true},
		{[]int{900, 600, 50}, false}, // two are busy
		{[]int{500, 80, 70, 60}, false},
		{[]int{900}, false},
	} {
		var found []Finding
		for _, f := range explainWith(nil, &workers(c.running...).evidence).Findings {
			if f.Name == LoadImbalance {
				found = append(found, f)
			}
		}
		if (len(found) == 1) != c.want {
			t.Errorf("%v: %v", c.running, workers(c.running...).names())
			continue
		}
		if c.want && (found[0].Gain == nil || found[0].Gain.Estimate < 0.15 || found[0].Gain.High > 0.5 ||
			!slices.Equal(found[0].Where, []string{"main.go:9"})) {
			t.Errorf("%v: %+v %+v", c.running, found[0], found[0].Gain)
		}
	}
	for name, change := range map[string]func(c *testCase, w *evidence.Wait){
		"stages that wait for each other": func(c *testCase, w *evidence.Wait) { w.Wakers[0].Class = w.Classes[0] },
		"stages that also get work": func(c *testCase, w *evidence.Wait) {
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 50, Class: w.Classes[0]})
		},
		"services that wait for timers": func(c *testCase, w *evidence.Wait) { w.Wakers[0].Class = -1 },
		"a few pieces of work":          func(c *testCase, w *evidence.Wait) { w.Wakers[0].Count = 9 },
		"services with lines of their own": func(c *testCase, w *evidence.Wait) {
			w.Waited /= 2
			c.wait(evidence.OpSelect, w.Classes[0], 100, w.Waited, w.Wakers[0].Class, "runtime.selectgo",
				"main.janitor:7")
		},
	} {
		x := workers(900, 80, 70)
		change(x, &x.evidence.Trace.Waits[0])
		if slices.Contains(x.names(), string(LoadImbalance)) {
			t.Error(name)
		}
	}
	late := workers(900, 80)
	late.evidence.Trace.Classes[0].Members[1].Born = 700 * time.Millisecond
	if slices.Contains(late.names(), string(LoadImbalance)) {
		t.Error("a worker that began late")
	}
}

// lanes returns a program that submits tasks at main.go:7 to a pool of another module, of which one goroutine passes
// them on to lanes. One lane has most of the work.
func lanes() *testCase {
	c := workers(900, 80, 70)
	c.evidence.Program.Module, c.evidence.Profiles = "shop", nil
	c.cpu(100, "main.task:5", lane+"work")
	k := &c.evidence.Trace.Classes[0]
	k.Start, k.Created = frames(lane + "work")[0], frames(lane+"dispatch")
	dispatch := c.class(lane+"dispatch", 3, 3, time.Millisecond, 0)
	c.evidence.Trace.Classes[dispatch].Created = frames(lane+"New", "main.main:2", "example.com/cli.Execute:1")
	w := &c.evidence.Trace.Waits[0]
	w.Stack, w.Wakers[0].Class = frames("runtime.chanrecv2", lane+"work"), dispatch
	w.Wakers[0].Stack = frames("runtime.chansend1", lane+"dispatch")
	c.submit(dispatch, 100, lane+"dispatch", "runtime.chansend1", lane+"Submit", "main.feed:7", "main.main:9")
	return c
}

// lane is the start of the names of the methods of a pool.
const lane = "example.com/lanes.(*Lane)."

// submit adds waits of a class at a function for tasks, and the stack of the main goroutine that submits them.
func (c *testCase) submit(class int, count int64, at string, stack ...string) {
	i := c.wait(evidence.OpReceive, class, count, second, 1, "runtime.chanrecv2", at)
	c.evidence.Trace.Waits[i].Wakers[0].Stack = frames(stack...)
}

// another adds goroutines of a pool that wait with its lanes, and were created elsewhere.
func (c *testCase) another(w *evidence.Wait, created []evidence.Frame) {
	k := c.class(lane+"work", 2, 2, time.Millisecond, 0)
	c.evidence.Trace.Classes[k].Created = created
	w.Classes = append(w.Classes, k)
}

// TestSkewInPool: lanes of a pool of another module may have uneven work, too, which is named where the program submits
// the tasks, or where it makes the pool. Lanes that serve connections have no such place.
func TestSkewInPool(t *testing.T) {
	create := func(c *testCase, line string) { // a call of the program starts the lanes
		c.evidence.Trace.Classes[0].Created = frames(lane+"Submit", line, "main.main:9")
	}
	for name, x := range map[string]struct {
		change func(c *testCase, w *evidence.Wait) // w is how the lanes wait
		want   string
	}{
		"tasks": {func(*testCase, *evidence.Wait) {}, "main.go:7"},
		"work of its own": {func(c *testCase, _ *evidence.Wait) {
			c.evidence.Profiles = nil
			c.cpu(100, lane+"compact", lane+"work")
		}, ""},
		"submitted by another library": {func(c *testCase, _ *evidence.Wait) {
			c.evidence.Trace.Waits[1].Wakers[0].Stack[2] = frames("example.com/feed.Poll:7")[0]
		}, ""},
		"submitted by a channel": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", "main.fill:6")
		}, "main.go:6"},
		"closed": {func(c *testCase, w *evidence.Wait) {
			create(c, "main.give:4")
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.closechan", lane+"Stop", "main.main:20")
		}, "main.go:4"},
		"started for each task": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, nil
		}, "main.go:7"},
		"started for each task by a group": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, nil
			c.evidence.Trace.Classes[0].Created = frames(lane+"dispatch",
				"golang.org/x/sync/errgroup.(*Group).Go.func1")
		}, "main.go:7"},
		"large tasks": {func(c *testCase, w *evidence.Wait) {
			c.evidence.Trace.Classes[0].Created = frames(lane+"New", "main.main:2")
			w.Wakers[0].Count, w.Wakers[0].Stack = 3, frames("runtime.chansend1", lane+"Submit", "main.give:4")
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 97, Class: 2})
			c.evidence.Trace.Waits = c.evidence.Trace.Waits[:1]
		}, "main.go:4"},
		"stopped one by one": {func(c *testCase, w *evidence.Wait) {
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 3, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Stop", "main.main:20")})
		}, "main.go:7"},
		"most tasks at several waits": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class = 1
			w.Wakers[0].Count, w.Wakers[0].Stack = 60, frames("runtime.chansend1", lane+"Submit", "main.some:4")
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 50, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Submit", "main.others:5")})
			c.submit(0, 60, lane+"work", "runtime.chansend1", lane+"Submit", "main.others:5")
		}, "main.go:5"},
		"beside another pool": {func(c *testCase, _ *evidence.Wait) {
			logs := c.class("example.com/lanes.(*Log).write", 2, 2, time.Millisecond, 0)
			c.submit(logs, 1e6, "example.com/lanes.(*Log).write", "runtime.chansend1", lane+"Write", "main.log:8")
		}, "main.go:7"},
		"beside a pool of the same kind": {func(c *testCase, w *evidence.Wait) {
			create(c, "main.give:4")
			other := c.class(lane+"work", 2, 2, time.Millisecond, 0)
			c.evidence.Trace.Classes[other].Created = frames(lane+"Submit", "main.other:8")
			w.Classes = append(w.Classes, other)
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit", "main.other:8")
		}, "main.go:4"},
		"beside a pool that the same function makes": {func(c *testCase, w *evidence.Wait) {
			create := func(k int, line string) {
				c.evidence.Trace.Classes[k].Created = frames(lane+"New", "main.newPool:4", line)
			}
			other := c.class(lane+"work", 2, 2, time.Millisecond, 0)
			create(0, "main.main:3")
			create(other, "main.main:6")
			w.Classes = append(w.Classes, other)
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit", "main.other:8")
		}, "main.go:4"},
		"of two classes": { // one that the pool begins with, and one that it adds
			func(c *testCase, w *evidence.Wait) {
				create(c, "main.give:4")
				more := c.class(lane+"work", 2, 2, time.Millisecond, 0)
				c.evidence.Trace.Classes[more].Created = frames(lane+"New", "main.main:2")
				w.Classes = append(w.Classes, more)
				w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit", "main.other:8")
			}, "main.go:8"},
		// The lanes wait more often in tasks, where other lines of the program wake them.
		"tasks that send results": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpSend, 0, 1000, 0, 1, "runtime.chansend1", lane+"Put", "main.task:5", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.chanrecv1", lane+"Get", "main.main:8")
		}, "main.go:7"},
		"results of a lane": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpSend, 0, 1000, 0, 1, "runtime.chansend1", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.chanrecv1", lane+"Get", "main.main:8")
		}, "main.go:7"},
		"results of a lane or an end": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpSelect, 0, 1000, 0, 1, "runtime.selectgo", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.chanrecv2", "main.collect:8")
		}, "main.go:7"},
		"results that the program selects": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpSelect, 0, 1000, 0, 1, "runtime.selectgo", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.selectgo", "main.collect:8")
		}, "main.go:7"},
		"lanes that lock": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpMutex, 0, 1000, 0, 1, "sync.(*Mutex).Lock", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("sync.(*Mutex).Unlock", lane+"Len", "main.main:8")
		}, "main.go:7"},
		"tasks that ask": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpReceive, 0, 1000, 0, 1, "runtime.chanrecv1", "main.task:5", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.chansend1", lane+"Answer", "main.main:8")
		}, "main.go:7"},
		"tasks that wait for promises": {func(c *testCase, _ *evidence.Wait) {
			i := c.wait(evidence.OpReceive, 0, 1000, 0, 1, "runtime.chanrecv1", lane+"Wait", "main.task:5", lane+"work")
			c.evidence.Trace.Waits[i].Wakers[0].Stack = frames("runtime.chansend1", lane+"Resolve", "main.main:8")
		}, "main.go:7"},
		"a server": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", lane+"New", "main.main:2")
		}, ""},
		"a server of many goroutines": {func(c *testCase, _ *evidence.Wait) {
			names := []string{lane + "dispatch", lane + "a", lane + "b", lane + "c", lane + "d", lane + "e"}
			for i, by := range names[1:] { // each starts the one before, in 30 places
				for range 30 {
					k := c.class(names[i], 1, 1, time.Millisecond, 0)
					c.evidence.Trace.Classes[k].Created = frames(by)
				}
			}
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", lane+"e")
		}, ""},
		"goroutines that start each other": {func(c *testCase, _ *evidence.Wait) {
			for i := range 100 {
				k := c.class(lane+"dispatch", 1, 1, time.Millisecond, 0)
				c.evidence.Trace.Classes[k].Created = frames(lane+"split"+strings.Repeat("x", i), lane+"dispatch")
			}
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "example.com/web.Serve")
		}, "main.go:7"},
		"tasks for its own connections": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "crypto/tls.(*listener).Accept",
				"main.feed:6", "main.main:9")
		}, ""},
		"tasks for its own limited connections": {func(c *testCase, _ *evidence.Wait) { // submitted below main
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept",
				"golang.org/x/net/netutil.(*limitListener).Accept", "main.main:6")
		}, ""},
		"a server of own connections": {func(c *testCase, _ *evidence.Wait) {
			create(c, "main.main:4")
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*conn).Read", "main.(*counting).Read:6", lane+"Submit",
				"main.main:4")
		}, ""},
		"connections of an own listener": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "main.(*counting).Accept:3",
				"main.(*limited).Accept:5", "main.feed:6", "main.main:9")
		}, ""},
		"after one connection": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 1, 0, -1, "net.(*TCPListener).Accept", "main.main:6")
		}, "main.go:7"},
		"lanes that read connections": {func(c *testCase, _ *evidence.Wait) {
			create(c, "main.onAccept:4")
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", lane+"read", lane+"work")
		}, ""},
		"beside a server": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "example.com/web.Serve", "main.feed:6")
		}, "main.go:7"},
		"in a handler of a server": {func(c *testCase, w *evidence.Wait) {
			c.evidence.Trace.Classes[0].Created = frames(lane+"Submit", "main.handle:4", "example.com/web.Serve.func1")
			web := c.class("example.com/web.Serve.func1", 1, 1, time.Millisecond, 0)
			w.Wakers[0].Class = web
			w.Wakers[0].Stack = frames("runtime.chansend1", lane+"Submit", "main.handle:4",
				"example.com/web.Serve.func1")
			c.evidence.Trace.Classes[web].Created = frames("example.com/web.Serve", "main.main:2")
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "example.com/web.Serve", "main.main:2")
		}, "main.go:4"},
		"stop signals to idle lanes": { // which the first tasks started
			func(c *testCase, w *evidence.Wait) {
				create(c, "main.give:4")
				w.Wakers[0].Count, w.Wakers[0].Class = 3, 1
				w.Wakers[0].Stack = frames("runtime.chansend1", lane+"Release", "main.main:8")
				w.Wakers = append(w.Wakers, evidence.Waker{Count: 97, Class: 2})
				c.evidence.Trace.Waits = c.evidence.Trace.Waits[:1]
			}, "main.go:4"},
		"in a benchmark, which runs twice": {func(c *testCase, w *evidence.Wait) {
			created := frames(lane+"New", "main.BenchmarkPool:2", "testing.(*B).runN", "testing.(*B).launch")
			c.evidence.Trace.Classes[0].Created = created
			c.another(w, append(created[:3:3], frames("testing.(*B).run1.func1")...))
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit",
				"main.BenchmarkPool:4", "testing.(*B).runN", "testing.(*B).launch")
		}, "main.go:4"},
		"a helper that two functions call": {func(c *testCase, w *evidence.Wait) {
			c.evidence.Trace.Classes[0].Created = frames(lane+"Submit", "main.submit:4", "main.main:3")
			c.another(w, frames(lane+"Submit", "main.submit:4", "main.main:6"))
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit", "main.bulk:8")
		}, "main.go:8"},
		"tasks that the caller runs, and that fetch": {func(c *testCase, _ *evidence.Wait) {
			create(c, "main.main:4")
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*conn).Read", "main.task:5", lane+"Submit", "main.main:4")
		}, "main.go:7"},
		"lanes that read own connections": {func(c *testCase, _ *evidence.Wait) {
			create(c, "main.onAccept:4")
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", "main.(*counting).Read:6", lane+"read",
				lane+"work")
		}, ""},
		"tasks whose method reads": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", "example.com/sql.(*Rows).Next",
				"main.(*job).Read:6", lane+"work")
		}, "main.go:7"},
		"lanes that read own generic connections": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", "main.counting[...].Read:6", lane+"read",
				lane+"work")
		}, ""},
		"lanes that read own connections around those of a library": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", "example.com/proxy.(*Conn).Read",
				"main.(*counting).Read:6", lane+"read", lane+"work")
		}, ""},
		"large tasks to lanes that a stopped goroutine starts": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count, w.Wakers[0].Class = 3, 1
			w.Wakers[0].Stack = frames("runtime.chansend1", lane+"Submit", "main.give:4")
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 90, Class: 1})
			k := &c.evidence.Trace.Waits[1].Wakers[0]
			k.Count, k.Stack = 1, frames("runtime.chansend1", lane+"Stop", "main.main:8")
		}, "main.go:4"},
		"lanes that wait for a lock of a connection": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpMutex, 0, 3, 0, -1, "net.(*conn).Read", lane+"close", lane+"work")
		}, "main.go:7"},
		"stop signals to lanes that a goroutine feeds": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 2
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 90, Class: 2}, evidence.Waker{Count: 3, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Stop", "main.main:8")})
			c.evidence.Trace.Waits[1].Wakers[0].Count = 2 // rarely, because tasks wait
		}, "main.go:7"},
		"stop signals to lanes that goroutines feed in turn": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 2
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 90, Class: 2}, evidence.Waker{Count: 3, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Stop", "main.main:8")})
			c.evidence.Trace.Waits[1].Wakers[0].Count = 2 // rarely, because tasks wait
			gate := c.class(lane+"gate", 1, 1, time.Millisecond, 0)
			c.evidence.Trace.Classes[gate].Created = frames(lane+"New", "main.main:2")
			c.evidence.Trace.Waits[1].Wakers = append(c.evidence.Trace.Waits[1].Wakers, evidence.Waker{Count: 1,
				Class: gate, Stack: frames("runtime.chansend1", lane+"gate")})
			c.submit(gate, 1, lane+"gate", "runtime.chansend1", lane+"Open", "main.open:3")
		}, "main.go:7"},
		"beside another pool with a goroutine that feeds": {func(c *testCase, _ *evidence.Wait) {
			more := c.class(lane+"dispatch", 1, 1, time.Millisecond, 0)
			c.evidence.Trace.Classes[more].Created = frames(lane+"New", "main.main:3", "example.com/cli.Execute:1")
			c.evidence.Trace.Waits[1].Classes = append(c.evidence.Trace.Waits[1].Classes, more)
			c.evidence.Trace.Waits[1].Wakers = append(c.evidence.Trace.Waits[1].Wakers, evidence.Waker{Count: 1000,
				Class: 1, Stack: frames("runtime.chansend1", lane+"Submit", "main.other:8")})
		}, ""},
		"questions to a goroutine that seldom wakes lanes": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 40
			ticker := c.class(lane+"tick", 1, 1, time.Millisecond, 0)
			c.evidence.Trace.Classes[ticker].Created = frames(lane+"New", "main.main:2")
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 960, Class: ticker,
				Stack: frames("runtime.chansend1", lane+"tick")},
				evidence.Waker{Count: 50, Class: 1, Stack: frames("runtime.chansend1", lane+"Submit", "main.give:4")})
			k := &c.evidence.Trace.Waits[1].Wakers[0]
			k.Count, k.Stack = 500, frames("runtime.chansend1", lane+"Stats", "main.watch:8", "main.main:9")
			c.evidence.Trace.Waits[1].Wakers = append(c.evidence.Trace.Waits[1].Wakers, evidence.Waker{Count: 500,
				Class: 1, Stack: frames("runtime.chansend1", lane+"Stats", "main.watch:8", "main.log:3")})
		}, "main.go:4"},
		"questions more often than tasks": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 90
			k := &c.evidence.Trace.Waits[1]
			k.Wakers = append([]evidence.Waker{{Count: 500, Class: 1, Stack: frames("runtime.chansend1", lane+"Stats",
				"main.watch:8")}}, k.Wakers...)
		}, "main.go:7"},
		"goroutines that give tasks to lanes and to each other": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 100
			k := &c.evidence.Trace.Waits[1]
			front := k.Classes[0]
			k.Wakers = []evidence.Waker{{Count: 80, Class: front}, {Count: 150, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Stats", "main.watch:8")}, {Count: 110, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Submit", "main.give:4")}}
		}, "main.go:4"},
		"a goroutine that gives tasks to lanes and to another one": {func(c *testCase, w *evidence.Wait) {
			front := c.class(lane+"front", 1, 1, time.Millisecond, 0)
			c.evidence.Trace.Classes[front].Created = frames(lane+"New", "main.main:2")
			w.Wakers[0].Count = 99
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 1, Class: front})
			c.evidence.Trace.Waits[1].Wakers = []evidence.Waker{{Count: 99, Class: front}, {Count: 50, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Stats", "main.watch:8")}}
			c.submit(front, 1000, lane+"front", "runtime.chansend1", lane+"Submit", "main.give:4")
		}, "main.go:4"},
		"large tasks of lanes that wake each other": {func(c *testCase, w *evidence.Wait) {
			c.evidence.Trace.Classes[0].Created = frames(lane+"New", "main.main:2")
			w.Wakers = []evidence.Waker{{Count: 97, Class: 1}, {Count: 9, Class: 0}, {Count: 1, Class: 2},
				{Count: 3, Class: 1, Stack: frames("runtime.chansend1", lane+"Submit", "main.give:4")}}
			c.evidence.Trace.Waits[1].Wakers[0].Stack = frames("runtime.chansend1", lane+"Stats", "main.watch:8")
		}, "main.go:4"},
		"tasks of a deep stack": {func(c *testCase, _ *evidence.Wait) { // it is cut
			c.wait(evidence.OpNetwork, 0, 3, 0, -1, "net.(*conn).Read", "example.com/sql.(*Rows).Next")
		}, "main.go:7"},
		"questions to the goroutine that starts the lanes": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.chansend1", lane+"Submit", "main.give:4")
			k := &c.evidence.Trace.Waits[1].Wakers[0]
			k.Count, k.Stack = 1000, frames("runtime.chansend1", lane+"Stats", "main.watch:8")
		}, "main.go:4"},
		"questions to a goroutine that asks the one that passes tasks on": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count = 40
			w.Wakers = append(w.Wakers, evidence.Waker{Count: 50, Class: 1,
				Stack: frames("runtime.chansend1", lane+"Submit", "main.give:4")})
			monitor := c.class(lane+"monitor", 1, 1, time.Millisecond, 0)
			c.evidence.Trace.Waits[1].Wakers[0] = evidence.Waker{Count: 1000, Class: monitor}
			c.submit(monitor, 1000, lane+"monitor", "runtime.chansend1", lane+"Stats", "main.watch:8")
		}, "main.go:4"},
		"a line that also serves": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Count, w.Wakers[0].Class = 1, 1
			w.Wakers[0].Stack = frames("runtime.chansend1", lane+"Submit", "main.give:4", "main.serve:6")
			c.submit(0, 99, lane+"work", "runtime.chansend1", lane+"Submit", "main.give:4", "main.batch:8",
				"main.main:9")
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "main.serve:6")
		}, "main.go:4"},
		"connections that a helper accepts": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", "main.accept:3", "main.feed:6",
				"main.main:9")
		}, ""},
		"after one connection, in its function": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 1, 0, -1, "net.(*TCPListener).Accept", "main.feed:6", "main.main:9")
		}, "main.go:7"},
		// Only where the lanes select may a select of the program take a result.
		"submitted by a select": {func(c *testCase, w *evidence.Wait) {
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.selectgo", "main.fill:6")
		}, "main.go:6"},
		"submitted by a select of the pool": {func(c *testCase, w *evidence.Wait) {
			w.Op = evidence.OpSelect
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, frames("runtime.selectgo", lane+"Submit", "main.give:4")
		}, "main.go:4"},
		"beside a lock of a listener": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpMutex, 1, 3, 0, -1, "net.(*TCPListener).Accept", "main.feed:6", "main.main:9")
		}, "main.go:7"},
		"beside goroutines of a group that read connections": {func(c *testCase, w *evidence.Wait) {
			const group = "golang.org/x/sync/errgroup.(*Group).Go.func1"
			w.Wakers[0].Class, w.Wakers[0].Stack = 1, nil
			c.evidence.Trace.Classes[0].Created = frames(lane+"dispatch", group)
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*conn).Read", "example.com/web.Get", group)
		}, "main.go:7"},
		"made once, beside another request": {func(c *testCase, _ *evidence.Wait) {
			c.evidence.Trace.Classes[0].Created = frames("sync.(*Once).Do", lane+"New", "main.handle:4")
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*conn).Read", "sync.(*Once).Do", "main.fetch:5")
		}, "main.go:7"},
		"a program that reads a connection": {func(c *testCase, _ *evidence.Wait) {
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*conn).Read", "main.main:2", "example.com/cli.Execute:1")
		}, "main.go:7"},
	} {
		c := lanes()
		x.change(c, &c.evidence.Trace.Waits[0])
		found := skewed(newAnalysis(&c.evidence))
		if len(found) != min(1, len(x.want)) || len(found) > 0 && !slices.Equal(found[0].Where, []string{x.want}) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
