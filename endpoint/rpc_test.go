package endpoint

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestRPCDesigns checks the designs of the workload grpc, which run in another program.
func TestRPCDesigns(t *testing.T) {
	w := RPCWorkload(nil)
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	given := workload.Given{"target": {"127.0.0.1:{port}"}, "method": {"a.B/C"}, "a": {"x {port}"}, "b": {"y {port}"}}
	w, err := w.With(given)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range w.Designs {
		names = append(names, d.Name)
		if !d.Absent() || !d.Remote || d.Worlds != workload.LiveOnly {
			t.Errorf("%+v", d)
		}
	}
	if strings.Join(names, " ") != "a b" || w.Limited {
		t.Error(names, w.Limited)
	}
}

// TestRPCServers checks that the commands of both servers are checked before anything is started.
func TestRPCServers(t *testing.T) {
	given := workload.Given{"target": {"127.0.0.1:{port}"}, "method": {"a.B/C"}, "a": {"x {port}"}, "b": {"y"}}
	if _, err := RPCWorkload(nil).With(given); err == nil || !strings.Contains(err.Error(), "b has no {port}") {
		t.Error(err)
	}
	given["target"] = []string{"127.0.0.1:80"}
	if _, err := RPCWorkload(nil).With(given); err == nil || !strings.Contains(err.Error(), `target "127.0.0.1:80" has `+
		"no {port}, which is the port of the server that a starts; give an address such as 127.0.0.1:{port}") {
		t.Error(err)
	}
}

// calls is a caller of a number of requests, which notes what it is asked to send.
type calls struct {
	requests int
	sent     []int
}

func (c *calls) Requests() int { return c.requests }

func (c *calls) Call(_ context.Context, i int, _ bool) RPCReply {
	c.sent = append(c.sent, i)
	return RPCReply{}
}

func (c *calls) Close() error { return nil }

// TestRPCOpenLoop checks that requests are sent in turn in an open loop.
func TestRPCOpenLoop(t *testing.T) {
	r, _, err := parseRPC(workload.Given{"target": {"127.0.0.1:1"}, "method": {"a.B/C"}})
	if err != nil {
		t.Fatal(err)
	}
	c := &calls{requests: 3}
	p := workloadtest.Point(t, RPCWorkload(nil), "rate=10")
	s, err := r.Stream(env.Env{}, p, func(context.Context, *RPC, Dial) (Caller, error) { return c, nil })
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for i := range 12 {
		s.Try(env.Env{}, uint64(i))
		want = append(want, i%3)
	}
	if got := c.sent[1:]; !slices.Equal(got, want) { // after the first request
		t.Errorf("%v, want %v", got, want)
	}
	s.Close(env.Env{})
}

// TestRPCHosts checks that load beyond this machine is limited, and needs the permission for its host.
func TestRPCHosts(t *testing.T) {
	given := workload.Given{"target": {"192.0.2.1:443"}, "method": {"a.B/C"}}
	if _, err := RPCWorkload(nil).With(given); err == nil || !strings.Contains(err.Error(), "beyond this machine") {
		t.Error(err)
	}
	given["allow-host"] = []string{"192.0.2.1"}
	w, err := RPCWorkload(nil).With(given)
	if err != nil || !w.Limited {
		t.Error(w, err)
	}
}

// TestRPCWithoutTLS checks that options of TLS are refused without it.
func TestRPCWithoutTLS(t *testing.T) {
	for option, more := range map[string]workload.Given{"ca-file": {"ca-file": {"x"}},
		"insecure": {"insecure": {"true"}}, "cert": {"cert": {"x"}, "key": {"y"}}} {
		more["target"], more["method"] = []string{"127.0.0.1:1"}, []string{"a.B/C"}
		_, err := RPCWorkload(nil).With(more)
		if want := option + " is for a server with TLS; give tls too"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		more["start"], more["ready"] = []string{"x"}, []string{"https://127.0.0.1:2/"}
		if _, err := RPCWorkload(nil).With(more); err != nil {
			t.Errorf("%s for the address that says when the server is ready: %v", option, err)
		}
	}
}

