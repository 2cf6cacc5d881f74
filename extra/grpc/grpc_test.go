package grpc

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/extra/remote"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	if os.Getenv(asShop) != "" && len(os.Args) == 2 {
		fmt.Fprintln(os.Stderr, serveShop(os.Args[1]))
		os.Exit(1)
	}
	trial.Main(Workload())
	os.Exit(m.Run())
}

// outcome is what a trial found.
type outcome struct {
	opened error // of the constructor
	ok     int   // calls that succeeded
	check  error
	values map[string]float64
}

// text is the error of the trial.
func (o outcome) text() string {
	switch {
	case o.opened != nil:
		return "open: " + o.opened.Error()
	case o.check != nil:
		return "check: " + o.check.Error()
	}
	return ""
}

// measure makes n calls by the design of options such as target=127.0.0.1:1.
func measure(t *testing.T, n int, settings string, options ...string) (o outcome) {
	t.Helper()
	given := workload.Given{}
	for _, x := range options {
		name, value, _ := strings.Cut(x, "=")
		given[name] = append(given[name], value)
	}
	w, err := Workload().With(given)
	if err != nil {
		return outcome{opened: err}
	}
	s, err := w.Designs[0].Stream(env.Env{}, workloadtest.Point(t, w, settings))
	if err != nil {
		return outcome{opened: err}
	}
	for i := range n {
		if s.Try(env.Env{}, uint64(i)) {
			o.ok++
		}
	}
	s.Close(env.Env{})
	_, o.check = s.Check(uint64(o.ok))
	o.values = s.Metrics()
	return o
}

const brew = "method=shop.Barista/Brew"

