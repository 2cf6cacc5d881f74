package explain

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

// makes returns a program that spends CPU samples and bytes below a stack, of 200 samples and 100 kB in all.
func makes(samples int, bytes int64, stack ...string) *testCase {
	c := wideCase()
	c.evidence.Profiles = nil
	c.cpu(200-samples, "main.worker:9")
	c.cpu(samples, stack...)
	allocated := slices.Clone(stack)
	c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
		Types: []string{"alloc_objects/count", "alloc_space/bytes"}, Samples: []evidence.Sample{
			{Values: []int64{50000, bytes}, Stack: frames(allocated...)},
			{Values: []int64{10, 100000 - bytes}, Stack: frames("main.worker:9")}}})
	return c
}

// few changes a program so that it makes 100 objects.
func few(c *testCase) *testCase {
	c.evidence.Profiles[1].Samples[0].Values[0] = 100
	return c
}

// inUse changes a program so that bytes of what it makes are in use at the end.
func inUse(c *testCase, bytes int64) *testCase {
	h := &c.evidence.Profiles[1]
	h.Types = append(h.Types, "inuse_space/bytes")
	h.Samples[0].Values = append(h.Samples[0].Values, bytes)
	h.Samples[1].Values = append(h.Samples[1].Values, 0)
	return c
}

