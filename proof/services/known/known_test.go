package known

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/brewput/brewput/model"
)

// virtual returns a queue for a bubble, whose timers are exact.
func virtual(c Config) *queue {
	q := newQueue(c)
	q.spin, q.sleep = 0, time.Sleep
	return q
}

// TestQueue sends requests at random times in virtual time. Their service times must be the drawn ones, unless a
// pause prevents the end, and the recursion over arrivals and services must give every wait.
func TestQueue(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		c := Config{Servers: 1 + r.IntN(4), Mean: time.Millisecond, Constant: seed%3 == 0, Seed: seed, Limit: 1000}
		if seed%2 == 0 {
			c.Every, c.Pause = 7*time.Millisecond, time.Duration(1+r.IntN(6))*time.Millisecond
		}
		synctest.Test(t, func(t *testing.T) {
			q := virtual(c)
			var all sync.WaitGroup
			for i := range uint64(200) {
				all.Go(func() {
					if _, err := q.serve(i, q.now()); err != nil {
						t.Error(err)
					}
				})
				if r.IntN(10) > 0 { // otherwise the next one arrives at the same time
					time.Sleep(time.Duration(r.IntN(1_000_000)))
				}
			}
			all.Wait()
			l := q.snapshot()
			if err := l.Check(); err != nil || len(l.Entries) != 200 {
				t.Errorf("seed %d, %+v: %d entries, %v", seed, c, len(l.Entries), err)
			}
			for _, e := range l.Entries {
				// A service never takes 0 ns.
				if d := e.Service - c.Draw(e.Request); d != 0 && e.Service != 1 {
					t.Errorf("seed %d: request %d was served %v, not %v", seed, e.Request, e.Service, c.Draw(e.Request))
				}
			}
		})
	}
}

// TestCheck: a log with any wait, response or service time that is wrong by 1 ns is refused.
func TestCheck(t *testing.T) {
	log := func() Log {
		c := Config{Servers: 1, Mean: 10, Constant: true, Limit: 9, Every: 100, Pause: 20}
		return Log{Config: c, Entries: []Entry{
			{Arrival: 50, Start: 50, Service: 10, End: 60},
			{Arrival: 55, Start: 60, Service: 10, End: 70},
			{Arrival: 98, Start: 98, Service: 10, End: 128}, // across a pause
			{Arrival: 203, Start: 220, Service: 10, End: 230},
		}}
	}
	if err := log().Check(); err != nil {
		t.Fatal(err)
	}
	for i := range log().Entries {
		for _, change := range []func(*Entry){
			func(e *Entry) { e.Start++ }, func(e *Entry) { e.End-- }, func(e *Entry) { e.Service++ },
		} {
			l := log()
			change(&l.Entries[i])
			if err := l.Check(); err == nil {
				t.Errorf("accepted: %+v", l.Entries[i])
			}
		}
	}
}

// start returns the address of a server.
func start(t *testing.T, c Config) string {
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		s.Close()
		<-ended
	})
	return "http://" + l.Addr().String()
}

// get returns the status and the body of a reply.
func get(t *testing.T, url string) (int, string) {
	r, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	return r.StatusCode, string(text)
}

// TestServer sends requests over HTTP. However late the machine is, the log is consistent: the recursion gives each
// wait and response to the nanosecond.
func TestServer(t *testing.T) {
	const clients, each = 8, 25
	for _, c := range []Config{
		{Servers: 1, Mean: 200 * time.Microsecond, Limit: 1000, Seed: 3},
		{Servers: 3, Mean: time.Millisecond, Constant: true, Limit: 1000,
			Every: 9 * time.Millisecond, Pause: 2 * time.Millisecond},
	} {
		url := start(t, c)
		var all sync.WaitGroup
		for i := range clients {
			all.Go(func() {
				for j := range each {
					if code, text := get(t, fmt.Sprintf("%s/serve/%d", url, i*each+j)); code != 200 || text != "ok\n" {
						t.Errorf("status %d, %q", code, text)
					}
				}
			})
		}
		all.Wait()
		get(t, url+"/begin")
		get(t, url+"/serve")
		l, err := ReadLog(logOf(t, url))
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Check(); err != nil || len(l.Entries) != clients*each+1 {
			t.Fatalf("%d entries, %v", len(l.Entries), err)
		}
		seen := map[uint64]bool{}
		for i, e := range l.Entries {
			if e.Received > e.Arrival || e.Written < e.End || e.Service < c.Draw(e.Request) ||
				(e.Epoch == 1) != (i == clients*each) {
				t.Errorf("%+v, drawn %v", e, c.Draw(e.Request))
			}
			seen[e.Request] = true
		}
		if len(seen) != clients*each {
			t.Errorf("%d of %d numbers", len(seen), clients*each)
		}
	}
}