// TestCalls calls methods with requests of every kind, by either version of reflection and by a descriptor set.
func TestCalls(t *testing.T) {
	v1, alpha, none := open(t, nil, "v1"), open(t, nil, "v1alpha"), open(t, nil)
	set := filepath.Join(t.TempDir(), "shop.binpb")
	writeSet(t, set, shopSet())
	requests := filepath.Join(t.TempDir(), "requests")
	if err := os.WriteFile(requests, []byte("{\"drink\": \"a\"}\n{\"drink\": \"b\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, options := range map[string][]string{
		"reflection": {"target=" + v1, brew, `data={"drink":"latte"}`, "expect-json=$.drink=latte"},
		"v1alpha":    {"target=" + alpha, brew, `data={"drink":"latte"}`, "expect-json=$.drink=latte"},
		"descriptor set": {"target=" + none, brew, `data={"drink":"latte"}`, "expect-json=$.drink=latte",
			"descriptor-set=" + set},
		"no data": {"target=" + v1, brew, "expect-json=$.drink=", "expect-json=$.number=1"},
		"dots":    {"target=" + v1, "method=shop.Barista.Brew", "expect-code=ok"},
		"nested":  {"target=" + v1, "method=/shop.Barista/Brew", `data={"ownBeans":{"origin":"Peru"}}`},
		"metadata": {"target=" + v1, brew, "header=x-table=7", "header=x-table: 8", `data={"drink":"metadata"}`,
			"expect-json=$.drink=[7 8]"},
		"code":   {"target=" + v1, brew, `data={"drink":"tea"}`, "expect-code=NOT_FOUND"},
		"stream": {"target=" + v1, "method=shop.Barista/Watch", `data={"size":5}`, "expect-json=$.number=5"},
		"empty":  {"target=" + v1, "method=shop.Barista/Watch", `data={}`},
		"file":   {"target=" + v1, brew, "data-file=" + requests},
	} {
		o := measure(t, 10, "connections=3", options...)
		if o.text() != "" || o.ok != 10 {
			t.Errorf("%s: %d of 10 calls, %s", name, o.ok, o.text())
		}
		if o.values["connections"] != 3 || o.values["sent_bytes"] < 100 || o.values["received_bytes"] < 100 {
			t.Errorf("%s: %v", name, o.values)
		}
		code := "code_ok"
		if name == "code" {
			code = "code_not_found"
		}
		if o.values[code] != 10 {
			t.Errorf("%s: %v; want 10 of %s", name, o.values, code)
		}
	}
}

// newKeys returns a new certificate and its key.
func newKeys(t *testing.T) (*remote.Keys, tls.Certificate) {
	t.Helper()
	keys, err := remote.NewKeys()
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.X509KeyPair(keys.Certificate, keys.Private)
	if err != nil {
		t.Fatal(err)
	}
	return keys, pair
}

// TestUnix calls a method over a Unix socket, with and without TLS: the certificate and the calls are for localhost.
func TestUnix(t *testing.T) {
	keys, pair := newKeys(t)
	dir, err := os.MkdirTemp("", "") // with a short path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	authority := filepath.Join(dir, "authority")
	if err := os.WriteFile(authority, keys.Certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, more := range map[string][]string{"plain": nil, "secure": {"tls=true", "ca-file=" + authority}} {
		var options []grpc.ServerOption
		if more != nil {
			options = append(options, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
		}
		s, files := grpc.NewServer(options...), shopFiles()
		newBarista(files).register(s, files, "v1")
		serveAt(t, s, "unix", filepath.Join(dir, name))
		o := measure(t, 3, "", append(more, "target=unix:"+filepath.Join(dir, name), brew,
			`data={"drink":"authority"}`, "expect-json=$.drink=[localhost]")...)
		if o.text() != "" || o.ok != 3 {
			t.Errorf("%s: %d calls, %s", name, o.ok, o.text())
		}
	}
}

// TestClientCertificate calls a server that wants a certificate of its clients.
func TestClientCertificate(t *testing.T) {
	keys, pair := newKeys(t)
	others, _ := newKeys(t)
	dir := t.TempDir()
	file := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	cert, key := file("cert", keys.Certificate), file("key", keys.Private)
	wrong := []string{"cert=" + file("another cert", others.Certificate), "key=" + file("another key", others.Private)}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		target := open(t, &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert,
			MaxVersion: version, VerifyPeerCertificate: func(certs [][]byte, _ [][]*x509.Certificate) error {
				if !bytes.Equal(certs[0], pair.Certificate[0]) {
					return errors.New("the certificate is another one")
				}
				return nil
			}}, "v1")
		options := []string{"target=" + target, brew, "tls=true", "ca-file=" + cert}
		if o := measure(t, 3, "", append(options, "cert="+cert, "key="+key)...); o.text() != "" || o.ok != 3 {
			t.Errorf("%x: %d calls, %s", version, o.ok, o.text())
		}
		for name, more := range map[string][]string{"none": nil, "another": wrong} {
			text := measure(t, 3, "", append(options, more...)...).text()
			want := "; give a client certificate that the server accepts (option cert), and its key (option key)"
			if version == tls.VersionTLS12 && more == nil { // the server does not say why
				want = "handshake failure; the server may require a client certificate (option cert) and its key " +
					"(option key), or it has no cipher suite in common with Brewput"
			}
			if !strings.Contains(text, target+" refuses the connection: remote error: tls: ") ||
				!strings.HasSuffix(text, want) {
				t.Errorf("%s, %x: %s", name, version, text)
			}
		}
	}
}

// TestRequestNumbers checks that request i of the load is request i modulo n of the data.
func TestRequestNumbers(t *testing.T) {
	o := measure(t, 10, "", "target="+open(t, nil, "v1"), brew, `data={"drink":"latte"}`,
		`data={"drink":"tea"}`, "max-errors=1")
	if o.ok != 5 || o.text() != "" || o.values["code_ok"] != 5 || o.values["code_not_found"] != 5 ||
		o.values["errors_status"] != 5 {
		t.Errorf("%+v", o)
	}
}

// TestStatuses checks that a status of the server is counted as a reply, whatever it says, and not as a lost one; and
// that a reply which is lost is not counted as a status.
func TestStatuses(t *testing.T) {
	target := "target=" + open(t, nil, "v1")
	for _, method := range []string{"Brew", "Watch"} {
		for drink, want := range map[string]string{
			"late": "code_deadline_exceeded errors_status", "gone": "code_unavailable errors_status",
			"much": "code_resource_exhausted errors_status", "large": "errors_body", "slow": "errors_timeout",
		} {
			timeout := "timeout=1m"
			if drink == "slow" {
				timeout = "timeout=500ms"
			}
			o := measure(t, 4, "", target, "method=shop.Barista/"+method, `data={"size":1}`,
				`data={"size":1,"drink":"`+drink+`"}`, "max-errors=1", "max-body=1000", timeout)
			if o.text() != "" || o.ok != 2 {
				t.Errorf("%s, %s: %+v", method, drink, o)
			}
			for name, value := range o.values {
				counts := strings.HasPrefix(name, "code_") || strings.HasPrefix(name, "errors_")
				if counts && (value != 0) != slices.Contains(strings.Fields("code_ok "+want), name) {
					t.Errorf("%s, %s: %s is %v, want %s", method, drink, name, value, want)
				}
			}
		}
	}
}

// listen accepts connections, and sends the text after the first byte of each, or nothing if the text is empty.
func listen(t *testing.T, text string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return accept(t, l, func(c net.Conn) {
		if text != "" {
			bufio.NewReader(c).ReadByte()
			fmt.Fprint(c, text)
			c.Close()
		}
	})
}

// listenTLS accepts connections, agrees on one of the protocols over TLS, and sends nothing more.
func listenTLS(t *testing.T, pair tls.Certificate, protocols ...string) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair},
		NextProtos: protocols})
	if err != nil {
		t.Fatal(err)
	}
	return accept(t, l, func(c net.Conn) { c.(*tls.Conn).Handshake() })
}

