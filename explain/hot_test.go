package explain

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/evidence"
)

// source returns a program with one function, whose statements begin in line 3 of main.go.
func source(statements string) *evidence.Program {
	text := "package main\nfunc f() {\n" + strings.ReplaceAll(statements, "; ", "\n") + "\n}\n"
	return &evidence.Program{Main: "main", Dir: "/src/prog", Source: sourceOf(text)}
}

// sourceOf returns the lines of a text as the source of each file.
func sourceOf(text string) func(file string, line int) string {
	lines := strings.Split(text, "\n")
	return func(_ string, n int) string {
		if n < 1 || n > len(lines) {
			return ""
		}
		return lines[n-1]
	}
}

// Search loops are distinguished from loops that compute.
func TestIsSearch(t *testing.T) {
	for loop, want := range map[string]bool{
		"for _, n := range b.names { if n == name { return true } }":                 true,
		"for _, n := range t { if n.from <= ip && ip <= n.to { return n.country } }": true,
		"for i := range t { if t[i].key == key { at = i;break } }":                   true,
		"for i := 0;i < len(t);i++ { if strings.EqualFold(t[i], s) { return i } }":   true,
		"for f.parent[x] != x { x = f.parent[x] }":                                   true,
		"for p != nil && p.name != name { p = p.next }":                              true,
		// it counts
		"for _, n := range t { if n == name { found++ } }": false,
		// it adds up
		"for _, n := range t { sum = sum + n; if n < 0 { break } }": false,
		// it works
		"for _, n := range t { if work(n) { return true } }": false,
		// it writes
		"for _, n := range t { out[n] = 1; if n == name { return } }": false,
		// it computes
		"for n != 1 { if n%2 == 0 { n = n / 2 } else { n = 3*n + 1 } }": false,
		"for d := 2;d*d <= n;d++ { if n%d == 0 { return false } }":      false,
		// it halves
		"for lo < hi { m := mid(lo, hi); if t[m] < x { lo = m } else { hi = m } }": false,
		// it compares two
		"for i := range a { if a[i] < b[i] { return -1 }; if a[i] > b[i] { return 1 } }": false,
		// a letter: no index helps
		"for i := 0;i < len(s);i++ { if s[i] == ',' { return i } }":         false,
		"for i := range s { if s[i] < '0' || s[i] > '9' { return false } }": false,
		"for i := range s { if escape[s[i]] { return i } }":                 false,
		"for n.left != nil { n = n.left }":                                  false,
		"for _, name := range names { if name == u.name { return true } }":  true,
		// it descends
		"for n != nil { if key == n.key { return n }; if key < n.key { n = n.left } else { n = n.right } }": false,
		// an automaton
		"for _, c := range text { state = table[state][c]; if state == dead { return } }": false,
		"for _, p := range primes { if p*p > n { break }; if n%p == 0 { return false } }": false,
		// are they the same
		"for i := range a { if a[i] != b[i] { return false } }": false,
		// is it sorted
		"for i := range a { if a[i] < a[i-1] { return false } }": false,
		// no index helps
		"for _, re := range rules { if re.MatchString(line) { return true } }": false,
		"for range n { if s.state == x { return true } }":                      false, // it polls
		// a channel
		"for m := range ch { if m.done { return } }": false,
		"for { v := <-ch; if v.last { break } }":     false,
		// it keeps
		"for _, n := range t { if n < 0 { return n }; s = n }": false,
		"for !ready.Load() { }":                                false, // it waits
		"for _, n := range t { s = n }":                        false, // it sees all
		// the outer loop is tested
		"for _, n := range t {; for _, m := range n {; if m == name { return true }; }; }": false,
	} {
		v := &analysis{prog: newProgram(source(loop))}
		if l := v.prog.innermostLoop(evidence.Frame{File: "main.go", Line: 3}); l == nil || isSearch(l) != want {
			t.Errorf("%s: %v, want %v", loop, l != nil && isSearch(l), want)
		}
	}
}

