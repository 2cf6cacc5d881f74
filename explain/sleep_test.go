package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// sleeper is a program whose main goroutine runs for 50 ms and sleeps for 900 ms at main.go:5.
func sleeper() *testCase {
	c := newCase()
	c.demand(950, 50)
	m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
	c.wait(evidence.OpSleep, m, 100, 900*time.Millisecond, -1, "time.Sleep", "main.poll:5", "main.main:3")
	at := c.wait(evidence.OpReceive, m, 2, time.Microsecond, -1, "runtime.gcStart", "main.main:2") // the collector's
	c.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 2, Class: -1}}
	return c
}

// A sleep of the program's own code is nothing outside: the finding names the statement, what it costs and what to do.
func TestOwnSleep(t *testing.T) {
	f := sleeper().first()
	want := Finding{Claim: "Idle for 95% of the time: the main goroutine sleeps in the program's own code.",
		Where: []string{"main.go:5"}, Functions: []string{"poll"},
		Fix: "Block until the event (channel, sync.Cond, context), or sleep for less."}
	if f.Name != DependencyWait || f.Claim != want.Claim || !slices.Equal(f.Where, want.Where) ||
		!slices.Equal(f.Functions, want.Functions) || f.Fix != want.Fix || f.Gain != nil {
		t.Errorf("got %+v, want %+v", f, want)
	}
	cost := "100 sleeps, 9ms on average: at most 90% of the time can be saved; how much is unknown"
	if f.Evidence[0] != cost {
		t.Errorf("%q, want %q", f.Evidence[0], cost)
	}
}

// A ticker or a timer is a sleep too, in a receive or a select.
func TestOwnTicker(t *testing.T) {
	for op, function := range map[evidence.Op]string{evidence.OpReceive: "runtime.chanrecv1",
		evidence.OpSelect: "runtime.selectgo"} {
		c := sleeper()
		c.evidence.Trace.Waits = nil
		at := c.wait(op, 1, 100, 900*time.Millisecond, -1, function, "main.poll:5", "main.main:3")
		c.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 100, Class: -1}}
		if f := c.first(); !strings.Contains(f.Claim, "sleeps in the program's own code") {
			t.Errorf("%s: %s", op, f.Claim)
		}

		deadline := c.class("context.WithDeadlineCause.func2", 1, 1, time.Millisecond, 0)
		c.evidence.Trace.Waits[at].Wakers[0].Class = deadline
		if f := c.first(); !strings.Contains(f.Claim, "something external") {
			t.Errorf("%s until the deadline of a context: %s", op, f.Claim)
		}
	}
}

// A test suite sleeps in many tests, none of which matters alone. Tests that wait for a subtest live at the same time.
func TestSleepsOfTests(t *testing.T) {
	for _, root := range []string{"example.com/prog/queue", "example.com/prog_test"} {
		c := newCase()
		c.demand(950, 50)
		r := c.class("testing.tRunner", 20, 4, 50*time.Millisecond, 50*time.Millisecond)
		for i := range 9 {
			at := c.wait(evidence.OpSleep, r, 2, 100*time.Millisecond, -1, "time.Sleep", root+".TestA",
				"testing.tRunner")
			c.evidence.Trace.Waits[at].Stack[1] = evidence.Frame{Function: root + ".TestA",
				File: "/src/prog/a_test.go", Line: 10 + i/2}
		}
		f := c.first()
		cost := "18 sleeps, 50ms on average: at most 90% of the time can be saved; how much is unknown"
		if f.Name != DependencyWait || f.Evidence[0] != cost || !strings.Contains(f.Fix, "testing/synctest") {
			t.Errorf("%s: %+v", root, f)
		}
		// Two stacks at one statement are one place.
		if !slices.Equal(f.Where, []string{"a_test.go:10", "a_test.go:11", "a_test.go:12"}) ||
			!strings.HasPrefix(f.Evidence[2], "4 sleeps of 200ms in all at a_test.go:10") {
			t.Errorf("%s: %q %q", root, f.Where, f.Evidence)
		}
	}
}

// Tests that sleep one after another are one finding, whichever function starts them. The percentage of its claim
// is that of their sleeps.
func TestSleepsOfSeveralTests(t *testing.T) {
	c := newCase()
	c.demand(900, 100)
	for i, count := range []int{6, 4} {
		r := c.class("testing.tRunner", count, 2, 50*time.Millisecond, 50*time.Millisecond)
		at := c.wait(evidence.OpSleep, r, int64(count), time.Duration(70*count)*time.Millisecond, -1, "time.Sleep",
			"main.TestA", "testing.tRunner")
		c.evidence.Trace.Waits[at].Stack[1] = evidence.Frame{Function: "main.TestA", File: "/src/prog/a_test.go",
			Line: 10 + i}
	}
	f := c.first()
	if f.Claim != "Tests sleep for 70% of the time, also at a_test.go:11." || f.Share != 0.7 ||
		!strings.HasPrefix(f.Evidence[0], "10 sleeps, 70ms on average: at most 70% ") {
		t.Errorf("share %v, %q %q", f.Share, f.Claim, f.Evidence)
	}
	if !slices.Equal(f.Where, []string{"a_test.go:10", "a_test.go:11"}) || !strings.Contains(f.Fix, "t.Parallel") {
		t.Errorf("%q %s", f.Where, f.Fix)
	}

	c.evidence.Trace.Classes[1].Count, c.evidence.Trace.Waits[1].Classes = 1, []int{1} // a single test
	if f := c.first(); strings.Contains(f.Fix, "t.Parallel") {
		t.Error(f.Fix)
	}
}

