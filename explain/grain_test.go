package explain

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// TestSlowerByMedian: if one CPU has the lower median, the program is not said to have nothing to gain.
func TestSlowerByMedian(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, c := range []struct {
		low, median, high int // of one CPU; two CPUs take 650 to 720, in the median 688
		want              Confidence
	}{
		{560, 580, 600, High}, {580, 600, 700, Low}, {690, 700, 710, ""}, {640, 680, 700, ""},
	} {
		x := wideCase()
		two := &x.evidence.Runs[0]
		two.Count, two.Wall, two.WallLow, two.WallHigh, two.User = 5, ms(688), ms(650), ms(720), ms(620)
		x.evidence.Runs = append(x.evidence.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 5, Wall: ms(c.median),
			WallLow: ms(c.low), WallHigh: ms(c.high), User: ms(c.median)})
		found := explainWith(nil, &x.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == NotWorthParallel })
		switch {
		case i < 0 && c.want != "":
			t.Errorf("%+v: %v", c, x.names())
		case i >= 0 && c.want == Low && (found[i].Confidence != Low || !strings.Contains(found[i].Claim, "no faster")),
			i >= 0 && c.want == High && (found[i].Confidence == Low || !strings.Contains(found[i].Claim, "slower")),
			i >= 0 && c.want != "" && (found[i].Gain == nil) != (c.want == Low), // it may be chance
			i >= 0 && c.want == "":
			t.Errorf("%+v: %+v", c, found[i])
		}
	}
}

// TestSlowerInTurns: a program without several goroutines that work at a time may be slower on several CPUs, because
// its goroutines wake each other there. Then it has something to gain, if it is clearly slower.
func TestSlowerInTurns(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	for _, c := range []struct {
		low, median, high int // of one CPU; two CPUs take 900 to 1100, in the median 1000
		waits             int64
		idle              int    // ms
		server            string // which waits for the client
		want              Confidence
	}{
		{450, 500, 550, 0, 100, "main.serve", Medium},
		{800, 820, 840, 0, 100, "main.serve", Medium},
		{800, 820, 840, 0, 600, "main.serve", Medium},
		{850, 880, 910, 2000, 100, "main.serve", Low},
		{850, 880, 910, 900, 100, "main.serve", ""},
		{850, 880, 910, 2000, 600, "main.serve", ""},
		{850, 880, 910, 2000, 100, "main.brewputServe", ""}, // the hook
		{880, 950, 890, 2000, 100, "main.serve", ""},
	} {
		x := newCase()
		x.demand(c.idle, 800-c.idle, 200)
		server := 0
		for _, name := range []string{"main.main", "main.ask", c.server} {
			server = x.class(name, 1, 1, ms(300), ms(250))
		}
		x.wait(evidence.OpReceive, server, c.waits, ms(300), server-1, "runtime.chanrecv1", c.server)
		two := &x.evidence.Runs[0]
		two.Count, two.Wall, two.WallLow, two.WallHigh = 5, ms(1000), ms(900), ms(1100)
		x.evidence.Runs = append(x.evidence.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 5, Wall: ms(c.median),
			WallLow: ms(c.low), WallHigh: ms(c.high), User: ms(c.median)})
		found := notWorthParallel(newAnalysis(&x.evidence))
		if (len(found) > 0) != (c.want != "") {
			t.Errorf("%+v: %+v", c, found)
		}
		if c.want != "" && (found[0].Confidence != c.want || !strings.Contains(found[0].Fix, "GOMAXPROCS=1") ||
			(found[0].Gain != nil) != (c.want == Medium) ||
			c.want == Medium && math.Abs(found[0].Gain.Computed-1+float64(c.median)/1000) > 0.001) {
			t.Errorf("%+v: %+v", c, found[0])
		}
	}
}

