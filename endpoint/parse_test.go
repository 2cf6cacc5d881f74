package endpoint

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
)

// TestOptions checks that wrong options are refused before anything is opened, with what to give instead.
func TestOptions(t *testing.T) {
	const url = "url=http://127.0.0.1:8080/"
	for _, c := range []struct {
		options []string
		says    string
	}{
		{nil, "url is missing; give one such as http://127.0.0.1:8080/, or targets"},
		{[]string{"url=127.0.0.1:80"}, `url "127.0.0.1:80" is not the address of an HTTP endpoint; give one such as`},
		{[]string{"url=ftp://127.0.0.1/"}, "is not the address of an HTTP endpoint"},
		{[]string{"url=http://me:secret@%zz/"}, `url "http://***@%zz/" is not the address`},
		{[]string{"url=http://example.org/"}, `url "example.org" is beyond this machine`},
		{[]string{"url=http://192.0.2.1/"}, "or give allow-host 192.0.2.1 with rate and operations"},
		{[]string{"url=http://[::ffff:192.0.2.1]/"}, "is beyond this machine"},
		{[]string{"url=http://0.0.0.0:80/"}, `url "0.0.0.0" is no address to connect to; give 127.0.0.1 or [::1]`},
		{[]string{"url=http://[::]/"}, "is no address to connect to"},
		{[]string{"url=http://2130706433/"}, "is beyond this machine"},
		{[]string{"url=http://localhost.example.org/"}, "is beyond this machine"},
		{[]string{url, "ready=http://192.0.2.1/", "start=x"}, `ready "192.0.2.1" is beyond this machine`},
		{[]string{url, "ready=http://127.0.0.1/"}, "is for a server that is started; give start"},
		{[]string{"url=http://127.0.0.1:{port}/"}, "has {port}, which is the port of a server that start starts"},
		{[]string{url, "start=s {port}"}, "url has no {port}, which is the port of the server that start starts; " +
			"give an address such as http://127.0.0.1:{port}/"},
		{[]string{"url=http://127.0.0.1:{port}/", "start=s 80"}, "start has no {port}, but the address has it; " +
			"give a command such as './server -port {port}', or the number of the port"},
		{[]string{"url=http://127.0.0.1:{port}/", "a=s {port}", "b=s"}, "b has no {port}, but the address has it"},
		{[]string{url, "a=s {port}", "b=s {port}"}, "url has no {port}, which is the port of the server that a starts"},
		{[]string{url, "ready-within=5s"}, `ready-within "5s" is for a server that is started; give start`},
		{[]string{"url=https://127.0.0.1/", "insecure=true", "ca-file=x"}, `ca-file "x": excludes insecure, which ` +
			"accepts any certificate; leave out one of them"},
		{[]string{url, "ca-file=x"}, "ca-file is for a server with TLS; give an address with https://"},
		{[]string{url, "insecure=true"}, "insecure is for a server with TLS"},
		{[]string{url, "cert=x", "key=y"}, "cert is for a server with TLS"},
		{[]string{url, "allow-host=example.org"}, `allow-host "example.org" is the host of no address; leave it out`},
		{[]string{"url=http://example.org/", "allow-host=http://example.org"}, "is not a host; give one without scheme"},
		{[]string{"url=http://example.org:80/", "allow-host=example.org:80"}, "is not a host"},
		{[]string{"url=http://example.org/", "allow-host="}, `allow-host "" is not a host`},
		{[]string{url, "method=A B"}, `method "A B" is no method of a request`},
		{[]string{url, "method=CONNECT"}, "is no method of a request"},
		{[]string{url, "header=secret"}, "header is not NAME: VALUE; give one such as"},
		{[]string{url, "header=a b: c"}, `header "a b" is no name of a header`},
		{[]string{url, "header=content-length: 3"}, "header Content-Length is set by the connection"},
		{[]string{url, "header=a: b\r\nc: d"}, "header A has a control character in its value"},
		{[]string{url, "body=a", "body-file=b"}, `body-file "b": excludes body`},
		{[]string{url, "targets=x"}, "url is in the file of targets"},
		{[]string{url, "timeout=0s"}, `timeout "0s" is not a time above zero; give one such as 500ms or 30s`},
		{[]string{url, "ready-within=3"}, `ready-within "3" is not a time above zero`},
		{[]string{url, "max-body=1MB"}, `max-body "1MB" is not a number of bytes`},
		{[]string{url, "max-errors=1%"}, `max-errors "1%" is not a share; give one from 0 to 1, such as 0.01`},
		{[]string{url, "max-errors=NaN"}, "is not a share"},
		{[]string{url, "expect-status=200,20x"}, `expect-status "20x" is not a status; give a list`},
		{[]string{url, "expect-json=a.b"}, `expect-json "a.b": cannot be read at "a.b"; give PATH=VALUE`},
		{[]string{url, "start='x"}, `start "'x" is no command`},
		{[]string{url, "a=x"}, "a and b are the two servers to compare; give both, or start"},
		{[]string{url, "a=x", "b=y", "start=z"}, "start: excludes a and b"},
		{[]string{url, "cert=x"}, "cert and key belong together"},
		{[]string{url, "insecure=maybe"}, "insecure maybe is a switch"},
	} {
		_, err := made(c.options...)
		var r *plan.Refusal
		if !errors.As(err, &r) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v, want %q", c.options, err, c.says)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v repeats a password", c.options, err)
		}
	}
}