// A wait for the network as well, or a sleep inside a library, is a wait for something external.
func TestSleepBesideDependency(t *testing.T) {
	c := newCase()
	c.demand(950, 50)
	m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
	c.wait(evidence.OpNetwork, m, 10, 900*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.ask:7", "main.main:3")
	p := c.class("main.progress", 1, 1, time.Millisecond, 0)
	c.wait(evidence.OpSleep, p, 50, 990*time.Millisecond, -1, "time.Sleep", "main.progress:8")
	if f := c.first(); !strings.Contains(f.Fix, "external side") || !slices.Equal(f.Where, []string{"main.go:7"}) {
		t.Errorf("replies, and a sleep that shows the progress: %q %q", f.Where, f.Fix)
	}

	library := sleeper()
	library.evidence.Trace.Waits = nil
	library.wait(evidence.OpSleep, 1, 100, 900*time.Millisecond, -1, "time.Sleep", "example.org/retry.Do",
		"main.ask:5", "main.main:3")
	if f := library.first(); !strings.Contains(f.Fix, "external side") {
		t.Errorf("a library sleeps: %q", f.Fix)
	}
}

// Of two sleeps, the one that others wait for matters, even if the other is longer.
func TestBackgroundSleep(t *testing.T) {
	c := sleeper()
	p := c.class("main.progress", 1, 1, time.Millisecond, 0)
	c.evidence.Trace.Classes[p].Alive = 1
	c.wait(evidence.OpSleep, p, 50, 990*time.Millisecond, -1, "time.Sleep", "main.progress:8")
	// It prints to a terminal, without a reply.
	c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, evidence.SyscallSite{Class: p, Count: 50,
		Stack: frames("internal/poll.(*FD).Write", "os.(*File).Write", "main.progress:7")})
	if f := c.first(); f.Name != DependencyWait || !slices.Equal(f.Where, []string{"main.go:5"}) {
		t.Errorf("main sleeps, and so does what shows the progress: %q", f.Where)
	}
	at := c.wait(evidence.OpMutex, 1, 3, 3*time.Millisecond, p, "sync.(*Mutex).Lock", "main.main:4")
	if f := c.first(); !slices.Equal(f.Where, []string{"main.go:5"}) {
		t.Errorf("what shows the progress unlocks a mutex: %q", f.Where)
	}
	c.evidence.Trace.Waits[at] = evidence.Wait{}
	c.wait(evidence.OpReceive, 1, 50, 900*time.Millisecond, p, "runtime.chanrecv1", "main.main:4")
	if f := c.first(); !slices.Equal(f.Where, []string{"main.go:8"}) {
		t.Errorf("main waits for a goroutine that sleeps longer: %q", f.Where)
	}

	worker := newCase() // whose results main receives
	worker.demand(950, 50)
	m := worker.class("main.main", 1, 1, 25*time.Millisecond, 25*time.Millisecond)
	w := worker.class("main.worker", 1, 1, 25*time.Millisecond, 25*time.Millisecond)
	worker.evidence.Trace.Classes[w].Alive = 1
	worker.wait(evidence.OpReceive, m, 90, 940*time.Millisecond, w, "runtime.chanrecv1", "main.main:4")
	worker.wait(evidence.OpSleep, w, 90, 900*time.Millisecond, -1, "time.Sleep", "main.worker:6")
	p = worker.class("main.progress", 1, 1, time.Millisecond, 0)
	worker.evidence.Trace.Classes[p].Alive = 1
	worker.wait(evidence.OpSleep, p, 50, 990*time.Millisecond, -1, "time.Sleep", "main.progress:8")
	if f := worker.first(); !slices.Equal(f.Where, []string{"main.go:6"}) {
		t.Errorf("a worker sleeps, and so does what shows the progress: %q", f.Where)
	}
}

