package endpoint

import (
	"bufio"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// make returns the workload http for options such as "url=http://127.0.0.1/".
func made(options ...string) (*workload.Workload, error) {
	given := workload.Given{}
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		given[name] = append(given[name], value)
	}
	return Workload().With(given)
}

// outcome is what a trial found.
type outcome struct {
	opened error // of the constructor
	ok     int   // requests that succeeded
	check  error
	values map[string]float64
}

// text joins the errors.
func (o outcome) text() string {
	if o.opened != nil {
		return "open: " + o.opened.Error()
	}
	if o.check != nil {
		return "check: " + o.check.Error()
	}
	return ""
}

// measure sends n requests to a workload's first design.
func measure(t *testing.T, w *workload.Workload, settings string, n int, during ...func(i int)) (o outcome) {
	t.Helper()
	p := workloadtest.Point(t, w, settings)
	if err := w.Check(p); err != nil {
		t.Fatal(err)
	}
	s, err := w.Designs[0].Stream(env.Env{}, p)
	if err != nil {
		return outcome{opened: err}
	}
	for i := range n {
		for _, f := range during {
			f(i)
		}
		if s.Try(env.Env{}, uint64(i)) {
			o.ok++
		}
	}
	s.Close(env.Env{})
	_, o.check = s.Check(uint64(n))
	o.values = s.Metrics()
	return o
}

// serve starts a server with a handler.
func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// serveRaw starts a server that answers each request on a connection by a function. It counts connections from 1.
func serveRaw(t *testing.T, answer func(c net.Conn, connection int)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for r := bufio.NewReader(c); ; {
					request, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					io.Copy(io.Discard, request.Body)
					answer(c, n)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

// hangUp resets a connection.
func hangUp(c net.Conn) {
	c.(*net.TCPConn).SetLinger(0)
	c.Close()
}

// TestRequests checks that the targets are sent in turn, as they are, and what is counted.
func TestRequests(t *testing.T) {
	requests := make(chan string, 9)
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		requests <- fmt.Sprintf("%s %s %s %s %s:%s %s %s", r.Method, r.URL, b, r.Host, user, password,
			r.Header.Get("Accept"), r.Header.Get("Accept-Encoding"))
		w.WriteHeader(201)
	})
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, "body", "hello")
	host := strings.TrimPrefix(url, "http://")
	write(t, "targets", "# two\nGET http://me:pw@"+host+"/a?b=c\nHost: example.org\n\n"+
		"POST "+url+"/d\nAccept: x\n@body\n")
	w, err := made("targets=targets", "header=Accept: y")
	if err != nil {
		t.Fatal(err)
	}
	o := measure(t, w, "rate=10", 3) // an open loop
	a, d := "GET /a?b=c  example.org me:pw y ", "POST /d hello "+host+" : x "
	want := []string{a, a, d, a, a} // the first request, the load, the last request
	var got []string
	for range len(requests) {
		got = append(got, <-requests)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if o.ok != 3 || o.text() != "" || o.values["status_201"] != 3 || o.values["connections"] != 1 ||
		o.values["received_bytes"] == 0 || o.values["sent_bytes"] == 0 {
		t.Errorf("%+v", o)
	}
}

// TestReuse checks that the factor reuse decides whether connections are reused.
func TestReuse(t *testing.T) {
	url := serve(t, func(http.ResponseWriter, *http.Request) {})
	for settings, want := range map[string]float64{"reuse=on": 1, "reuse=off": 12} {
		w, err := made("url=" + url)
		if err != nil {
			t.Fatal(err)
		}
		if o := measure(t, w, settings, 10); o.values["connections"] != want || o.ok != 10 {
			t.Errorf("%s: %+v, want %v connections", settings, o, want)
		}
	}
}

// cutPreface ends the line of a first request whose connection was closed before HTTP/2 was established.
const cutPreface = "http2: client conn could not be established; if the server has no HTTP/2 there, use http/1.1 " +
	"(option protocol)"

