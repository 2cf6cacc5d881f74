package endpoint_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
)

// A service says which requests are sent and how replies are checked. Its method Stream is the constructor of a design.
func ExampleService() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "hello %s", r.URL.Query().Get("name"))
	}))
	defer server.Close()

	s := endpoint.Service{
		Requests: []endpoint.Request{{URL: server.URL + "?name=Ann"}, {URL: server.URL + "?name=Bob"}},
		Verify: func(request int, r endpoint.Reply) error {
			if want := []string{"hello Ann", "hello Bob"}[request]; string(r.Body) != want {
				return fmt.Errorf("the body is %q, not %q", r.Body, want)
			}
			return nil
		},
	}
	stream, err := s.Stream(env.Env{}, plan.Point{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for request := range uint64(3) { // a trial has a load loop for this
		fmt.Println(stream.Try(env.Env{}, request))
	}
	stream.Close(env.Env{})
	_, err = stream.Check(3)
	fmt.Println(stream.Metrics()["status_200"], err)
	// Output:
	// true
	// true
	// true
	// 3 <nil>
}

// A service that would send load to another machine is refused.
func ExampleService_Check() {
	s := endpoint.Service{Requests: []endpoint.Request{{URL: "http://192.0.2.1/"}}}
	problem, advice, _ := strings.Cut(s.Check().Error(), "; ")
	fmt.Println(problem)
	fmt.Println(advice)
	// Output:
	// url "192.0.2.1" is beyond this machine: load may harm it
	// measure a server on 127.0.0.1, or give allow-host 192.0.2.1 with rate and operations
}

// The workload http is made of options, as flags of brewput run http give them.
func ExampleWorkload() {
	w, err := endpoint.Workload().With(map[string][]string{
		"url": {"http://127.0.0.1:{port}/"}, "a": {"./old -port {port}"}, "b": {"./new -port {port}"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range w.Designs {
		fmt.Println(d.Name, "-", d.Doc)
	}
	// Output:
	// a - the server that the command a starts
	// b - the server that the command b starts
}