// A sleep that ends the run may be meant to, as in a load test.
func TestSleepEndsRun(t *testing.T) {
	c := sleeper()
	c.evidence.Trace.Waits[0].Count = 1
	if f := c.first(); f.Alternative != meantToLast || !strings.HasPrefix(f.Evidence[0], "1 sleep, 900ms on average") {
		t.Errorf("%q %q", f.Alternative, f.Evidence[0])
	}

	k := c.class("main.client", 1, 1, 10*time.Millisecond, 0)
	c.wait(evidence.OpNetwork, k, 5, 400*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.client:7")
	if f := c.first(); !slices.Equal(f.Where, []string{"main.go:7"}) {
		t.Errorf("a load test: %q %q", f.Where, f.Claim)
	}
}

// The network waits of a class count together, however many statements wait.
func TestProgressBesideManyDependencies(t *testing.T) {
	for _, sites := range [][]string{{"main.a:2", "main.b:3"}, {"main.a:2", "main.b:3", "main.c:4", "main.d:5"}} {
		c := newCase()
		c.demand(950, 50)
		m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		for i, site := range sites {
			each := 900*time.Millisecond/time.Duration(len(sites)) - time.Duration(i)
			c.wait(evidence.OpNetwork, m, 15, each, -1, "internal/poll.(*FD).Read", "net.(*conn).Read", site,
				"main.main:9")
		}
		p := c.class("main.progress", 1, 1, time.Millisecond, 0)
		c.evidence.Trace.Classes[p].Alive = 1
		c.wait(evidence.OpSleep, p, 50, 990*time.Millisecond, -1, "time.Sleep", "main.progress:8")
		f := c.first()
		if !strings.Contains(f.Fix, "external side") || f.Where[0] != "main.go:2" { // the longest
			t.Errorf("%q: %q %q", sites, f.Where, f.Fix)
		}
	}
}

// An idle service with a periodic job has no run that a shorter sleep could shorten. A test of a server sleeps like
// other tests.
func TestSleepOfService(t *testing.T) {
	for _, start := range []string{"main.refresh", "testing.tRunner", "main.worker"} {
		c := newCase()
		c.demand(990, 10)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		c.evidence.Trace.Classes[m].Alive = 1
		serve := c.class("net/http.(*Server).Serve", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, serve, 2, 900*time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*TCPListener).Accept", "net/http.(*Server).Serve")
		client := c.class("net/http.(*persistConn).readLoop", 1, 1, time.Millisecond, 0) // an idle connection
		at := c.wait(evidence.OpNetwork, client, 1, 10*time.Millisecond, -1, "internal/poll.(*FD).Read",
			"net.(*conn).Read", "net/http.(*persistConn).Read")
		c.evidence.Trace.Waits[at].Pending = 980 * time.Millisecond
		p := c.class(start, 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpSleep, p, 2, 990*time.Millisecond, -1, "time.Sleep", "main.refresh:9")
		if start != "main.worker" { // the workers of a batch job end
			c.evidence.Trace.Classes[p].Alive = 1
		}
		f := c.first()
		if start != "main.refresh" {
			if f.Name != DependencyWait || !strings.Contains(f.Claim, "sleep") {
				t.Errorf("%s: %s: %s", start, f.Name, f.Claim)
			}
			continue
		}
		if f.Name != None || f.Confidence != Low || !strings.Contains(f.Fix, "more requests") {
			t.Errorf("%s: %s: %s %s", start, f.Name, f.Confidence, f.Fix)
		}

		// Nobody sends requests to a test or a benchmark.
		r := c.class("testing.tRunner", 1, 1, time.Millisecond, 0)
		for _, root := range []string{"testing.tRunner", "testing.(*B).launch", "testing.(*B).run1.func1"} {
			c.evidence.Trace.Classes[r].Start = evidence.Frame{Function: root}
			if f := c.first(); f.Name != None || strings.Contains(f.Fix, "requests") {
				t.Errorf("%s in %s: %s: %s", start, root, f.Name, f.Fix)
			}
		}
		c.evidence.Trace.Classes[r].Start = evidence.Frame{Function: "main.worker"}

		// The main goroutine may poll, or run the periodic job of a service.
		c.wait(evidence.OpSleep, m, 20, 900*time.Millisecond, -1, "time.Sleep", "main.poll:5", "main.main:3")
		f = c.first()
		if !slices.Equal(f.Where, []string{"main.go:5"}) || f.Confidence != Low ||
			!strings.HasPrefix(f.Alternative, "It is the periodic job") {
			t.Errorf("main polls: %s: %q %s %s", f.Name, f.Where, f.Confidence, f.Alternative)
		}
	}
}

// A worker whose results main waits for is no periodic job, even in a program that listens for a profiler. A sleep that
// may be a periodic job is named where explain asks for requests, because it may also be a consumer that polls. One
// signal, such as "ready", says little about the rest of the run.
func TestSleepOfWorkerBesideListener(t *testing.T) {
	for _, count := range []int64{45, 1, 0} {
		wakes := count > 1
		c := newCase()
		c.demand(990, 10)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		c.evidence.Trace.Classes[m].Alive = 1
		serve := c.class("net/http.ListenAndServe", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, serve, 1, time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*TCPListener).Accept",
			"net/http.(*Server).Serve")
		w := c.class("main.worker", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		c.evidence.Trace.Classes[w].Alive = 1
		c.wait(evidence.OpSleep, w, 45, 900*time.Millisecond, -1, "time.Sleep", "main.worker:6")
		if count > 0 {
			c.wait(evidence.OpReceive, m, count, time.Duration(count)*20*time.Millisecond, w, "runtime.chanrecv1",
				"main.main:4")
		}
		f := c.first()
		if wakes && (f.Name != DependencyWait || !slices.Equal(f.Where, []string{"main.go:6"}) ||
			f.Confidence != Low || !strings.HasPrefix(f.Alternative, "It is the periodic job of a service")) {
			t.Errorf("%d results: %+v", count, f)
		}
		const why = "the goroutine of main.worker sleeps for 90% of the time at main.go:6, in main.worker"
		if !wakes && (f.Name != None || !slices.Contains(f.Evidence, why) ||
			f.Fix != "Send it more requests, or sleep for less at main.go:6 if work waits.") {
			t.Errorf("%d signals: %+v", count, f)
		}
	}
}

// A job that signals now and then is still periodic, in a service that is also a client. Goroutines that each wait for
// it for much of the time make it more than that.
func TestPeriodicJobSignals(t *testing.T) {
	for name, x := range map[string]struct {
		peak, count int
		waited      time.Duration
		job         bool
	}{
		"ready":                   {1, 1, 20 * time.Millisecond, true},
		"ready for each of many":  {90, 90, 1800 * time.Millisecond, true},
		"results":                 {1, 45, 900 * time.Millisecond, false},
		"results for each of two": {2, 90, 1800 * time.Millisecond, false},
	} {
		c := newCase()
		c.demand(990, 10)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		serve := c.class("net/http.(*Server).Serve", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, serve, 2, 900*time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*TCPListener).Accept", "net/http.(*Server).Serve")
		c.wait(evidence.OpReceive, m, 1, time.Millisecond, -1, "net/http.(*persistConn).roundTrip", "main.main:4")
		p := c.class("main.refresh", 1, 1, time.Millisecond, 0)
		c.evidence.Trace.Classes[p].Alive = 1
		c.wait(evidence.OpSleep, p, 45, 990*time.Millisecond, -1, "time.Sleep", "main.refresh:9")
		h := c.class("main.handle", x.peak, x.peak, time.Millisecond, 0)
		c.wait(evidence.OpReceive, h, int64(x.count), x.waited, p, "runtime.chanrecv1", "main.handle:7")
		f := c.first()
		if x.job && (f.Name != None || f.Confidence != Low || !strings.Contains(f.Fix, "more requests")) ||
			!x.job && (f.Name != DependencyWait || !slices.Equal(f.Where, []string{"main.go:9"})) {
			t.Errorf("%s: %s: %s %q %s", name, f.Name, f.Confidence, f.Where, f.Fix)
		}
	}
}

// Goroutines that sleep at the same time cannot save more than the time without any that computes.
func TestSleepsAtOnce(t *testing.T) {
	c := newCase()
	c.demand(950, 50)
	w := c.class("main.worker", 2, 2, 50*time.Millisecond, 50*time.Millisecond)
	c.wait(evidence.OpSleep, w, 100, 1800*time.Millisecond, -1, "time.Sleep", "main.worker:5")
	if f := c.first(); !strings.HasSuffix(f.Evidence[0], "at most 95% of the time can be saved; how much is unknown") {
		t.Errorf("%q", f.Evidence)
	}
}

// A select that mostly wakes up for a ticker may also wait for messages.
func TestSelectBesideMessages(t *testing.T) {
	c := sleeper()
	c.evidence.Trace.Waits = nil
	reader := c.class("example.org/bus.(*Conn).read", 1, 1, time.Millisecond, 0)
	at := c.wait(evidence.OpSelect, 1, 101, 990*time.Millisecond, -1, "runtime.selectgo", "main.consume:6",
		"main.main:3")
	c.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 99, Class: -1}, {Count: 2, Class: reader}}
	if f := c.first(); f.Confidence != Low || !strings.HasPrefix(f.Alternative, "The select also waits for work") {
		t.Errorf("%s %q", f.Confidence, f.Alternative)
	}
	c.evidence.Trace.Waits[at].Wakers[1].Count = 1 // as the end of the work
	if f := c.first(); f.Confidence != Low {
		t.Errorf("one message: %s %q", f.Confidence, f.Alternative)
	}
	c.evidence.Trace.Waits[at].Wakers[1].Stack = frames("runtime.closechan", "context.(*cancelCtx).cancel")
	if f := c.first(); f.Confidence == Low || !strings.Contains(f.Alternative, "never came") {
		t.Errorf("canceled: %s %q", f.Confidence, f.Alternative)
	}
	c.evidence.Trace.Waits[at].Wakers[1] = evidence.Waker{Count: 1, Class: -1} // only tickers
	if f := c.first(); f.Confidence == Low || !strings.Contains(f.Alternative, "never came") {
		t.Errorf("without messages: %s %q", f.Confidence, f.Alternative)
	}
	if f := sleeper().first(); f.Confidence == Low || strings.Contains(f.Alternative, "select") {
		t.Errorf("a sleep: %s %q", f.Confidence, f.Alternative)
	}
}

