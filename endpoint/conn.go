package endpoint

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"

	"github.com/brewput/brewput/internal/input"
	"github.com/brewput/brewput/internal/rxtime"
)

// dial opens a connection whose bytes are counted.
func (c *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if c.timed && !timingOf(ctx).needsConn() {
		return nil, errUnneeded
	}
	conn, err := c.service.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	s := c.counters.of(c.opened.Add(1))
	s.connections.Add(1)
	if c.timed {
		stamped := rxtime.New(conn)
		return &timedConn{countedConn: countedConn{stamped, s}, stamped: stamped}, nil
	}
	return countedConn{conn, s}, nil
}

// countedConn counts the bytes of a connection, with those of TLS.
type countedConn struct {
	net.Conn
	shard *shard
}

func (c countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.shard.received.Add(int64(n))
	return n, err
}

func (c countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.shard.sent.Add(int64(n))
	return n, err
}

// statusText formats a status with its name.
func statusText(code int) string {
	text := strconv.Itoa(code)
	if name := http.StatusText(code); name != "" {
		text += " (" + name + ")"
	}
	return text
}

// count returns the number of requests.
func (c *client) count() int { return len(c.requests) }

// describe names request i in an error.
func (c *client) describe(i int, err error) error {
	r := c.requests[i]
	return fmt.Errorf("%s %s: %w", r.Method, input.Redact(r.URL.Redacted()), err)
}

// close closes the connections.
func (c *client) close() { c.transport.CloseIdleConnections() }