// TestAvoidableCalls: calls by reflection and scanning are named at the line of the program, without what they call of
// its user's. Other calls are its work.
func TestAvoidableCalls(t *testing.T) {
	const keep, change = "Keep the result", "Make the change"
	for calls, experiment := range map[string]string{ // the innermost first
		"regexp.MustCompile":                                     keep,
		"reflect.Value.Field fmt.Fscanln":                        change,
		"strconv.ParseInt fmt.Fscan fmt.Sscanf":                  change,
		"strconv.ParseInt fmt.Fscan fmt.Scan":                    change, // from standard input
		"os.(*File).Read fmt.(*readRune).readByte fmt.Fscan":     change, // character by character
		"net.(*conn).Read fmt.(*readRune).readByte fmt.Fscan":    change,
		"crypto/tls.(*Conn).Read fmt.Fscan":                      change,
		"bufio.(*Reader).ReadRune fmt.Fscan":                     change,
		"reflect.DeepEqual":                                      change,
		"reflect.Value.Field encoding/binary.Read":               change,
		"encoding/binary.(*encoder).value encoding/binary.Write": change,

		"main.(*point).Scan:12 fmt.Sscanf":               "",
		"os.(*File).Read bufio.(*Reader).fill fmt.Fscan": "",
		"crypto/tls.(*halfConn).decrypt crypto/tls.(*Conn).readRecordOrCCS crypto/tls.(*Conn).Read fmt.Fscan": "",
		"crypto/tls.(*Conn).handshakeContext crypto/tls.(*Conn).Read fmt.Fscan":                               "",
		"main.counted.Read:12 fmt.Fscan":                    "",
		"compress/gzip.(*Reader).Read fmt.Fscan":            "",
		"compress/gzip.(*Reader).Read encoding/binary.Read": "",
		"encoding/binary.Write":                             "", // integers need no reflection
		"encoding/binary.Write main.f:7 reflect.Value.Call": "",
		"main.(*r).ReadByte:9 encoding/binary.ReadVarint":   "",
		"reflect.DeepEqual example.com/assert.Equal":        "", // the library's choice
		"fmt.Fprintf":  "",
		"strconv.Atoi": "",
	} {
		for samples, enough := range map[int]bool{90: true, 40: false} {
			c := wideCase()
			c.evidence.Profiles = nil
			c.cpu(samples, append(strings.Fields(calls), "main.f:7", "main.worker:3")...)
			c.cpu(198-samples, "main.g:9", "main.worker:3")
			found := explainWith(nil, &c.evidence).Findings
			i := slices.IndexFunc(found, func(f Finding) bool { return f.Name == HotFunction })
			if (i >= 0) != (experiment != "" && enough) {
				t.Errorf("%s, %d of 198: %v", calls, samples, c.names())
			} else if i >= 0 && (!slices.Equal(found[i].Where, []string{"main.go:7"}) ||
				!strings.HasPrefix(found[i].Experiment, experiment)) {
				t.Errorf("%s: %v %q", calls, found[i].Where, found[i].Experiment)
			}
		}
	}
}