// TestCutPreface checks that a server which closes a connection at once is not said to lack HTTP/2.
func TestCutPreface(t *testing.T) {
	l := load{service: &Service{}, client: &client{}}
	err := l.advise(errors.New("GET http://a: http2: client conn could not be established"), protocol, 0)
	if err == nil || err.Error() != "GET http://a: "+cutPreface {
		t.Errorf("%v, want %q", err, cutPreface)
	}
}

// TestProtocols checks the protocols with servers that speak them, and with one that does not.
func TestProtocols(t *testing.T) {
	for _, c := range []struct{ server, protocol, says string }{
		{"http", "http/1.1", ""}, {"https", "http/1.1", ""}, {"https", "h2", ""}, {"h2c", "h2c", ""},
		{"https1", "h2", "open: the first request failed: GET "},
		{"http", "h2c", "open: the first request failed: GET "},
	} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, r.Proto)
		}))
		s.Config.ErrorLog = quiet()
		s.Config.Protocols = &http.Protocols{}
		s.Config.Protocols.SetHTTP1(c.server != "h2c")
		s.Config.Protocols.SetUnencryptedHTTP2(c.server == "h2c")
		s.EnableHTTP2 = c.server == "https"
		if s.Config.Protocols.SetHTTP2(s.EnableHTTP2); strings.HasPrefix(c.server, "https") {
			s.StartTLS()
		} else {
			s.Start()
		}
		proto := map[bool]string{true: "HTTP/1.1", false: "HTTP/2.0"}[c.protocol == "http/1.1"]
		options := []string{"url=" + s.URL, "expect-body=" + proto}
		if strings.HasPrefix(c.server, "https") {
			options = append(options, "insecure=true")
		}
		w, err := made(options...)
		if err != nil {
			t.Fatal(err)
		}
		o := measure(t, w, "protocol="+c.protocol, 5)
		advice := strings.HasSuffix(o.text(), "; the server has no HTTP/2 there: use http/1.1 (option protocol)") ||
			c.server == "http" && strings.HasSuffix(o.text(), cutPreface) // it may close while the client still writes
		if c.says == "" && (o.text() != "" || o.ok != 5) || !strings.HasPrefix(o.text(), c.says) ||
			c.says != "" && !advice {
			t.Errorf("%+v: %+v: %s", c, o, o.text())
		}
		s.Close()
	}
}

