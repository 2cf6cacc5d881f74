package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/internal/quote"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// client sends the requests of one trial. Its methods are safe for concurrent use.
type client struct {
	service   *Service
	requests  []*http.Request // without bodies; the transport does not change them
	bodies    [][]byte
	transport *http.Transport
	major     int // of the protocol
	timeout   time.Duration
	maxBody   int64
	timed     bool // requests are sent at their times, by transmit
	counters  *counters
	opened    atomic.Uint64 // connections, which are spread over the counters by number
	calls     sync.Pool     // of *call
	buffers   sync.Pool     // of *[]byte
}

// call is the memory of a request in progress.
type call struct {
	ctx      context.Context // with a trace that counts tries, and the timing
	tries    int             // times that the transport got a connection for the current request
	timing   timing
	answered bool // the head of a reply to the current request came
}

// bufferSize is that of a read of a body.
const bufferSize = 16 << 10

// newClient returns a client of a service, whose requests end with ctx. The port replaces {port}. It reads the factors
// reuse and protocol of a point that has them.
func newClient(ctx context.Context, s *Service, port string, p plan.Point) (*client, error) {
	c := &client{service: s, timeout: cmp.Or(s.Timeout, defaultTimeout), maxBody: cmp.Or(s.MaxBody, defaultMaxBody),
		counters: &counters{}, major: 1}
	c.calls.New = func() any {
		v := &call{}
		trace := &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { v.tries++ }}
		v.ctx = ctx
		if c.timed {
			v.ctx = v.timing.follow(v.ctx, trace)
		}
		v.ctx = httptrace.WithClientTrace(v.ctx, trace)
		return v
	}
	c.buffers.New = func() any {
		b := make([]byte, bufferSize)
		return &b
	}

	for _, r := range s.Requests {
		request, err := newRequest(r, port)
		if err != nil {
			return nil, err
		}
		c.requests, c.bodies = append(c.requests, request), append(c.bodies, r.Body)
	}
	c.transport = s.newTransport(p)
	c.transport.DialContext = c.dial
	if p.Has(protocolFactor) && p.Text(protocolFactor) != http1 {
		c.major = 2
	}
	// Requests share a connection of HTTP/2, and one without reuse must be opened at its time.
	c.timed = workload.OpenLoop(p) && c.major == 1 && !c.transport.DisableKeepAlives
	return c, nil
}

// newTransport returns a transport with the protocol and the reuse of connections of a point.
func (s *Service) newTransport(p plan.Point) *http.Transport {
	t := &http.Transport{
		DisableCompression: true, // a body is what was sent
		// An idle connection of a worker must still be there for its next request.
		MaxIdleConnsPerHost: 1 << 20,
		TLSHandshakeTimeout: cmp.Or(s.Timeout, defaultTimeout),
		Protocols:           &http.Protocols{},
	}
	if s.TLS != nil {
		t.TLSClientConfig = s.TLS.Clone()
	}
	if p.Has(reuseFactor) {
		t.DisableKeepAlives = p.Text(reuseFactor) == off
	}

	word := http1
	if p.Has(protocolFactor) {
		word = p.Text(protocolFactor)
	}
	t.Protocols.SetHTTP1(word == http1)
	t.Protocols.SetHTTP2(word == h2)
	t.Protocols.SetUnencryptedHTTP2(word == h2c)
	return t
}

// newRequest makes the request of the transport, without its body.
func newRequest(r Request, port string) (*http.Request, error) {
	request, err := http.NewRequest(r.Method, withPort(r.URL, port), nil)
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		switch canonical := http.CanonicalHeaderKey(name); canonical {
		case "Host":
			request.Host = values[len(values)-1]
		case "User-Agent", "Authorization": // which the transport and this function look up
			request.Header[canonical] = append(request.Header[canonical], values...)
		default:
			request.Header[name] = values
		}
	}
	if request.Header["User-Agent"] == nil {
		request.Header["User-Agent"] = []string{"brewput"}
	}
	if user := request.URL.User; user != nil {
		password, _ := user.Password()
		if request.Header.Get("Authorization") == "" {
			request.SetBasicAuth(user.Username(), password)
		}
		request.URL.User = nil
	}
	return request, nil
}