// A search loop that takes much of the CPU time is reported with a gain, whose low end is far below its share.
func TestLinearSearch(t *testing.T) {
	build := func(statements string, in int) *testCase {
		c := wideCase()
		c.evidence.Profiles = nil
		program := source(statements)
		c.evidence.Program.Source = program.Source
		c.cpu(in, "memeqbody", "main.find:4", "main.worker:3")
		c.cpu(198-in, "main.f:9", "main.worker:3")
		return c
	}
	const search = "for _, n := range names {; if n == name {; return true; }; }"
	if f := build(search, 150).first(); f.Name != "hot-function" || f.Gain == nil || f.Gain.Estimate < 0.3 ||
		f.Gain.Estimate > 0.4 || f.Gain.Low > 0.1 || !slices.Equal(f.Where, []string{"main.go:3"}) {
		t.Errorf("%s %v %v", f.Name, f.Gain, f.Where)
	}
	const fields = "for _, n := range names {; if n.id == id {; return true; }; }"
	if f := build(fields, 150).first(); f.Name != "hot-function" || f.Gain == nil || f.Gain.Estimate < 0.55 ||
		f.Gain.Low > 0.2 {
		t.Errorf("of fields: %s %v", f.Name, f.Gain)
	}
	for _, chain := range []string{"for n != nil && n.key != key {; n = n.next; }",
		"for n := b.head\x00 n != nil\x00 n = n.next {; if n.key == key { return n }; }",
		"for n := b.head.Load()\x00 n != nil\x00 n = n.next.Load() {; if n.key == key { return n }; }",
		"for e := l.Front()\x00 e != nil\x00 e = e.Next() {; if e.Value == x { return e }; }"} {
		c := build(strings.ReplaceAll(chain, "\x00", ";"), 150)
		c.evidence.Program.Source = source(chain).Source
		from := c.evidence.Program.Source
		c.evidence.Program.Source = func(f string, n int) string { return strings.ReplaceAll(from(f, n), "\x00", ";") }
		i := slices.IndexFunc(explainWith(nil, &c.evidence).Findings,
			func(f Finding) bool { return f.Name == HotFunction })
		if i < 0 || explainWith(nil, &c.evidence).Findings[i].Gain != nil {
			t.Errorf("%s, which may be that of a hash table: %v", chain, c.names())
		}
	}
	for loop, want := range map[string]bool{
		"for _, n := range names { if n.id == id { return } }":                   true,
		"for i := range t { if t[i].key == key { return } }":                     true,
		"for _, n := range names { if strings.EqualFold(n.name, x) { return } }": true,
		"for i, c := range text { if c == l.quote { return i } }":                false,
		"for i := range s.n { if data[i] == x { return i } }":                    false,
		"for i := 0;i < n;i++ { if t[i].key == key { return } }":                 true,
		"for i := 0;i < n;i++ { if key == t[i].key { return } }":                 true,
		"for i := 0;i < n;i++ { if s.quote == t[i] { return } }":                 false,
	} {
		v := &analysis{prog: newProgram(source(loop))}
		if l := v.prog.innermostLoop(evidence.Frame{File: "main.go", Line: 3}); comparesFields(l) != want {
			t.Errorf("%s: %v", loop, !want)
		}
	}
	const strided = "for i := 0\x00 i < n\x00 i += s.stride {; if t[i].key == key { return }; }"
	const linked = "for n := h\x00 n != nil\x00 n = n.next { use(n) }"
	const generated = "for n := next()\x00 n != nil\x00 n = it.Next() { use(n) }"
	for loop, chain := range map[string]bool{strided: false, linked: true, generated: false} {
		v := &analysis{prog: newProgram(source(strings.ReplaceAll(loop, "\x00", ";")))}
		if l := v.prog.innermostLoop(evidence.Frame{File: "main.go", Line: 3}); isChain(l) != chain {
			t.Errorf("%s: a chain: %v", loop, !chain)
		}
	}
	if names := build(search, 50).names(); slices.Contains(names, "hot-function") {
		t.Errorf("it takes a quarter: %v", names)
	}
	if names := build("for _, n := range names {; sum += n; }", 150).names(); slices.Contains(names, "hot-function") {
		t.Errorf("it adds up: %v", names)
	}
}

// Lines that update memory are distinguished from those that only write it, or compute.
func TestUpdatesMemory(t *testing.T) {
	for line, want := range map[string]bool{
		"c.n++": true, "counts[w] += x": true, "w.seed ^= w.seed << 13": true, "w.seed <<= 1": true,
		"w.x = (w.x + 1) & 63": true, "w.x *= 2": true,
		"x = x + 1": false, "w.x = y": false, "sum += n": false, "a[i] = b[i]": false, "a[i] = a[i] * 2": false,
		"p.n = p.next": false, "w.x = w.xs[i]": false, "c.n = list[i].c.n": false, "if w.x == w.y {": false,
		"f.parent[x] != x": false,
	} {
		if updatesMemory(line) != want {
			t.Errorf("%s: %v", line, !want)
		}
	}
}