// logOf returns the text of the log.
func logOf(t *testing.T, url string) io.Reader {
	code, text := get(t, url+"/log")
	if code != 200 {
		t.Errorf("status %d", code)
	}
	return strings.NewReader(text)
}

// TestMost: the server counts the connections that are open at the same time.
func TestMost(t *testing.T) {
	url := start(t, Config{Servers: 1, Limit: 2})
	for n := 1; n < 4; n++ {
		c := &http.Transport{} // whose connection stays open
		defer c.CloseIdleConnections()
		for range 2 {
			r, err := (&http.Client{Transport: c}).Get(url + "/most")
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r.Body)
			if r.Body.Close(); err != nil || string(text) != fmt.Sprint(n) {
				t.Errorf("%d connections: %s, %v", n, text, err)
			}
		}
	}
}

// TestLimits: a full log refuses requests and says so, and wrong paths and numbers have their status.
func TestLimits(t *testing.T) {
	url := start(t, Config{Servers: 1, Limit: 2})
	for path, want := range map[string]int{"/fast": 200, "/begin": 200, "/serve/x": 400, "/serve/-1": 400,
		"/none": 404} {
		if code, _ := get(t, url+path); code != want {
			t.Errorf("%s: status %d, not %d", path, code, want)
		}
	}
	for i, want := range []int{200, 200, 503} {
		if code, text := get(t, fmt.Sprintf("%s/serve/%d", url, i)); code != want {
			t.Errorf("request %d: status %d, %q", i, code, text)
		}
	}
	if l, err := ReadLog(logOf(t, url)); err != nil || l.Lost != 1 || len(l.Entries) != 2 {
		t.Errorf("%+v, %v", l, err)
	}
	for _, c := range []Config{{}, {Servers: 1}, {Servers: 1, Limit: 1, Mean: -1}, {Servers: 1, Limit: 1, Every: 1},
		{Servers: 1, Limit: 1, Every: 1, Pause: 1}, {Servers: 1, Limit: 1, Every: -1, Pause: -2}} {
		if _, err := New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// FuzzReadLog: no text makes ReadLog fail otherwise than by an error, and what it accepts is written and read again.
func FuzzReadLog(f *testing.F) {
	const head = `{"servers":2,"mean":1000,"every":0,"pause":0,"limit":9,"lost":1,"entries":1}` + "\n"
	f.Add([]byte(head + `{"request":1,"epoch":2,"read":3,"arrival":4,"start":5,"service":6,"end":7}` + "\n"))
	f.Add([]byte(head))
	f.Add([]byte(""))
	f.Add([]byte("{}\n"))
	f.Add([]byte(strings.Repeat("x", 2*maxLine)))
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ReadLog(bytes.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := l.write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := ReadLog(&out)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(l) {
			t.Fatalf("%+v\n%+v, %v", l, again, err)
		}
		l.Check()
	})
}

// ExampleLog_Check shows how a log is turned into the truth.
func ExampleLog_Check() {
	l := Log{Config: Config{Servers: 1, Limit: 2}, Entries: []Entry{
		{Request: 0, Arrival: 0, Start: 0, Service: 30, End: 30},
		{Request: 1, Arrival: 10, Start: 30, Service: 5, End: 35},
	}}
	fmt.Println(l.Check())
	visits, err := model.KieferWolfowitz([]float64{0, 10}, []float64{30, 5}, l.Servers)
	fmt.Println(visits[1].Response, err)
	// Output:
	// <nil>
	// 25 <nil>
}