// TestTooFineInPool: the code of a library of others counts as the cost of its tasks, and that of other libraries does
// not.
func TestTooFineInPool(t *testing.T) {
	gain := func(library, task string, callers ...string) float64 {
		c := wideCase()
		c.evidence.Program.Module = "example.com/prog"
		c.evidence.Profiles = nil
		c.cpu(20, task, "github.com/x/pool/v2.(*Pool).work")
		c.cpu(150, "context.removeChild", library+".(*Task).done", "github.com/x/pool/v2.(*Pool).work")
		c.cpu(30, "runtime.newproc1", "runtime.newproc", "github.com/x/pool/v2.(*Pool).Submit", "main.main:3")
		k := &c.evidence.Trace.Classes[2]
		k.Start = frames("github.com/x/pool/v2.(*Pool).work")[0]
		k.Created = frames(append([]string{"github.com/x/pool/v2.(*Pool).Submit"}, callers...)...)
		k.Count, k.Busy.P50 = 1000000, 400
		return c.named(t, GoroutineTooFine).Gain.Estimate
	}
	submits := []string{"main.main:3", "github.com/y/codec.Serve"}
	own := gain("github.com/x/pool/v2/internal", "main.tiny:5", submits...)
	for name, less := range map[string]float64{
		"the code of another library":  gain("github.com/y/codec", "main.tiny:5", submits...),
		"a library of a similar name":  gain("github.com/x/pool2", "main.tiny:5", submits...),
		"without tasks of the program": gain("github.com/x/pool/v2/internal", "github.com/x/pool/v2.send", submits...),
		"a server that calls handlers": gain("github.com/x/pool/v2/internal", "main.tiny:5"),
	} {
		if own < 0.8 || less > own-0.2 {
			t.Errorf("gains %.2f and, %s, %.2f", own, name, less)
		}
	}
}