// TestWrongUse checks that each way of failing has a clear line.
func TestWrongUse(t *testing.T) {
	hang := make(chan bool)
	tls := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	tls.Config.ErrorLog = quiet()
	tls.StartTLS()
	defer tls.Close()
	defer close(hang)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: tls.Certificate().Raw})))
	for _, c := range []struct {
		name, url string
		options   []string
		says      string
	}{
		{name: "refused", url: "http://127.0.0.1:1",
			says: "refused; start the server, or give its command (option start)"},
		{name: "certificate", url: tls.URL, says: "certificate signed by unknown authority; give the certificate " +
			"of its authority (option ca-file), or accept any (option insecure)"},
		{name: "other name", url: strings.Replace(tls.URL, "127.0.0.1", "localhost", 1),
			options: []string{"ca-file=" + ca}, says: "use a name of the certificate in the address, or accept any " +
				"certificate (option insecure)"},
		{name: "plain", url: strings.Replace(tls.URL, "https", "http", 1),
			says: "status 400 (Bad Request); if the server has TLS, use https://; else correct the request, or expect " +
				"that status (option expect-status)"},
		{name: "hangs", url: serve(t, func(http.ResponseWriter, *http.Request) { <-hang }),
			options: []string{"timeout=20ms"}, says: "no complete reply within 20ms; allow more time (option timeout)"},
		{name: "hangs in the body", url: serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.(http.Flusher).Flush()
			<-hang
		}), options: []string{"timeout=20ms"}, says: "no complete reply within 20ms; allow more time (option timeout)"},
		{name: "resets", url: serveRaw(t, func(c net.Conn, _ int) { hangUp(c) }), says: "connection reset by peer"},
		{name: "closes", url: serveRaw(t, func(c net.Conn, _ int) { c.Close() }),
			says: "the server closed the connection before its reply was complete"},
		{name: "cut", url: serveRaw(t, func(c net.Conn, _ int) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
			c.Close()
		}), says: "the server closed the connection before its reply was complete"},
		{name: "endless", url: serve(t, func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				w.Write(make([]byte, 4096))
			}
		}), options: []string{"max-body=100000"}, says: "the body has more than 100000 bytes, the limit; allow a " +
			"larger one (option max-body)"},
		{name: "another protocol", url: serveRaw(t, func(c net.Conn, _ int) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tea\r\n\r\n")
		}), says: "the server switches to another protocol: status 101"},
		{name: "large header", url: serveRaw(t, func(c net.Conn, _ int) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 11<<20)+"\r\n\r\n")
		}), says: "response headers exceeded"},
		{name: "not HTTP", url: serveRaw(t, func(c net.Conn, _ int) { io.WriteString(c, "220 ready\r\n") }),
			says: "malformed HTTP"},
		{name: "elsewhere", url: serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.2:1/x", http.StatusFound)
		}), says: `302 (Found) leads to "http://127.0.0.2:1", which is another server; give its own address`},
		{name: "round", url: serve(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusFound)
		}), says: `more than 10 redirects, the last to "/again"`},
		{name: "missing", url: serve(t, http.NotFound),
			says: "status 404 (Not Found); correct the address, or expect that status (option expect-status)"},
		{name: "no TLS", url: strings.Replace(serve(t, http.NotFound), "http:", "https:", 1),
			says: "tls: first record does not look like a TLS handshake; the server has no TLS there: use http://"},
	} {
		w, err := made(append(c.options, "url="+c.url)...)
		if err != nil {
			t.Fatal(c.name, err)
		}
		o := measure(t, w, "", 1)
		if got := o.text(); !strings.HasPrefix(got, "open: the first request failed: GET "+c.url) ||
			!strings.Contains(got, c.says) {
			t.Errorf("%s: %s, want %q", c.name, got, c.says)
		}
	}
}

// TestLoad checks what becomes of requests that fail during the load.
func TestLoad(t *testing.T) {
	fail := func(w http.ResponseWriter, code int) { http.Error(w, "no", code) }
	for _, c := range []struct {
		name    string
		handler func(w http.ResponseWriter, request int)
		options []string
		says    string
		also    string
		metric  string
		count   float64
	}{
		{name: "few", handler: func(w http.ResponseWriter, i int) {
			if i == 3 {
				fail(w, 503)
			}
		}, metric: "errors_status", count: 1},
		{name: "many", handler: func(w http.ResponseWriter, i int) {
			if 3 <= i && i < 6 {
				fail(w, 503)
			}
		}, says: "3 of 20 requests failed, a larger share than 0.1 (option max-errors); most by status, as in: " +
			"status 503"},
		{name: "none is allowed", options: []string{"max-errors=0"}, handler: func(w http.ResponseWriter, i int) {
			if i == 3 {
				fail(w, 503)
			}
		}, says: "1 of 20 requests failed, a larger share than 0"},
		{name: "down at the end", handler: func(w http.ResponseWriter, i int) {
			if i >= 20 {
				fail(w, 503)
			}
		}, says: "the request after the load failed: GET "},
		{name: "flaky before and after", handler: func(w http.ResponseWriter, i int) {
			if i < 3 || i >= 24 && i < 28 { // the load has 4 to 23
				fail(w, 503)
			}
		}, metric: "status_200", count: 20},
		{name: "flaky, and none is allowed", options: []string{"max-errors=0"}, handler: func(w http.ResponseWriter,
			i int) {
			if i < 0 {
				fail(w, 503)
			}
		}, says: "open: the first request failed: GET "},
		{name: "expected", options: []string{"expect-status=2xx,503"}, handler: func(w http.ResponseWriter, i int) {
			fail(w, 503)
		}, metric: "status_503", count: 20},
		{name: "wrong", options: []string{"expect-status=200"}, handler: func(w http.ResponseWriter, i int) {
			if i%2 == 1 {
				fail(w, 503)
			}
		}, says: "10 of 20 replies were wrong; the first: request 1, GET "},
		{name: "wrong at first", options: []string{"expect-status=200"}, handler: func(w http.ResponseWriter, i int) {
			if i < 0 {
				fail(w, 503)
			}
		}, says: "1 of 20 replies were wrong; the first: GET "},
		{name: "wrong at the end", options: []string{"expect-status=200"}, handler: func(w http.ResponseWriter, i int) {
			if i >= 20 {
				fail(w, 503)
			}
		}, says: "the reply after the load was wrong: GET "},
		{name: "wrong, and down at the end", options: []string{"expect-body=no"}, handler: func(w http.ResponseWriter,
			i int) {
			if i >= 20 {
				fail(w, 503)
			}
		}, says: "21 of 21 replies were wrong; the first: GET ", also: "; the request after the load failed: GET "},
	} {
		i := -2
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			i++
			c.handler(w, i)
		})
		w, err := made(append(c.options, "url="+url)...)
		if err != nil {
			t.Fatal(c.name, err)
		}
		o := measure(t, w, "", 20)
		if c.says == "" && o.check != nil || !strings.HasPrefix(strings.TrimPrefix(o.text(), "check: "), c.says) ||
			!strings.Contains(o.text(), c.also) || o.values[c.metric] != c.count && c.metric != "" {
			t.Errorf("%s: %+v, want %q", c.name, o, c.says)
		}
	}
}