// A client that mainly sleeps between its requests does not wait for replies.
func TestSleepBetweenRequests(t *testing.T) {
	for _, replies := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond} {
		c := client(800*time.Millisecond - replies)
		asks := len(c.evidence.Trace.Classes) - 1
		k := &c.evidence.Trace.Classes[asks]
		k.Waiting["sleep"], k.Waiting["chan receive"] = 900*time.Millisecond-replies, 0
		for i := range k.Members {
			k.Members[i].ChannelWait = 0
		}
		c.wait(evidence.OpSleep, asks, 50, k.Waiting["sleep"], -1, "time.Sleep", "main.client:9")
		if f := c.first(); f.Name != DependencyWait || !strings.Contains(f.Claim, "sleeps in the program's own code") {
			t.Errorf("%v for replies: %s: %s", replies, f.Name, f.Claim)
		}
	}
}

// A loop that polls until a deadline polls; few of its waits end by the deadline.
func TestPollUntilDeadline(t *testing.T) {
	c := sleeper()
	c.evidence.Trace.Waits = nil
	deadline := c.class("context.WithDeadlineCause.func2", 1, 1, time.Millisecond, 0)
	at := c.wait(evidence.OpSelect, 1, 100, 900*time.Millisecond, -1, "runtime.selectgo", "main.poll:5", "main.main:3")
	c.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Count: 97, Class: -1}, {Count: 3, Class: deadline}}
	if f := c.first(); !strings.Contains(f.Claim, "sleeps in the program's own code") || f.Confidence == Low {
		t.Errorf("%s: %s", f.Confidence, f.Claim)
	}
}

