package main

import (
	"context"
	"net"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHandler checks the answers of both ways to count.
func TestHandler(t *testing.T) {
	for _, counter := range []string{"scan", "split"} {
		h, err := handler(counter)
		if err != nil {
			t.Fatal(err)
		}
		for body, want := range map[string]string{"": `{"words":0}`, "one  two\nthree": `{"words":3}`} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("POST", "/words", strings.NewReader(body)))
			if got := strings.TrimSpace(w.Body.String()); got != want || w.Code != 200 {
				t.Errorf("%s: %q is answered by %d %s, want %s", counter, body, w.Code, got, want)
			}
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", "/debug/pprof/goroutine?debug=1", nil))
		if !strings.HasPrefix(w.Body.String(), "goroutine profile: total") {
			t.Errorf("%s: the profile of goroutines is answered by %d %.80s", counter, w.Code, w.Body.String())
		}
	}
	if _, err := handler("guess"); err == nil {
		t.Error("an unknown way to count is accepted")
	}
}

// TestRun checks that the server ends with its context, and that a port in use is an error.
func TestRun(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := run(t.Context(), l.Addr().(*net.TCPAddr).Port, "scan"); err == nil {
		t.Error("a port in use is accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := run(ctx, 0, "scan"); err != nil {
		t.Error(err)
	}
}
