package endpoint

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/workload"
)

// sent is what Send returned for a request, and its time.
type sent struct {
	at, sent, received, now time.Duration
	ok                      bool
}

// sendAll lets a number of workers send requests at their times in an open loop, and returns what became of them, and
// the beginning of the clock.
func sendAll(t *testing.T, workers, each int, options ...string) (all []sent, o outcome, epoch time.Time) {
	t.Helper()
	w, err := made(options...)
	if err != nil {
		t.Fatal(err)
	}
	world := live.New(live.Config{Poller: true, Punctual: true})
	err = world.Run("load", func(e env.Env) {
		s, err := w.Designs[0].Stream(e, workloadtest.Point(t, w, "rate=10"))
		if err != nil {
			t.Error(err)
			return
		}
		all = make([]sent, workers*each)
		group := e.Group()
		for i := range workers {
			group.Go(e, "worker", func(e env.Env) {
				for j := range each {
					request := i*each + j
					x := &all[request]
					x.at = e.Now() + time.Duration(request%4-1)*time.Millisecond/2 // some are late
					x.sent, x.received, x.ok = s.Send(e, uint64(request), x.at)
					x.now = e.Now()
				}
			})
		}
		group.Wait()
		s.Close(e)
		_, o.check = s.Check(uint64(len(all)))
		o.values = s.Metrics()
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range all {
		if x.ok {
			o.ok++
		}
		if x.sent < x.at || x.received < x.sent || x.received > x.now {
			t.Errorf("request %d: %+v", i, x)
		}
	}
	return all, o, world.Epoch()
}

// noting is a server that notes when it read each request, and when it began to answer.
type noting struct {
	mu            sync.Mutex
	read, answers []time.Time
}

func (n *noting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.read, n.answers = append(n.read, time.Now()), append(n.answers, time.Now())
	w.Header().Set("Content-Length", "2")
	io.WriteString(w, "ok")
}

// TestSend sends requests at their times, over TCP and TLS: none reaches the server earlier, and no reply is complete
// before the server answers.
func TestSend(t *testing.T) {
	for _, secure := range []bool{false, true} {
		var n noting
		server := httptest.NewUnstartedServer(&n)
		if secure {
			server.StartTLS()
		} else {
			server.Start()
		}
		all, o, epoch := sendAll(t, 1, 50, append([]string{"url=" + server.URL, "expect-body=ok"},
			map[bool][]string{true: {"insecure=true"}}[secure]...)...)
		server.Close()
		if o.ok != 50 || o.text() != "" || len(n.read) != 52 {
			t.Fatalf("%d requests: %+v", len(n.read), o)
		}
		for i, x := range all {
			if read := n.read[i+1].Sub(epoch); read < x.at || read < x.sent {
				t.Errorf("TLS %t, request %d: %+v, but the server read it at %v", secure, i, x, read)
			}
			// The stamp of a reply is by another clock, which may be adjusted.
			if answer := n.answers[i+1].Sub(epoch); x.received < answer-time.Millisecond {
				t.Errorf("TLS %t, request %d: %+v, but the server answered at %v", secure, i, x, answer)
			}
		}
	}
}

// TestSendTogether sends from many workers: each connection is opened when its first request should be sent.
func TestSendTogether(t *testing.T) {
	var n noting
	server := httptest.NewServer(&n)
	defer server.Close()
	_, o, _ := sendAll(t, 20, 10, "url="+server.URL)
	if o.ok != 200 || o.text() != "" || o.values["status_200"] != 200 {
		t.Errorf("%+v", o)
	}
}

// TestSendFails: requests that fail have times too, and one that is sent again was sent at its first time.
func TestSendFails(t *testing.T) {
	var answered atomic.Int64
	url := serveRaw(t, func(c net.Conn, _ int) {
		switch answered.Add(1) {
		case 4:
			hangUp(c)
		case 8:
			<-t.Context().Done()
		case 10:
			io.WriteString(c, "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")
		default:
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		}
	})
	all, o, _ := sendAll(t, 1, 12, "url="+url, "timeout=1s", "max-errors=1")
	if o.ok != 10 || o.text() != "" || o.values["resent"] != 1 || o.values["errors_timeout"] != 1 ||
		o.values["status_500"] != 1 {
		t.Errorf("%+v", o)
	}
	slow := slices.IndexFunc(all, func(x sent) bool { return !x.ok && x.received-x.at >= time.Second })
	if slow < 0 {
		t.Errorf("no request timed out: %+v", all)
	}
}

// TestFailsEarly: a request that fails before its time failed at its time.
func TestFailsEarly(t *testing.T) {
	w, err := made("url=http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	s := Service{Requests: []Request{{Method: http.MethodGet, URL: "http://127.0.0.1:1/"}}}
	c, err := newClient(t.Context(), &s, "", workloadtest.Point(t, w, "rate=10"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	c.transport.DialContext = func(context.Context, string, string) (net.Conn, error) { return nil, io.EOF }
	err = live.New(live.Config{}).Run("load", func(e env.Env) {
		at := e.Now() + 20*time.Millisecond
		x := c.transmit(e, 0, at, c.counters.of(0))
		if now := e.Now(); x.failure == nil || x.sent != at || x.received < at || x.received > now {
			t.Errorf("to be sent at %v: %+v at %v", at, x, now)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestSendOnly: only connections of HTTP/1.1 that are reused are written to at a given time.
func TestSendOnly(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	for settings, want := range map[string]bool{"rate=10": true, "load=0.5": true, "": false,
		"rate=10 reuse=off": false} {
		w, err := made("url=" + url)
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Designs[0].Stream(env.Env{}, workloadtest.Point(t, w, settings))
		if err != nil {
			t.Fatal(err)
		}
		if s.Close(env.Env{}); (s.Send != nil) != want {
			t.Errorf("%q: has Send: %t", settings, !want)
		}
	}
}

// TestUnneeded: no connection is opened for a request that got another one while it waited for its time.
func TestUnneeded(t *testing.T) {
	opened := make(chan time.Time, 1)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		if _, err := l.Accept(); err == nil {
			opened <- time.Now()
		}
	}()
	c := client{service: &Service{}, counters: &counters{}, timed: true}
	var got timing
	got.connected.Store(true)
	_, err = c.dial(context.WithValue(t.Context(), timingKey{}, &got), "tcp", l.Addr().String())
	if !errors.Is(err, errUnneeded) || c.counters.of(1).connections.Load() != 0 {
		t.Errorf("%v", err)
	}

	// Another one is opened at the time of its request.
	got.connected.Store(false)
	world := live.New(live.Config{})
	err = world.Run("load", func(e env.Env) {
		at := e.Now() + 5*time.Millisecond
		got.arm(e, at)
		conn, err := c.dial(context.WithValue(t.Context(), timingKey{}, &got), "tcp", l.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		conn.Close()
		if accepted := (<-opened).Sub(world.Epoch()); accepted < at || got.disarm() < at {
			t.Errorf("accepted at %v, for a request of %v", accepted, at)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFollow: bytes of a connection have no effect on requests that do not wait for them: neither on one that went on
// to another connection, nor on one that is over.
func TestFollow(t *testing.T) {
	var x timing
	trace := httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {}}
	x.follow(t.Context(), &trace)
	var a, b timedConn
	trace.GotConn(httptrace.GotConnInfo{Conn: &a})
	trace.GotConn(httptrace.GotConnInfo{Conn: &b})
	if a.current.Load() != nil || b.current.Load() != &x {
		t.Error("after a redirect, the former connection still has the request")
	}
	x.disarm()
	if b.current.Load() != nil {
		t.Error("after the request, its connection still has it")
	}

	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") })
	w, err := made("url=http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	s := Service{Requests: []Request{{Method: http.MethodGet, URL: url}}}
	c, err := newClient(t.Context(), &s, "", workloadtest.Point(t, w, "rate=10"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	var conn *timedConn
	c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled, err := c.dial(ctx, network, address)
		conn, _ = dialled.(*timedConn)
		return dialled, err
	}
	code, f, wrong := c.send(0, c.counters.of(0))
	if code != http.StatusOK || conn == nil || conn.current.Load() != nil {
		t.Errorf("status %d, %v, %v; after a request without a time, the connection still has it", code, f, wrong)
	}
}

// TestReplyTimes: a reply is complete when it came, however long its check takes, and whatever the connection does
// meanwhile. A reply that ends with its connection is not complete earlier.
func TestReplyTimes(t *testing.T) {
	const check = 5 * time.Millisecond
	w, err := made("url=http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	p := workloadtest.Point(t, w, "rate=10")
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/end" {
			if r.Method == http.MethodHead { // the length is not given
				w.(http.Flusher).Flush()
			}
			return
		}
		c, b, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		b.WriteString("HTTP/1.1 200 OK\r\n\r\nhello")
		b.Flush()
		for began := time.Now(); time.Since(began) < check; {
		}
	})
	err = live.New(live.Config{}).Run("load", func(e env.Env) {
		var l workload.Stream
		other := func() {}
		s := Service{Requests: []Request{{URL: url}, {URL: url + "/end"}, {URL: url, Method: http.MethodHead}},
			Verify: func(int, Reply) error {
				other()
				for began := time.Now(); time.Since(began) < check; {
				}
				return nil
			}}
		l, err := s.Stream(e, p)
		if err != nil {
			t.Error(err)
			return
		}
		var inner time.Duration
		other = func() { // uses the connection again
			other = func() {}
			done := make(chan bool)
			e.Go("other", func(e env.Env) {
				defer close(done)
				inner, _, _ = l.Send(e, 3, e.Now())
			})
			<-done
		}
		sent, received, ok := l.Send(e, 0, e.Now())
		if now := e.Now(); !ok || received < sent || received > inner || now-received < 2*check {
			t.Errorf("sent at %v, received at %v, the next sent at %v, checked at %v", sent, received, inner, now)
		}
		sent, received, ok = l.Send(e, 1, e.Now())
		if now := e.Now(); !ok || received-sent < check || now-received < check {
			t.Errorf("sent at %v, received at %v, checked at %v: the reply took %v, and its check too", sent, received,
				now, check)
		}
		sent, received, ok = l.Send(e, 2, e.Now())
		if now := e.Now(); !ok || received < sent || now-received < check {
			t.Errorf("HEAD: sent at %v, received at %v, checked at %v", sent, received, now)
		}
		l.Close(e)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// heldWorld calls a function before each wait.
type heldWorld struct {
	*live.World
	hold *func()
}

func (w heldWorld) Until(t *env.Task, at time.Duration) {
	(*w.hold)()
	w.World.Until(t, at)
}

// TestStaleReply: a reply that comes before its request is sent, because the server closes an idle connection, is not
// that of the request, be it complete or not.
func TestStaleReply(t *testing.T) {
	for _, body := range []string{"0", "5"} {
		testStaleReply(t, "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: "+body+"\r\n\r\n")
	}
}

func testStaleReply(t *testing.T, stale string) {
	t.Helper()
	idle := make(chan net.Conn, 10)
	url := serveRaw(t, func(c net.Conn, connection int) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		if connection == 1 {
			idle <- c
		}
	})
	w, err := made("url=" + url)
	if err != nil {
		t.Fatal(err)
	}
	hold := func() {}
	env.NewTask(heldWorld{live.New(live.Config{}), &hold}, "load", func(e env.Env) {
		s, err := w.Designs[0].Stream(e, workloadtest.Point(t, w, "rate=10"))
		if err != nil {
			t.Error(err)
			return
		}
		c := <-idle
		hold = func() { // the transport is about to write the request
			hold = func() {}
			before := s.Metrics()["received_bytes"]
			io.WriteString(c, stale)
			for s.Metrics()["received_bytes"] < before+float64(len(stale)) {
				runtime.Gosched()
			}
			c.Close()
		}
		at := e.Now()
		sent, received, ok := s.Send(e, 0, at)
		if now := e.Now(); !ok || sent < at || received < sent || received > now {
			t.Errorf("to be sent at %v; sent at %v, received at %v of %v: %t", at, sent, received, now, ok)
		}
		s.Close(e)
		if m := s.Metrics(); m["status_408"] != 0 || m["status_200"] != 1 || m["resent"] != 1 {
			t.Errorf("%v", m)
		}
	}).Start()()
}