// TestTooFineReplies: goroutines that wait for replies are not said to gain from chunks, which wait once for each
// element.
func TestTooFineReplies(t *testing.T) {
	type wait struct {
		op    evidence.Op
		count int64
		waker string // the start function of the goroutine that wakes them
		by    string // what it calls
		also  bool   // as many others wait there
	}
	many := func(op evidence.Op, waker, by string) []wait { return []wait{{op, 900000, waker, by, false}} }
	for name, x := range map[string]struct {
		waits   []wait
		replies bool
	}{
		"none":                    {nil, false},
		"a goroutine for many":    {many(evidence.OpReceive, "main.commit", "runtime.closechan"), true},
		"one that they wake":      {many(evidence.OpReceive, "main.actor", "runtime.chansend1"), true},
		"one that selects":        {many(evidence.OpReceive, "main.selector", "runtime.chansend1"), true},
		"one with a condition":    {many(evidence.OpReceive, "main.condition", "runtime.chansend1"), true},
		"one that is always busy": {many(evidence.OpReceive, "main.busy", "runtime.chansend1"), true},
		"work":                    {many(evidence.OpReceive, "main.feed", "runtime.chansend1"), false},
		"for a group":             {many(evidence.OpWaitGroup, "main.commit", "sync.(*WaitGroup).Done"), true},
		"in a select":             {many(evidence.OpSelect, "main.commit", "runtime.chansend1"), true},
		"to send, in a select":    {many(evidence.OpSelect, "main.commit", "runtime.chanrecv1"), false},
		"from a select":           {many(evidence.OpSelect, "main.commit", "runtime.selectgo"), true},
		"without waiting":         {many(evidence.OpSelect, "main.commit", "runtime.selectnbsend"), true},
		"one that may send":       {many(evidence.OpReceive, "main.logger", "runtime.chansend1"), true},
		"a collector of logs":     {many(evidence.OpSelect, "main.logger", "runtime.selectgo"), false},
		"to send, then":           {many(evidence.OpSelect, "main.commit", "runtime.selectnbrecv"), false},
		"a timer":                 {many(evidence.OpSleep, "", ""), true},
		"the network":             {many(evidence.OpNetwork, "", ""), true},
		"an unknown goroutine":    {many(evidence.OpReceive, "", "runtime.chansend1"), false},
		"the start signal":        {many(evidence.OpReceive, "main.main", "runtime.closechan"), false},
		"a start, in benchmarks":  {many(evidence.OpReceive, "testing.(*B).run1", "runtime.closechan"), false},
		"each other":              {many(evidence.OpReceive, "main.worker", "runtime.chansend1"), false},
		"each other, elsewhere":   {many(evidence.OpReceive, "main.worker elsewhere", "runtime.chansend1"), false},
		"one that each runs":      {many(evidence.OpReceive, "main.child", "runtime.chansend1"), false},
		"room in a channel":       {many(evidence.OpSend, "main.commit", "runtime.chanrecv1"), false},
		"a lock":                  {many(evidence.OpMutex, "main.commit", "sync.(*Mutex).Unlock"), false},
		"half, at two lines": {[]wait{{evidence.OpReceive, 250000, "main.commit", "runtime.chansend1", false},
			{evidence.OpCond, 250000, "main.commit", "sync.(*Cond).Signal", false}}, true},
		"fewer":          {[]wait{{evidence.OpReceive, 400000, "main.commit", "runtime.chansend1", false}}, false},
		"half of theirs": {[]wait{{evidence.OpReceive, 900000, "main.commit", "runtime.chansend1", true}}, false},
	} {
		c := wideCase()
		k := &c.evidence.Trace.Classes[2]
		k.Count, k.Peak, k.Runnable, k.Busy.P50 = 1000000, 5000, 2000*second, 400
		if strings.HasSuffix(name, "logs") {
			c.evidence.Program.Source = sourceOf("package main\n\n\n\nfunc worker() {\n\nselect {\ncase logs <- l:\n" +
				"case <-done:\n}\n}\n")
		}
		if strings.HasSuffix(name, "may send") {
			c.evidence.Program.Source = sourceOf("package main; func logger() { select { case out <- x: case <-in: } }")
		}
		if strings.HasSuffix(name, "benchmarks") {
			k.Created = frames("main.Benchmark:9", "testing.(*B).launch")
		}
		c.evidence.Profiles = nil
		c.cpu(50, "main.tiny:5", "main.worker:3")
		c.cpu(150, "runtime.newproc1", "runtime.newproc", "main.main:3", "runtime.main")
		index := map[string]int{"": -1, "main.main": 1, "main.worker": 2}
		for _, start := range []string{"main.commit", "main.child", "testing.(*B).run1", "main.worker elsewhere",
			"main.actor", "main.selector", "main.logger", "main.condition", "main.busy", "main.feed"} {
			count := map[string]int{"main.commit": 50000, "main.child": 950000}[start]
			index[start] = c.class(strings.TrimSuffix(start, " elsewhere"), max(1, count), 1, time.Millisecond, 0)
			if count > 0 || strings.HasSuffix(start, "elsewhere") {
				c.evidence.Trace.Classes[index[start]].Created = frames("sync.(*WaitGroup).Go.func1", "main.worker:6",
					"sync.(*WaitGroup).Go.func1")
			}
		}
		wake := func(w int, waker string, by ...string) {
			site := &c.evidence.Trace.Waits[w]
			site.Waits.Count, site.Wakers = site.Count, []evidence.Waker{{Stack: frames(by...), Count: site.Count,
				Class: index[waker]}}
		}
		for start, x := range map[string]struct {
			op evidence.Op
			by string
		}{"main.actor": {evidence.OpReceive, "runtime.chansend1"},
			"main.selector":  {evidence.OpSelect, "runtime.selectgo"},
			"main.logger":    {evidence.OpSelect, "runtime.selectgo"},
			"main.condition": {evidence.OpCond, "sync.(*Cond).Signal"}} {
			wake(c.wait(x.op, index[start], 10, time.Millisecond, 0, "runtime.gopark", start+":1"), "main.worker", x.by,
				"main.worker:2")
		}
		for op, by := range map[evidence.Op]string{evidence.OpWaitGroup: "sync.(*WaitGroup).Done",
			evidence.OpSend: "runtime.chanrecv1", evidence.OpSelect: "runtime.chanrecv1",
			evidence.OpMutex: "sync.(*Mutex).Unlock"} {
			at := c.wait(op, index["main.feed"], 10, time.Millisecond, 0, "runtime.gopark", "main.feed:1")
			wake(at, "main.worker", by, "main.worker:2")
			site := &c.evidence.Trace.Waits[at]
			site.Wakers = append(site.Wakers, evidence.Waker{Stack: frames("runtime.chansend1", "main.main:4"),
				Count: 10, Class: index["main.main"]}) // its jobs
		}
		for _, start := range []string{"main.main", "testing.(*B).run1"} { // which collect results
			wake(c.wait(evidence.OpReceive, index[start], 10, time.Millisecond, 0, "runtime.gopark", start+":1"),
				"main.worker", "runtime.chansend1", "main.worker:2")
		}
		wake(c.wait(evidence.OpSend, 2, 10, time.Millisecond, 0, "runtime.gopark", "main.worker:1"), "main.busy",
			"runtime.chanrecv1", "main.busy:2")
		for i, w := range x.waits {
			waited := time.Duration(w.count*int64(2-i)) * time.Microsecond
			at := c.wait(w.op, 2, w.count, waited, -1, "runtime.gopark", "main.worker:"+strconv.Itoa(7+i))
			stack := []string{w.by, strings.TrimSuffix(w.waker, " elsewhere") + ":8"}
			if w.by == "" {
				stack = nil
			}
			wake(at, w.waker, stack...)
			if w.also {
				c.evidence.Trace.Waits[at].Classes = []int{2, index["main.child"]}
			}
		}
		fine, spawn := c.named(t, GoroutineTooFine), c.named(t, UnboundedSpawn)
		named := slices.ContainsFunc(fine.Evidence, func(s string) bool {
			return strings.HasPrefix(s, "but they wait 2µs on average at main.go:7")
		})
		if (fine.Gain == nil) != x.replies || (fine.Confidence == Low) != x.replies || named != x.replies ||
			strings.Contains(fine.Fix, "one call") != x.replies ||
			strings.Contains(spawn.Fix, "may wait") != x.replies {
			t.Errorf("%s: %+v, %+v", name, fine, spawn)
		}
	}
}