// A limit on goroutines, one for each piece of work, is too low while CPUs are idle.
func TestLimitedSpawning(t *testing.T) {
	build := func(count int, idle int) *testCase {
		c := newCase()
		c.demand(idle, 0, 1000-idle)
		m := c.class("main.main", 1, 1, 5*time.Millisecond, time.Millisecond)
		w := c.class("main.job", count, 8, time.Duration(1000-idle)*time.Millisecond, 10*time.Millisecond)
		at := c.wait(evidence.OpSend, m, 900, 950*time.Millisecond, w, "runtime.chansend1", "main.do:4")
		c.evidence.Trace.Resources = []evidence.Resource{{Kind: evidence.ResourceChannel, Waits: []int{at}, Count: 900,
			Busy:      950 * time.Millisecond,
			Full:      950 * time.Millisecond,
			FullCount: 900, Starved: 900 * time.Millisecond,
			Sites: [][]evidence.Frame{frames("main.do:4"), frames("main.done:5")}}}
		return c
	}
	if f := build(1000, 700).first(); f.Name != "too-few-workers" || f.Gain == nil || f.Gain.Estimate < 0.5 ||
		!slices.Contains(f.Where, "main.go:4") {
		t.Errorf("8 of 1000 at a time: %s %v", f.Name, f.Gain)
	}
	if names := build(8, 700).names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("8 that take pieces from a channel are a stage: %v", names)
	}
	busy := build(1000, 700)
	busy.wait(evidence.OpSelect, 2, 900, 4*second, 2, "runtime.selectgo", "database/sql.(*DB).conn", "main.job:7")
	if names := busy.names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("they wait for a connection of a database, of which more do not give more: %v", names)
	}
	asks := build(1000, 700)
	r := asks.class("net/rpc.(*Client).input", 1, 1, 10*time.Millisecond, 0)
	asks.evidence.Trace.Classes[r].Waiting["network"] = 900 * time.Millisecond
	asks.wait(evidence.OpReceive, 2, 900, 4*second, r, "runtime.chanrecv1", "net/rpc.(*Client).Call", "main.job:7")
	if f := asks.first(); f.Name != "too-few-workers" {
		t.Errorf("they wait for answers from outside: %s", f.Name)
	}
	if names := build(1000, 180).names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("the CPUs are used: %v", names)
	}
	many := build(1000, 700)
	many.evidence.Trace.Classes[2].Peak = 200
	if names := many.names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("200 at a time that wait outside: %v", names)
	}
	fed := build(1000, 700)
	fed.evidence.Trace.Classes[2].Created = frames("main.other:3")
	if names := fed.names(); slices.Contains(names, "too-few-workers") {
		t.Errorf("somebody else starts them: %v", names)
	}
}

// Requests that wait for a connection of a net/http client wait for a resource, not for the reply.
func TestClientConnections(t *testing.T) {
	made := 0
	build := func(waker ...string) Finding {
		c := newCase()
		if made > 0 {
			c.class("net/http.(*Transport).startDialConnForLocked.func1", made, 4, 10*time.Millisecond, 0)
			defer func() { made = 0 }()
		}
		c.demand(700, 300)
		w := c.class("main.ask", 128, 128, 200*time.Millisecond, 0)
		r := c.class("net/http.(*persistConn).readLoop", 4, 4, 20*time.Millisecond, 0)
		at := c.wait(evidence.OpSelect, w, 860, 100*second, r, "runtime.selectgo", "net/http.(*Transport).getConn",
			"net/http.(*Client).Get", "main.ask:5")
		c.evidence.Trace.Waits[at].Wakers[0].Stack = frames(append([]string{"runtime.chansend1"}, waker...)...)
		return c.first()
	}
	if f := build("net/http.(*Transport).tryPutIdleConn"); f.Name != "saturated-resource" ||
		!strings.Contains(f.Fix, "MaxConnsPerHost") || f.Gain == nil {
		t.Errorf("%s %v %q", f.Name, f.Gain, f.Fix)
	}
	made = 400
	if f := build("net/http.(*Transport).tryPutIdleConn"); f.Name == "saturated-resource" {
		t.Error("connections are made all the time: their number is not limited")
	}
	made = 0
	for _, dials := range []string{"net/http.(*Transport).dialConnFor",
		"net/http.(*Transport).tryPutIdleConn net/http.(*Transport).dialConnFor"} {
		if f := build(strings.Fields(dials)...); f.Name == "saturated-resource" {
			t.Errorf("%s: they wait for a connection to be made, not for one to be free", dials)
		}
	}
}