// Short sleeps count as well, if there are many of them.
func TestManyShortSleeps(t *testing.T) {
	c := newCase()
	c.demand(950, 50)
	r := c.class("testing.tRunner", 90, 1, 50*time.Millisecond, 50*time.Millisecond)
	c.wait(evidence.OpSleep, r, 1, 400*time.Millisecond, -1, "time.Sleep", "main.TestLong:1", "testing.tRunner")
	for i := range 100 {
		at := c.wait(evidence.OpSleep, r, 1, 3900*time.Microsecond, -1, "time.Sleep", "main.TestA", "testing.tRunner")
		c.evidence.Trace.Waits[at].Stack[1].Line = 10 + i
	}
	if f := c.first(); !strings.HasPrefix(f.Evidence[0], "101 sleeps, ") || !strings.Contains(f.Evidence[0], "79%") {
		t.Errorf("%q", f.Evidence)
	}
}

// A module whose path ends in _test has a root package of that name.
func TestOwnModuleEndsInTest(t *testing.T) {
	p := newProgram(&evidence.Program{Module: "example.com/my_test"})
	for function, want := range map[string]bool{"example.com/my_test.F": true, "example.com/my_test_test.F": true,
		"example.com/my.F": false, "example.com/my_test/x.F": true} {
		if p.isOwn(evidence.Frame{Function: function}) != want {
			t.Errorf("%s: own %v", function, !want)
		}
	}
}

// In a program that listens, only a sleep that the main goroutine waits for is a finding, and not if requests to others
// take more of the time. Other sleeps are named where explain asks for requests.
func TestSleepBesideListener(t *testing.T) {
	const database, mainPolls = "database", "main polls"
	for name, want := range map[string]struct{ where, why string }{
		"worker behind another": {"main.go:6", ""},
		database:                {"", ""},
		"both":                  {"", ""},
		"library":               {"", ""},
		"device":                {"", ""},
		"main's requests":       {"", ""},
		"heartbeats of others":  {"main.go:6", ""},
		mainPolls:               {"", "the main goroutine sleeps for 90% of the time at main.go:3, in main.main"},
		"periodic job": {"",
			"the goroutine of main.ticker sleeps for 95% of the time at main.go:8, in main.ticker"},
	} {
		c := newCase()
		c.demand(990, 10)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		serve := c.class("net/http.ListenAndServe", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, serve, 1, time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*TCPListener).Accept",
			"net/http.(*Server).Serve")
		if name == mainPolls {
			c.wait(evidence.OpSleep, m, 90, 900*time.Millisecond, -1, "time.Sleep", "main.main:3")
		} else {
			ticker := c.class("main.ticker", 1, 1, time.Millisecond, 0)
			c.wait(evidence.OpSleep, ticker, 9, 950*time.Millisecond, -1, "time.Sleep", "main.ticker:8")
			c.evidence.Trace.Classes[ticker].Alive = 1
		}
		if name == "heartbeats of others" || name == "both" {
			g := c.class("main.gossip", 1, 1, time.Millisecond, 0)
			c.wait(evidence.OpNetwork, g, 9, 990*time.Millisecond, -1, "internal/poll.(*FD).ReadFrom",
				"net.(*UDPConn).Read", "main.gossip:12")
		}
		if name != mainPolls && name != "periodic job" {
			w := c.class("main.worker", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
			c.wait(evidence.OpSleep, w, 45, 400*time.Millisecond, -1, "time.Sleep", "main.worker:6")
			c.wait(evidence.OpReceive, m, 45, 900*time.Millisecond, w, "runtime.chanrecv1", "main.main:4")
			if name == "device" {
				c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: w, Count: 9, Spent: 550 * time.Millisecond,
					Each: evidence.Latencies{Count: 9, P50: 60 * time.Millisecond}, Stack: frames("syscall.Syscall",
						"syscall.read", "os.(*File).Read", "main.worker:5")}}
			}
			if name == "main's requests" {
				at := c.wait(evidence.OpNetwork, m, 9, 100*time.Millisecond, -1, "internal/poll.(*FD).Read",
					"example.com/db.query:9", "main.main:7")
				c.evidence.Trace.Waits[at].Pending = 300 * time.Millisecond
			}
			if name == "library" { // its goroutine reads the replies
				reader := c.class("example.com/db.read", 1, 1, time.Millisecond, 0)
				c.wait(evidence.OpNetwork, reader, 45, 900*time.Millisecond, -1, "internal/poll.(*FD).Read",
					"net.(*conn).Read", "example.com/db.read:5")
				c.wait(evidence.OpReceive, w, 45, 550*time.Millisecond, reader, "runtime.chanrecv1",
					"example.com/db.query:9", "main.worker:5")
			}
			if name == database || name == "both" {
				c.wait(evidence.OpNetwork, w, 45, 550*time.Millisecond, -1, "internal/poll.(*FD).Read",
					"net.(*conn).Read", "main.worker:5")
			}
		}
		for i := range c.evidence.Trace.Classes {
			c.evidence.Trace.Classes[i].Alive = 1
		}
		f := c.first()
		if (f.Name == DependencyWait) != (want.where != "") ||
			want.where != "" && !slices.Contains(f.Where, want.where) ||
			want.why != "" && !slices.Contains(f.Evidence, want.why) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// listener is a program that listens while its main goroutine, class 1, waits for a worker, class 2, that sleeps for