// TestMakers: timers, contexts and values of a pool are named at the line that calls the library.
func TestMakers(t *testing.T) {
	timer := []string{"time.newTimer", "time.NewTimer", "time.After", "main.serve:7", "main.worker:3"}
	allocated := append([]string{"runtime.mallocgc"}, timer...)
	pool := []string{"runtime.mallocgc", "runtime.makeslice", "main.init.func1:2", "sync.(*Pool).Get", "main.render:7",
		"main.worker:3"}
	for name, c := range map[string]struct {
		c    *testCase
		want Name
		text string
	}{
		"allocated timers": {makes(60, 100000, allocated...), EscapePerOp, "time.After makes a timer"},
		"timers":           {makes(60, 0, timer...), LibraryLimit, "time.After makes a timer"},
		"contexts": {makes(60, 90000, "runtime.mallocgc", "context.WithDeadlineCause", "context.WithTimeout",
			"main.serve:7", "main.worker:3"), EscapePerOp, "context.WithTimeout makes a context"},
		"deferred": {makes(60, 0, "context.(*cancelCtx).cancel", "context.WithTimeout.func1", "runtime.deferreturn",
			"main.serve:7", "main.worker:3"), LibraryLimit, "makes a context"},
		"a pool":      {makes(60, 90000, pool...), EscapePerOp, "Get often finds its sync.Pool empty"},
		"a busy pool": {makes(60, 90000, pool[2:]...), EscapePerOp, "Get often finds its sync.Pool empty"},
		"a table": {makes(60, 0, "hash/crc32.simpleMakeTable", "hash/crc32.MakeTable", "main.check:7", "main.worker:3"),
			HotFunction, "crc32.MakeTable makes a table"},
		"connections": {makes(60, 0, "main.dial:2", "main.driver.Open:1", "database/sql.dsnConnector.Connect",
			"database/sql.(*DB).conn", "database/sql.(*DB).QueryContext", "main.balance:7", "main.worker:3"),
			LibraryLimit, "makes a connection"},
		"dialled connections": {makes(60, 0, "syscall.connect", "net.(*sysDialer).dialTCP",
			"net.(*Dialer).DialContext", "net.Dial", "main.ask:7", "main.worker:3"), LibraryLimit,
			"net.Dial makes a connection"},
		"connections of a client": {makes(60, 0, "syscall.connect", "net.(*Dialer).DialContext",
			"main.newClient.func1:7", "net/http.(*Transport).dial", "net/http.(*Transport).dialConn"), "", ""},
		"dialled connections of a handler": {makes(60, 0, "syscall.connect", "net.(*Dialer).DialContext", "net.Dial",
			"main.ask:7", "github.com/valyala/fasthttp.(*Server).serveConn"), LibraryLimit,
			"net.Dial makes a connection"},
		"connections of a client of HTTP/2": {makes(60, 0, "syscall.connect", "net.(*Dialer).DialContext",
			"main.newClient.func1:7", "golang.org/x/net/http2.(*Transport).dialTLSWithContext"), "", ""},
		"connections of a library": {makes(60, 0, "syscall.connect", "net.(*Dialer).DialContext",
			"net/smtp.Dial", "main.ask:7", "main.worker:3"), "", ""},
		"a compressor": {makes(60, 0, "compress/flate.NewWriter", "compress/gzip.(*Writer).Write", "main.send:7",
			"main.worker:3"), HotFunction, "gzip.(*Writer).Write makes a buffer"},
		"compression": {makes(60, 0, "compress/flate.(*compressor).write", "compress/gzip.(*Writer).Write",
			"main.send:7", "main.worker:3"), "", ""},
		"a replacer": {makes(60, 0, "strings.makeGenericReplacer", "strings.(*Replacer).buildOnce",
			"strings.(*Replacer).Replace", "main.send:7", "main.worker:3"), HotFunction, "makes a table"},
		"queries": {makes(60, 0, "main.scan:2", "database/sql.(*DB).QueryContext", "main.balance:7", "main.worker:3"),
			"", ""},
		"values of contexts": {makes(60, 90000, "runtime.mallocgc", "context.WithValue", "main.serve:7",
			"main.worker:3"), "", ""},
		"a pool in use": {makes(60, 20000, pool...), "", ""},
		"hits of a pool": {makes(60, 90000, "runtime.procPin", "sync.(*Pool).pin", "sync.(*Pool).Get", "main.render:7",
			"main.worker:3"), "", ""},
		"timers of the start": {few(makes(60, 100000, allocated...)), "", ""},
		"a few timers":        {makes(15, 2000, allocated...), "", ""},
		"of a library":        {makes(60, 90000, "time.After", "net/http.(*Server).Serve", "main.serve:7"), "", ""},
	} {
		var found []Finding
		for _, f := range explainWith(nil, &c.c.evidence).Findings {
			if f.Name == EscapePerOp || f.Name == LibraryLimit || f.Name == HotFunction {
				found = append(found, f)
			}
		}
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Name != c.want || !strings.Contains(found[0].Claim, c.text) ||
			!slices.Equal(found[0].Where, []string{"main.go:7"}) || found[0].Gain == nil ||
			found[0].Gain.Estimate < 0.2 || found[0].Gain.Estimate > 0.35 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestMakersKept: values that are still in use at the end cannot be reused, so they have no gain.
func TestMakersKept(t *testing.T) {
	for bytes, kept := range map[int64]bool{80000: true, 20000: false} {
		c := inUse(makes(60, 90000, "runtime.mallocgc", "main.init.func1:2", "sync.(*Pool).Get", "main.f:3",
			"main.worker:3"), bytes)
		if f := c.named(t, EscapePerOp); (f.Gain == nil) != kept || (f.Confidence == Low) != kept {
			t.Errorf("%d of 90000 bytes in use: %+v, %v", bytes, f.Gain, f.Confidence)
		}
	}
}

// TestPoolWithoutPut: a pool has no Put if neither the source nor the samples show one.
func TestPoolWithoutPut(t *testing.T) {
	for name, x := range map[string]struct {
		source  string
		samples int // in Put
		none    bool
	}{
		"no Put":       {"b := pool.Get()", 0, true},
		"in source":    {"pool.Put(b)", 0, false},
		"another call": {"binary.BigEndian.PutUint16(b, 1)", 0, true},
		"in samples":   {"b := pool.Get()", 5, false},
		"no source":    {"", 0, false},
	} {
		c := makes(60, 90000, "runtime.mallocgc", "main.init.func1:2", "sync.(*Pool).Get", "main.f:3", "main.worker:3")
		c.evidence.Program.Source = source(x.source).Source
		if x.source == "" {
			c.evidence.Program.Source = nil
		}
		if x.samples > 0 {
			c.cpu(x.samples, "sync.(*Pool).Put", "main.render:9", "main.worker:3")
		}
		if f := c.named(t, EscapePerOp); strings.HasPrefix(f.Claim, "No Put was seen: ") != x.none {
			t.Errorf("%s: %s", name, f.Claim)
		}
	}
}

// TestMakersAtManyLines: what twelve lines make does not count together, but what two do.
func TestMakersAtManyLines(t *testing.T) {
	for lines, want := range map[int]int{2: 1, 9: 0} {
		c := makes(0, 0, "main.worker:9")
		c.evidence.Profiles = c.evidence.Profiles[:1] // without the heap profile
		for line := range lines {
			c.cpu(40/lines, "context.WithTimeout", "main.serve:"+string(rune('1'+line)), "main.worker:3")
		}
		var found []Finding
		for _, f := range explainWith(nil, &c.evidence).Findings {
			if f.Name == LibraryLimit {
				found = append(found, f)
			}
		}
		if len(found) != want || want > 0 && len(found[0].Where) != 2 {
			t.Errorf("%d lines: %+v", lines, found)
		}
	}
}

// TestMakersExplainNothing: timers that a line makes neither hide what gains more, nor what is unrelated.
func TestMakersExplainNothing(t *testing.T) {
	timers := Finding{Name: LibraryLimit, Where: []string{"main.go:7"}, Gain: newGain(0.3, 0.1, 0.4), local: true}
	lock := Finding{Name: LockConvoy, Where: []string{"main.go:3"}, Gain: newGain(0.4, 0.1, 0.5)}
	full := Finding{Name: CPUSaturated, Where: []string{}}
	buffer := Finding{Name: UnbufferedIO, Where: []string{"main.go:2"}, Gain: newGain(0.4, 0.1, 0.5)}
	kept := dropSymptoms([]Finding{timers, lock, full, buffer})
	if len(kept) != 3 || kept[0].Name != LibraryLimit || kept[1].Name != LockConvoy || kept[2].Name != UnbufferedIO {
		t.Errorf("%+v", kept)
	}
}

// TestSameChange: two findings about the calls at one line are one change.
func TestSameChange(t *testing.T) {
	at := func(name Name, gain float64, local bool, where ...string) Finding {
		return Finding{Name: name, Where: where, Gain: newGain(gain, 0, 0.5), local: local}
	}
	for name, x := range map[string]struct {
		found []Finding
		want  int
	}{
		"same name":      {[]Finding{at(LoadImbalance, 0.2, false, "a:1"), at(LoadImbalance, 0.3, false, "a:1")}, 1},
		"same calls":     {[]Finding{at(EscapePerOp, 0.3, false, "a:1"), at(LibraryLimit, 0.2, true, "a:1")}, 1},
		"two lines":      {[]Finding{at(EscapePerOp, 0.3, false, "a:1"), at(LibraryLimit, 0.2, true, "a:2")}, 2},
		"two causes":     {[]Finding{at(CoarseLock, 0.3, false, "a:1"), at(LoadImbalance, 0.3, false, "a:1")}, 2},
		"equal gains":    {[]Finding{at(EscapePerOp, 0.3, true, "a:1"), at(EscapePerOp, 0.3, true, "a:1")}, 1},
		"without a line": {[]Finding{at(CPUSaturated, 0.3, false), at(CPUSaturated, 0.3, false)}, 2},
		"two kinds":      {[]Finding{at(EscapePerOp, 0.3, false, "a:1"), at(HotFunction, 0.2, false, "a:1")}, 1},
		"its garbage":    {[]Finding{at(EscapePerOp, 0.3, false, "a:1"), at(GCPressure, 0.4, false, "a:1", "b:2")}, 1},
	} {
		kept := dropSameChange(x.found)
		if len(kept) != x.want {
			t.Errorf("%s: %+v", name, kept)
		}
		for _, f := range x.found {
			if x.want == 1 && f.Gain.Estimate > kept[0].Gain.Estimate {
				t.Errorf("%s: kept %+v", name, kept)
			}
		}
	}
}

// TestTimersOfRuntime: what the runtime does for timers counts, but at most as much as making them.
func TestTimersOfRuntime(t *testing.T) {
	for _, runtime := range []int{10, 100} {
		c := makes(40, 0, "time.newTimer", "time.After", "main.serve:7", "main.worker:3")
		c.cpu(runtime, "runtime.(*timers).check", "runtime.findRunnable", "runtime.schedule")
		f := c.named(t, LibraryLimit)
		if f.Gain.Estimate > 0.25 || f.Gain.Estimate < 0.19 {
			t.Errorf("%d samples: %+v", runtime, f.Gain)
		}
	}
}

// TestClosedConnections: what the program does to accept and close connections counts, but not what libraries do. If it
// does not end by itself, those that it accepts may be those of others.
func TestClosedConnections(t *testing.T) {
	for name, x := range map[string]struct {
		stack []string
		ends  float64 // if the program ends by itself
		other float64 // if it does not
	}{
		"accepted": {[]string{"syscall.Accept4", "net.(*TCPListener).Accept", "main.serve:5"}, 0.3, 0.15},
		"accepted by TLS": {[]string{"net.(*TCPListener).Accept", "crypto/tls.(*listener).Accept",
			"main.serve:5"}, 0.3, 0.15},
		"closed": {[]string{"syscall.Close", "net.(*conn).Close", "main.ask:8"}, 0.3, 0.3},
		"handshakes": {[]string{"crypto/tls.(*Conn).serverHandshake", "crypto/tls.(*Conn).handshakeContext",
			"crypto/tls.(*Conn).Read", "main.serve:5"}, 0.3, 0.15},
		"handshakes of a reader": {[]string{"crypto/tls.(*Conn).serverHandshake", "crypto/tls.(*Conn).Read",
			"bufio.(*Scanner).Scan", "main.serve:5"}, 0.3, 0.15},
		"handshakes of the client": {[]string{"crypto/tls.(*Conn).clientHandshake",
			"crypto/tls.(*Conn).handshakeContext", "crypto/tls.(*Conn).Handshake", "main.ask:8"}, 0.3, 0.3},
		"handshakes at the first write": {[]string{"crypto/tls.(*Conn).clientHandshake", "crypto/tls.(*Conn).Write",
			"fmt.Fprintf", "main.ask:8"}, 0.3, 0.3},
		"handshakes of an HTTP client": {[]string{"crypto/tls.(*Conn).clientHandshake",
			"crypto/tls.(*Conn).handshakeContext", "net/http.(*persistConn).addTLS.func2"}, 0.15, 0.15},
		"closed by the resolver": {[]string{"net.(*conn).Close", "net.(*Resolver).exchange",
			"net.(*Resolver).goLookupIPCNAMEOrder.func3"}, 0.15, 0.15},
		"closed by a goroutine of package tls": {[]string{"net.(*conn).Close",
			"crypto/tls.(*Conn).handshakeContext.func2"}, 0.15, 0.15},
		"closed by a lookup": {[]string{"net.(*conn).Close", "net.(*Resolver).exchange", "net.LookupTXT",
			"main.ask:8"}, 0.15, 0.15},
		"reads of TLS": {[]string{"crypto/tls.(*Conn).readRecord", "crypto/tls.(*Conn).Read",
			"main.serve:5"}, 0.15, 0.15},
		"accepted by a library": {[]string{"net.(*TCPListener).Accept", "net/http.(*onceCloseListener).Accept",
			"net/http.(*Server).Serve", "main.main:5"}, 0.15, 0.15},
		"closed by a library": {[]string{"net.(*conn).Close", "net/http.(*persistConn).closeLocked",
			"net/http.(*persistConn).readLoop"}, 0.15, 0.15},
	} {
		for ends, want := range map[bool]float64{true: x.ends, false: x.other} {
			c := makes(40, 0, "syscall.connect", "net.(*Dialer).DialContext", "net.Dial", "main.ask:7",
				"main.worker:3")
			c.cpu(40, x.stack...)
			if ends {
				one := c.evidence.Runs[0]
				one.CPUs, one.Wall = 1, 2*one.Wall
				c.evidence.Runs = append(c.evidence.Runs, one)
			}
			f := c.named(t, LibraryLimit)
			if f.Gain == nil || f.Gain.Computed < want-0.03 || f.Gain.Computed > want+0.03 {
				t.Errorf("%s, ends %v: %+v", name, ends, f.Gain)
			}
		}
	}
}

// TestProxy: a program that accepts connections and dials another server for each spends little on its own dials.
func TestProxy(t *testing.T) {
	c := makes(25, 0, "syscall.connect", "net.(*Dialer).DialContext", "net.Dial", "main.forward:7", "main.serve:3")
	c.cpu(100, "crypto/tls.(*Conn).serverHandshake", "crypto/tls.(*Conn).Read", "main.serve:5")
	c.cpu(25, "syscall.Close", "net.(*conn).Close", "main.serve:9")
	if found := madeByLibrary(newAnalysis(&c.evidence)); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// TestDialsInParallel: goroutines of package net open connections to a host with several addresses. They belong to the
// lines that start them, and to libraries, in proportion.
func TestDialsInParallel(t *testing.T) {
	parallel := func(callers ...string) []string {
		return append([]string{"runtime.selectgo", "net.(*sysDialer).dialParallel", "net.(*Dialer).DialContext"},
			callers...)
	}
	serial := append([]string{"syscall.connect", "net.(*sysDialer).dialSerial"},
		parallel("net.Dial", "main.ask:7")[1:]...)
	for name, x := range map[string]struct {
		own   int // samples of starting goroutines
		add   func(c *testCase)
		where string  // none if it is empty
		share float64 // of all samples
	}{
		"alone": {30, func(*testCase) {}, "main.go:7", 90.0 / 260},
		"and closed": {30, func(c *testCase) {
			c.cpu(60, "net.(*conn).Close", "main.ask:8")
		}, "main.go:7", 150.0 / 320},
		"and collected": {30, func(c *testCase) {
			c.cpu(40, "runtime.gcAssistAlloc", "runtime.mallocgc", "net.socket", "net.(*sysDialer).dialParallel.func1")
		}, "main.go:7", 90.0 / 300},
		"few samples": {2, func(c *testCase) {
			c.cpu(1, parallel("github.com/redis/go-redis/v9.NewDialer.func1")...)
		}, "", 0},
		"in calls that grow the stack": {30, func(c *testCase) {
			c.cpu(100, append([]string{"runtime.newstack"}, parallel("net/smtp.Dial", "net/smtp.SendMail")[1:]...)...)
		}, "main.go:7", 90.0 / 360},
		"that allocate": {30, func(c *testCase) {
			c.cpu(60, "runtime.mallocgc", "net.socket", "net.(*sysDialer).dialParallel.func1")
			heap := &c.evidence.Profiles[1]
			heap.Samples = append(heap.Samples, evidence.Sample{Values: []int64{5000, 100000},
				Stack: frames("net.socket", "net.(*sysDialer).dialParallel.func1")})
		}, "main.go:7", 150.0 / 320},
		"beside a client": {30, func(c *testCase) {
			c.cpu(30, parallel("net/http.(*Transport).dial")...)
		}, "main.go:7", 60.0 / 290},
		"beside a library": {30, func(c *testCase) {
			c.cpu(90, parallel("github.com/redis/go-redis/v9.NewDialer.func1")...)
		}, "main.go:7", 45.0 / 350},
		"mostly of a library": {30, func(c *testCase) {
			c.cpu(400, parallel("github.com/redis/go-redis/v9.NewDialer.func1")...)
		}, "", 0},
		"beside one address": {30, func(c *testCase) {
			c.cpu(60, append(serial[:4:4], "main.other:8")...)
		}, "main.go:7", 150.0 / 320},
	} {
		c := makes(x.own, 0, parallel("net.Dial", "main.ask:7", "main.worker:3")...)
		c.cpu(60, "syscall.connect", "net.(*sysDialer).dialSingle", "net.(*sysDialer).dialParallel.func1")
		x.add(c)
		found := madeByLibrary(newAnalysis(&c.evidence))
		switch {
		case x.where == "" || len(found) == 0:
			if x.where != "" || len(found) > 0 {
				t.Errorf("%s: %+v", name, found)
			}
		case found[0].Where[0] != x.where:
			t.Errorf("%s: %s", name, found[0].Where)
		case math.Abs(found[0].Share-x.share) > 0.001:
			t.Errorf("%s: %v, not %v", name, found[0].Share, x.share)
		case name == "that allocate" && (!slices.Contains(found[0].Evidence, "they take 47% of the CPU time, "+
			"including 19% for allocation") || !strings.Contains(found[0].Evidence[2], "allocate 50% of all bytes")):
			t.Errorf("%s: %q", name, found[0].Evidence)
		}
	}
}

// TestFewSamplesOfMakers: a few samples, as of a quick explanation, do not show that timers cost much.
func TestFewSamplesOfMakers(t *testing.T) {
	for samples, found := range map[int]bool{7: false, 70: true} {
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(samples*6, "main.worker:9")
		c.cpu(samples, "time.newTimer", "time.After", "main.serve:7", "main.worker:3")
		if slices.Contains(c.names(), string(LibraryLimit)) != found {
			t.Errorf("%d of %d samples: %v", samples, samples*7, c.names())
		}
	}
}

// TestOtherTimers: deadlines of connections and sleeps have timers too, which the line does not make.
func TestOtherTimers(t *testing.T) {
	for _, other := range [][]string{
		{"runtime.(*timer).modify", "internal/poll.runtime_pollSetDeadline", "net.(*conn).SetReadDeadline",
			"main.serve:5"},
		{"runtime.(*timer).reset", "time.Sleep", "main.serve:5"},
		{"runtime.blockTimerChan", "runtime.selectgo", "net.(*sysDialer).dialParallel", "net.Dial", "main.ask:5"},
	} {
		c := makes(40, 0, "time.newTimer", "time.After", "main.serve:7", "main.worker:3")
		c.cpu(40, other...)
		if f := c.named(t, LibraryLimit); f.Gain.Estimate > 0.17 {
			t.Errorf("%v: %+v", other, f.Gain)
		}
	}
}

// TestKept: values that are still in use at the end cannot be reused.
func TestKept(t *testing.T) {
	for inUse, gains := range map[int64]bool{10000: true, 80000: false, -10000: true} { // freed in a period
		c := wideCase()
		c.evidence.Profiles = nil
		c.cpu(100, "main.worker:9")
		c.cpu(100, "runtime.mallocgc", "main.load:5", "main.worker:3")
		c.evidence.Profiles = append(c.evidence.Profiles, evidence.Profile{Kind: evidence.Heap,
			Types: []string{"alloc_objects/count", "alloc_space/bytes", "inuse_space/bytes"},
			Samples: []evidence.Sample{
				{Values: []int64{50000, 100000, inUse}, Stack: frames("main.load:5", "main.worker:3")},
				{Values: []int64{0, 0, min(0, 5*inUse)}, Stack: frames("main.other:6", "main.worker:3")}}})
		if f := c.named(t, EscapePerOp); (f.Gain != nil) != gains || (f.Confidence == Low) == gains {
			t.Errorf("%d bytes in use: %+v", inUse, f)
		}
	}
}
