package endpoint

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
)

// lateReader reads from a connection only after a function returned.
type lateReader struct {
	net.Conn
	before func()
}

func (c lateReader) Read(p []byte) (int, error) {
	c.before()
	return c.Conn.Read(p)
}

// TestReplyStamp: a reply is complete when the kernel received it, however late it is read. One to HEAD is complete
// without its connection's end, though its length is not given.
func TestReplyStamp(t *testing.T) {
	testReplyStamp(t, http.MethodGet, "Content-Length: 0\r\n")
	testReplyStamp(t, http.MethodHead, "")
}

func testReplyStamp(t *testing.T, method, header string) {
	t.Helper()
	answered := make(chan bool, 1)
	url := serveRaw(t, func(c net.Conn, _ int) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\n"+header+"\r\n")
		answered <- true
	})
	w, err := made("url=http://127.0.0.1/")
	if err != nil {
		t.Fatal(err)
	}
	s := Service{Requests: []Request{{Method: method, URL: url}}}
	c, err := newClient(t.Context(), &s, "", workloadtest.Point(t, w, "rate=10"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	const late, tries = 5 * time.Millisecond, 100
	world := live.New(live.Config{})
	var read time.Duration // when the reply was read
	c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := c.dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		timed := conn.(*timedConn)
		timed.countedConn.Conn = lateReader{timed.stamped, func() {
			select {
			case <-answered:
			case <-t.Context().Done():
				return
			}
			for began := time.Now(); time.Since(began) < late; {
			}
			read = world.Now()
		}}
		return conn, nil
	}
	err = world.Run("load", func(e env.Env) {
		var x outgoing
		for range tries { // the kernel begins to stamp some time after it is told to
			x = c.transmit(e, 0, e.Now(), c.counters.of(0))
			if x.code != http.StatusOK || x.received < x.sent {
				break
			}
			if x.received <= read-late/2 {
				return
			}
		}
		t.Errorf("%+v; read at %v, %v after it came", x, read, late)
	})
	if err != nil {
		t.Fatal(err)
	}
}
