package endpoint

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// TestServiceLoad checks that a started server gets load and answers others meanwhile, until stop ends it.
func TestServiceLoad(t *testing.T) {
	var verified atomic.Int64
	enough := make(chan struct{})
	s := Service{
		Start:    []string{os.Args[0], counting, portHolder, "0"},
		Requests: []Request{{URL: "http://127.0.0.1:{port}/a?b"}},
		Verify: func(int, Reply) error {
			if verified.Add(1) == 100 {
				close(enough)
			}
			return nil
		},
	}
	address, stop, err := s.Load(t.Context(), plan.Point{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	<-enough
	if !strings.HasPrefix(address, "http://127.0.0.1:") || strings.Contains(address, "/a") {
		t.Errorf("address %q", address)
	}
	reply, err := http.Get(address)
	if err != nil || reply.StatusCode != http.StatusOK {
		t.Fatal(reply, err)
	}
	reply.Body.Close()
	http.DefaultClient.CloseIdleConnections()

	if err := stop(); err != nil {
		t.Error(err)
	}
	sent := verified.Load()
	if _, err := http.Get(address); err == nil {
		t.Error("the server answers after stop")
	}
	if now := verified.Load(); now != sent {
		t.Errorf("%d requests were sent after stop", now-sent)
	}
}

// TestServiceLoadPoint checks that the load uses the factors of its point.
func TestServiceLoadPoint(t *testing.T) {
	s := Service{Start: []string{os.Args[0], counting, portHolder, h2c},
		Requests: []Request{{URL: "http://127.0.0.1:{port}/"}}}
	p := plan.NewPoint(plan.Setting{Factor: protocolFactor, Level: plan.TextLevel(h2c)})
	_, stop, err := s.Load(t.Context(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	s.Unix = "socket"
	if _, _, err := s.Load(t.Context(), p, 1); err == nil || !strings.Contains(err.Error(), "has no address") {
		t.Error(err)
	}
	w, err := made("url=http://127.0.0.1:1/")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Designs[0].Served(t.Context(), workloadtest.Point(t, w, "rate=9")); err == nil ||
		!strings.Contains(err.Error(), "rate has no effect") {
		t.Error(err)
	}
}

// TestServiceLoadInterrupted checks that an interrupt ends requests that wait for a reply, and the start of a server.
func TestServiceLoadInterrupted(t *testing.T) {
	waiting, done := make(chan bool, 9), make(chan bool)
	var served atomic.Int64
	url := serve(t, func(http.ResponseWriter, *http.Request) {
		if served.Add(1) == 1 {
			return
		}
		waiting <- true
		<-done
	})
	defer close(done)
	ctx, cancel := context.WithCancel(t.Context())
	s := Service{Requests: []Request{{URL: url}}, Timeout: time.Hour}
	_, stop, err := s.Load(ctx, plan.Point{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	<-waiting
	<-waiting
	cancel()
	if err := stop(); err != nil {
		t.Error(err)
	}

	s = Service{Start: []string{os.Args[0], counting, portHolder, "0"},
		Requests: []Request{{URL: "http://127.0.0.1:{port}/"}}}
	if _, _, err := s.Load(ctx, plan.Point{}, 1); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestServiceLoadFails checks loads that are none.
func TestServiceLoadFails(t *testing.T) {
	start := func(ends string) Service {
		return Service{Start: []string{os.Args[0], counting, portHolder, ends},
			Requests: []Request{{URL: "http://127.0.0.1:{port}/"}}}
	}
	wrong := start("0")
	called := make(chan struct{}, 1<<20)
	wrong.Verify = func(int, Reply) error {
		called <- struct{}{}
		return errors.New("sour")
	}
	_, stop, err := wrong.Load(t.Context(), plan.Point{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-called
	}
	if err := stop(); err == nil || !strings.Contains(err.Error(), " replies were wrong; the first: GET ") ||
		!strings.HasSuffix(err.Error(), "sour") {
		t.Error(err)
	}
	ends := start("2")
	ends.Verify = wrong.Verify
	if _, stop, err = ends.Load(t.Context(), plan.Point{}, 1); err != nil {
		t.Fatal(err)
	}
	<-called
	if err := stop(); err == nil || errors.As(err, new(workload.FailedError)) ||
		!strings.Contains(err.Error(), "sour; the request after the load failed: ") {
		t.Errorf("wrong before its end: %v", err)
	}

	dies := start("9")
	_, stop, err = dies.Load(t.Context(), plan.Point{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	var failed workload.FailedError
	if err := stop(); err != nil && !errors.As(err, &failed) { // it may have sent too few requests
		t.Error(err)
	}

	dies = start("1")
	if _, _, err := dies.Load(t.Context(), plan.Point{}, 1); err == nil ||
		!strings.Contains(err.Error(), "out of milk") {
		t.Error(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	waits := start("0")
	if _, _, err := waits.Load(canceled, plan.Point{}, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("while the server starts: %v", err)
	}
	none := Service{}
	if _, _, err := none.Load(t.Context(), plan.Point{}, 1); err == nil ||
		!strings.Contains(err.Error(), "url is missing") {
		t.Error(err)
	}
}

// TestServedAtPoint checks that the server is loaded with the connections of the point: one that speaks only HTTP/1.1
// fails with another protocol.
func TestServedAtPoint(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	w, err := Workload().With(workload.Given{"url": {server.URL}})
	if err != nil {
		t.Fatal(err)
	}
	for protocol, fails := range map[string]bool{http1: false, h2c: true} {
		p := plan.NewPoint(plan.Setting{Factor: "workers", Level: plan.IntLevel(2)},
			plan.Setting{Factor: reuseFactor, Level: plan.TextLevel(on)},
			plan.Setting{Factor: protocolFactor, Level: plan.TextLevel(protocol)})
		_, stop, err := w.Designs[0].Served(t.Context(), p)
		if err == nil {
			err = stop()
		}
		if (err != nil) != fails {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}