// withBody returns a copy of request i with its body, or of another request that takes its place.
func withBody(ctx context.Context, request *http.Request, body []byte) *http.Request {
	r := request.WithContext(ctx)
	if len(body) > 0 {
		r.ContentLength = int64(len(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	return r
}

// send sends request i and reads the reply to its end. It passes the reply to the checks of the service. wrong is the
// error of a check, f that of a request that failed; at most one is not nil.
func (c *client) send(i int, s *shard) (code int, f *failure, wrong error) {
	v := c.calls.Get().(*call)
	defer c.calls.Put(v)
	code, f, wrong = c.exchange(v, i, s, c.timeout)
	if c.timed {
		v.timing.disarm()
	}
	return code, f, wrong
}

// exchange sends request i as send does, within a time limit.
func (c *client) exchange(v *call, i int, s *shard, limit time.Duration) (code int, f *failure, wrong error) {
	ctx, cancel := context.WithTimeout(v.ctx, limit)
	defer cancel()
	v.tries, v.answered = 0, false
	template, body := c.requests[i], c.bodies[i]
	for hop := 0; ; hop++ {
		response, err := c.transport.RoundTrip(withBody(ctx, template, body))
		if again := v.tries - hop - 1; again > 0 {
			s.resent.Add(int64(again))
			v.tries -= again
		}
		if err != nil {
			return 0, c.word(classify(err)), nil
		}
		v.answered = true
		if f := c.checkProtocol(response); f != nil {
			response.Body.Close()
			return 0, f, nil
		}
		if !c.follows(response) {
			code = response.StatusCode
			f, wrong = c.finish(v, i, response)
			if f != nil && f.kind != status {
				code = 0 // the reply is not complete
			}
			return code, c.word(f), wrong
		}

		if _, f := c.discard(response.Body); f != nil {
			return 0, c.word(f), nil
		}
		if template, f = redirected(template, response, hop); f != nil {
			return 0, f, nil
		}
		if template.Method == http.MethodGet || template.Method == http.MethodHead {
			body = nil
		}
	}
}

// checkProtocol checks that a reply is in the protocol of the request. After a switch to another protocol, the time
// limit of the request would not end a read of the body.
func (c *client) checkProtocol(r *http.Response) *failure {
	switch {
	case r.ProtoMajor != c.major:
		return failed(protocol, "the server answers with %s", quote.Line(r.Proto))
	case r.StatusCode == http.StatusSwitchingProtocols:
		return failed(protocol, "the server switches to another protocol: status %s", statusText(r.StatusCode))
	}
	return nil
}

// word words the errors of package net/http in the terms of the user.
func (c *client) word(f *failure) *failure {
	if f == nil {
		return nil
	}
	switch f.kind {
	case timeout:
		return failed(timeout, "no complete reply within %v", c.timeout)
	case closed:
		return failed(closed, "the server closed the connection before its reply was complete")
	}
	return f
}

// finish reads the body of a reply, notes that it is complete, and checks it.
func (c *client) finish(v *call, i int, response *http.Response) (f *failure, wrong error) {
	verify := c.service.Verify
	var body *bytes.Buffer
	if verify != nil {
		body = new(bytes.Buffer)
	}
	if _, f := c.read(response.Body, body); f != nil {
		return f, nil
	}
	if c.timed {
		v.timing.end(response.ContentLength < 0 && len(response.TransferEncoding) == 0 && response.Body != http.NoBody)
	}
	if f, wrong := c.checkStatus(response.StatusCode); f != nil || wrong != nil || verify == nil {
		return f, wrong
	}
	return nil, verify(i, Reply{response.StatusCode, response.Header, body.Bytes()})
}

// checkStatus checks the status of a reply.
func (c *client) checkStatus(code int) (f *failure, wrong error) {
	expect := c.service.Expect
	switch {
	case !expect.Empty() && !expect.Has(code):
		return nil, errors.New("status " + statusText(code) + ", not " + expect.String())
	case expect.Empty() && code >= 400:
		return failed(status, "status %s", statusText(code)), nil
	}
	return nil, nil
}

// discard reads a body to its end and forgets it.
func (c *client) discard(body io.ReadCloser) (int64, *failure) { return c.read(body, nil) }

// read reads a body to its end, up to the limit, and closes it. It copies the body to a buffer that is not nil.
func (c *client) read(body io.ReadCloser, to *bytes.Buffer) (total int64, f *failure) {
	defer body.Close()
	if body == http.NoBody {
		return 0, nil
	}
	b := c.buffers.Get().(*[]byte)
	defer c.buffers.Put(b)
	for {
		n, err := body.Read(*b)
		if total += int64(n); total > c.maxBody {
			return total, failed(kindOfBody, "the body has more than %d bytes, the limit", c.maxBody)
		}
		if to != nil {
			to.Write((*b)[:n])
		}
		switch {
		case err == io.EOF:
			return total, nil
		case err != nil:
			return total, classify(err)
		}
	}
}

// kindOfBody is the kind body, in functions with a variable of that name.
const kindOfBody = body