// A library goroutine reads the replies, and the client waits on a channel of the library.
func TestRequestThroughLibrary(t *testing.T) {
	accepted := true // the other side is in the same program
	build := func(each int64, closes bool, by ...string) Finding {
		c := newCase()
		c.demand(900, 100)
		m := c.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
		r := c.class("net/rpc.(*Client).input", 1, 1, 10*time.Millisecond, 10*time.Millisecond)
		c.wait(evidence.OpNetwork, r, 200, 990*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
			"net/rpc.(*Client).input")
		stack := append(append([]string{"runtime.chanrecv1"}, by...), "main.main:6")
		c.wait(evidence.OpReceive, m, 200, 940*time.Millisecond, r, stack...)
		c.evidence.Trace.Classes[m].Waiting["chan receive"] = 940 * time.Millisecond
		c.evidence.Trace.Classes[r].Waiting["network"] = 990 * time.Millisecond
		c.evidence.Trace.Syscalls = append(c.evidence.Trace.Syscalls,
			evidence.SyscallSite{Stack: frames("internal/poll.(*FD).Write", "net.(*conn).Write", "main.main:6"),
				Class: m, Count: each})
		if len(by) > 0 && accepted {
			c.wait(evidence.OpNetwork, r, 1, 990*time.Millisecond, -1, "internal/poll.(*FD).Accept",
				"net.(*netFD).accept",
				"net.(*TCPListener).Accept", "main.serve:3")
		}
		if closes {
			c.wait(evidence.OpOther, m, 1, time.Microsecond, -1, "internal/poll.(*FD).Close",
				"net.(*TCPListener).Close",
				"main.main:9")
		}
		return c.first()
	}
	for _, closes := range []bool{false, true} {
		if f := build(200, closes, "net/rpc.(*Client).Call"); f.Name != "stop-and-wait" ||
			!strings.Contains(f.Claim, "main goroutine") || !slices.Contains(f.Where, "main.go:6") {
			t.Errorf("a listener is closed %v: %s %q %v", closes, f.Name, f.Claim, f.Where)
		}
	}
	accepted = false
	if f := build(200, false, "net/rpc.(*Client).Call"); f.Name != "stop-and-wait" {
		t.Errorf("the other side is elsewhere: %s %q", f.Name, f.Claim)
	}
	// One library goroutine sends the request and another reads the reply: each ends a wait.
	both := newCase()
	both.demand(900, 100)
	m := both.class("main.main", 1, 1, 50*time.Millisecond, 50*time.Millisecond)
	r := both.class("net/http.(*persistConn).readLoop", 1, 1, 10*time.Millisecond, 10*time.Millisecond)
	writer := both.class("net/http.(*persistConn).writeLoop", 1, 1, 10*time.Millisecond, 10*time.Millisecond)
	both.evidence.Trace.Classes[r].Waiting["network"] = 990 * time.Millisecond
	both.wait(evidence.OpNetwork, r, 200, 990*time.Millisecond, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"net/http.(*persistConn).readLoop")
	at := both.wait(evidence.OpSelect, m, 400, 940*time.Millisecond, writer, "runtime.selectgo",
		"net/http.(*persistConn).roundTrip", "main.main:6")
	both.evidence.Trace.Waits[at].Wakers = []evidence.Waker{{Class: writer, Count: 200}, {Class: r, Count: 150}}
	if f := both.first(); f.Name != "dependency-wait" || !strings.Contains(f.Claim, "main goroutine") {
		t.Errorf("who asks is named: %s %q", f.Name, f.Claim)
	}
	if f := build(1, false, "net/rpc.(*Client).Call"); f.Name != "dependency-wait" ||
		!strings.Contains(f.Claim, "main goroutine") {
		t.Errorf("one request, 200 answers: %s %q", f.Name, f.Claim)
	}
	pool := newCase() // a connection pool: waiting requests are woken by those that return a connection
	pool.demand(900, 100)
	w := pool.class("main.worker", 64, 64, 50*time.Millisecond, 0)
	pool.wait(evidence.OpNetwork, w, 3000, 8*second, -1, "internal/poll.(*FD).Read", "net.(*conn).Read",
		"main.worker:5")
	pool.wait(evidence.OpSelect, w, 3000, 50*second, w, "runtime.selectgo", "database/sql.(*DB).conn", "main.worker:5")
	pool.evidence.Trace.Classes[w].Waiting["network"], pool.evidence.Trace.Classes[w].Waiting["select"] = 8*second,
		50*second
	pool.evidence.Trace.Syscalls = append(pool.evidence.Trace.Syscalls,
		evidence.SyscallSite{Stack: frames("internal/poll.(*FD).Write", "net.(*conn).Write", "main.worker:5"), Class: w,
			Count: 3000})
	if names := pool.names(); slices.Contains(names, "stop-and-wait") {
		t.Errorf("a pool of connections: %v", names)
	}
	if f := build(200, false); !strings.Contains(f.Claim, "Client).input") {
		t.Errorf("a channel of the program's own: %s %q", f.Name, f.Claim)
	}
}

