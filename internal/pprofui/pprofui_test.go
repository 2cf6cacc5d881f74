package pprofui

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
)

func grow() []byte { return make([]byte, 32<<20) }

// TestHandler: views of two profiles beside each other, to this machine alone, and nothing that changes anything.
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
	h, err := Handler(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		host, path string
		code       int
		want       string
	}{
		{"127.0.0.1:8080", "/", 200, "/goroutine/flamegraph"},
		{"localhost", "/allocs/top?si=alloc_space", 200, "pprofui.grow"},
		{"[::1]:1", "/goroutine/flamegraph", 200, "pprofui.TestHandler"},
		{"127.0.0.1", "/allocs/", 302, ""},
		{"127.0.0.1", "/allocs/saveconfig", 404, ""},
		{"evil.example.com", "/", 403, "only for this machine"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://"+c.host+c.path, nil)
		h.ServeHTTP(w, r)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s%s: %d, without %q", c.host, c.path, w.Code, c.want)
		}
	}
	if _, err := Handler([]Profile{{"cpu", filepath.Join(t.TempDir(), "nowhere")}}); err == nil {
		t.Error("a profile that is not there is served")
	}
}