// TestNoneIsWeak: if the median on one CPU is at least 5% lower, it is not said that there is nothing to gain.
func TestNoneIsWeak(t *testing.T) {
	for wall, weak := range map[time.Duration]bool{940 * time.Millisecond: true, 960 * time.Millisecond: false,
		second: false, 2 * second: false} {
		c := newCase()
		c.demand(300, 350, 350)
		c.class("main.main", 1, 1, 500*time.Millisecond, 100*time.Millisecond)
		two := &c.evidence.Runs[0]
		two.Count, two.Wall, two.WallLow, two.WallHigh = 5, second, second*9/10, second*11/10
		c.evidence.Runs = append(c.evidence.Runs, evidence.Run{CPUs: 1, MachineCPUs: 2, Count: 5, Wall: wall,
			WallLow: wall * 9 / 10, WallHigh: wall * 11 / 10, User: wall})
		f := c.named(t, None)
		if (f.Confidence == Low) != weak || strings.Contains(f.Fix, "GOMAXPROCS=1") != weak ||
			strings.Contains(f.Experiment, "slow down") == weak || strings.Contains(f.Experiment, "ten times") != weak {
			t.Errorf("%s: %+v", wall, f)
		}
		c.evidence.Runs[1].Count = 2
		if f = c.named(t, None); f.Confidence == Low {
			t.Errorf("two runs: %+v", f)
		}
		c.evidence.Runs[0].OtherCPUs = 1
		if f = c.named(t, None); !strings.Contains(f.Fix, "idle machine") {
			t.Errorf("loaded: %+v", f)
		}
	}
}