// TestGoodOptions checks options that are accepted, and the designs that they make.
func TestGoodOptions(t *testing.T) {
	for want, options := range map[string][]string{
		"server":      {"url=http://localhost/"},
		"server ":     {"url=http://[::1]:80/", "method=PURGE"},
		"server     ": {"url=http://[::ffff:127.0.0.1]/"},
		"server  ":    {"url=https://example.org/", "allow-host=EXAMPLE.org"},
		"server   ":   {"url=http://127.0.0.1:{port}/", "start=./server -port {port}"},
		"server    ": {"url=http://127.0.0.1:{port}/", "start=./server {port}", "ready=http://example.org/",
			"allow-host=example.org"},
		"a b": {"url=http://127.0.0.1:{port}/", "a=./old {port}", "b=./new {port}"},
	} {
		w, err := made(options...)
		if err != nil {
			t.Errorf("%q: %v", options, err)
			continue
		}
		var names []string
		for _, d := range w.Designs {
			names = append(names, d.Name)
		}
		if err := w.Validate(); strings.Join(names, " ") != strings.TrimSpace(want) || err != nil {
			t.Errorf("%q: %q, %v", options, names, err)
		}
	}
	if err := Workload().Validate(); err != nil {
		t.Error(err)
	}
}

// TestCheck checks what is refused before a run, because it depends on the point or is in a file.
func TestCheck(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "far", "GET http://127.0.0.1/\n\nGET http://192.0.2.1/\n")
	write(t, "none", "# only a comment\n")
	write(t, "method", "\nCONNECT http://127.0.0.1/\n")
	write(t, "port", "GET http://127.0.0.1:{port}/\n")
	write(t, "bodies", "POST http://127.0.0.1/\n@missing\n")
	for _, c := range []struct{ option, settings, says string }{
		{"targets=far", "", `targets "far": line 3: "192.0.2.1" is beyond this machine: load may harm it; measure a ` +
			"server on 127.0.0.1, or give allow-host 192.0.2.1 with rate and operations"},
		{"targets=method", "", `targets "method": line 2: "CONNECT" is no method of a request; give one such as POST`},
		{"targets=port", "", `targets has {port}, which is the port of a server that start starts`},
		{"targets=none", "", `targets "none" has no target`},
		{"targets=bodies", "", `targets "bodies": line 1: `},
		{"targets=bodies", "", "missing"},
		{"targets=.", "", "is a directory"},
		{"targets=absent", "", "absent"},
		{"url=https://127.0.0.1/", "protocol=h2c", "h2c needs http, and the request goes to https; give protocol h2"},
		{"url=http://127.0.0.1/", "protocol=h2", "h2 needs https, and the request goes to http; give protocol h2c"},
	} {
		w, err := made(c.option)
		if err != nil {
			t.Fatal(err)
		}
		var r *plan.Refusal
		if err := w.Check(workloadtest.Point(t, w, c.settings)); !errors.As(err, &r) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
	}

	w, err := made("url=http://192.0.2.1/", "allow-host=192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if near, err := made("url=http://127.0.0.1/"); err != nil || near.Limited || !w.Limited {
		t.Error("the load on another machine is not limited", err)
	}
	if err := w.Check(workloadtest.Point(t, w, "rate=10")); err != nil {
		t.Error(err)
	}
}