// 400 ms.
func listener() *testCase {
	c := newCase()
	c.demand(990, 10)
	m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
	w := c.class("main.worker", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
	c.wait(evidence.OpReceive, m, 45, 550*time.Millisecond, w, "runtime.chanrecv1", "main.main:4")
	c.wait(evidence.OpSleep, w, 45, 400*time.Millisecond, -1, "time.Sleep", "main.worker:6")
	serve := c.class("net/http.ListenAndServe", 1, 1, time.Millisecond, 0)
	c.wait(evidence.OpNetwork, serve, 1, time.Millisecond, -1, "internal/poll.(*FD).Accept",
		"net.(*TCPListener).Accept",
		"net/http.(*Server).Serve")
	return c
}

// Of the other waits beside a listener, those count that the main goroutine or its worker has, or waits for. They must
// take more than half as long as the worker sleeps.
func TestWaitsBesideListener(t *testing.T) {
	const main, worker = 1, 2
	network := func(c *testCase, class int, ms time.Duration) {
		c.wait(evidence.OpNetwork, class, 9, ms*time.Millisecond, -1, "internal/poll.(*FD).Read", "main.read:7")
	}
	reader := func(woken, peak int, ms time.Duration) func(*testCase) {
		return func(c *testCase) {
			k := c.class("main.reader", peak, peak, time.Millisecond, 0)
			network(c, k, ms)
			c.wait(evidence.OpReceive, woken, 45, 400*time.Millisecond, k, "runtime.chanrecv1", "main.next:9")
		}
	}
	calls := func(class int, each time.Duration) func(*testCase) {
		return func(c *testCase) {
			c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: class, Count: 9,
				Spent: 550 * time.Millisecond, Each: evidence.Latencies{Count: 9, P50: each},
				Stack: frames("syscall.read", "main.read:7")}}
		}
	}
	handler := func(c *testCase) { // its file is not what the program waits for, but what its clients ask for
		accepts := c.class("main.serve", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, accepts, 1, time.Millisecond, -1, "internal/poll.(*FD).Accept",
			"net.(*TCPListener).Accept", "main.serve:20")
		k := c.class("main.handle", 1, 1, time.Millisecond, 0)
		c.evidence.Trace.Classes[k].Created = frames("main.serve:22")
		c.wait(evidence.OpReceive, worker, 45, 400*time.Millisecond, k, "runtime.chanrecv1", "main.next:9")
		calls(k, blockLong)(c)
	}
	for name, x := range map[string]struct {
		change func(c *testCase)
		sleeps bool // whether the sleep is the finding
	}{
		"of a handler of connections": {handler, true},
		"of a hook of the measurement": {func(c *testCase) {
			k := c.class("main.brewputTrace", 1, 1, time.Millisecond, 0)
			c.wait(evidence.OpReceive, worker, 45, 400*time.Millisecond, k, "runtime.chanrecv1", "main.next:9")
			calls(k, blockLong)(c)
		}, true},
		"none":                               {func(*testCase) {}, true},
		"half as long":                       {func(c *testCase) { network(c, worker, 200) }, true},
		"a little longer":                    {func(c *testCase) { network(c, worker, 201) }, false},
		"of main":                            {func(c *testCase) { network(c, main, 201) }, false},
		"of one that main waits for":         {reader(main, 1, 201), false},
		"of one that the worker waits for":   {reader(worker, 1, 201), false},
		"of one that nobody waits for":       {reader(0, 1, 990), true},
		"of four at a time":                  {reader(main, 4, 800), true},
		"of four at a time, a little longer": {reader(main, 4, 804), false},
		"for a device":                       {calls(worker, blockLong), false},
		"in short calls":                     {calls(worker, blockLong-1), true},
		"for the device of others":           {calls(0, time.Millisecond), true},
	} {
		c := listener()
		x.change(c)
		f := c.first()
		if (f.Name == DependencyWait) != x.sleeps || x.sleeps && !slices.Equal(f.Where, []string{"main.go:6"}) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// Beside a listener, the main goroutine must wait for the worker that sleeps, for much of the time.
func TestAwaitedBesideListener(t *testing.T) {
	for name, x := range map[string]struct {
		change func(c *testCase, w *evidence.Wait)
		sleeps bool // whether the sleep is the finding
	}{
		"just long enough": {func(_ *testCase, w *evidence.Wait) { w.Waited = 300 * time.Millisecond }, true},
		"a little shorter": {func(_ *testCase, w *evidence.Wait) { w.Waited = 299 * time.Millisecond }, false},
		"until the trace ends": {func(_ *testCase, w *evidence.Wait) {
			w.Waited, w.Pending = 200*time.Millisecond, 700*time.Millisecond
		}, false},
		"others end most waits": {func(_ *testCase, w *evidence.Wait) {
			w.Wakers = []evidence.Waker{{Count: 30, Class: -1}, {Count: 15, Class: w.Wakers[0].Class}}
		}, false},
		"another goroutine waits": {func(c *testCase, w *evidence.Wait) {
			w.Classes = []int{c.class("main.other", 1, 1, time.Millisecond, 0)}
		}, false},
	} {
		c := listener()
		x.change(c, &c.evidence.Trace.Waits[0])
		if f := c.first(); (f.Name == DependencyWait) != x.sleeps {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// Limits of the findings about sleeps: how much of the time is idle, unused and asleep.
func TestSleepLimits(t *testing.T) {
	for name, x := range map[string]struct {
		idle, used, slept, pending time.Duration // in ms
		found                      bool
	}{
		"all at the limit": {500, 1000, 300, 0, true},
		"not idle":         {499, 1000, 300, 0, false},
		"CPUs used":        {500, 1001, 300, 0, false},
		"a shorter sleep":  {500, 1000, 299, 0, false},
		"one that goes on": {500, 1000, 100, 200, true},
		"both too short":   {950, 50, 100, 199, false},
	} {
		c := sleeper()
		c.evidence.Trace.Demand.Time[0] = x.idle * time.Millisecond
		c.evidence.Trace.Demand.Time[1] = second - x.idle*time.Millisecond
		c.evidence.Runs[0].User = x.used * time.Millisecond
		w := &c.evidence.Trace.Waits[0]
		w.Waited, w.Pending = x.slept*time.Millisecond, x.pending*time.Millisecond
		if slices.Contains(c.names(), string(DependencyWait)) != x.found {
			t.Errorf("%s: %v", name, c.names())
		}
	}
}

// A sleep beside a listener may be a periodic job if the goroutine lives at the end, but not in tests.
func TestAlternativeBesideListener(t *testing.T) {
	for name, x := range map[string]struct {
		change   func(c *testCase)
		periodic bool
	}{
		"it lives at the end": {func(c *testCase) { c.evidence.Trace.Classes[2].Alive = 1 }, true},
		"it ended":            {func(*testCase) {}, false},
		"in a test": {func(c *testCase) {
			c.evidence.Trace.Classes[2].Alive = 1
			c.class("testing.tRunner", 1, 1, time.Millisecond, 0)
		}, false},
		"main sleeps, in a client": {func(c *testCase) {
			c.evidence.Trace.Waits[0] = evidence.Wait{}
			c.evidence.Trace.Waits[1].Classes = []int{1}
			c.wait(evidence.OpReceive, 1, 1, time.Millisecond, -1, "net/http.(*persistConn).roundTrip",
				"main.main:4")
		}, true},
	} {
		c := listener()
		x.change(c)
		f := c.named(t, DependencyWait)
		if strings.HasPrefix(f.Alternative, "It is the periodic job") != x.periodic ||
			(f.Confidence == Low) != x.periodic {
			t.Errorf("%s: %s: %s", name, f.Confidence, f.Alternative)
		}
	}
}

// Where explain asks for requests, it names how long each goroutine sleeps, unless the run is meant to last.
func TestSleepNamedBesideListener(t *testing.T) {
	for name, x := range map[string]struct {
		slept time.Duration // of two goroutines
		once  bool          // main sleeps once
		want  string
	}{
		"two":        {1800, false, "the 2 goroutines of main.worker sleep for 90% of the time at main.go:6"},
		"rounded":    {2010, false, "the 2 goroutines of main.worker sleep for 100% of the time at main.go:6"},
		"load tests": {1800, true, ""},
	} {
		c := listener()
		c.evidence.Trace.Waits[0] = evidence.Wait{}
		k := &c.evidence.Trace.Classes[2]
		k.Count, k.Peak, k.Alive = 2, 2, 2
		c.evidence.Trace.Waits[1].Waited = x.slept * time.Millisecond
		if x.once {
			c.wait(evidence.OpSleep, 1, 1, 900*time.Millisecond, -1, "time.Sleep", "main.main:3")
		}
		f := c.first()
		i := slices.IndexFunc(f.Evidence, func(s string) bool { return strings.Contains(s, "sleep") })
		if x.want == "" && i >= 0 || x.want != "" && (i < 0 || !strings.HasPrefix(f.Evidence[i], x.want)) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A client that waits for each reply makes some requests, about as many as it has waits.
func TestStopAndWaitLimits(t *testing.T) {
	for name, x := range map[string]struct {
		requests, waits int64 // waits of each
		peak            int
		found           bool
	}{
		"enough waits": {20, 20, 1, true}, "few waits": {20, 19, 1, false},
		"enough requests": {10, 20, 1, true}, "few requests": {9, 20, 1, false},
		"three times the waits": {60, 20, 1, true}, "more requests": {61, 20, 1, false},
		"three times the requests": {20, 60, 1, true}, "more waits": {20, 61, 1, false},
		"two clients": {20, 20, 2, true}, "two with few requests": {18, 20, 2, false},
	} {
		c := client(0)
		c.evidence.Trace.Classes[2].Peak = x.peak
		c.evidence.Trace.Syscalls[0].Count = x.requests
		a := newAnalysis(&c.evidence)
		if _, found := a.stopAndWait(&a.trace.Classes[2], x.waits, 0); found != x.found {
			t.Errorf("%s: %v", name, found)
		}
	}
}

// A goroutine that answers requests which another one sends at the pace of a timer is no client.
func TestAnswersToPacedClient(t *testing.T) {
	for ticks, found := range map[time.Duration]bool{0: true, 500 * time.Millisecond: false} {
		c := client(0)
		s := c.class("main.shipper", 1, 1, 100*time.Millisecond, 0)
		c.evidence.Trace.Classes[s].Waiting = map[string]time.Duration{"network": 90 * time.Millisecond,
			"chan receive": ticks}
		c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, evidence.SyscallSite{Class: s,
			Count: c.evidence.Trace.Syscalls[0].Count,
			Stack: frames("syscall.write", "net.(*conn).Write", "main.ship:4")})
		a := newAnalysis(&c.evidence)
		if _, got := a.stopAndWait(&a.trace.Classes[2], c.evidence.Trace.Syscalls[0].Count, 0); got != found {
			t.Errorf("waits %v for ticks: %v", ticks, got)
		}
	}
}

// TestRequestTurns: a client and a server in one program that wait for each other in turns gain by a second request.
func TestRequestTurns(t *testing.T) {
	for name, x := range map[string]struct {
		alone   int // ms in which one goroutine wants a CPU, and no second one
		waits   int64
		running time.Duration // of the server, in ms
		peak    int           // of the server
		found   bool
	}{
		"in turns":                 {900, 5000, 500, 1, true},
		"at the same time":         {700, 5000, 500, 1, false},
		"few requests":             {900, 900, 500, 1, false},
		"a busy server":            {900, 5000, 950, 1, false},
		"many servers":             {900, 5000, 500, 4, false},
		"requests in bulks":        {900, 500000, 500, 1, false},
		"a stream without replies": {900, 5000, 500, 1, false},
		"a stream to the client":   {900, 5000, 500, 1, false},
		"beside other work":        {900, 5000, 500, 1, false},
		"paced by a timer":         {900, 5000, 500, 1, false},
		"lines to a log":           {900, 5000, 500, 1, false},
	} {
		c := newCase()
		c.demand(50, x.alone, 950-x.alone)
		m := c.class("main.main", 1, 1, 300*time.Millisecond, 0)
		s := c.class("main.serve", x.peak, x.peak, x.running*time.Millisecond, 0)
		c.wait(evidence.OpNetwork, s, 1, 0, -1, "net.(*netFD).accept", "net.(*TCPListener).Accept", "main.serve:2")
		c.wait(evidence.OpNetwork, s, 5000, 400*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
			"main.serve:3")
		c.wait(evidence.OpNetwork, m, x.waits, 600*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
			"main.ask:5", "main.main:6")
		c.evidence.Trace.Syscalls = []evidence.SyscallSite{{Class: m, Count: 5000, Stack: frames("syscall.write",
			"internal/poll.(*FD).Write", "net.(*conn).Write", "main.ask:4", "main.main:6")}}
		if name != "a stream without replies" {
			c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls, evidence.SyscallSite{Class: s, Count: 5000,
				Stack: frames("syscall.write", "internal/poll.(*FD).Write", "net.(*conn).Write", "main.serve:5")})
		}
		calls := c.evidence.Trace.Syscalls
		client, server := &c.evidence.Trace.Classes[m], &c.evidence.Trace.Classes[s]
		client.Alone, server.Alone = client.Running, max(0, time.Duration(x.alone)*time.Millisecond-client.Running)
		switch name {
		case "a stream to the client":
			c.evidence.Trace.Syscalls = calls[1:]
		case "beside other work":
			client.Alone, server.Alone = 0, 50*time.Millisecond
		case "paced by a timer":
			client.Waiting["network"], client.Waiting["sleep"] = 100*time.Millisecond, 500*time.Millisecond
		case "lines to a log":
			calls[1].Stack = frames("syscall.write", "internal/poll.(*FD).Write", "os.(*File).Write", "main.serve:5")
		}
		found := explainWith(nil, &c.evidence).Findings
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == StopAndWait })
		if (i >= 0) != x.found {
			t.Errorf("%s: %v", name, c.names())
		}
		if i >= 0 && (!slices.Equal(found[i].Where, []string{"main.go:4"}) || found[i].Gain == nil ||
			found[i].Gain.Estimate < 0.3 || found[i].Gain.Estimate > 0.45) {
			t.Errorf("%s: %+v %+v", name, found[i], found[i].Gain)
		}
	}
}

// A job that listens for a profiler, and to which nothing connects, is no server: it waits for its own requests. A
// goroutine that nothing waits for is not what it waits for. A server is interrupted while main waits.
func TestJobThatListens(t *testing.T) {
	for name, want := range map[string]string{"job": "main.go:5", "interrupted": "", "server": ""} {
		c := newCase()
		c.demand(990, 10)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		w := c.class("main.worker", 1, 1, 5*time.Millisecond, 5*time.Millisecond)
		accept := c.wait(evidence.OpNetwork, c.class("net/http.ListenAndServe", 1, 1, time.Millisecond, 0), 1, 0, -1,
			"internal/poll.(*FD).Accept", "net.(*TCPListener).Accept", "net/http.(*Server).Serve")
		c.wait(evidence.OpNetwork, w, 45, 900*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
			"main.worker:5")
		gossip := c.class("main.gossip", 1, 1, time.Millisecond, 0)
		c.wait(evidence.OpNetwork, gossip, 9, 990*time.Millisecond, -1, "internal/poll.(*FD).ReadFrom",
			"net.(*UDPConn).Read", "main.gossip:12")
		c.evidence.Trace.Classes[gossip].Alive = 1
		wait := c.wait(evidence.OpReceive, m, 45, 900*time.Millisecond, w, "runtime.chanrecv1", "main.main:4")
		switch name {
		case "interrupted":
			c.evidence.Trace.Waits[wait].Pending = 10 * time.Millisecond
		case "server":
			c.evidence.Trace.Waits[accept].Waited = time.Millisecond
		}
		if f := c.first(); (f.Name == DependencyWait) != (want != "") ||
			want != "" && !slices.Contains(f.Where, want) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
