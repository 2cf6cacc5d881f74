package endpoint

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"

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
	address, stop, err := s.Load(t.Context(), 3)
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
	_, stop, err := wrong.Load(t.Context(), 1)
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

	dies := start("9")
	_, stop, err = dies.Load(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	var failed workload.FailedError
	if err := stop(); err != nil && !errors.As(err, &failed) { // it may have sent too few requests
		t.Error(err)
	}

	dies = start("1")
	if _, _, err := dies.Load(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "out of milk") {
		t.Error(err)
	}
	none := Service{}
	if _, _, err := none.Load(t.Context(), 1); err == nil || !strings.Contains(err.Error(), "url is missing") {
		t.Error(err)
	}
}