// TestRPCFiles checks that a file that cannot be used is refused before anything is started.
func TestRPCFiles(t *testing.T) {
	empty, none := filepath.Join(t.TempDir(), "empty"), filepath.Join(t.TempDir(), "none")
	write(t, empty, "")
	for _, c := range []struct{ option, file, want string }{
		{"data-file", none, "data-file: "}, {"data-file", empty, "has no request in JSON"},
		{"descriptor-set", none, "descriptor-set: "},
		{"ca-file", none, "ca-file: "}, {"ca-file", empty, "has no certificate in PEM"},
		{"cert", none, "cert: "}, {"cert", empty, "cannot be used: "}, {"key", none, "key: "},
	} {
		given := workload.Given{"target": {"127.0.0.1:1"}, "method": {"a.B/C"}, "tls": {"true"}}
		if c.option == "cert" || c.option == "key" {
			given["cert"], given["key"] = []string{empty}, []string{empty}
		}
		given[c.option] = []string{c.file}
		w, err := RPCWorkload(nil).With(given)
		if err != nil {
			t.Fatal(err)
		}
		err = w.Check(plan.Point{})
		if _, ok := err.(*plan.Refusal); !ok || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v, want %s", c.option, c.file, err, c.want)
		}
	}
	if err := RPCWorkload(nil).Check(plan.Point{}); err != nil {
		t.Error(err)
	}
}

// TestRPCReady checks that the certificate of an address that says when the server is ready is checked, by the options
// for that of the server.
func TestRPCReady(t *testing.T) {
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	web.Config.ErrorLog = quiet()
	web.StartTLS()
	defer web.Close()
	authority := filepath.Join(t.TempDir(), "authority")
	write(t, authority, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})))

	for option, value := range map[string]string{"ca-file": authority, "insecure": "true", "timeout": "10s"} {
		r, _, err := parseRPC(workload.Given{"target": {"127.0.0.1:1"}, "method": {"a.B/C"}, "start": {"x"},
			"ready": {web.URL}, option: {value}})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: r.service.newTransport(plan.Point{})}
		err = readiness{url: web.URL, client: client}.get(t.Context())
		client.CloseIdleConnections()
		if trusted := option != "timeout"; (err == nil) != trusted {
			t.Errorf("%s: %v", option, err)
		}
	}
}

// FuzzSplitJSON checks that a file of requests is split into JSON values.
func FuzzSplitJSON(f *testing.F) {
	for _, text := range []string{`{"drink":"a"} {"size":1}`, "", "{", "null", "[]"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		values, err := splitJSON(text)
		if (err == nil) != (len(values) > 0) {
			t.Fatalf("%d values, %v", len(values), err)
		}
		for _, v := range values {
			if !json.Valid([]byte(v)) {
				t.Errorf("%q is no JSON", v)
			}
		}
	})
}

// TestCodeMetric checks the names of statuses in metrics.
func TestCodeMetric(t *testing.T) {
	for code, want := range map[int]string{0: "code_ok", 4: "code_deadline_exceeded", 16: "code_unauthenticated",
		17: "code_17", 99: "code_99"} {
		if got := codeMetric(code + 1); got != want {
			t.Errorf("%d: %s, want %s", code, got, want)
		}
	}
}

// FuzzRPC checks that the parsers of options accept only what they can use.
func FuzzRPC(f *testing.F) {
	for _, text := range []string{"127.0.0.1:1", "unix:/a", "[::1]:{port}", "a.B/C", "/a.B/C", "a.B.C", "x=1", "x: 1",
		"ok,5", "NOT_FOUND", "Cancelled", "=", "/", ":", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if address, socket, err := parseTarget(text); err == nil && socket == "" {
			if _, _, err := net.SplitHostPort(strings.TrimPrefix(address, "http://")); err != nil {
				t.Errorf("target %q: %v", text, err)
			}
		}
		if service, method, err := parseMethod(text); err == nil && (service == "" || method == "" ||
			strings.ContainsAny(method, "/")) {
			t.Errorf("method %q: %q %q", text, service, method)
		}
		pair, err := parseMetadata(text)
		if err == nil && (pair[0] == "" || strings.ContainsAny(pair[0]+pair[1], "\r\n\x00")) {
			t.Errorf("metadata %q: %q", text, pair)
		}
		codes, err := parseCodes(text)
		if err == nil && len(codes) == 0 {
			t.Errorf("codes %q: none", text)
		}
		for code := range codes {
			if code < 0 || code >= len(codeNames()) {
				t.Errorf("codes %q: %d", text, code)
			}
		}
	})
}
