package explain

import (
	"slices"
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

// TestSkewInPool: lanes of a pool of another module may have uneven work, too. Another goroutine of the pool may pass
// the tasks on, and they are named where the program submits them.
func TestSkewInPool(t *testing.T) {
	const pool = "example.com/lanes."
	for name, want := range map[string][]string{"tasks": {"main.go:7"}, "work of its own": nil,
		"submitted by another library": nil, "tasks that send results": {"main.go:7"},
		"tasks that lock": {"main.go:7"}, "tasks that ask": {"main.go:7"}, "a server": nil} {
		c := workers(900, 80, 70)
		c.evidence.Program.Module, c.evidence.Profiles = "shop", nil
		task, submitter := "main.task:5", "main.feed:7"
		switch name {
		case "work of its own":
			task = pool + "compact"
		case "submitted by another library":
			submitter = "example.com/feed.Poll:7"
		}
		c.cpu(100, task, pool+"(*Lane).work")
		k := &c.evidence.Trace.Classes[0]
		k.Start, k.Created = frames(pool + "(*Lane).work")[0], frames(pool+"(*Lane).dispatch")
		dispatch := c.class(pool+"(*Lane).dispatch", 3, 3, time.Millisecond, 0)
		c.evidence.Trace.Classes[dispatch].Created = frames(pool+"New", "main.main:2")
		w := &c.evidence.Trace.Waits[0]
		w.Stack, w.Wakers[0].Class = frames("runtime.chanrecv2", pool+"(*Lane).work"), dispatch
		w.Wakers[0].Stack = frames("runtime.chansend1", pool+"(*Lane).dispatch")
		given := c.wait(evidence.OpReceive, dispatch, 100, second, 1, "runtime.chanrecv2", pool+"(*Lane).dispatch")
		c.evidence.Trace.Waits[given].Wakers[0].Stack = frames("runtime.chansend1", pool+"(*Lane).Submit", submitter,
			"main.main:9")
		switch name { // which is woken at other lines of the program, more often
		case "tasks that send results":
			sent := c.wait(evidence.OpSend, 0, 1000, 0, 1, "runtime.chansend1", "main.task:5", pool+"(*Lane).work")
			c.evidence.Trace.Waits[sent].Wakers[0].Stack = frames("runtime.chanrecv1", "main.main:8")
		case "tasks that lock":
			locked := c.wait(evidence.OpMutex, 0, 1000, 0, 0, "sync.(*Mutex).Lock", "main.task:5", pool+"(*Lane).work")
			c.evidence.Trace.Waits[locked].Wakers[0].Stack = frames("sync.(*Mutex).Unlock", "main.task:6",
				pool+"(*Lane).work")
		case "tasks that ask":
			asked := c.wait(evidence.OpReceive, 0, 1000, 0, 1, "runtime.chanrecv1", "main.task:5", pool+"(*Lane).work")
			c.evidence.Trace.Waits[asked].Wakers[0].Stack = frames("runtime.chansend1", pool+"Answer", "main.main:8")
		case "a server":
			c.wait(evidence.OpNetwork, 1, 3, 0, -1, "net.(*TCPListener).Accept", pool+"New", "main.main:2")
		}
		found := skewed(newAnalysis(&c.evidence))
		if len(found) != min(1, len(want)) || len(found) > 0 && !slices.Equal(found[0].Where, want) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
