package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/internal/rxtime"
)

// timing sends a request at its time. The transport needs up to 0.3 ms before it writes a request, because it passes it
// to another goroutine, and because its code is no longer in the caches if requests are rare. So it begins earlier, and
// its connection waits before it writes. A timing is used for one request after the other.
type timing struct {
	epoch     time.Time                 // zero of received
	conn      atomic.Pointer[timedConn] // of the current request
	received  atomic.Int64              // when the last bytes came after it began; 0: none did
	complete  time.Duration             // when its reply was complete, on the clock of received; 0: it was not
	begun     atomic.Bool               // the transport has begun to send it, or to connect for it
	connected atomic.Bool               // the transport has a connection for it

	mu    sync.Mutex // held while a goroutine waits, so that env has one user
	env   env.Env
	at    time.Duration // when the request should be sent
	sent  time.Duration // when it began
	armed bool          // it may begin
}

// timingKey is the key of the timing in the context of a request.
type timingKey struct{}

// timingOf returns the timing of the request that a connection is opened for.
func timingOf(ctx context.Context) *timing {
	t, _ := ctx.Value(timingKey{}).(*timing)
	return t
}

// follow lets trace tell t which connection each request gets. It returns a context for the requests.
func (t *timing) follow(ctx context.Context, trace *httptrace.ClientTrace) context.Context {
	trace.GetConn = func(string) { t.connected.Store(false) }
	count := trace.GotConn
	trace.GotConn = func(info httptrace.GotConnInfo) {
		count(info)
		conn := info.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		if c, ok := conn.(*timedConn); ok {
			c.next.Store(t)
			c.current.Store(t)
			if last := t.conn.Swap(c); last != nil && last != c { // of a redirect, or of an attempt that failed
				last.current.CompareAndSwap(t, nil)
			}
		}
		t.connected.Store(true)
	}
	t.epoch = time.Now()
	return context.WithValue(ctx, timingKey{}, t)
}

// arm prepares t for a request that should be sent at a time of e. The caller must not use e until it has called
// disarm.
func (t *timing) arm(e env.Env, at time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.env, t.at, t.sent, t.armed = e, at, at, true
	t.conn.Store(nil)
	t.received.Store(0)
	t.complete = 0
	t.begun.Store(false)
}

// end notes that the reply of a request was read to its end: it was complete when its last bytes came, or is now if it
// ends with its connection.
func (t *timing) end(withConnection bool) {
	if t.complete = time.Duration(t.received.Load()); withConnection || t.complete == 0 {
		t.complete = time.Since(t.epoch)
	}
}

// pass waits until the request should be sent, and notes when it is. Any goroutine of the transport may call it, also
// one that is left of an earlier request.
func (t *timing) pass() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.armed {
		t.armed = false
		t.env.Until(t.at)
		t.sent = t.env.Now()
		t.begun.Store(true)
	}
}

// disarm ends the use of the env of arm. It returns when the request was sent.
func (t *timing) disarm() (sent time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.armed = false
	if c := t.conn.Load(); c != nil {
		c.current.CompareAndSwap(t, nil)
	}
	return t.sent
}

// errUnneeded is the error of a connection that nothing waits for.
var errUnneeded = errors.New("another connection became free first")

// needsConn waits until a request without a free connection should be sent, because a response time includes that of
// the connection. It reports whether the request still needs one then. It does for a timing that is nil.
func (t *timing) needsConn() bool {
	if t == nil {
		return true
	}
	t.pass()
	return !t.connected.Load()
}

// timedConn is a connection that sends requests at their times, and tells when the bytes of their replies came. A reply
// may be complete, and the connection in use for another request, before the goroutine of the first one continues. So
// the times are kept with the requests.
type timedConn struct {
	countedConn
	stamped *rxtime.Conn
	next    atomic.Pointer[timing] // of a request that the transport is about to write
	current atomic.Pointer[timing] // of the request whose reply comes next, or came last
}

func (c *timedConn) Read(p []byte) (int, error) {
	n, err := c.countedConn.Read(p)
	if t := c.current.Load(); n > 0 && t != nil && t.begun.Load() {
		t.received.Store(int64(c.stamped.Last().Sub(t.epoch)))
	}
	return n, err
}

func (c *timedConn) Write(p []byte) (int, error) {
	if t := c.next.Swap(nil); t != nil {
		t.pass()
	}
	return c.countedConn.Write(p)
}

// transmit sends request i at a time of e, as send does, and says when it was sent and when the reply was complete.
func (c *client) transmit(e env.Env, i int, at time.Duration, s *shard) (x outgoing) {
	v := c.calls.Get().(*call)
	x = c.transmitBy(v, e, i, at, s)
	if v.answered && v.timing.received.Load() == 0 {
		// The reply came before the request was sent, such as that of a server that closes an idle connection. The
		// transport takes it for the reply of the request. It may still write the request, so v is not used again.
		s.resent.Add(1)
		v = c.calls.New().(*call)
		x = c.transmitBy(v, e, i, at, s)
	}
	c.calls.Put(v)
	return x
}

// transmitBy is transmit by a call.
func (c *client) transmitBy(v *call, e env.Env, i int, at time.Duration, s *shard) (x outgoing) {
	t := &v.timing
	limit := c.timeout + max(0, at-e.Now())
	t.arm(e, at)
	x.code, x.failure, x.wrong = c.exchange(v, i, s, limit)
	x.sent = t.disarm()
	e.Until(x.sent) // a request may fail before its time
	ago := time.Since(t.epoch) - t.complete
	x.received = max(x.sent, e.Now())
	// A reply that is older than its request has a stamp of a clock that was set.
	if complete := x.received - ago; t.complete != 0 && x.code != 0 && complete >= x.sent {
		x.received = complete
	}
	return x
}

// outgoing is what became of a request that was sent at its time.
type outgoing struct {
	sent, received time.Duration
	code           int
	failure        *failure
	wrong          error
}