// TestTargets checks what the lines of a file of targets mean.
func TestTargets(t *testing.T) {
	const text = "\n# c\nGET http://127.0.0.1/a\nX-a: 1:2\nX-a: 3\n# c\n@dir/a b\n\n" +
		"  PUT   http://127.0.0.1/b\nDELETE http://127.0.0.1/c\n"
	got, err := parseTargets("f", text)
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v", got, err)
	}
	a, headers := got[0], map[string][]string(got[0].Header)
	if a.Method != "GET" || a.URL != "http://127.0.0.1/a" || len(headers["X-a"]) != 2 || headers["X-a"][0] != "1:2" ||
		a.bodyFile != "dir/a b" {
		t.Errorf("%+v", a)
	}
	if got[1].Method != "PUT" || got[1].URL != "http://127.0.0.1/b" || got[2].Method != "DELETE" {
		t.Errorf("%+v", got[1:])
	}
	for text, says := range map[string]string{
		"get http://127.0.0.1/\n":           "line 1 is not the first line of a target",
		"GET http://a\n@b\nX: y\n":          "line 3 is not the first line of a target",
		"GET http://a\n@\n":                 "line 2 names no file",
		"GET http://a\nX\n":                 "line 2 is not NAME: VALUE",
		"GET http://a\nConnection: close\n": "line 2: Connection is set",
		"":                                  "has no target",
	} {
		if _, err := parseTargets("f", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

// TestTLSFiles checks certificates of files: a wrong file is refused, the right authority is trusted.
func TestTLSFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "empty", "")
	for _, c := range []struct {
		options []string
		says    string
	}{
		{[]string{"ca-file=empty"}, `ca-file "empty" has no certificate in PEM`},
		{[]string{"ca-file=absent"}, "absent"},
		{[]string{"cert=empty", "key=empty"}, `cert "empty": cannot be used`},
	} {
		w, err := made(append(c.options, "url=https://127.0.0.1/")...)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Check(workloadtest.Point(t, w)); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestJSON checks paths and values.
func TestJSON(t *testing.T) {
	const body = `{"a":{"b":[1,2.50,"x",null,true,{"c d":"="}]},"n":12345678901234567890,"e":""}`
	v, err := decodeJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"$": "", "$.a": "", "$.a.b[0]=1": "", "$.a.b[0]=1.0": "", "$.a.b[1]=2.5": "", "$.a.b[2]=x": "",
		`$.a.b[2]="x"`:  "",
		"$.a.b[3]=null": "", "$.a.b[4]=true": "", `$.a.b[5]["c d"]==`: "", "$.a.b[3]": "", "$.e=": "",
		"$.n=12345678901234567890": "", `$.a.b[5]={"c d":"="}`: "",
		"$.n=12345678901234567891": `the body has 12345678901234567890 at "$.n", not "12345678901234567891"`,
		"$.a.b[0]=2":               `the body has 1 at "$.a.b[0]", not "2"`,
		"$.a.b[4]=false":           "the body has true at",
		"$.a.b[3]=":                "the body has null at",
		"$.a.b[6]":                 `the body has nothing at "$.a.b[6]"`,
		"$.a[0]":                   "the body has nothing at",
		"$.a.b.c=1":                `the body has nothing at "$.a.b.c"`,
		"$.x":                      "the body has nothing at",
	} {
		c, err := parseJSONCheck(text)
		if err != nil {
			t.Error(err)
			continue
		}
		got := ""
		if err := c.check(v); err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "a", "$a", "$.", "$..a", "$[", "$[x]", "$[-1]", `$["a"`,
		"$[99999999999]", "$.a[]"} {
		if _, err := parseJSONCheck(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for _, body := range []string{"", "{", "1 2", "[1],"} {
		if _, err := decodeJSON([]byte(body)); err == nil {
			t.Errorf("%q is JSON", body)
		}
	}
}

// FuzzTargets checks that each accepted target has the form of a request, and that nothing panics.
func FuzzTargets(f *testing.F) {
	f.Add("GET http://127.0.0.1/\nA: b\n@f\n\nPOST http://x/")
	f.Add("# c\r\nGET\thttp://a b\n:\n")
	f.Add("GET\thttp://a b")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := parseTargets("f", text)
		if (err == nil) == (len(all) == 0) {
			t.Fatalf("%d targets, %v", len(all), err)
		}
		for _, r := range all {
			if !isToken(r.Method) {
				t.Errorf("method %q", r.Method)
			}
			if (&Service{Requests: []Request{r.Request}}).Check() != nil {
				continue
			}
			if _, err := newRequest(r.Request, "1"); err != nil {
				t.Errorf("a checked request cannot be made: %v", err)
			}
		}
	})
}

// FuzzJSONPath checks that a path that is accepted is one of a decoded body, and that nothing panics.
func FuzzJSONPath(f *testing.F) {
	f.Add(`$.a["b"][0]=x`, `{"a":{"b":[1]}}`)
	f.Add("$[1]", "[1,2]")
	f.Fuzz(func(t *testing.T, text, body string) {
		c, err := parseJSONCheck(text)
		if err != nil {
			return
		}
		if !strings.HasPrefix(text, c.pathText()) {
			t.Errorf("%q is not the path of %q", c.pathText(), text)
		}
		v, err := decodeJSON([]byte(body))
		if err != nil {
			return
		}
		if found := c.check(v); found == nil && !c.any {
			c.any = true
			if c.check(v) != nil {
				t.Error("the value is there, but not the path")
			}
		}
	})
}

// FuzzStatuses checks that a list that is accepted has statuses only.
func FuzzStatuses(f *testing.F) {
	f.Add("200,2xx, 404")
	f.Add("+20,,1XX")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseStatuses(text)
		if (err == nil) == s.Empty() {
			t.Errorf("%q: %v, %v", text, s, err)
		}
		for code := range s.in {
			if code < 100 || code > 599 {
				t.Errorf("%q has the status %d", text, code)
			}
		}
	})
}

// TestSource checks that the embedded files are there.
func TestSource(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	b, err := os.ReadFile("client.go")
	got, errGot := sources.ReadFile("client.go")
	if err != nil || errGot != nil || string(b) != string(got) {
		t.Error(err, errGot)
	}
}