// TestResent checks that a request that the transport repeats on another connection is counted.
func TestResent(t *testing.T) {
	var answered atomic.Int64
	url := serveRaw(t, func(c net.Conn, connection int) {
		if answered.Add(1) == 4 { // the connection was reused, so the transport tries again
			hangUp(c)
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	w, err := made("url=" + url)
	if err != nil {
		t.Fatal(err)
	}
	if o := measure(t, w, "", 9); o.ok != 9 || o.values["resent"] != 1 || o.values["connections"] != 2 {
		t.Errorf("%+v", o)
	}
}

// TestRedirects checks methods and bodies of followed redirects.
func TestRedirects(t *testing.T) {
	for _, c := range []struct {
		method string
		code   int
		want   string
	}{
		{"POST", 301, "GET "}, {"POST", 302, "GET "}, {"POST", 303, "GET "}, {"PUT", 302, "PUT x"},
		{"POST", 307, "POST x"}, {"POST", 308, "POST x"}, {"PUT", 303, "GET "},
	} {
		url := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/from" {
				http.Redirect(w, r, "/to", c.code)
				return
			}
			b, _ := io.ReadAll(r.Body)
			io.WriteString(w, r.Method+" "+string(b)+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+".")
		})
		kept := map[bool]string{true: "tea"}[strings.HasSuffix(c.want, "x")]
		w, err := made("url="+url+"/from", "method="+c.method, "body=x", "header=content-type: tea",
			"expect-body="+c.want+" /to "+kept+".")
		if err != nil {
			t.Fatal(err)
		}
		if o := measure(t, w, "", 2); o.ok != 2 || o.text() != "" {
			t.Errorf("%+v: %+v", c, o)
		}
	}
}

// TestOddReplies checks replies that are right although few servers send them.
func TestOddReplies(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntea"
	for name, c := range map[string]struct {
		answer func(c net.Conn)
		body   string
	}{
		"after 100 Continue": {func(c net.Conn) { io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"+ok) }, "tea"},
		"after hints": {func(c net.Conn) {
			io.WriteString(c, strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 20)+ok)
		}, "tea"},
		"a trailer": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n"+
				"3\r\ntea\r\n0\r\nX: y\r\n\r\n")
		}, "tea"},
		"closed after each": {func(c net.Conn) {
			io.WriteString(c, ok)
			c.Close()
		}, "tea"},
		"until the end of the connection": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.0 200 OK\r\n\r\ntea")
			c.Close()
		}, "tea"},
		"not modified": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n")
		}, ""},
	} {
		w, err := made("url="+serveRaw(t, func(conn net.Conn, _ int) { c.answer(conn) }), "expect-body="+c.body,
			"max-errors=0")
		if err != nil {
			t.Fatal(err)
		}
		if o := measure(t, w, "", 5); o.ok != 5 || o.text() != "" {
			t.Errorf("%s: %+v", name, o)
		}
	}
}