// TestTooFineTasks: tasks of a pool of another module are named at the line that submits them, if they are shorter than
// what the pool takes for each.
func TestTooFineTasks(t *testing.T) {
	const pool = "example.com/pool/v2."
	for name, want := range map[string]bool{"tasks": true, "long": false, "few": false, "no cost": false,
		"submitted by a library": false, "goroutines of its own": false, "one for each task": false,
		"one goroutine": false, "no task of the program": false, "tasks that sleep": false,
		"tasks that fetch pages": false, "goroutines that fetch pages for days": false,
		"tasks that wait for a connection of a pool": false,
		"a channel of the tasks":                     false, "a queue that the program sends to": true} {
		count, running, costs, submits, start := int64(1000000), time.Second, 60, "main.render:7", pool+"run"
		switch name {
		case "long":
			count = 50000
		case "few":
			count, running = 4000, 4*time.Millisecond
		case "no cost":
			costs = 5
		case "submitted by a library":
			submits = "example.com/feed.Poll:7"
		case "goroutines of its own":
			start = "main.work"
		}
		c := wideCase()
		c.evidence.Program.Module, c.evidence.Profiles = "shop", nil
		c.cpu(200-costs, "main.scale:5", start)
		c.cpu(costs/2, pool+"(*Pool).take", start)
		c.cpu(costs-costs/2, "runtime.chansend", pool+"(*Pool).Submit", submits, "main.main:3")
		k := &c.evidence.Trace.Classes[2]
		k.Start, k.Running, k.Count = frames(start)[0], running, 2
		k.Created = frames(pool+"(*Pool).Submit", submits, "main.main:3")
		switch name {
		case "one for each task":
			k.Count = count
		case "one goroutine":
			k.Peak = 1
		case "no task of the program":
			c.evidence.Profiles[0].Samples[0].Stack = frames(pool+"encode", start)
			c.cpu(9, "main.scale:5", pool+"callback", "main.other:3")
		}
		w := c.wait(evidence.OpReceive, 2, count, time.Second, 1, "runtime.chanrecv1", start)
		c.evidence.Trace.Waits[w].Wakers[0].Stack = frames("runtime.chansend1", pool+"(*Pool).Submit", submits,
			"main.main:3")
		switch name {
		case "tasks that sleep":
			c.evidence.Trace.Classes[2].Waiting["sleep"] = 2 * running
		case "tasks that fetch pages", "goroutines that fetch pages for days":
			waited := 2 * running
			if name != "tasks that fetch pages" {
				waited, c.evidence.Trace.Classes[2].Count = 60*time.Hour, 50000
			}
			loop := c.class("net/http.(*persistConn).readLoop", 2, 2, 10*time.Millisecond, 0)
			c.evidence.Trace.Classes[loop].Waiting["network"] = time.Second
			c.wait(evidence.OpSelect, 2, count, waited, loop, "runtime.selectgo",
				"net/http.(*persistConn).roundTrip", "main.scale:5", start)
		case "tasks that wait for a connection of a pool":
			c.wait(evidence.OpSelect, 2, count, 2*running, -1, "runtime.selectgo", "database/sql.(*DB).conn",
				"main.scale:5", start)
		case "a channel of the tasks":
			c.evidence.Trace.Waits[w].Stack = frames("runtime.chanrecv1", "main.scale:5", start)
		case "a queue that the program sends to":
			c.evidence.Trace.Waits[w].Wakers[0].Stack = frames("runtime.chansend1", submits, "main.main:3")
		}
		found := tooFineTasks(newAnalysis(&c.evidence))
		if (len(found) > 0) != want {
			t.Errorf("%s: %+v", name, found)
		}
		if want && (found[0].Where[0] != "main.go:7" || found[0].Gain.Computed < 0.25 ||
			!strings.Contains(found[0].Claim, "Tasks of a pool run for at most 1µs on average")) {
			t.Errorf("%s: %+v %+v", name, found[0], found[0].Gain)
		}
	}
}