// The wake-up latency after a wait counts as part of the wait.
func TestWakeUpLatency(t *testing.T) {
	line := func(searching time.Duration) *testCase { // for 800 of 1000 ms the neighbours are runnable, not parked
		c := newCase()
		c.demand(0, 150, 850)
		c.evidence.Trace.Searching = searching
		c.evidence.Runs[0].User = 1200 * time.Millisecond
		m := c.class("main.main", 1, 1, 30*time.Millisecond, 0)
		s := c.class("main.filter", 1, 1, 990*time.Millisecond, 150*time.Millisecond)
		c.evidence.Trace.Classes[m].Runnable = 800 * time.Millisecond
		at := c.wait(evidence.OpReceive, m, 5000, 170*time.Millisecond, s, "runtime.chanrecv2", "main.main:9")
		c.evidence.Trace.Waits[at].Queued = 800 * time.Millisecond
		return c
	}
	if f := line(600 * time.Millisecond).first(); f.Name != "stage-limited" {
		t.Errorf("a line: %s", f.Name)
	}
	if names := line(10 * time.Millisecond).names(); slices.Contains(names, "stage-limited") {
		t.Errorf("the CPUs work for others: %v", names)
	}
	// A stage in an external wait receives work from a stage that is runnable, not parked.
	asleep := line(600 * time.Millisecond)
	asleep.evidence.Trace.Demand = evidence.Demand{}
	asleep.demand(850, 100, 50)
	asleep.evidence.Trace.Classes[2].Running, asleep.evidence.Trace.Classes[2].Members[0] = 10*time.Millisecond,
		evidence.Member{Ended: second, External: 980 * time.Millisecond}
	asleep.evidence.Trace.Waits[0].Op = evidence.OpSend
	if f := asleep.first(); f.Name != "stage-limited" {
		t.Errorf("a stage that sleeps: %s", f.Name)
	}
	locked := func(searching time.Duration) *testCase {
		c := coarseLock()
		c.evidence.Trace.Demand = evidence.Demand{}
		c.demand(0, 40, 960)
		c.evidence.Trace.Searching, c.evidence.Trace.Classes[2].Runnable = searching, 2800*time.Millisecond
		c.evidence.Runs[0].User = 1200 * time.Millisecond
		c.evidence.Trace.Resources[0].Starved = 20 * time.Millisecond
		w := &c.evidence.Trace.Waits[0]
		w.Waited, w.Queued = 100*time.Millisecond, 2800*time.Millisecond
		return c
	}
	lock := func(n string) bool { return n == "coarse-lock" || n == "saturated-resource" || n == "lock-convoy" }
	if names := locked(2100 * time.Millisecond).names(); !slices.ContainsFunc(names, lock) {
		t.Errorf("a lock: %v", names)
	}
	if names := locked(100 * time.Millisecond).names(); slices.ContainsFunc(names, lock) {
		t.Errorf("the CPUs work for others: %v", names)
	}
}