// hangUp accepts connections, and closes each after its first byte.
func hangUp(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return accept(t, l, func(c net.Conn) {
		bufio.NewReaderSize(c, 1).ReadByte()
		c.Close()
	})
}

// accept serves each connection in a goroutine until the test ends, when it closes them. It returns the address.
func accept(t *testing.T, l net.Listener, serve func(c net.Conn)) string {
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go serve(c)
		}
	}()
	return l.Addr().String()
}

// TestWrongUse checks that each mistake gets one clear line.
func TestWrongUse(t *testing.T) {
	keys, pair := newKeys(t)
	good, bare := open(t, nil, "v1"), open(t, nil)
	secure := open(t, &tls.Config{Certificates: []tls.Certificate{pair}}, "v1")
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	web := strings.TrimPrefix(plain.URL, "http://")
	dir := t.TempDir()
	empty, authority := filepath.Join(dir, "empty"), filepath.Join(dir, "authority")
	alone, timeless, odd := filepath.Join(dir, "alone"), filepath.Join(dir, "timeless"), filepath.Join(dir, "odd")
	writeSet(t, alone, filesOf(caller))
	writeSet(t, timeless, filesOf(caller, timed))
	writeSet(t, odd, filesOf(caller, timed, oddTime))
	evil := openEvil(t)
	for path, text := range map[string]string{empty: "", authority: string(keys.Certificate)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	for _, c := range []struct {
		options, want string // options are separated by spaces
	}{
		// usage
		{"", "target is missing"},
		{"target=localhost " + brew, `target "localhost" is not the address of a gRPC server`},
		{"target=127.0.0.1:1", "method is missing"},
		{"target=127.0.0.1:1 method=Brew", `method "Brew" is no method of a service`},
		{"target=example.com:443 " + brew, `target "example.com:443" is beyond this machine`},
		{"target=127.0.0.1:1 expect-code=NOTFOUNT " + brew, `"NOTFOUNT" is no status of gRPC; did you mean NotFound?`},
		{"target=127.0.0.1:1 expect-json=a " + brew, "cannot be read at"},
		{"target=127.0.0.1:1 header=secret " + brew, "header is not NAME=VALUE"},
		{"target=127.0.0.1:1 header=grpc-timeout=1 " + brew, "is set by gRPC"},
		{"target=127.0.0.1:1 insecure=true " + brew, "insecure is for a server with TLS"},
		{"target=127.0.0.1:1 cert=x key=y " + brew, "cert is for a server with TLS; give tls too"},
		{"target=127.0.0.1:1 data={} data-file=x " + brew, "excludes"},
		{"target=127.0.0.1:{port} " + brew, `target "127.0.0.1:{port}" has {port}`},
		// the server
		{"target=127.0.0.1:1 " + brew, "127.0.0.1:1 refuses connections; start the server"},
		{"target=" + web + " " + brew, "does not speak gRPC"},
		{"target=" + listen(t, "hello\n") + " " + brew, "does not speak gRPC"},
		{"target=" + listen(t, "") + " timeout=200ms " + brew, "sends nothing within 200ms"},
		{"target=" + listenTLS(t, pair, "h2") + " timeout=1s tls=true insecure=true " + brew,
			"sends nothing within 1s"},
		{"target=" + listen(t, "") + " timeout=200ms tls=true insecure=true " + brew,
			"does not finish the TLS handshake within 200ms; if the server has no TLS, leave TLS out (option tls)"},
		{"target=" + hangUp(t) + " tls=true insecure=true " + brew,
			"closes them during the TLS handshake; if the server has no TLS, leave TLS out (option tls)"},
		{"target=" + listenTLS(t, pair) + " tls=true insecure=true " + brew,
			"it offers TLS without HTTP/2; give the port of the gRPC server, or let it offer h2 (ALPN)"},
		{"target=" + listenTLS(t, pair, "http/1.1") + " tls=true insecure=true " + brew,
			"it offers TLS without HTTP/2; give the port of the gRPC server, or let it offer h2 (ALPN)"},
		{"target=" + secure + " " + brew, "does not speak gRPC"},
		{"target=" + secure + " tls=true " + brew, "certificate signed by unknown authority; give the " +
			"certificate of its authority (option ca-file), or accept any (option insecure)"},
		{"target=" + good + " tls=true " + brew, "does not speak TLS; leave TLS out (option tls)"},
		// the method
		{"target=" + bare + " " + brew, "has no reflection service, which would describe shop.Barista; give a " +
			"descriptor set (option descriptor-set)"},
		{"target=" + good + " method=shop.Barist/Brew",
			"has no service shop.Barist, did you mean shop.Barista?; it has"},
		{"target=" + good + " method=shop.Barista/Brow",
			"shop.Barista has no method Brow, did you mean Brew?; it has Brew, Watch, Chat"},
		{"target=" + good + " method=shop.Barista/Chat", "takes a stream of requests"},
		{"target=" + good + " method=shop.Order/Brew", "has no service shop.Order"},
		{"target=" + good + " descriptor-set=" + empty + " " + brew, "--descriptor-set " + empty +
			" is no descriptor set"},
		{"target=" + good + " descriptor-set=" + alone + " " + brew, "the descriptors of shop.Barista lack the " +
			"file that declares shop.Order; give a descriptor set (option descriptor-set)"},
		{"target=" + good + " descriptor-set=" + timeless + " " + brew, "lack the file that declares " +
			"google.protobuf.Timestamp"},
		{"target=" + good + " descriptor-set=" + odd + ` data={"at":"2026-01-02T03:04:05Z"} ` + brew,
			"the descriptors of /shop.Barista/Brew cannot be used: "},
		{"target=" + evil + " " + brew, `failed: status Internal (no\nbeans)`},
		{"target=" + good + " descriptor-set=/nowhere " + brew, "no such file"},
		// the requests
		{"target=" + good + ` data={"drnk":"x"} ` + brew, `unknown field "drnk", did you mean "drink"?`},
		{"target=" + good + ` data={"x":{}} ` + brew, `unknown field "x"; its fields are drink, size, ownBeans`},
		{"target=" + good + ` data={"size":"x"} ` + brew, "size"},
		{"target=" + good + ` data={} data={ ` + brew, "--data: request 2: { is no shop.Order: "},
		{"target=" + good + " data-file=" + empty + " " + brew, "has no request in JSON"},
		{"target=" + good + " data-file=" + authority + " " + brew, "request 1 is not JSON"},
		// the first call
		{"target=" + good + ` data={"drink":"tea"} ` + brew,
			"the first request failed: shop.Barista/Brew: status NotFound (no tea here)"},
		{"target=" + good + ` data={"drink":"slow"} timeout=200ms ` + brew, "no complete reply within 200ms"},
		{"target=" + good + ` data={"size":100000} max-body=1000 method=shop.Barista/Watch`,
			"the replies have more than 1000 bytes, the limit"},
		{"target=" + good + ` data={"drink":"large"} max-body=1000 ` + brew,
			"the replies have more than 1000 bytes, the limit"},
		// the checks
		{"target=" + good + ` data={"drink":"tea"} expect-code=OK ` + brew, "status NotFound (no tea here), not OK"},
		{"target=" + good + " expect-json=$.drink=x " + brew, `not "x"`},
		{"target=" + good + " expect-json=$.cup " + brew, "has nothing at"},
	} {
		o := measure(t, 3, "", strings.Fields(c.options)...)
		if text := o.text(); !strings.Contains(text, c.want) || strings.Contains(text, "\n") {
			t.Errorf("%s\ngot  %s\nwant %s", c.options, text, c.want)
		}
	}

	for _, more := range []string{"insecure=true", "ca-file=" + authority} {
		if o := measure(t, 3, "", "target="+secure, "tls=true", more, brew); o.text() != "" || o.ok != 3 {
			t.Errorf("%s: %s", more, o.text())
		}
	}
}

// TestStart starts a server, which dies in the load.
func TestStart(t *testing.T) {
	t.Setenv(asShop, "1")
	t.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector would delay the end of the server by a second
	start := "start=" + os.Args[0] + " 127.0.0.1:{port}"
	o := measure(t, 20, "", "target=127.0.0.1:{port}", start, brew)
	if o.text() != "" || o.ok != 20 {
		t.Errorf("%d calls, %s", o.ok, o.text())
	}
	o = measure(t, 20, "", "target=127.0.0.1:{port}", start, brew, "data={}", `data={"drink":"die"}`)
	for _, part := range []string{"the request after the load failed", "exit status 3", "the machine is broken"} {
		if !strings.Contains(o.text(), part) {
			t.Errorf("%s: want %s", o.text(), part)
		}
	}
	if o.ok != 1 || o.values["errors_closed"]+o.values["errors_refused"]+o.values["errors_reset"] != 19 {
		t.Errorf("%d calls, %v", o.ok, o.values)
	}
}
