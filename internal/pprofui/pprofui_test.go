package pprofui

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

func grow() []byte { return make([]byte, 32<<20) }

// The views of two profiles are served to this machine only, and change nothing.
func TestHandler(t *testing.T) {
	kept := grow()
	runtime.GC()
	var list []Profile
	for _, name := range []string{"allocs", "goroutine"} {
		path := filepath.Join(t.TempDir(), name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := pprof.Lookup(name).WriteTo(f, 0); err != nil {
			t.Fatal(err)
		}
		f.Close()
		list = append(list, Profile{name, path})
	}
	runtime.KeepAlive(kept)
	const token = "sesame"
	h, err := Handler(t.Context(), list, token, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, path string
		code       int
		want       string
	}{
		{"127.0.0.1:8080", "/sesame/", 200, "./goroutine/flamegraph"},
		{"localhost", "/sesame/allocs/top?si=alloc_space", 200, "pprofui.grow"},
		{"[::1]:1", "/sesame/goroutine/flamegraph", 200, "pprofui.TestHandler"},
		{"127.0.0.1", "/sesame/allocs/", 302, ""},
		{"127.0.0.1", "/sesame/allocs/saveconfig", 404, ""},
		{"evil.example.com", "/sesame/", 403, "only for this machine"},
		{"localhost.evil.example.com:80", "/sesame/", 403, "only for this machine"},
		{"127.0.0.1.evil.example.com", "/sesame/", 403, "only for this machine"},
		{"127.0.0.1", "/", 403, "lacks its token"},
		{"127.0.0.1", "/sesame", 403, "lacks its token"},
		{"127.0.0.1", "/sesamE/", 403, "lacks its token"},
		{"127.0.0.1", "/allocs/top", 403, "lacks its token"},
		{"127.0.0.1", "/allocs/flamegraph?token=sesame", 403, "lacks its token"},
		{"127.0.0.1", "//sesame/allocs/top", 403, "lacks its token"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://"+c.host+c.path, nil)
		h.ServeHTTP(w, r)
		if to := w.Header().Get("Location"); to != "" && !strings.HasPrefix(to, "/sesame/") {
			t.Errorf("%s leads to %s, without the token", c.path, to)
		}
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s%s: %d, without %q", c.host, c.path, w.Code, c.want)
		}
	}
	if _, err := Handler(t.Context(), []Profile{{"cpu", filepath.Join(t.TempDir(), "nowhere")}}, token,
		nil); err == nil {
		t.Error("a profile that is not there is served")
	}
	if _, err := Handler(t.Context(), list, "", nil); err == nil {
		t.Error("views are served without a token")
	}
}

// Tokens differ and can be part of a path.
func TestToken(t *testing.T) {
	a, b := Token(), Token()
	if a == b || len(a) < 26 || strings.Trim(a, "abcdefghijklmnopqrstuvwxyz234567") != "" {
		t.Errorf("%q, %q", a, b)
	}
}

// A profile may name any file and any program. Only source files of the module are shown, also through links.
func TestSources(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	const secret, public = "the key is 42", "package shop // open"
	put := func(path, text string) string {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	shown := put(filepath.Join(root, "main.go"), public)
	hidden := []string{
		put(filepath.Join(outside, "secret.go"), secret),
		put(filepath.Join(outside, "shadow"), secret),
		put(filepath.Join(root, "key.pem"), secret),
		filepath.Join(root, "..", filepath.Base(outside), "secret.go"),
		filepath.Join(root, "link.go"),
		filepath.Join(root, "up", "secret.go"),
		"secret.go", "../secret.go", "/proc/self/cwd/" + "secret.go",
	}
	for link, to := range map[string]string{"link.go": filepath.Join(outside, "secret.go"), "up": outside} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(outside)

	for _, name := range append(hidden, shown) {
		path := put(filepath.Join(outside, "cpu.pprof"), foreign(t, name))
		h, err := Handler(t.Context(), []Profile{{"cpu", path}}, "sesame", []string{root})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://localhost/sesame/cpu/source?f=.", nil))
		text := w.Body.String()
		if w.Code != 200 || !strings.Contains(text, "main.f") || strings.Contains(text, secret) ||
			strings.Contains(text, "open") != (name == shown) {
			t.Errorf("%s: %d; the secret is shown: %t, the source: %t", name, w.Code, strings.Contains(text, secret),
				strings.Contains(text, "open"))
		}
	}
}

// foreign is a profile of a program that does not exist, with one function in a file.
func foreign(t *testing.T, file string) string {
	f := &profile.Function{ID: 1, Name: "main.f", SystemName: "main.f", Filename: file, StartLine: 1}
	m := &profile.Mapping{ID: 1, Start: 1, Limit: 1 << 30, File: os.Args[0], HasFunctions: true}
	l := &profile.Location{ID: 1, Mapping: m, Address: 0x1000, Line: []profile.Line{{Function: f, Line: 1}}}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		Sample:     []*profile.Sample{{Location: []*profile.Location{l}, Value: []int64{1, 10}}},
		Mapping:    []*profile.Mapping{m}, Location: []*profile.Location{l}, Function: []*profile.Function{f},
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