// Requests that a library serves and that end one after the other are no load imbalance of the program. Tasks that it
// submits to a pool of another module are.
func TestLibraryImbalance(t *testing.T) {
	for _, x := range []struct {
		start   string
		created []string
		serves  bool // what starts them reads from a connection
		want    string
	}{
		{"net/rpc.(*service).call", []string{"main.serve:4"}, false, "main.go:4"},
		{"net/rpc.(*service).call", []string{"net/rpc.(*Server).ServeConn", "main.serve:4"}, true, ""},
		{"example.com/pool.(*Pool).run", []string{"example.com/pool.(*Pool).Submit", "main.all:4"}, false, "main.go:4"},
		{"example.com/pool.(*Pool).run", []string{"example.com/pool.New", "example.com/pool.init"}, false, ""},
		{"example.com/shrinking.run", []string{"example.com/shrinking.Submit", "main.all:4"}, false, ""},
		{"example.com/two.run", []string{"example.com/two.Submit", "main.all:4"}, false, "main.go:4"},
		{"example.com/shared.run", []string{"example.com/shared.Submit", "main.all:4"}, false, ""},
		{"example.com/results.run", []string{"example.com/results.Submit", "main.all:4"}, false, "main.go:4"},
		{"example.com/rpc.(*Server).call", []string{"example.com/rpc.(*Server).Serve", "main.all:4"}, true, ""},
		{"example.com/codec.encode", []string{"example.com/codec.Start", "main.all:4"}, false, ""}, // its own work
	} {
		c := newCase()
		c.demand(0, 400, 600)
		c.class("main.main", 1, 1, time.Millisecond, 0)
		w := c.class(x.start, 20, 2, 1600*time.Millisecond, 400*time.Millisecond)
		k := &c.evidence.Trace.Classes[w]
		k.Tail, k.Created = 400*time.Millisecond, frames(x.created...)
		k.Members[0].Running = second
		if x.start == "example.com/codec.encode" {
			c.cpu(160, "example.com/codec.table", x.start)
		} else {
			c.cpu(160, "main.task:6", x.start)
		}
		if x.serves {
			c.wait(evidence.OpNetwork, 1, 20, 0, -1, "net.(*conn).Read", x.created[0], "main.serve:4")
		}
		switch x.start {
		case "example.com/shrinking.run": // its goroutines wait for tasks, and end when there are none
			c.wait(evidence.OpReceive, w, 1000, 0, 1, "runtime.chanrecv1", x.start)
		case "example.com/two.run": // most of those that wait in one place are of another class
			i := c.wait(evidence.OpReceive, w, 100, 0, 1, "runtime.chanrecv1", x.start)
			more := c.class(x.start, 80, 2, time.Millisecond, 0)
			c.evidence.Trace.Waits[i].Classes = append(c.evidence.Trace.Waits[i].Classes, more)
		case "example.com/shared.run": // as shrinking.run, beside many goroutines that wait once
			i := c.wait(evidence.OpReceive, w, 1990, 0, 1, "runtime.chanrecv1", x.start)
			more := c.class(x.start, 1000, 2, time.Millisecond, 0)
			c.evidence.Trace.Waits[i].Classes = append(c.evidence.Trace.Waits[i].Classes, more)
		case "example.com/results.run": // its tasks wait for those who take their results
			c.wait(evidence.OpSend, w, 1000, 0, 1, "runtime.chansend1", "example.com/results.Put", x.start)
			c.wait(evidence.OpReceive, w, 1000, 0, 1, "runtime.chanrecv1", "main.task:6", x.start)
		}
		var where []string
		for _, f := range explainWith(nil, &c.evidence).Findings {
			if f.Name == LoadImbalance {
				where = f.Where
			}
		}
		if !slices.Equal(where, strings.Fields(x.want)) {
			t.Errorf("%v: at %v, want %s", x, where, x.want)
		}
	}
}

// TestCostlyCalls: calls of the standard library that cost much are named at the program's own line.
func TestCostlyCalls(t *testing.T) {
	for name, called := range map[string][]string{
		"fmt.Errorf":  {"fmt.(*pp).doPrintf", "fmt.Errorf"},
		"crypto/rand": {"runtime.vgetrandom", "crypto/rand.(*reader).Read", "io.ReadAtLeast", "io.ReadFull"},
	} {
		for _, caller := range []string{"main.f:7", "example.com/ids.New:7"} { // or by a library's choice
			c := wideCase()
			c.evidence.Profiles, c.evidence.Program.Module = nil, "shop"
			c.cpu(100, append(slices.Clone(called), caller, "main.worker:3")...)
			c.cpu(100, "main.f:5", "main.worker:3")
			found := hotFunction(newAnalysis(&c.evidence))
			switch {
			case caller != "main.f:7" && len(found) > 0:
				t.Errorf("%s by %s: %+v", name, caller, found)
			case caller == "main.f:7" && (len(found) != 1 || found[0].Where[0] != "main.go:7" ||
				(found[0].Confidence == Low) != (name == "crypto/rand") ||
				found[0].Claim != "Calls of "+name+" take 50% of the CPU time."):
				t.Errorf("%s: %+v", name, found)
			}
		}
	}
}

// TestHottestCall: of two avoidable calls, the one that takes more time is named, in whatever order they are listed.
func TestHottestCall(t *testing.T) {
	for _, x := range []struct {
		first, second int
		want          string
		other         string
	}{{70, 100, "fmt.Sprintf", "fmt.Sprintf"}, {100, 70, "regexp.MatchString", "fmt.Sprintf"},
		{85, 85, "regexp.MatchString", "fmt.Sprintf"},
		{70, 100, "regexp.MatchString", "crypto/rand.Read"}, // which is rather needed
		{40, 100, "crypto/rand", "crypto/rand.Read"}} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(x.first, "regexp.MatchString", "main.f:5", "main.worker:3")
		c.cpu(x.second, x.other, "main.g:7", "main.worker:3")
		c.cpu(28, "main.h:9", "main.worker:3")
		if f := c.named(t, HotFunction); !strings.Contains(f.Claim, x.want) {
			t.Errorf("%d and %d: %s", x.first, x.second, f.Claim)
		}
	}
}