// TestLocalLimits checks that errors of this machine's own limits say what to do.
func TestLocalLimits(t *testing.T) {
	for cause, want := range map[error]string{syscall.EADDRNOTAVAIL: "reuse connections, or send fewer requests",
		syscall.EMFILE: "raise the limit of ulimit -n, or give fewer workers"} {
		f := classify(&net.OpError{Op: "dial", Err: cause})
		if f.kind != other || !strings.HasSuffix(f.Error(), want) || !errors.Is(f, cause) {
			t.Errorf("%v: %v", cause, f)
		}
	}
}

// TestPortInSocket checks that the port of a started server is in the path of its socket.
func TestPortInSocket(t *testing.T) {
	s := &Service{Unix: "s{port}", Start: []string{"serve", "{port}"}, Requests: []Request{{URL: "http://localhost/"}}}
	own, port, err := s.ported()
	if err != nil || port == "" || own.Unix != "s"+port || s.Unix != "s{port}" {
		t.Errorf("%+v, %q, %v", own, port, err)
	}
	if _, err := made("url=http://localhost/", "unix=s{port}", "start=serve"); err == nil ||
		!strings.Contains(err.Error(), "start has no {port}, but the address has it") {
		t.Error(err)
	}
}

// TestTimeLimit checks that a timeout counts as such during the load.
func TestTimeLimit(t *testing.T) {
	done := make(chan bool)
	var requests atomic.Int64
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 2 {
			<-done
		}
	})
	w, err := made("url="+url, "timeout=200ms", "max-errors=1")
	if err != nil {
		t.Fatal(err)
	}
	o := measure(t, w, "", 3)
	close(done)
	if o.ok != 2 || o.values["errors_timeout"] != 1 || o.text() != "" {
		t.Errorf("%+v", o)
	}
}

// TestUnix checks a connection through a socket in the file system, which needs no permitted host.
func TestUnix(t *testing.T) {
	path := t.TempDir() + "/s"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Host)
	})}
	go s.Serve(l)
	defer s.Close()
	w, err := made("url=http://example.org/", "unix="+path, "expect-body=example.org")
	if err != nil {
		t.Fatal(err)
	}
	if o := measure(t, w, "", 2); o.ok != 2 || o.text() != "" {
		t.Errorf("%+v", o)
	}
}

// TestRebinding checks that the resolved address of each connection is checked.
func TestRebinding(t *testing.T) {
	s := &Service{AllowHosts: []string{"192.0.2.9"}}
	start := time.Now()
	_, err := s.dial(t.Context(), "tcp", "192.0.2.1:9")
	var beyond beyondError
	if !errors.As(err, &beyond) || time.Since(start) > time.Minute {
		t.Errorf("%v", err)
	}
	for _, mapped := range []string{"[::ffff:192.0.2.1]:9", "0.0.0.0:9", "[::]:9"} {
		if _, err := s.dial(t.Context(), "tcp", mapped); !errors.As(err, &beyond) {
			t.Errorf("%s: %v", mapped, err)
		}
	}
	if err := s.Check(); err == nil {
		t.Error("a service without requests")
	}
	var r *plan.Refusal
	if s.Requests = []Request{{URL: "http://192.0.2.9/"}}; s.Check() != nil {
		t.Error("a permitted host is refused")
	}
	if s.Requests[0].URL = "http://192.0.2.8/"; !errors.As(s.Check(), &r) {
		t.Error("another host is not refused")
	}
}

