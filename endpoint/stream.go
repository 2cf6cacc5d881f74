package endpoint

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// sender sends the requests of a load by its protocol. It is safe for concurrent use.
type sender interface {
	// send sends request i, which is below count, and reads the reply. wrong is the error of a check, f that of a
	// request that failed; at most one is not nil. The code is 0 without a complete reply.
	send(i int, s *shard) (code int, f *failure, wrong error)
	count() int
	// describe names request i in an error.
	describe(i int, err error) error
	// close closes the connections.
	close()
}

// load is a trial of a service: its client and the server that it started.
type load struct {
	service  *Service
	client   sender
	counters *counters
	point    plan.Point // of the trial; the zero point is that of a closed loop
	server   *server    // nil: the server ran already
	before   time.Duration
	used     time.Duration // CPU time of the server during the load; -1 if it is unknown
	ended    error         // why the trial failed at its end
	gone     bool          // the server ended during the load, or could not be ended after it
	wrong    error         // what was wrong in the reply after the load
}

// Stream starts the server if the service says so, waits until it is ready, sends the first request, and returns the
// stream that sends the others. It reads the factors of [Factors] that p has. An error means that the service cannot be
// measured: the server did not start, or the first request failed. A wrong reply is the error of the stream's check.
//
// In open loops over connections of HTTP/1.1 that are reused, the stream has Send, so the design must be Remote. A
// design that wraps Try must wrap Send as well, or set it to nil.
func (s *Service) Stream(_ env.Env, p plan.Point) (workload.Stream, error) {
	l, _, err := s.begin(context.Background(), p)
	if err != nil {
		return workload.Stream{}, err
	}
	return l.stream()
}

// begin starts the server if the service says so, and waits until it is ready. The requests end with ctx.
func (s *Service) begin(ctx context.Context, p plan.Point) (l *load, first *url.URL, err error) {
	own, port, err := s.ported()
	if err != nil {
		return nil, nil, err
	}
	c, err := newClient(ctx, own, port, p)
	if err != nil {
		return nil, nil, err
	}
	l, first = &load{service: own, client: c, counters: c.counters, point: p, used: -1}, c.requests[0].URL
	return l, first, l.start(ctx, port, first)
}

// ported checks the service and chooses a free port for its server, or "" if it needs none. It returns a copy of the
// service with the port in the path of the socket.
func (s *Service) ported() (own *Service, port string, err error) {
	if err := s.Check(); err != nil {
		return nil, "", err
	}
	if s.usesPort() {
		n, err := freePort()
		if err != nil {
			return nil, "", fmt.Errorf("no port is free for the server: %w", err)
		}
		port = strconv.Itoa(n)
	}
	copied := *s
	copied.Unix = withPort(s.Unix, port)
	return &copied, port, nil
}

// start starts the server if the service says so, and waits until it is ready or ctx ends.
func (l *load) start(ctx context.Context, port string, first *url.URL) (err error) {
	if l.service.Start != nil {
		l.server, err = l.service.startServer(ctx, port, first, l.point)
	}
	return err
}

// stream sends the first request and returns the stream that sends the others.
func (l *load) stream() (workload.Stream, error) {
	if err := l.first(); err != nil {
		return workload.Stream{}, both(err, l.stop())
	}
	if l.server != nil {
		l.before, _ = l.server.cpu()
	}
	s := workload.Stream{
		Try:     func(_ env.Env, request uint64) bool { return l.try(request) },
		Close:   func(env.Env) { l.close() },
		Check:   func(uint64) (workload.Answer, error) { return nil, l.check() },
		Metrics: l.metrics,
	}
	if c, ok := l.client.(*client); ok && c.timed {
		s.Send = func(e env.Env, request uint64, at time.Duration) (sent, received time.Duration, ok bool) {
			s, i := l.count(request)
			x := c.transmit(e, i, at, s)
			return x.sent, x.received, l.note(request, i, x.code, x.failure, x.wrong)
		}
	}
	return s, nil
}

// chances is how often the first and the last request are sent until one succeeds: a server may fail some requests.
const chances = 5

// ask sends the first request again until it succeeds, but not if it failed for a reason that lasts, or that took long,
// nor to another machine, which gets no more load than the user asks for. It returns the first failure. These requests
// are not part of the load.
func (l *load) ask() (code int, f *failure, wrong error) {
	for range chances {
		c, failed, w := l.client.send(0, l.counters.of(0))
		if failed == nil {
			return c, nil, w
		}
		if f == nil {
			code, f = c, failed
		}
		k, s := failed.kind, l.service
		if s.MaxErrors == 0 || len(s.AllowHosts) > 0 || k != status && k != reset && k != closed {
			break
		}
	}
	return code, f, nil
}

// first sends the first request.
func (l *load) first() error {
	code, f, wrong := l.ask()
	if wrong != nil {
		l.counters.mistake(l.counters.of(0), l.client.describe(0, wrong))
	}
	if f == nil {
		return nil
	}
	return l.advise(fmt.Errorf("the first request failed: %w", l.client.describe(0, f)), f.kind, code)
}

// try sends one request of the load, and reports whether it succeeded.
func (l *load) try(request uint64) bool {
	s, i := l.count(request)
	code, f, wrong := l.client.send(i, s)
	return l.note(request, i, code, f, wrong)
}

// count counts a request of the load, and returns which one is sent.
func (l *load) count(request uint64) (s *shard, i int) {
	s = l.counters.of(request)
	s.requests.Add(1)
	return s, l.index(request)
}

// note counts what became of a request, and reports whether it succeeded. A wrong reply is no failure: it makes the
// whole trial a wrong answer.
func (l *load) note(request uint64, i, code int, f *failure, wrong error) bool {
	s := l.counters.of(request)
	if code != 0 {
		s.answered(code)
	}
	switch {
	case f != nil:
		l.counters.fail(s, f)
		return false
	case wrong != nil:
		l.counters.mistake(s, fmt.Errorf("request %d, %w", request, l.client.describe(i, wrong)))
	}
	return true
}

// index returns which request is sent as a request of the load. In an open loop they are sent in turn. In a closed loop
// of W workers, each sends every W-th number, so it would repeat the same few if W and the number of requests have a
// common divisor. So each round of all requests begins with another one, by a hash of the number of the round.
func (l *load) index(request uint64) int {
	n := uint64(l.client.count())
	if workload.OpenLoop(l.point) {
		return int(request % n)
	}
	return int((request%n + mix(request/n)%n) % n)
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// startServer starts the server of a trial at a point and waits until it is ready. A request whether it is ready uses
// the protocol of the point if it goes to the address of the first request, and HTTP/1.1 otherwise.
func (s *Service) startServer(ctx context.Context, port string, first *url.URL, p plan.Point) (*server, error) {
	words := make([]string, len(s.Start))
	for i, w := range s.Start {
		words[i] = withPort(w, port)
	}
	ready := withPort(s.Ready, port)
	if u, err := url.Parse(ready); err != nil || u.Scheme != first.Scheme || hostPort(u) != hostPort(first) {
		p = plan.Point{}
	}
	transport := s.newTransport(p)
	transport.DialContext, transport.DisableKeepAlives = s.dial, true
	defer transport.CloseIdleConnections()
	return startServer(ctx, words, readiness{
		url: ready, client: &http.Client{Transport: transport},
		address: hostPort(first), unix: s.Unix, limit: cmp.Or(s.StartLimit, defaultStartLimit), options: s.options,
	})
}