// TestHeaderCase checks that headers in lower case replace those that are added otherwise.
func TestHeaderCase(t *testing.T) {
	got := make(chan http.Header, 9)
	url := serve(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header })
	w, err := made("url="+strings.Replace(url, "://", "://me:pw@", 1), "header=user-agent: mine",
		"header=authorization: Bearer x")
	if err != nil {
		t.Fatal(err)
	}
	if o := measure(t, w, "", 1); o.ok != 1 || o.text() != "" {
		t.Fatalf("%+v", o)
	}
	h := <-got
	if fmt.Sprint(h["User-Agent"], h["Authorization"]) != "[mine] [Bearer x]" {
		t.Errorf("%q", h)
	}
}

// TestIncomplete checks that a reply that was cut counts as an error, without its status.
func TestIncomplete(t *testing.T) {
	answered := 0
	url := serveRaw(t, func(c net.Conn, _ int) {
		if answered++; answered == 3 {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi")
			c.Close()
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	})
	w, err := made("url="+url, "max-errors=1")
	if err != nil {
		t.Fatal(err)
	}
	if o := measure(t, w, "", 5); o.ok != 4 || o.values["status_200"] != 4 || o.values["errors_closed"] != 1 {
		t.Errorf("%+v", o)
	}
}

// TestTLSAdvice checks that only errors with a remedy get advice.
func TestTLSAdvice(t *testing.T) {
	for text, want := range map[string]string{
		"x509: certificate signed by unknown authority":                   "(option ca-file), or accept any",
		"tls: first record does not look like a TLS handshake":            "use http://",
		"remote error: tls: certificate required":                         "(option cert), and its key",
		"remote error: tls: expired certificate":                          "(option cert), and its key",
		"remote error: tls: revoked certificate":                          "(option cert), and its key",
		"remote error: tls: unsupported certificate":                      "(option cert), and its key",
		"remote error: tls: handshake failure":                            "may require a client certificate",
		"remote error: tls: unknown certificate authority":                "(option cert), and its key",
		"x509: certificate is valid for example.org, not localhost":       "use a name of the certificate",
		"x509: certificate is not valid for any names, but wanted a.b":    "use a name of the certificate",
		"x509: certificate relies on legacy Common Name field, use SANs":  "use a name of the certificate",
		"x509: certificate has expired or is not yet valid: current time": "or correct the clock, or accept",
		"connection refused":                                              "",
	} {
		if got := TLSAdvice(errors.New(text)); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestBoth checks that two errors are in one line.
func TestBoth(t *testing.T) {
	a, b := errors.New("a"), errors.New("b")
	if both(nil, nil) != nil || both(a, nil) != a || both(nil, b) != b {
		t.Error("an error is changed or lost")
	}
	if err := both(a, b); err.Error() != "a; b" || !errors.Is(err, a) || !errors.Is(err, b) {
		t.Error(err)
	}
}

// TestIndex checks that targets are sent in turn in an open loop, and that in a closed loop each round has all of them
// and no worker is bound to some.
func TestIndex(t *testing.T) {
	const n, workers, rounds = 4, 8, 4000
	w, err := made("url=http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	c := &client{requests: make([]*http.Request, n)}
	open := &load{client: c, point: workloadtest.Point(t, w, "rate=10")}
	closed := &load{client: c, point: workloadtest.Point(t, w, "")}
	var ofWorker [workers][n]int
	for round := range uint64(rounds) {
		seen := map[int]bool{}
		for i := round * n; i < (round+1)*n; i++ {
			if got := open.index(i); got != int(i%n) {
				t.Fatalf("open loop, request %d: %d", i, got)
			}
			seen[closed.index(i)] = true
			ofWorker[i%workers][closed.index(i)]++
		}
		if len(seen) != n {
			t.Fatalf("round %d has only %v", round, seen)
		}
	}
	for w, counts := range ofWorker {
		for i, count := range counts {
			if want := rounds / workers; count < want*8/10 || count > want*12/10 {
				t.Errorf("worker %d sent request %d %d times, not about %d", w, i, count, want)
			}
		}
	}
	one := &load{client: &client{requests: make([]*http.Request, 1)}}
	if one.index(7) != 0 {
		t.Error("a single request has another index")
	}
}
